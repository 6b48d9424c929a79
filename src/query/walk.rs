//! The walk over a phrase that finds every term in it.

use std::ops::Range;

use crate::arrays::bits;
use crate::build::suffixes::{self, Tokens};
use crate::error::Result;
use crate::index::Index;
use crate::index::key::UNKNOWN;
use crate::progress::Progress;

/// The variants of a term whose memory is requested at the same time.
const VARIANTS_AHEAD: usize = 8;

/// A term that a phrase begins with.
#[derive(Clone, Debug)]
pub(crate) struct TermRange {
    /// Where it begins in the keys.
    pub(crate) position: usize,
    /// Its tokens.
    pub(crate) length: usize,
    /// The slots of the suffixes that begin with it.
    pub(crate) slots: Range<usize>,
}

impl Index {
    /// Whether these slots hold whole terms at all.
    #[inline]
    pub(crate) fn any_whole(&self, slots: &Range<usize>) -> Result<bool> {
        Ok(self.count_wholes(slots)? > 0)
    }

    /// The number of whole terms that these slots hold.
    #[inline]
    pub(crate) fn count_wholes(&self, slots: &Range<usize>) -> Result<usize> {
        let wholes = &self.arrays.wholes;
        Ok(wholes.rank(slots.end)?.saturating_sub(wholes.rank(slots.start)?))
    }

    /// Calls `each` with where the term's key begins, and those of its variants.
    #[inline]
    pub(crate) fn each_variant(
        &self,
        term: &TermRange,
        mut each: impl FnMut(usize) -> Result<()>,
    ) -> Result<()> {
        self.each_variant_until(term, |position| each(position).map(|()| false))
    }

    /// [`Index::each_variant`], until `each` returns true.
    #[inline]
    pub(crate) fn each_variant_until(
        &self,
        term: &TermRange,
        mut each: impl FnMut(usize) -> Result<bool>,
    ) -> Result<()> {
        if !each(term.position)? && self.may_have_variants() {
            for slot in term.slots.clone().skip(1) {
                if !self.arrays.wholes.get(slot)? {
                    break;
                }
                // Where several end is requested at the same time.
                if (slot - term.slots.start) % VARIANTS_AHEAD == 1 {
                    for ahead in slot..term.slots.end.min(slot + VARIANTS_AHEAD) {
                        self.arrays.borders.prefetch(self.suffix(ahead)? + term.length);
                    }
                }
                match self.whole_at(&(slot..term.slots.end), term.length)? {
                    Some(position) if !each(position)? => {}
                    _ => break,
                }
            }
        }
        Ok(())
    }

    /// Calls `each` with every term that the phrase from `start` on begins with, shortest first.
    #[inline]
    pub(crate) fn walk(
        &self,
        key: &[u32],
        start: usize,
        each: impl FnMut(TermRange) -> Result<()>,
    ) -> Result<()> {
        self.walk_counted(key, start, &mut 0, each)
    }

    /// [`Index::walk`], counting its steps.
    #[inline]
    pub(crate) fn walk_counted(
        &self,
        key: &[u32],
        start: usize,
        steps: &mut usize,
        each: impl FnMut(TermRange) -> Result<()>,
    ) -> Result<()> {
        let slots = key.get(start).map_or(Ok(0..0), |&first| self.bucket(first))?;
        self.walk_on(key, start, 1, slots, steps, each)
    }

    /// [`Index::walk_counted`] for terms of at least `length` tokens, when the first `length` tokens have
    /// these slots.
    #[inline]
    fn walk_on(
        &self,
        key: &[u32],
        start: usize,
        mut length: usize,
        mut slots: Range<usize>,
        steps: &mut usize,
        mut each: impl FnMut(TermRange) -> Result<()>,
    ) -> Result<()> {
        while !slots.is_empty() {
            *steps += 1;
            if let Some(position) = self.whole_at(&slots, length)? {
                each(TermRange { position, length, slots: slots.clone() })?;
            }
            match key.get(start + length) {
                None | Some(&UNKNOWN) => return Ok(()),
                // The suffixes of long terms may go on with the phrase for long: what counts is
                // whether a whole term does.
                Some(_) if !self.any_whole(&slots)? => return Ok(()),
                Some(_)
                    if length == 1 && !self.arrays.openings.may_have(&key[start..start + 2]) =>
                {
                    return Ok(());
                }
                Some(&token) => slots = self.narrow(slots, length, token)?,
            }
            length += 1;
        }
        Ok(())
    }

    /// Where the term begins that the phrase of `length` tokens with these slots is; the first of its
    /// variants.
    #[inline]
    pub(crate) fn whole_at(&self, slots: &Range<usize>, length: usize) -> Result<Option<usize>> {
        if !self.arrays.wholes.get(slots.start)? {
            return Ok(None);
        }
        let position = self.suffix(slots.start)?;
        Ok(self.arrays.borders.get(position + length)?.then_some(position))
    }
}

/// The terms that begin at each token of a phrase.
///
/// Usually the walk goes token by token from each start. A phrase that repeats what terms repeat
/// ("a a a a ...") would be walked in quadratic time; so after too many steps its suffixes are sorted,
/// and what two neighbours have in common is walked once.
pub(crate) struct Walk<'a> {
    index: &'a Index,
    key: &'a [u32],
    steps: usize,
    terms: Vec<TermRange>,
    shared: Option<Shared>,
}

