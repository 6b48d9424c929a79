//! Step 4 of a build: terms with equal surfaces and columns become one, and each keeps one of several equal names.
//!
//! Sorting the suffixes has made names with equal keys neighbours. The first of several equal terms
//! stays, with the sum of their weights; the others are removed from all that was made so far. So are
//! aliases and joined readings that match like another name of their term. An alias that matches like
//! another term is an error.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::ops::Range;

use crate::arrays::MAX_SCANNED;
use crate::arrays::bits::Bits;
use crate::build::entries::cut_evenly;
use crate::build::names::Sources;
use crate::build::number::TokenTable;
use crate::build::removed::Removed;
use crate::build::suffixes::Sorted;
use crate::build::terms::Terms;
use crate::error::{Error, Result};
use crate::threads::{run, threads_for};

/// What merging equal terms has found.
#[derive(Default)]
pub(super) struct Merged {
    /// The number of terms that were merged into another one.
    pub(super) duplicates: usize,
    /// The ids of the terms of each key that more of them have than [`MAX_SCANNED`].
    pub(super) large_groups: Vec<Vec<u32>>,
    /// Whether terms with equal surfaces are left, as they differ in their columns.
    pub(super) homonyms: bool,
}

/// Merges equal terms.
pub(super) fn merge_equal_terms(
    terms: &mut Terms,
    tokens: &mut TokenTable,
    sorted: &mut Sorted,
    sources: &Sources,
    threads: usize,
) -> Result<Merged> {
    let Sorted { suffixes, equal_terms } = sorted;
    if equal_terms.is_empty() {
        return Ok(Merged::default());
    }
    let borders = Bits::new(terms.borders.clone());
    let Equal { merged, mut large_groups, homonyms } =
        add_up_weights(terms, &borders, suffixes, equal_terms, sources, threads)?;
    let duplicates = merged.len();
    let mut removed: Vec<u32> = merged.iter().map(|&(id, _)| id).collect();
    if terms.count < terms.lengths.len() {
        give_to_first(terms, &merged);
        let repeated = repeated_names(terms, &borders, suffixes, equal_terms, &removed, sources)?;
        removed.extend(repeated);
        removed.sort_unstable();
    }
    if removed.is_empty() {
        return Ok(Merged { duplicates, large_groups, homonyms });
    }
    let positions = positions_of(&removed, &terms.lengths);
    let number = |&p: &u32| tokens.layout.number(terms.keys[p as usize]);
    let numbers = positions.iter().map(number).collect();
    remove_from_buckets(&mut tokens.buckets, numbers);
    remove_positions(suffixes, &positions, threads)?;
    remove_terms(terms, &removed, &positions);
    check_sums(terms)?;
    for id in large_groups.iter_mut().flatten() {
        *id -= removed.partition_point(|&other| other < *id) as u32;
    }
    Ok(Merged { duplicates, large_groups, homonyms })
}

/// The terms with equal keys.
#[derive(Default)]
struct Equal {
    /// Those that are merged into another one, by id, and that one.
    merged: Vec<(u32, u32)>,
    large_groups: Vec<Vec<u32>>,
    homonyms: bool,
}

/// The name that begins at each of these slots, and its position.
fn names_at(
    borders: &Bits,
    suffixes: &[u32],
    slots: &Range<usize>,
) -> impl Iterator<Item = (u32, u32)> {
    let name = |&p: &u32| {
        let name = borders.rank(p as usize).expect("a suffix is a position") as u32;
        (name, p)
    };
    suffixes[slots.clone()].iter().map(name)
}

/// A term among others with the same key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Alike<'a> {
    /// Terms with one key differ in the forms of its tokens, unless they are stored whole.
    whole: Option<&'a str>,
    /// The first eight forms, which are compared as one number.
    first_forms: u64,
    forms: &'a [u8],
}

impl<'a> Alike<'a> {
    fn new(whole: Option<&'a str>, forms: &'a [u8]) -> Alike<'a> {
        let mut first = [0; 8];
        first.iter_mut().zip(forms).for_each(|(place, &form)| *place = form);
        Alike {
            whole,
            first_forms: u64::from_be_bytes(first),
            forms: forms.get(8..).unwrap_or_default(),
        }
    }
}

