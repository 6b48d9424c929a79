//! Terms in running text, and the walk over a long phrase.

use std::ops::Range;

use crate::analyze::{CharCounter, char_count};
use crate::bits;
use crate::builder::cut_evenly;
use crate::error::{Error, Result};
use crate::index::{Index, TermId};
use crate::query::{Beginning, UNKNOWN};
use crate::suffixes::{self, Tokens};
use crate::threads::{Progress, run, threads_or_all};

/// Which of the spans that overlap to report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlaps {
    /// All of them.
    #[default]
    All,
    /// Those that do not lie inside of another.
    Longest,
    /// From left to right the longest, and none that overlaps with the one before.
    Leftmost,
}

/// A term in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// The term.
    pub id: TermId,
    /// Its first character.
    pub start: u64,
    /// The character behind its last.
    pub end: u64,
}

/// A [`Match`] as the search finds it: with the place of the term's key, and no id yet.
#[derive(Clone)]
pub(crate) struct Occurrence {
    pub(crate) key: Range<u32>,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Index {
    /// The terms that stand in a text, by start, end and id. Offsets count characters.
    pub fn find(&self, text: &str, overlaps: Overlaps) -> Result<Vec<Match>> {
        let occurrences = self.occurrences(text, overlaps)?;
        let found = |Occurrence { key, start, end }| {
            Ok(Match { id: self.id_at(key.start as usize)?, start, end })
        };
        occurrences.into_iter().map(found).collect()
    }

    /// What [`Index::find`] finds.
    pub(crate) fn occurrences(&self, text: &str, overlaps: Overlaps) -> Result<Vec<Occurrence>> {
        // Threads cost more than they gain on a short text.
        let threads = if text.len() < 1 << 16 { 1 } else { threads_or_all(None) };
        let Text { ids, places } = self.read(text, threads)?;
        let report = |found: &mut Vec<Occurrence>, start: usize, term: &Beginning| -> Result<()> {
            let (first, last) = (&places[start], &places[start + term.length - 1]);
            self.each_variant(term, |position| {
                let key = position as u32..(position + term.length) as u32;
                found.push(Occurrence { key, start: first.start, end: last.end });
                Ok(())
            })
        };
        let count = ids.len();
        if overlaps == Overlaps::All {
            let parts = run(threads, cut_evenly(count, threads * 4), |part| {
                let mut found = Vec::with_capacity(part.len());
                // No term goes further than the longest.
                let end = count.min(part.end + self.meta.longest as usize);
                let mut walk = Walk::of(self, &ids[part.start..end]);
                for start in part.clone() {
                    walk.each_at(start - part.start, |term| report(&mut found, start, term))?;
                }
                Ok(found)
            })?;
            return Ok(parts.concat());
        }
        let mut found = Vec::new();
        let mut walk = Walk::of(self, &ids);
        let mut start = 0;
        let mut covered = 0;
        while start < count {
            let longest = walk.longest_at(start, usize::MAX)?;
            let end = longest.as_ref().map_or(0, |term| start + term.length);
            if let Some(term) = longest
                && end > covered
            {
                report(&mut found, start, &term)?;
                covered = end;
            }
            start = match overlaps {
                Overlaps::Leftmost => end.max(start + 1),
                _ => start + 1,
            };
        }
        Ok(found)
    }
}

/// A running text as token ids, with the place of each token in it, in characters.
#[derive(Default)]
struct Text {
    ids: Vec<u32>,
    places: Vec<Range<u64>>,
}

impl Index {
    fn read(&self, text: &str, threads: usize) -> Result<Text> {
        let parts = self.meta.options.cut(text, threads * 4);
        let lengths = run(threads, parts.clone(), |part| Ok(char_count(part)))?;
        let mut before = 0;
        let mut tasks = Vec::with_capacity(parts.len());
        for (part, length) in parts.into_iter().zip(lengths) {
            tasks.push((part, before));
            before += length;
        }
        let read = run(threads, tasks, |(part, before)| {
            let mut read = Text::default();
            let mut forms = Vec::with_capacity(1024);
            let mut counter = CharCounter::new(part);
            self.meta.options.tokens(part, self.meta.spaces, |range| {
                let form = self.normal_form(&part[range.clone()])?;
                let mut place = |byte| (before + counter.advance(byte)) as u64;
                if !form.is_empty() {
                    forms.push(form);
                    read.places.push(place(range.start)..place(range.end));
                }
                // In portions, so that the forms of a long text do not all stand in memory.
                if forms.len() == 1024 {
                    self.tokens.find_all(&forms, |id| read.ids.push(id.unwrap_or(UNKNOWN)))?;
                    forms.clear();
                }
                Ok::<(), Error>(())
            })?;
            self.tokens.find_all(&forms, |id| read.ids.push(id.unwrap_or(UNKNOWN)))?;
            Ok(read)
        })?;
        let mut all = Text::default();
        for part in read {
            all.ids.extend(part.ids);
            all.places.extend(part.places);
        }
        Ok(all)
    }
}

/// The terms that begin at each token of a phrase.
///
/// As a rule the walk goes token by token from each start. A phrase that repeats what terms repeat
/// ("a a a a ...") would be walked in quadratic time; so after too many steps its suffixes are sorted,
/// and what two neighbours have in common is walked once.
pub(crate) struct Walk<'a> {
    index: &'a Index,
    key: &'a [u32],
    steps: usize,
    terms: Vec<Beginning>,
    shared: Option<Shared>,
}

