//! Every (nested, super) pair of the vocabulary.
//!
//! One scan of the suffixes, with a stack of the whole terms that the current suffix begins with, finds for
//! each position the longest term that begins there. The term below it on the stack is the longest shorter
//! one, and so on. So the nested terms of a term are the chains from its positions. A chain is left where it
//! meets a term that was met before, as the rest of the chain was met with it. The cost is one step for each
//! token and each pair, however often a pair repeats.
//!
//! The scan is one of names (see build/names.rs). A term is nested in another if one of its names is
//! contained in a name of the other.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::build::entries::cut_evenly;
use crate::build::suffixes::{Tokens, common_prefixes_of_repetitive};
use crate::error::{Error, Result};
use crate::index::Index;
use crate::threads::{run, threads_for};

/// No term: more than any id or position.
pub(crate) const NONE: u32 = u32::MAX;

/// Pairs of terms, ordered by nested term, then by super term.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// The nested terms.
    pub nested: Vec<u32>,
    /// Their super terms.
    pub supers: Vec<u32>,
    /// The token of the super term at which the nested term begins first, from 0.
    pub starts: Vec<u32>,
}

/// Which names of terms count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// Only the surfaces of terms.
    Own,
    /// Aliases and joined readings too.
    All,
}

/// The nested terms of some consecutive terms; or the nested names of some consecutive names.
#[derive(Default)]
pub(crate) struct Nested {
    /// The terms that have nested ones, in order.
    terms: Vec<u32>,
    /// For each of them, where its nested terms end in `found`.
    ends: Vec<usize>,
    /// Nested terms, and the token at which each begins first.
    pub(super) found: Vec<(u32, u32)>,
    /// The number of nested terms, also if they are not collected in `found`.
    count: u64,
}

impl Nested {
    /// Each term that has nested ones, with these and the tokens at which they begin first.
    pub(crate) fn each(&self) -> impl Iterator<Item = (u32, &[(u32, u32)])> {
        let mut from = 0;
        self.terms.iter().zip(&self.ends).map(move |(&term, &end)| {
            let start = std::mem::replace(&mut from, end);
            (term, &self.found[start..end])
        })
    }

    /// Notes that all nested terms of a term have been added to `found`.
    pub(super) fn end(&mut self, term: u32) {
        if self.found.len() > self.ends.last().copied().unwrap_or(0) {
            self.terms.push(term);
            self.ends.push(self.found.len());
        }
    }
}

/// The names that begin at each position, as chains from the longest to the shortest. [`NONE`] ends a chain.
pub(crate) struct NamesByPosition {
    /// For each position the longest name that begins there; at the start of a name, the longest
    /// shorter one.
    pub(crate) longest: Vec<AtomicU32>,
    /// For each name the longest shorter one that it begins with.
    shorter: Vec<AtomicU32>,
    /// For each name the next one with the same key.
    variant: Option<Vec<AtomicU32>>,
}

/// How a scan ended.
#[derive(PartialEq, Eq)]
enum Scan {
    Done,
    /// The terms repeat themselves, and comparing them takes too long.
    TooLong,
}

/// A name on the stack: the current suffix begins with it.
struct OpenName {
    start: usize,
    length: usize,
    /// Its number, once it was needed.
    id: Option<u32>,
    /// The last of its variants so far, if it has any.
    last_variant: Option<u32>,
}

impl Index {
    /// All pairs; with `direct`, only those with no other term between them.
    pub fn pairs(&self, direct: bool, threads: usize) -> Result<Pairs> {
        let threads = threads_for(self.arrays.keys.len(), threads);
        let mut parts = self.all_nested(Names::All, threads, true)?;
        if direct {
            parts = self.direct_nested(&parts, threads)?;
        }
        if self.has_other_names() {
            parts = vec![self.nested_in_terms(&parts)?];
        }
        self.sort_by_nested(&parts, threads)
    }

