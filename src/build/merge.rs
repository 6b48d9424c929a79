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
use crate::build::names::Sources;
use crate::build::number::TokenTable;
use crate::build::suffixes::Sorted;
use crate::build::terms::Terms;
use crate::error::{Error, Result};
use crate::threads::Jobs;

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
    let Equal { merged, mut large_groups, homonyms } =
        add_up_weights(terms, suffixes, equal_terms, sources);
    let duplicates = merged.len();
    let mut removed: Vec<u32> = merged.iter().map(|&(id, _)| id).collect();
    if terms.count < terms.lengths.len() {
        give_to_first(terms, &merged);
        removed.extend(repeated_names(terms, suffixes, equal_terms, &removed, sources)?);
        removed.sort_unstable();
    }
    if removed.is_empty() {
        return Ok(Merged { duplicates, large_groups, homonyms });
    }
    let positions = positions_of(&removed, &terms.lengths);
    let number = |&p: &u32| tokens.layout.number(terms.keys[p as usize]);
    let numbers = positions.iter().map(number).collect();
    remove_from_buckets(&mut tokens.buckets, numbers);
    let mut jobs = Jobs::default();
    jobs.add(|| remove_positions(suffixes, &positions));
    jobs.add(|| remove_terms(terms, &removed));
    jobs.run(threads)?;
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

/// Adds the weights of terms with equal surfaces, and equal values in all columns, to that of the first.
/// `equal_keys` are the slots of names with equal keys.
fn add_up_weights(
    terms: &mut Terms,
    suffixes: &[u32],
    equal_keys: &[Range<usize>],
    sources: &Sources,
) -> Equal {
    let borders = Bits::new(terms.borders.clone());
    let Terms { lengths, forms, whole, weights, count, rows, .. } = terms;
    // Terms with one key differ in the forms of its tokens, unless they are stored whole.
    let surface = |&(id, p): &(u32, u32)| {
        let length = lengths[id as usize] as usize;
        let forms = forms.get(p as usize..p as usize + length).unwrap_or_default();
        (whole.get(id), forms)
    };
    let row = |id: u32| rows.get(id as usize).copied();
    let compare_rows = |a: u32, b: u32| match (row(a), row(b)) {
        (Some(a), Some(b)) if sources.apart => a.cmp(&b),
        (Some(a), Some(b)) => sources.columns.compare(a, b),
        _ => Ordering::Equal,
    };
    let mut found = Equal::default();
    let mut alike = Vec::new();
    for slots in equal_keys {
        alike.clear();
        alike.extend(
            names_at(&borders, suffixes, slots).take_while(|&(id, _)| (id as usize) < *count),
        );
        // stable: by id where equal
        alike.sort_by(|a, b| surface(a).cmp(&surface(b)).then_with(|| compare_rows(a.0, b.0)));
        let mut left: Vec<(u32, u32)> = Vec::new();
        for same in
            alike.chunk_by(|a, b| surface(a) == surface(b) && compare_rows(a.0, b.0).is_eq())
        {
            found.homonyms |= left.last().is_some_and(|last| surface(last) == surface(&same[0]));
            left.push(same[0]);
            for &(id, _) in &same[1..] {
                if let Some(weights) = weights {
                    weights[same[0].0 as usize] += weights[id as usize];
                }
                found.merged.push((id, same[0].0));
            }
        }
        if left.len() > MAX_SCANNED {
            found.large_groups.push(left.into_iter().map(|(id, _)| id).collect());
        }
    }
    found.merged.sort_unstable();
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
    suffixes: &[u32],
    equal_keys: &[Range<usize>],
    merged: &[u32],
    sources: &Sources,
) -> Result<Vec<u32>> {
    let borders = Bits::new(terms.borders.clone());
    let mut repeated = Vec::new();
    let mut owners = HashSet::new();
    for slots in equal_keys {
        owners.clear();
        let mut has_term = false;
        for (name, _) in names_at(&borders, suffixes, slots) {
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

/// Removes the terms with these ids, which are in order.
fn remove_terms(terms: &mut Terms, ids: &[u32]) {
    let mut kept = vec![true; terms.lengths.len()];
    ids.iter().for_each(|&id| kept[id as usize] = false);
    remove_tokens(&mut terms.keys, &terms.lengths, &kept);
    if !terms.forms.is_empty() {
        remove_tokens(&mut terms.forms, &terms.lengths, &kept);
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

/// Keeps the items of the tokens of terms that are marked in `kept`.
fn remove_tokens<T: Copy>(items: &mut Vec<T>, lengths: &[u16], kept: &[bool]) {
    // The items of all terms between two that are removed are moved at once.
    let (mut read, mut written, mut stretch) = (0, 0, 0);
    for (&length, &kept) in lengths.iter().zip(kept) {
        if !kept {
            items.copy_within(stretch..read, written);
            written += read - stretch;
            stretch = read + length as usize;
        }
        read += length as usize;
    }
    items.copy_within(stretch..read, written);
    items.truncate(written + read - stretch);
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
fn remove_positions(suffixes: &mut Vec<u32>, removed: &[u32]) {
    // For each stretch of 64 positions how many are removed before it, or MIXED if some are in it.
    const MIXED: u32 = u32::MAX;
    let mut shifts = vec![0u32; suffixes.len() / 64 + 1];
    let mut before = 0;
    for (stretch, shift) in (0u32..).zip(&mut shifts) {
        let inside = removed[before..].iter().take_while(|&&p| p / 64 == stretch).count();
        *shift = if inside > 0 { MIXED } else { before as u32 };
        before += inside;
    }
    let mut left = 0;
    for i in 0..suffixes.len() {
        let p = suffixes[i];
        let (before, stays) = match shifts[p as usize / 64] {
            MIXED => match removed.binary_search(&p) {
                Ok(_) => (0, false),
                Err(before) => (before as u32, true),
            },
            shift => (shift, true),
        };
        suffixes[left] = p - before;
        left += usize::from(stays);
    }
    suffixes.truncate(left);
}