/// The steps that a walk may take for each token before it is thought to repeat itself; in a text a
/// token takes two or three.
const STEPS_PER_TOKEN: usize = 32;
/// Phrases so short are never sorted.
const SHORT: usize = 64;

impl<'a> Walk<'a> {
    pub(crate) fn of(index: &'a Index, key: &'a [u32]) -> Walk<'a> {
        Walk { index, key, steps: 0, terms: Vec::new(), shared: None }
    }

    /// The terms that begin at token `start`, shortest first.
    #[inline]
    pub(crate) fn terms_at(&mut self, start: usize) -> Result<&[Beginning]> {
        self.terms.clear();
        if self.shared.is_none() {
            let mut terms = std::mem::take(&mut self.terms);
            let walked = self.walk(start, |term| {
                terms.push(term);
                Ok(())
            });
            self.terms = terms;
            walked?;
            self.share_if_repetitive(start)?;
        } else if let Some(shared) = &self.shared {
            let mut node = shared.deepest[start];
            while let Some(Node { shorter, term }) = shared.nodes.get(node as usize) {
                self.terms.push(term.clone());
                node = *shorter;
            }
            self.terms.reverse();
        }
        Ok(&self.terms)
    }

    /// [`Index::walk`] from token `start`, counted.
    #[inline]
    fn walk(&mut self, start: usize, each: impl FnMut(Beginning) -> Result<()>) -> Result<()> {
        self.index.walk_counted(self.key, start, &mut self.steps, each)
    }

    /// Goes over to the shared walk if the one up to token `start` took too many steps.
    #[inline]
    fn share_if_repetitive(&mut self, start: usize) -> Result<()> {
        if self.steps > STEPS_PER_TOKEN * (start + SHORT) && self.key.len() > SHORT {
            self.shared = Some(Shared::new(self.index, self.key)?);
        }
        Ok(())
    }

    /// Calls `each` with the terms that begin at token `start`, shortest first.
    #[inline]
    fn each_at(
        &mut self,
        start: usize,
        mut each: impl FnMut(&Beginning) -> Result<()>,
    ) -> Result<()> {
        if self.shared.is_some() {
            return self.terms_at(start)?.iter().try_for_each(each);
        }
        self.walk(start, |term| each(&term))?;
        self.share_if_repetitive(start)
    }

    /// The longest term of less than `below` tokens that begins at token `start`.
    #[inline]
    pub(crate) fn longest_at(&mut self, start: usize, below: usize) -> Result<Option<Beginning>> {
        let Some(shared) = &self.shared else {
            let terms = self.terms_at(start)?;
            return Ok(terms.iter().rfind(|term| term.length < below).cloned());
        };
        // Without the chain of all shorter ones.
        let mut node = shared.deepest[start];
        while let Some(Node { shorter, term }) = shared.nodes.get(node as usize) {
            if term.length < below {
                return Ok(Some(term.clone()));
            }
            node = *shorter;
        }
        Ok(None)
    }

    /// Calls `each` with the start of every term in the phrase, and the term. Terms that
    /// stand in it more than once may be told again, but not so often that a phrase that repeats
    /// itself takes quadratic time; the first time tells the first start.
    pub(crate) fn each_distinct(
        mut self,
        mut each: impl FnMut(usize, Beginning) -> Result<()>,
    ) -> Result<()> {
        let mut start = 0;
        while start < self.key.len() && self.shared.is_none() {
            self.walk(start, |term| each(start, term))?;
            start += 1;
            self.share_if_repetitive(start)?;
        }
        let Some(shared) = self.shared else { return Ok(()) };
        let mut told = vec![false; shared.nodes.len()];
        for start in start..self.key.len() {
            let mut node = shared.deepest[start] as usize;
            // What is shorter than a node that has been told was told with it.
            while let Some(Node { shorter, term }) = shared.nodes.get(node)
                && !told[node]
            {
                told[node] = true;
                each(start, term.clone())?;
                node = *shorter as usize;
            }
        }
        Ok(())
    }
}