    /// A counting sort by nested term; the super terms are in order already. Each thread sorts the pairs of
    /// some consecutive nested terms.
    pub(super) fn sort_by_nested(&self, parts: &[Nested], threads: usize) -> Result<Pairs> {
        let mut ends = vec![0usize; self.len() + 1];
        for part in parts {
            for &(nested, _) in &part.found {
                ends[nested as usize + 1] += 1;
            }
        }
        for i in 1..ends.len() {
            ends[i] += ends[i - 1];
        }
        let count = ends[self.len()];
        let mut pairs =
            Pairs { nested: vec![0; count], supers: vec![0; count], starts: vec![0; count] };
        let mut stretches = Vec::new();
        let (mut nested, mut supers, mut starts) =
            (&mut pairs.nested[..], &mut pairs.supers[..], &mut pairs.starts[..]);
        let mut from = 0;
        for i in 1..=threads {
            let to = match i == threads {
                true => self.len(),
                false => {
                    ends.partition_point(|&end| end < count * i / threads).clamp(from, self.len())
                }
            };
            let size = ends[to] - ends[from];
            let mine;
            (mine, nested) = nested.split_at_mut(size);
            let my_supers;
            (my_supers, supers) = supers.split_at_mut(size);
            let my_starts;
            (my_starts, starts) = starts.split_at_mut(size);
            stretches.push((from..to, mine, my_supers, my_starts));
            from = to;
        }
        run(threads, stretches, |(terms, nested, supers, starts)| {
            let first = ends[terms.start];
            let mut places: Vec<usize> =
                ends[terms.clone()].iter().map(|end| end - first).collect();
            for part in parts {
                for (term, found) in part.each() {
                    for &(id, start) in found {
                        let place = places.get_mut((id as usize).wrapping_sub(terms.start));
                        if let Some(place) = place {
                            nested[*place] = id;
                            supers[*place] = term;
                            starts[*place] = start;
                            *place += 1;
                        }
                    }
                }
            }
            Ok(())
        })?;
        Ok(pairs)
    }

    /// The number of all pairs.
    pub fn count_pairs(&self, threads: usize) -> Result<u64> {
        let threads = threads_for(self.arrays.keys.len(), threads);
        let parts = self.all_nested(Names::All, threads, self.has_other_names())?;
        match self.has_other_names() {
            true => Ok(self.nested_in_terms(&parts)?.found.len() as u64),
            false => Ok(parts.iter().map(|part| part.count).sum()),
        }
    }

    /// The nested names of all names, or the nested terms of all terms by their own names; only their
    /// number unless `keep`.
    pub(crate) fn all_nested(
        &self,
        names: Names,
        threads: usize,
        keep: bool,
    ) -> Result<Vec<Nested>> {
        let by_position = self.names_by_position(threads)?;
        let count = match names {
            Names::Own => self.len(),
            Names::All => self.names(),
        };
        let is_smart = self.arrays.capitals.is_some();
        run(threads, cut_evenly(count, threads), |terms| {
            let mut part = Nested::default();
            // For each name the last one in which it was met.
            let mut met = vec![NONE; self.names()];
            let damaged = || Error::out_of_range("borders");
            let first = self.arrays.borders.select(terms.start)?;
            let last = self.arrays.borders.select(terms.end)?;
            let mut term = terms.start as u32;
            let (mut start, mut end) = (first, self.arrays.borders.after(first)?);
            for (p, node) in
                (first..).zip(by_position.longest.get(first..last).ok_or_else(damaged)?)
            {
                let mut node = node.load(Relaxed);
                if node == NONE {
                    continue;
                }
                while p >= end {
                    part.end(term);
                    term += 1;
                    (start, end) = (end, self.arrays.borders.after(end)?);
                }
                if is_smart {
                    self.meet_allowed(
                        node,
                        (p, start),
                        (term, count),
                        &by_position,
                        &mut met,
                        &mut part,
                    )?;
                    continue;
                }
                while node != NONE && met[node as usize] != term {
                    met[node as usize] = term;
                    for variant in by_position.variants(node).filter(|&v| (v as usize) < count) {
                        part.count += 1;
                        if keep {
                            part.found.push((variant, (p - start) as u32));
                        }
                    }
                    node = by_position.shorter[node as usize].load(Relaxed);
                }
            }
            part.end(term);
            Ok(part)
        })
    }

    /// Adds the names of a chain that are allowed at position `p`, by their capitals, of the name `term`,
    /// which begins at `start`. Other than without capitals, a name that is not allowed at one position may
    /// be at another, so chains are not left where they meet.
    fn meet_allowed(
        &self,
        mut node: u32,
        (p, start): (usize, usize),
        (term, count): (u32, usize),
        by_position: &NamesByPosition,
        met: &mut [u32],
        part: &mut Nested,
    ) -> Result<()> {
        let mut longer = usize::MAX;
        while node != NONE {
            // In a damaged file a chain may lead back to itself.
            let length = self.arrays.key_place(node as usize)?.len();
            if length >= std::mem::replace(&mut longer, length) {
                return Err(Error::out_of_range("suffixes"));
            }
            for variant in by_position.variants(node).filter(|&v| (v as usize) < count) {
                if met[variant as usize] == term {
                    continue;
                }
                let key = self.arrays.key_place(variant as usize)?;
                if self.capitals_agree(key, p)? {
                    met[variant as usize] = term;
                    part.count += 1;
                    part.found.push((variant, (p - start) as u32));
                }
            }
            node = by_position.shorter[node as usize].load(Relaxed);
        }
        Ok(())
    }

