//! Every (nested, super) pair of the vocabulary.
//!
//! One scan of the suffixes, with a stack of the whole terms that the current suffix begins with,
//! tells for each position the longest term that begins there. Each term's next shorter beginning is
//! the term below it on the stack. So the nested terms of a term are the chains that begin at its
//! positions; a chain ends early where it meets a term that was met before, whose shorter beginnings
//! were met with it. The cost is one step for each token and each pair, however often a pair repeats.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::builder::cut_evenly;
use crate::error::{Error, Result};
use crate::index::{Index, TermId};
use crate::suffixes::{Tokens, common_prefixes_of_repetitive};
use crate::threads::run;

/// No term: more than any id or position.
pub(crate) const NONE: u32 = u32::MAX;

/// Pairs of terms, ordered by nested, then by super term.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// The shorter terms.
    pub nested: Vec<u32>,
    /// The longer ones.
    pub supers: Vec<u32>,
    /// Where in the longer the shorter begins first, in tokens.
    pub starts: Vec<u32>,
}

/// The nested terms of a run of terms, with their first starts.
#[derive(Default)]
pub(crate) struct Nested {
    pub(crate) terms: Range<usize>,
    /// For each term of the run, where its nested terms end in `found`.
    pub(crate) ends: Vec<usize>,
    pub(crate) found: Vec<(u32, u32)>,
    /// How many there are, also where they are not kept in `found`.
    count: u64,
}

/// The terms that begin at each position, named by the positions of their own first tokens.
pub(crate) struct Beginnings {
    /// For each position the longest term that begins there; at the start of a term, the longest
    /// shorter one. [`NONE`] if there is none.
    pub(crate) at: Vec<AtomicU32>,
    /// For each term the next one with the same key.
    variant: Option<Vec<AtomicU32>>,
}

/// How a scan ended.
#[derive(PartialEq, Eq)]
enum Scan {
    Done,
    /// The terms repeat themselves, and to compare them would take long.
    TooLong,
}

/// A term that the current suffix begins with.
struct Beginning {
    term: u32,
    /// The last one met with the same key.
    last_variant: u32,
    length: usize,
}

impl Index {
    /// All pairs; with `direct`, only those with no other term in between.
    pub fn pairs(&self, direct: bool, threads: usize) -> Result<Pairs> {
        let mut parts = self.all_nested(threads, true)?;
        if direct {
            parts = self.direct_nested(&parts, threads)?;
        }
        self.sort_by_nested(&parts, threads)
    }