/// Adds the weights of terms with equal surfaces, and equal values in all columns, to that of the first.
/// `equal_keys` are the slots of names with equal keys.
fn add_up_weights(
    terms: &mut Terms,
    borders: &Bits,
    suffixes: &[u32],
    equal_keys: &[Range<usize>],
    sources: &Sources,
    threads: usize,
) -> Result<Equal> {
    let threads = threads_for(64 * equal_keys.len(), threads);
    let parts = cut_evenly(equal_keys.len(), 4 * threads);
    let parts = parts.into_iter().map(|part| &equal_keys[part]).collect();
    let found = {
        let (terms, whole) = (&*terms, terms.whole.by_entry());
        run(threads, parts, |equal_keys| {
            Ok(find_equal(terms, &whole, borders, suffixes, equal_keys, sources))
        })?
    };
    let mut all = Equal::default();
    for Equal { merged, large_groups, homonyms } in found {
        if let Some(weights) = &mut terms.weights {
            for &(id, first) in &merged {
                weights[first as usize] += weights[id as usize];
            }
        }
        all.merged.extend(merged);
        all.large_groups.extend(large_groups);
        all.homonyms |= homonyms;
    }
    all.merged.sort_unstable();
    Ok(all)
}

/// The terms with equal surfaces, and equal values in all columns, among those with equal keys.
fn find_equal<'a>(
    terms: &'a Terms,
    whole: &impl Fn(u32) -> Option<&'a str>,
    borders: &Bits,
    suffixes: &[u32],
    equal_keys: &[Range<usize>],
    sources: &Sources,
) -> Equal {
    let Terms { lengths, forms, count, rows, .. } = terms;
    let row = |id: u32| rows.get(id as usize).copied();
    let compare_rows = |a: u32, b: u32| match (row(a), row(b)) {
        (Some(a), Some(b)) if sources.apart => a.cmp(&b),
        (Some(a), Some(b)) => sources.columns.compare(a, b),
        _ => Ordering::Equal,
    };
    let mut found = Equal::default();
    let mut alike: Vec<(Alike, u32)> = Vec::new();
    let mut left: Vec<(Alike, u32)> = Vec::new();
    for slots in equal_keys {
        alike.clear();
        let own = names_at(borders, suffixes, slots).take_while(|&(id, _)| (id as usize) < *count);
        // Terms with one key have equally many tokens.
        let mut length = None;
        alike.extend(own.map(|(id, p)| {
            let length = *length.get_or_insert_with(|| lengths[id as usize] as usize);
            let forms = forms.get(p as usize..p as usize + length).unwrap_or_default();
            (Alike::new(whole(id), forms), id)
        }));
        alike.sort_unstable_by(|(a, id), (b, other)| {
            a.cmp(b).then_with(|| compare_rows(*id, *other)).then(id.cmp(other))
        });
        left.clear();
        for same in alike.chunk_by(|a, b| a.0 == b.0 && compare_rows(a.1, b.1).is_eq()) {
            found.homonyms |= left.last().is_some_and(|last| last.0 == same[0].0);
            left.push(same[0]);
            found.merged.extend(same[1..].iter().map(|&(_, id)| (id, same[0].1)));
        }
        if left.len() > MAX_SCANNED {
            found.large_groups.push(left.iter().map(|&(_, id)| id).collect());
        }
    }
    found
}

/// Gives the other names of terms that are merged into an equal one to that one.
fn give_to_first(terms: &mut Terms, merged: &[(u32, u32)]) {
    for owner in &mut terms.owners {
        if let Ok(i) = merged.binary_search_by_key(owner, |&(id, _)| id) {
            *owner = merged[i].1;
        }
    }
}

