//! Terms in running text, and the walk over a long phrase.

use std::ops::Range;

use crate::analyze::CharCounter;
use crate::bits;
use crate::error::Result;
use crate::index::{Index, TermId};
use crate::query::{Beginning, UNKNOWN};
use crate::suffixes::{self, Tokens};
use crate::threads::Progress;

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

impl Index {
    /// The terms that stand in a text, by start, end and id. Offsets count characters.
    pub fn find(&self, text: &str, overlaps: Overlaps) -> Result<Vec<Match>> {
        let phrase = self.phrase_of(text)?;
        let mut counter = CharCounter::new(text);
        let places: Vec<Range<u64>> = phrase
            .ranges
            .iter()
            .map(|range| counter.advance(range.start) as u64..counter.advance(range.end) as u64)
            .collect();
        let mut found = Vec::new();
        let mut report = |start: usize, term: &Beginning| -> Result<()> {
            let (first, last) = (&places[start], &places[start + term.length - 1]);
            self.each_variant(term, |position| {
                let id = self.id_at(position)?;
                found.push(Match { id, start: first.start, end: last.end });
                Ok(())
            })
        };
        let mut walk = Walk::of(self, &phrase.ids);
        match overlaps {
            Overlaps::All => {
                for start in 0..phrase.ids.len() {
                    for term in walk.terms_at(start)? {
                        report(start, term)?;
                    }
                }
            }
            Overlaps::Longest => {
                let mut covered = 0;
                for start in 0..phrase.ids.len() {
                    if let Some(term) = walk.longest_at(start, usize::MAX)?
                        && start + term.length > covered
                    {
                        report(start, &term)?;
                        covered = start + term.length;
                    }
                }
            }
            Overlaps::Leftmost => {
                let mut start = 0;
                while start < phrase.ids.len() {
                    match walk.longest_at(start, usize::MAX)? {
                        Some(term) => {
                            report(start, &term)?;
                            start += term.length;
                        }
                        None => start += 1,
                    }
                }
            }
        }
        Ok(found)
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
            let terms = &mut self.terms;
            self.index.walk_counted(self.key, start, &mut self.steps, |term| {
                terms.push(term);
                Ok(())
            })?;
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

    /// Goes over to the shared walk if the one up to token `start` took too many steps.
    #[inline]
    fn share_if_repetitive(&mut self, start: usize) -> Result<()> {
        if self.steps > STEPS_PER_TOKEN * (start + SHORT) && self.key.len() > SHORT {
            self.shared = Some(Shared::new(self.index, self.key)?);
        }
        Ok(())
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
            let Walk { index, key, steps, .. } = &mut self;
            index.walk_counted(key, start, steps, |term| each(start, term))?;
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
        let sorted = suffixes::sort(tokens, distinct.len(), 1, &Progress::default())?.suffixes;
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