    /// Nested terms from nested names: each term once for each term that one of its names is nested in.
    fn nested_in_terms(&self, parts: &[Nested]) -> Result<Nested> {
        let owner = |name: u32| self.owner(name as usize).map(|term| term.0);
        // Names are in the order of their terms' own names first, so that the first row of a pair has the
        // place in these, if there is one.
        let mut rows: Vec<(u32, u32, u32, u32)> = Vec::new();
        for (name, found) in parts.iter().flat_map(Nested::each) {
            let term = owner(name)?;
            for &(inner, start) in found {
                let inner = owner(inner)?;
                if inner != term {
                    rows.push((term, inner, name, start));
                }
            }
        }
        rows.sort_unstable();
        rows.dedup_by_key(|&mut (term, inner, ..)| (term, inner));
        let mut nested = Nested { count: rows.len() as u64, ..Nested::default() };
        for same in rows.chunk_by(|a, b| a.0 == b.0) {
            nested.found.extend(same.iter().map(|&(_, inner, _, start)| (inner, start)));
            nested.end(same[0].0);
        }
        Ok(nested)
    }

    pub(crate) fn names_by_position(&self, threads: usize) -> Result<NamesByPosition> {
        let keys = self.arrays.keys.to_vec();
        let tokens = Tokens { keys: &keys, borders: &self.arrays.borders.words };
        let none = |count| (0..count).map(|_| AtomicU32::new(NONE)).collect::<Vec<_>>();
        let by_position = NamesByPosition {
            longest: none(keys.len()),
            shorter: none(self.names()),
            variant: self.may_have_variants().then(|| none(self.names())),
        };
        // Parts begin where the first token changes: there, the stack is empty.
        let first = |slot: usize| keys.get(self.arrays.suffixes.get(slot)? as usize);
        let fence = |&slot: &usize| first(slot).is_none() || first(slot) != first(slot - 1);
        let fence_from = |slot: usize| (slot.max(1)..).find(fence).unwrap_or(slot);
        let mut parts = cut_evenly(self.arrays.suffixes.len(), threads * 4);
        for part in &mut parts {
            part.start = if part.start == 0 { 0 } else { fence_from(part.start) };
            part.end = fence_from(part.end);
        }
        let scan = |common: Option<&[u32]>| {
            run(threads, parts.clone(), |slots| {
                self.scan_slots(slots, tokens, common, &by_position)
            })
        };
        if scan(None)?.contains(&Scan::TooLong) {
            scan(Some(&common_prefixes_of_repetitive(tokens, &self.arrays.suffixes.to_vec())?))?;
        }
        Ok(by_position)
    }

    /// Scans some of the slots. `common` are the lengths of the common prefixes of neighbours; without them,
    /// neighbours are compared.
    fn scan_slots(
        &self,
        slots: Range<usize>,
        tokens: Tokens,
        common: Option<&[u32]>,
        by_position: &NamesByPosition,
    ) -> Result<Scan> {
        let damaged = || Error::out_of_range("suffixes");
        let mut stack: Vec<OpenName> = Vec::new();
        let mut before = 0;
        let (mut steps, most_steps) = (0, 8 * slots.len());
        for slot in slots {
            let whole = self.arrays.wholes.get(slot)?;
            if stack.is_empty() && !whole {
                continue;
            }
            let p = self.suffix(slot)?;
            if let Some(top) = stack.last() {
                let common = match common {
                    Some(common) => common[slot] as usize,
                    None => {
                        let common = tokens.common(before, p, 0, top.length);
                        steps += common;
                        if steps > most_steps {
                            return Ok(Scan::TooLong);
                        }
                        common
                    }
                };
                while stack.last().is_some_and(|top| top.length > common) {
                    stack.pop();
                }
            }
            before = p;
            let longest = by_position.longest.get(p).ok_or_else(damaged)?;
            if !whole {
                if !stack.is_empty() {
                    longest.store(self.top(&mut stack, by_position)?, Relaxed);
                }
                continue;
            }
            let length = self.arrays.borders.after(p)? - p;
            match &by_position.variant {
                // A variant of the term on top. Variants are in the order of their ids.
                Some(variants) if stack.last().is_some_and(|top| top.length == length) => {
                    let first = self.top(&mut stack, by_position)?;
                    let id = self.name_at(p)?;
                    if let Some(top) = stack.last_mut() {
                        let last = top.last_variant.replace(id).unwrap_or(first);
                        variants[last as usize].store(id, Relaxed);
                    }
                    longest.store(by_position.shorter[first as usize].load(Relaxed), Relaxed);
                }
                _ => {
                    if !stack.is_empty() {
                        longest.store(self.top(&mut stack, by_position)?, Relaxed);
                    }
                    stack.push(OpenName { start: p, length, id: None, last_variant: None });
                }
            }
        }
        Ok(Scan::Done)
    }