/// The aliases and joined readings that match like another name of their term.
fn repeated_names(
    terms: &Terms,
    borders: &Bits,
    suffixes: &[u32],
    equal_keys: &[Range<usize>],
    merged: &[u32],
    sources: &Sources,
) -> Result<Vec<u32>> {
    let mut repeated = Vec::new();
    let mut owners = HashSet::new();
    for slots in equal_keys {
        owners.clear();
        let mut has_term = false;
        for (name, _) in names_at(borders, suffixes, slots) {
            let is_own = (name as usize) < terms.count;
            if is_own && merged.binary_search(&name).is_ok() {
                continue;
            }
            let owner = terms.owner(name);
            if !owners.insert(owner) {
                repeated.push(name);
            } else if is_own {
                has_term = true;
            } else if (name as usize) < terms.count + terms.aliases && has_term {
                return Err(sources.alias_of_two(terms.alias_sources[name as usize - terms.count])?);
            }
        }
    }
    Ok(repeated)
}

/// Refuses weights whose sum has become infinite.
fn check_sums(terms: &Terms) -> Result<()> {
    let mut weights = terms.weights.iter().flatten();
    match weights.position(|weight| !weight.is_finite()) {
        None => Ok(()),
        Some(id) => Err(Error::WeightSum { id: id as u64 }),
    }
}

/// Removes the terms with these ids, which are in order, and their tokens at these positions.
fn remove_terms(terms: &mut Terms, ids: &[u32], positions: &[u32]) {
    let mut kept = vec![true; terms.lengths.len()];
    ids.iter().for_each(|&id| kept[id as usize] = false);
    let positions = Removed::new(positions, terms.keys.len());
    positions.remove_from(&mut terms.keys);
    if !terms.forms.is_empty() {
        positions.remove_from(&mut terms.forms);
    }
    if !terms.whole.entries.is_empty() {
        terms.whole = terms.whole.kept(kept.iter().copied());
    }
    retain(&mut terms.lengths, &kept);
    if let Some(weights) = &mut terms.weights {
        retain(weights, &kept[..terms.count]);
    }
    if !terms.rows.is_empty() {
        retain(&mut terms.rows, &kept[..terms.count]);
    }
    let before = terms.count;
    retain(&mut terms.owners, &kept[before..]);
    for owner in &mut terms.owners {
        *owner -= ids.partition_point(|id| id < owner) as u32;
    }
    let (own, others) = kept.split_at(before);
    let count = |kept: &[bool]| kept.iter().filter(|&&kept| kept).count();
    (terms.count, terms.aliases) = (count(own), count(&others[..terms.aliases]));
    terms.set_borders();
}

/// Keeps the items that are marked in `kept`.
fn retain<T>(items: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    items.retain(|_| kept.next() == Some(&true));
}

/// The positions of the terms with these ids, which are in order.
fn positions_of(ids: &[u32], lengths: &[u16]) -> Vec<u32> {
    let mut positions = Vec::new();
    let (mut at, mut id) = (0u32, 0);
    for &next in ids {
        at += lengths[id..next as usize].iter().map(|&length| u32::from(length)).sum::<u32>();
        let length = u32::from(lengths[next as usize]);
        positions.extend(at..at + length);
        at += length;
        id = next as usize + 1;
    }
    positions
}

/// Updates the first slots of buckets when these tokens, of which each can occur several times, are
/// removed.
fn remove_from_buckets(buckets: &mut [u32], mut removed: Vec<u32>) {
    removed.sort_unstable();
    let mut before = 0;
    for (token, start) in (0u32..).zip(buckets) {
        while removed.get(before as usize).is_some_and(|&other| other < token) {
            before += 1;
        }
        *start -= before;
    }
}

/// Removes the suffixes at these positions, which are in order, from the sorted ones, and renumbers
/// the positions that are left.
fn remove_positions(suffixes: &mut Vec<u32>, removed: &[u32], threads: usize) -> Result<()> {
    let removed = Removed::new(removed, suffixes.len());
    // Each part is moved together in its place, then all of them are.
    let size = suffixes.len().div_ceil(threads).max(1);
    let left = run(threads, suffixes.chunks_mut(size).collect(), |part| {
        let mut left = 0;
        for i in 0..part.len() {
            let number = removed.renumber(part[i]);
            part[left] = number.unwrap_or_default();
            left += usize::from(number.is_some());
        }
        Ok(left)
    })?;
    let mut end = 0;
    for (part, left) in left.into_iter().enumerate() {
        suffixes.copy_within(part * size..part * size + left, end);
        end += left;
    }
    suffixes.truncate(end);
    Ok(())
}