/// All terms of a phrase, each one once.
struct Shared {
    nodes: Vec<Node>,
    /// For each token the longest term that begins there; [`NONE`] if none does.
    deepest: Vec<u32>,
}

/// A term of the phrase.
struct Node {
    /// The longest term that it begins with; [`NONE`] if there is none.
    shorter: u32,
    term: Beginning,
}

/// No node: never a place in the list of nodes.
const NONE: u32 = u32::MAX;

impl Shared {
    fn new(index: &Index, key: &[u32]) -> Result<Shared> {
        // The phrase as the only term of a vocabulary of its own tokens.
        let mut distinct = key.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let own = |token: &u32| distinct.partition_point(|other| other < token) as u32;
        let own: Vec<u32> = key.iter().map(own).collect();
        let mut borders = vec![0; bits::words_for(key.len() + 1)];
        bits::set(&mut borders, 0);
        bits::set(&mut borders, key.len());
        let tokens = Tokens { keys: &own, borders: &borders };
        let buckets = suffixes::bucket_starts(&own, distinct.len());
        let dealt = suffixes::deal(&own, &buckets);
        let sorted = suffixes::sort(tokens, &buckets, dealt, 1, &Progress::default())?.suffixes;
        let common = suffixes::common_prefixes(tokens, &sorted, 1)?;

        let mut nodes: Vec<Node> = Vec::new();
        let mut deepest = vec![NONE; key.len()];
        // The slots of the first 1, 2, 3 ... tokens of the current suffix, as far as terms go.
        let mut path: Vec<Range<usize>> = Vec::new();
        // The nodes on that path.
        let mut terms: Vec<u32> = Vec::new();
        for (&p, &common) in sorted.iter().zip(&common) {
            path.truncate(common as usize);
            while terms
                .last()
                .is_some_and(|&node| nodes[node as usize].term.length > common as usize)
            {
                terms.pop();
            }
            // Where the path has ended before the common prefix does, it ends here as well; the one
            // step that finds this out again is all that it costs.
            while let Some(&token) = key.get(p as usize + path.len())
                && token != UNKNOWN
            {
                let slots = match path.last() {
                    None => index.bucket(token)?,
                    Some(slots) => index.narrow(slots.clone(), path.len(), token)?,
                };
                if slots.is_empty() || !index.any_whole(&slots)? {
                    break;
                }
                path.push(slots.clone());
                if let Some(position) = index.whole_at(&slots, path.len())? {
                    let shorter = terms.last().copied().unwrap_or(NONE);
                    terms.push(nodes.len() as u32);
                    let term = Beginning { position, length: path.len(), slots };
                    nodes.push(Node { shorter, term });
                }
            }
            deepest[p as usize] = terms.last().copied().unwrap_or(NONE);
        }
        Ok(Shared { nodes, deepest })
    }
}