    /// A counting sort by nested term; the super terms come in order already. Each thread takes a
    /// stretch of nested terms.
    fn sort_by_nested(&self, parts: &[Nested], threads: usize) -> Result<Pairs> {
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
                let mut from = 0;
                for (term, &end) in part.terms.clone().zip(&part.ends) {
                    for &(id, start) in &part.found[from..end] {
                        let place = places.get_mut((id as usize).wrapping_sub(terms.start));
                        if let Some(place) = place {
                            nested[*place] = id;
                            supers[*place] = term as u32;
                            starts[*place] = start;
                            *place += 1;
                        }
                    }
                    from = end;
                }
            }
            Ok(())
        })?;
        Ok(pairs)
    }

    /// The number of all pairs.
    pub fn count_pairs(&self, threads: usize) -> Result<u64> {
        let parts = self.all_nested(threads, false)?;
        Ok(parts.iter().map(|part| part.count).sum())
    }

    /// The id of the term that [`Beginnings`] name by this position; in a damaged file there may be none.
    #[inline]
    pub(crate) fn id_of(&self, position: u32) -> Result<u32> {
        let TermId(id) = self.id_at(position as usize)?;
        if (id as usize) < self.len() { Ok(id) } else { Err(Error::out_of_range("borders")) }
    }

    /// The nested terms of all terms; with `keep` false only their number.
    pub(crate) fn all_nested(&self, threads: usize, keep: bool) -> Result<Vec<Nested>> {
        let beginnings = self.beginnings(threads)?;
        run(threads, cut_evenly(self.len(), threads), |terms| {
            let mut part = Nested { terms: terms.clone(), ..Nested::default() };
            if terms.is_empty() {
                return Ok(part);
            }
            // The last term in which each term was met.
            let mut met = vec![NONE; self.len()];
            let damaged = || Error::out_of_range("borders");
            let mut start = self.borders.select(terms.start)?;
            for term in terms {
                let end = self.borders.after(start)?;
                let positions = beginnings.at.get(start..end).ok_or_else(damaged)?;
                for (offset, node) in positions.iter().enumerate() {
                    let mut node = node.load(Relaxed);
                    while node != NONE {
                        let id = self.id_of(node)?;
                        if met[id as usize] == term as u32 {
                            break;
                        }
                        met[id as usize] = term as u32;
                        let (mut variant, mut id) = (node, id);
                        loop {
                            part.count += 1;
                            if keep {
                                part.found.push((id, offset as u32));
                            }
                            variant = beginnings.variant_after(variant);
                            if variant == NONE {
                                break;
                            }
                            id = self.id_of(variant)?;
                        }
                        node = beginnings.at[node as usize].load(Relaxed);
                    }
                }
                part.ends.push(part.found.len());
                start = end;
            }
            Ok(part)
        })
    }

    pub(crate) fn beginnings(&self, threads: usize) -> Result<Beginnings> {
        let keys = self.keys.to_vec();
        let tokens = Tokens { keys: &keys, borders: &self.borders.words };
        let none = || keys.iter().map(|_| AtomicU32::new(NONE)).collect::<Vec<_>>();
        let beginnings = Beginnings { at: none(), variant: self.surfaces.as_ref().map(|_| none()) };
        // Parts that begin where the first token changes, so that the stack is empty.
        let first = |slot: usize| keys.get(self.suffixes.get(slot)? as usize);
        let fence = |&slot: &usize| first(slot).is_none() || first(slot) != first(slot - 1);
        let fence_from = |slot: usize| (slot.max(1)..).find(fence).unwrap_or(slot);
        let mut parts = cut_evenly(self.suffixes.len(), threads * 4);
        for part in &mut parts {
            part.start = if part.start == 0 { 0 } else { fence_from(part.start) };
            part.end = fence_from(part.end);
        }
        let scan = |common: Option<&[u32]>| {
            run(threads, parts.clone(), |slots| {
                self.note_beginnings(slots, tokens, common, &beginnings)
            })
        };
        if scan(None)?.contains(&Scan::TooLong) {
            scan(Some(&common_prefixes_of_repetitive(tokens, &self.suffixes.to_vec())?))?;
        }
        Ok(beginnings)
    }

    /// The scan of a part of the slots, which compares neighbours, unless their common prefixes are
    /// given.
    fn note_beginnings(
        &self,
        slots: Range<usize>,
        tokens: Tokens,
        common: Option<&[u32]>,
        notes: &Beginnings,
    ) -> Result<Scan> {
        let damaged = || Error::out_of_range("suffixes");
        let mut stack: Vec<Beginning> = Vec::new();
        let mut before = 0;
        let (mut steps, most_steps) = (0, 8 * slots.len());
        for slot in slots {
            let whole = self.wholes.get(slot)?;
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
            let longest = notes.at.get(p).ok_or_else(damaged)?;
            if !whole {
                if let Some(top) = stack.last() {
                    longest.store(top.term, Relaxed);
                }
                continue;
            }
            let term = p as u32;
            let length = self.borders.after(p)? - p;
            match (stack.last_mut(), &notes.variant) {
                // A variant of the term on top; variants come in the order of their ids.
                (Some(top), Some(variants)) if top.length == length => {
                    variants[top.last_variant as usize].store(term, Relaxed);
                    top.last_variant = term;
                }
                _ => stack.push(Beginning { term, last_variant: term, length }),
            }
            let below = stack.len().checked_sub(2).map_or(NONE, |i| stack[i].term);
            longest.store(below, Relaxed);
        }
        Ok(Scan::Done)
    }

    /// Of the nested terms of all terms, those that are not nested in another one of them: longest
    /// first, each one that stays drops its own.
    fn direct_nested(&self, parts: &[Nested], threads: usize) -> Result<Vec<Nested>> {
        let mut all: Vec<&[(u32, u32)]> = Vec::with_capacity(self.len());
        for part in parts {
            let mut from = 0;
            for &end in &part.ends {
                all.push(&part.found[from..end]);
                from = end;
            }
        }
        let lengths = self.lengths()?;
        run(threads, cut_evenly(self.len(), threads), |terms| {
            let mut part = Nested { terms: terms.clone(), ..Nested::default() };
            let mut dropped_in = vec![NONE; self.len()];
            let mut nested: Vec<(u32, u32)> = Vec::new();
            for term in terms {
                nested.clear();
                nested.extend_from_slice(all[term]);
                nested
                    .sort_unstable_by_key(|&(id, _)| (std::cmp::Reverse(lengths[id as usize]), id));
                for &(id, start) in &nested {
                    if dropped_in[id as usize] == term as u32 {
                        continue;
                    }
                    part.found.push((id, start));
                    for &(inner, _) in all[id as usize] {
                        dropped_in[inner as usize] = term as u32;
                    }
                }
                part.ends.push(part.found.len());
            }
            Ok(part)
        })
    }
}

impl Beginnings {
    /// The next term with the same key; [`NONE`] if there is no other.
    #[inline]
    fn variant_after(&self, term: u32) -> u32 {
        match &self.variant {
            None => NONE,
            Some(variants) => {
                let next = variants[term as usize].load(Relaxed);
                // Positions grow; in a damaged file they may not, and would go round for ever.
                if next > term { next } else { NONE }
            }
        }
    }
}