/// Steps per token after which a walk is taken for one that repeats itself; in a text a token takes two
/// or three.
const STEPS_PER_TOKEN: usize = 32;
/// Phrases of at most this many tokens are never sorted: their walk is short in any case.
const MAX_UNSORTED: usize = 64;

impl<'a> Walk<'a> {
    pub(crate) fn of(index: &'a Index, key: &'a [u32]) -> Walk<'a> {
        Walk { index, key, steps: 0, terms: Vec::new(), shared: None }
    }

    /// The terms that begin at token `start`, shortest first.
    #[inline]
    pub(crate) fn terms_at(&mut self, start: usize) -> Result<&[TermRange]> {
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
    fn walk(&mut self, start: usize, each: impl FnMut(TermRange) -> Result<()>) -> Result<()> {
        self.index.walk_counted(self.key, start, &mut self.steps, each)
    }

    /// Goes over to the shared walk if the one up to token `start` took too many steps.
    #[inline]
    fn share_if_repetitive(&mut self, start: usize) -> Result<()> {
        if self.steps > STEPS_PER_TOKEN * (start + MAX_UNSORTED) && self.key.len() > MAX_UNSORTED {
            self.shared = Some(Shared::new(self.index, self.key)?);
        }
        Ok(())
    }

    /// Calls `each` with the terms that begin at token `start`, shortest first.
    #[inline]
    pub(crate) fn each_at(
        &mut self,
        start: usize,
        mut each: impl FnMut(&TermRange) -> Result<()>,
    ) -> Result<()> {
        if self.shared.is_some() {
            return self.terms_at(start)?.iter().try_for_each(each);
        }
        self.walk(start, |term| each(&term))?;
        self.share_if_repetitive(start)
    }

    /// Calls `each` with the terms of more than `length` tokens that begin at token `start`, shortest first.
    /// The first `length` tokens have these slots.
    #[inline]
    pub(crate) fn each_longer_at(
        &mut self,
        start: usize,
        length: usize,
        slots: Range<usize>,
        mut each: impl FnMut(&TermRange),
    ) -> Result<()> {
        if self.shared.is_some() {
            self.terms_at(start)?.iter().filter(|term| term.length > length).for_each(each);
            return Ok(());
        }
        let Walk { index, key, steps, .. } = self;
        if let Some(&token) = key.get(start + length)
            && token != UNKNOWN
        {
            let slots = index.narrow(slots, length, token)?;
            index.walk_on(key, start, length + 1, slots, steps, |term| {
                each(&term);
                Ok(())
            })?;
        }
        self.share_if_repetitive(start)
    }

    /// The longest term of less than `below` tokens that begins at token `start`.
    #[inline]
    pub(crate) fn longest_at(&mut self, start: usize, below: usize) -> Result<Option<TermRange>> {
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

    /// Whether the phrase repeats itself, so that many terms may begin at a token.
    pub(crate) fn is_repetitive(&self) -> bool {
        self.shared.is_some()
    }

    /// Calls `accept` with the terms that begin at token `start`, longest first, until it returns true.
    #[inline]
    pub(crate) fn longest_accepted_at(
        &mut self,
        start: usize,
        mut accept: impl FnMut(&TermRange) -> Result<bool>,
    ) -> Result<()> {
        if let Some(shared) = &self.shared {
            // Without the chain of all shorter ones.
            let mut node = shared.deepest[start];
            while let Some(Node { shorter, term }) = shared.nodes.get(node as usize)
                && !accept(term)?
            {
                node = *shorter;
            }
            return Ok(());
        }
        for term in self.terms_at(start)?.iter().rev() {
            if accept(term)? {
                break;
            }
        }
        Ok(())
    }

    /// Calls `each` with every term in the phrase and its start. A term that occurs more than once may be
    /// reported again, but not so often that a phrase that repeats itself takes quadratic time; the
    /// first report has the first start.
    pub(crate) fn each_distinct(
        mut self,
        mut each: impl FnMut(usize, TermRange) -> Result<()>,
    ) -> Result<()> {
        let mut start = 0;
        while start < self.key.len() && self.shared.is_none() {
            self.walk(start, |term| each(start, term))?;
            start += 1;
            self.share_if_repetitive(start)?;
        }
        let Some(shared) = self.shared else { return Ok(()) };
        let mut reported = vec![false; shared.nodes.len()];
        for start in start..self.key.len() {
            let mut node = shared.deepest[start] as usize;
            // The terms that a reported one begins with were reported with it.
            while let Some(Node { shorter, term }) = shared.nodes.get(node)
                && !reported[node]
            {
                reported[node] = true;
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
    term: TermRange,
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
        let common = suffixes::common_prefixes(tokens, &sorted)?;

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
                    let term = TermRange { position, length: path.len(), slots };
                    nodes.push(Node { shorter, term });
                }
            }
            deepest[p as usize] = terms.last().copied().unwrap_or(NONE);
        }
        Ok(Shared { nodes, deepest })
    }
}