    /// The id of the term on top of a stack, which is not empty.
    ///
    /// It is computed (by counting bits) only when it is needed, as most terms begin no other suffix. The
    /// ids of the terms below the top are known: they were needed when the next one came on the stack.
    #[inline]
    fn top(&self, stack: &mut [OpenName], by_position: &NamesByPosition) -> Result<u32> {
        let (top, below) = stack.split_last_mut().expect("a stack that is not empty");
        if let Some(id) = top.id {
            return Ok(id);
        }
        let id = self.name_at(top.start)?;
        top.id = Some(id);
        if let Some(shorter) = below.last().and_then(|below| below.id) {
            by_position.shorter[id as usize].store(shorter, Relaxed);
        }
        Ok(id)
    }

    /// The number of the name that begins at this position; in a damaged file there may be none.
    #[inline]
    fn name_at(&self, position: usize) -> Result<u32> {
        let name = self.arrays.borders.rank(position)?;
        if name < self.names() { Ok(name as u32) } else { Err(Error::out_of_range("borders")) }
    }

    /// The nested terms of all terms without those that are nested in another one of the same term. Of the
    /// nested terms of a term, longest first, each that is kept drops those nested in it.
    fn direct_nested(&self, parts: &[Nested], threads: usize) -> Result<Vec<Nested>> {
        let mut all: Vec<&[(u32, u32)]> = vec![&[]; self.names()];
        for (term, found) in parts.iter().flat_map(Nested::each) {
            all[term as usize] = found;
        }
        let lengths = self.name_lengths()?;
        let owner = |name: u32| self.owner(name as usize);
        let plain = !self.has_other_names();
        run(threads, cut_evenly(self.names(), threads), |terms| {
            let mut part = Nested::default();
            let mut dropped_in = vec![NONE; self.names()];
            let mut nested: Vec<(u32, u32)> = Vec::new();
            for term in terms {
                nested.clear();
                nested.extend_from_slice(all[term]);
                nested
                    .sort_unstable_by_key(|&(id, _)| (std::cmp::Reverse(lengths[id as usize]), id));
                for &(id, start) in &nested {
                    let is_dropped = dropped_in[id as usize] == term as u32;
                    // What it would drop is dropped already, if each term has one name.
                    if is_dropped && plain {
                        continue;
                    }
                    if !is_dropped {
                        part.found.push((id, start));
                    }
                    // A term is not between itself and another.
                    if !plain && owner(id)? == owner(term as u32)? {
                        continue;
                    }
                    for &(inner, _) in all[id as usize] {
                        if plain || owner(inner)? != owner(id)? {
                            dropped_in[inner as usize] = term as u32;
                        }
                    }
                }
                part.end(term as u32);
            }
            Ok(part)
        })
    }
}

impl NamesByPosition {
    /// A name and the others with the same key.
    pub(crate) fn variants(&self, name: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(name), |&name| {
            Some(self.variant_after(name)).filter(|&next| next != NONE)
        })
    }

    /// The next name with the same key; [`NONE`] if there is no other.
    #[inline]
    fn variant_after(&self, term: u32) -> u32 {
        match &self.variant {
            None => NONE,
            Some(variants) => {
                let next = variants[term as usize].load(Relaxed);
                // Ids increase. In a damaged file they may not, and the loop would never end.
                if next > term { next } else { NONE }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::analysis::Options;
    use crate::build::Build;
    use crate::build::entries::List;

    #[test]
    fn any_number_of_threads_gives_the_same_answers() {
        let mut state = 11u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for round in 0..200 {
            // Few words, so that terms nest and repeat. With lowercase, some of them are variants.
            let terms: Vec<String> = (0..random(40))
                .map(|_| {
                    let words =
                        (0..1 + random(5)).map(|_| ["a", "b", "A", "c"][random(4) as usize]);
                    words.collect::<Vec<_>>().join(" ")
                })
                .collect();
            let options = Options { lowercase: round % 2 == 0, ..Options::default() };
            let build = Build { options, ..Build::default() };
            let weights: Vec<f64> = terms.iter().map(|_| random(9) as f64).collect();
            let index = build
                .index(&List::from_iter(terms.iter().map(String::as_str)), Some(&weights))
                .unwrap();
            for threads in [2, 3, 8] {
                for direct in [false, true] {
                    let pairs = index.pairs(direct, 1).unwrap();
                    assert_eq!(index.pairs(direct, threads).unwrap(), pairs, "{terms:?}");
                }
                assert_eq!(index.count_pairs(threads).unwrap(), index.count_pairs(1).unwrap());
                assert_eq!(index.scores(Some(threads)).unwrap(), index.scores(Some(1)).unwrap());
                assert_eq!(index.taxonomy(threads).unwrap(), index.taxonomy(1).unwrap());
            }
        }
    }
}
