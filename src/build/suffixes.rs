//! Sorting every suffix of every term.
//!
//! A *suffix* is a position among the tokens of all terms; it reads from there to the end of its term.
//! Suffixes are ordered by their tokens, one that ends before one that goes on. Suffixes with equal
//! tokens are ordered by their offset in their term, then by position. So a whole term, whose offset
//! is 0, comes before the terms that merely end like it; and dropping the first token of two suffixes
//! never reverses their order, on which [`common_prefixes_of_repetitive`] relies.
//!
//! The order is total, so that the result does not depend on how the work is divided.

use std::ops::Range;

use crate::arrays::bits;
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::threads::run;

/// The number of tokens after which suffixes that still agree are sorted by prefix doubling, whose cost
/// does not depend on how long they agree. Few terms agree on 32 tokens, unless they repeat themselves
/// ("a a a a ...").
const DOUBLING_DEPTH: usize = 32;

/// The tokens of all terms, and where the terms begin.
#[derive(Clone, Copy)]
pub(crate) struct Tokens<'a> {
    pub(crate) keys: &'a [u32],
    /// Bit `i` is set where a term begins at position `i`, and at the end of all.
    pub(crate) borders: &'a [u64],
}

impl Tokens<'_> {
    /// Whether a term has ended before position `p`.
    #[inline]
    pub(crate) fn ended(&self, p: usize) -> bool {
        self.borders[p / 64] >> (p % 64) & 1 == 1
    }

    /// The two tokens from `p` on, packed so that they compare like the tokens; the lower half is 0
    /// exactly if the term ends before or after the first of them.
    #[inline]
    fn pair(&self, p: usize) -> u64 {
        if self.ended(p) {
            return 0;
        }
        let first = (u64::from(self.keys[p]) + 1) << 32;
        match self.ended(p + 1) {
            true => first,
            false => first | (u64::from(self.keys[p + 1]) + 1),
        }
    }

    /// What the suffix at `p` is sorted by when it agrees with others on `depth` tokens: the two tokens
    /// after these; if it ends there, its offset; its position.
    #[inline]
    fn key(&self, p: u32, depth: usize) -> u128 {
        let pair = self.pair(p as usize + depth);
        let offset = if pair as u32 == 0 { self.offset(p) } else { 0 };
        u128::from(pair) << 64 | u128::from(offset) << 32 | u128::from(p)
    }

    /// The second token of the suffix at `p`, if it has one.
    #[inline]
    pub(crate) fn second(&self, p: u32) -> Option<u32> {
        let next = p as usize + 1;
        if self.ended(next) { None } else { Some(self.keys[next]) }
    }

    /// How many tokens two suffixes have in common at their start. `length` of them are known to agree;
    /// at most `most` are counted.
    #[inline]
    pub(crate) fn common(&self, p: usize, q: usize, mut length: usize, most: usize) -> usize {
        while length < most
            && p.max(q) + length < self.keys.len()
            && self.keys[p + length] == self.keys[q + length]
            && (length == 0 || !self.ended(p + length) && !self.ended(q + length))
        {
            length += 1;
        }
        length
    }

    /// How far from the start of its term position `p` is.
    #[inline]
    pub(crate) fn offset(&self, p: u32) -> u32 {
        let p = p as usize;
        let mut at = p / 64;
        let mut word = self.borders[at] << (63 - p % 64) >> (63 - p % 64);
        while word == 0 {
            at -= 1;
            word = self.borders[at];
        }
        (p - (at * 64 + 63 - word.leading_zeros() as usize)) as u32
    }
}

/// All suffixes in order.
pub(crate) struct Sorted {
    pub(crate) suffixes: Vec<u32>,
    /// The slots of whole terms with equal tokens, wherever there are two or more.
    pub(crate) equal_terms: Vec<Range<usize>>,
}

/// All positions in the buckets of their tokens, in order. `buckets` has the first slot of each bucket.
pub(crate) fn deal(keys: &[u32], buckets: &[u32]) -> Vec<u32> {
    let mut next = buckets.to_vec();
    let mut dealt = vec![0; keys.len()];
    for (p, &key) in (0u32..).zip(keys) {
        let slot = &mut next[key as usize];
        dealt[*slot as usize] = p;
        *slot += 1;
    }
    dealt
}

/// Sorts all suffixes, which are in their `buckets` already: see [`deal`] and [`bucket_starts`].
pub(crate) fn sort(
    tokens: Tokens,
    buckets: &[u32],
    mut suffixes: Vec<u32>,
    threads: usize,
    progress: &Progress,
) -> Result<Sorted> {
    // Many parts, so that a thread that is done early takes another, and the keys of a part stay in the
    // cache: a part has some 32,000 slots.
    let parts = cut(&mut suffixes, buckets, (threads * 16).max(tokens.keys.len() >> 15));
    let sorted = run(threads, parts, |part| {
        let mut sorter =
            Sorter { tokens, scratch: Vec::new(), deep: Vec::new(), equal_terms: Vec::new() };
        // The keys of all buckets in one loop: these reads miss the cache, and in a plain loop the
        // processor waits for many of them at the same time.
        sorter.push_keys(part.slots, 1);
        for token in part.tokens.clone() {
            let bucket = (buckets[token] - part.first_slot) as usize
                ..(buckets[token + 1] - part.first_slot) as usize;
            if bucket.len() > 1 {
                let (start, base) = (buckets[token] as usize, bucket.start);
                sorter.sort_by_keys(&mut part.slots[bucket], start, 1, base);
            }
        }
        progress.advance(part.slots.len() as u64)?;
        Ok((sorter.deep, sorter.equal_terms))
    })?;
    let mut deep = Vec::new();
    let mut equal_terms = Vec::new();
    for (groups, equal) in sorted {
        deep.extend(groups);
        equal_terms.extend(equal);
    }
    if !deep.is_empty() {
        double(tokens, &mut suffixes, deep.clone(), progress)?;
        for Group { start, length } in deep {
            equal_in_group(tokens, &suffixes[start..start + length], start, &mut equal_terms);
        }
    }
    Ok(Sorted { suffixes, equal_terms })
}

/// The first slot of each token's bucket: the number of occurrences of smaller tokens. At the end, the
/// number of all.
pub(crate) fn bucket_starts(keys: &[u32], distinct: usize) -> Vec<u32> {
    let mut counts = vec![0u32; distinct];
    keys.iter().for_each(|&key| counts[key as usize] += 1);
    starts(&counts)
}

/// The starts of consecutive ranges of these sizes, and the end of the last.
pub(crate) fn starts(sizes: &[u32]) -> Vec<u32> {
    let mut starts = Vec::with_capacity(sizes.len() + 1);
    let mut end = 0;
    for size in sizes {
        starts.push(end);
        end += size;
    }
    starts.push(end);
    starts
}

/// Consecutive tokens and the slots of the suffixes that begin with them.
struct Part<'a> {
    tokens: Range<usize>,
    first_slot: u32,
    slots: &'a mut [u32],
}

/// Cuts the slots into about `parts` parts of about equal size.
fn cut<'a>(mut slots: &'a mut [u32], buckets: &[u32], parts: usize) -> Vec<Part<'a>> {
    let distinct = buckets.len() - 1;
    let size = slots.len().div_ceil(parts).max(1);
    let mut cut = Vec::new();
    let mut first = 0;
    while first < distinct {
        let wanted = buckets[first] as usize + size;
        let end =
            buckets.partition_point(|&start| (start as usize) < wanted).clamp(first + 1, distinct);
        let (head, tail) = slots.split_at_mut((buckets[end] - buckets[first]) as usize);
        cut.push(Part { tokens: first..end, first_slot: buckets[first], slots: head });
        slots = tail;
        first = end;
    }
    cut
}

/// Slots whose suffixes agree on the tokens compared so far.
#[derive(Clone, Copy)]
struct Group {
    start: usize,
    length: usize,
}

struct Sorter<'a> {
    tokens: Tokens<'a>,
    /// A stack of [`Tokens::key`]s, those of one group for each level of recursion.
    scratch: Vec<u128>,
    /// The groups that are left for prefix doubling.
    deep: Vec<Group>,
    equal_terms: Vec<Range<usize>>,
}

impl Sorter<'_> {
    /// Sorts suffixes that agree on the first `depth` tokens; the first of them is in slot `start`.
    fn sort(&mut self, slots: &mut [u32], start: usize, depth: usize) {
        if depth >= DOUBLING_DEPTH {
            self.deep.push(Group { start, length: slots.len() });
            return;
        }
        let base = self.scratch.len();
        self.push_keys(slots, depth);
        self.sort_by_keys(slots, start, depth, base);
        self.scratch.truncate(base);
    }

    /// Adds what each suffix is sorted by after its first `depth` tokens to the scratch.
    fn push_keys(&mut self, slots: &[u32], depth: usize) {
        let tokens = self.tokens;
        self.scratch.extend(slots.iter().map(|&p| tokens.key(p, depth)));
    }

    /// [`Sorter::sort`], with the keys of the suffixes in the scratch from `base` on.
    fn sort_by_keys(&mut self, slots: &mut [u32], start: usize, depth: usize, base: usize) {
        let keys = &mut self.scratch[base..base + slots.len()];
        keys.sort_unstable();
        for (slot, &key) in slots.iter_mut().zip(keys.iter()) {
            *slot = key as u32;
        }
        let mut from = 0;
        while from < slots.len() {
            let alike = &self.scratch[base + from..base + slots.len()];
            let pair = pair_of(alike[0]);
            let count = alike.iter().take_while(|&&key| pair_of(key) == pair).count();
            let to = from + count;
            if count > 1 {
                if pair as u32 == 0 {
                    // In order: they have ended. Whole terms come first.
                    let wholes = alike[..count].iter().take_while(|&&key| offset_of(key) == 0);
                    let wholes = wholes.count();
                    if wholes > 1 {
                        self.equal_terms.push(start + from..start + from + wholes);
                    }
                } else {
                    self.sort(&mut slots[from..to], start + from, depth + 2);
                }
            }
            from = to;
        }
    }
}

/// The two tokens of a [`Tokens::key`].
#[inline]
fn pair_of(key: u128) -> u64 {
    (key >> 64) as u64
}

/// The offset in its term of a suffix that has ended.
#[inline]
fn offset_of(key: u128) -> u32 {
    (key >> 32) as u32
}

/// The slots of whole terms with equal tokens among the sorted suffixes of a group.
fn equal_in_group(
    tokens: Tokens,
    slots: &[u32],
    start: usize,
    equal_terms: &mut Vec<Range<usize>>,
) {
    let text = |p: u32| {
        let p = p as usize;
        let length = (1..).take_while(|&length| !tokens.ended(p + length)).count() + 1;
        &tokens.keys[p..p + length]
    };
    let whole = |p: u32| tokens.ended(p as usize);
    let mut from = start;
    for alike in slots.chunk_by(|&a, &b| whole(a) && whole(b) && text(a) == text(b)) {
        if alike.len() > 1 {
            equal_terms.push(from..from + alike.len());
        }
        from += alike.len();
    }
}

/// Prefix doubling (Larsson and Sadakane): once all suffixes are sorted by their first `depth` tokens,
/// those that still agree are sorted by the rank of the suffix that begins `depth` tokens later. Then all
/// are sorted by twice as many tokens.
fn double(
    tokens: Tokens,
    suffixes: &mut [u32],
    mut groups: Vec<Group>,
    progress: &Progress,
) -> Result<()> {
    // The suffixes of a group agree on at least DOUBLING_DEPTH tokens (in fact on one more), and other suffixes
    // differ before: all are sorted by DOUBLING_DEPTH tokens.
    let mut depth = DOUBLING_DEPTH;
    let mut ranks = vec![0u32; suffixes.len()];
    for (slot, &p) in suffixes.iter().enumerate() {
        ranks[p as usize] = slot as u32;
    }
    for group in &groups {
        for &p in &suffixes[group.start..group.start + group.length] {
            ranks[p as usize] = group.start as u32;
        }
    }
    let mut scratch: Vec<(u64, u32)> = Vec::new();
    while !groups.is_empty() {
        let mut left = Vec::new();
        let mut settled = Vec::new();
        for group in &groups {
            progress.advance(0)?;
            let slots = &mut suffixes[group.start..group.start + group.length];
            scratch.clear();
            scratch.extend(slots.iter().map(|&p| {
                let next = p as usize + depth;
                (if tokens.ended(next) { 0 } else { u64::from(ranks[next]) + 1 }, p)
            }));
            scratch.sort_unstable();
            for (slot, &(_, p)) in slots.iter_mut().zip(&scratch) {
                *slot = p;
            }
            let mut from = 0;
            for alike in scratch.chunk_by(|a, b| a.0 == b.0) {
                let to = from + alike.len();
                if alike[0].0 == 0 {
                    slots[from..to].sort_by_cached_key(|&p| (tokens.offset(p), p));
                    settled.extend((from..to).map(|i| Group { start: group.start + i, length: 1 }));
                } else {
                    let group = Group { start: group.start + from, length: alike.len() };
                    if alike.len() > 1 { left.push(group) } else { settled.push(group) }
                }
                from = to;
            }
        }
        // Only now, as no group needs the ranks of this depth any more.
        for group in left.iter().chain(&settled) {
            for &p in &suffixes[group.start..group.start + group.length] {
                ranks[p as usize] = group.start as u32;
            }
        }
        groups = left;
        depth *= 2;
    }
    Ok(())
}

/// For each slot, how many tokens its suffix has in common with that of the slot before. If the arrays
/// come from a damaged file, the numbers mean nothing.
pub(crate) fn common_prefixes(tokens: Tokens, suffixes: &[u32]) -> Result<Vec<u32>> {
    // Neighbours usually have little in common, so they are compared; but not where terms repeat
    // themselves and comparing would take long.
    let mut steps = 0;
    let mut common = vec![0];
    for pair in suffixes.windows(2) {
        let length = tokens.common(pair[0] as usize, pair[1] as usize, 0, usize::MAX);
        common.push(length as u32);
        steps += length;
        if steps > 8 * suffixes.len() {
            return common_prefixes_of_repetitive(tokens, suffixes);
        }
    }
    common.truncate(suffixes.len());
    Ok(common)
}

/// [`common_prefixes`] by the algorithm of Kasai et al., which is linear for any terms.
pub(crate) fn common_prefixes_of_repetitive(tokens: Tokens, suffixes: &[u32]) -> Result<Vec<u32>> {
    let count = tokens.keys.len();
    let mut slots = vec![0u32; count];
    for (slot, &p) in suffixes.iter().enumerate() {
        let place = slots.get_mut(p as usize).ok_or_else(|| Error::out_of_range("suffixes"))?;
        *place = slot as u32;
    }
    let mut common = vec![0u32; count];
    let mut length = 0;
    for (p, &slot) in slots.iter().enumerate() {
        if tokens.ended(p) {
            length = 0; // a new term begins here
        }
        let slot = slot as usize;
        if slot == 0 {
            length = 0;
            continue;
        }
        length = tokens.common(suffixes[slot - 1] as usize, p, length, usize::MAX);
        common[slot] = length as u32;
        length = length.saturating_sub(1);
    }
    Ok(common)
}

/// The bits that mark the starts of terms of these lengths, and the end of all.
pub(crate) fn borders(lengths: impl Iterator<Item = usize>, total: usize) -> Vec<u64> {
    let mut words = vec![0; bits::words_for(total + 1)];
    let mut at = 0;
    for length in lengths {
        bits::set(&mut words, at);
        at += length;
    }
    bits::set(&mut words, at);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain_sort(tokens: Tokens, lengths: &[usize]) -> Vec<u32> {
        let mut suffixes = Vec::new();
        let mut at = 0;
        for &length in lengths {
            for offset in 0..length {
                suffixes.push((&tokens.keys[at + offset..at + length], offset, at + offset));
            }
            at += length;
        }
        suffixes.sort();
        suffixes.into_iter().map(|(_, _, p)| p as u32).collect()
    }

    /// The positions of terms that are equal to others, group by group.
    fn equal_terms_of(terms: &[Vec<u32>]) -> Vec<Vec<usize>> {
        let mut places: std::collections::BTreeMap<&[u32], Vec<usize>> = Default::default();
        let mut at = 0;
        for term in terms {
            places.entry(term).or_default().push(at);
            at += term.len();
        }
        let mut groups: Vec<_> = places.into_values().filter(|group| group.len() > 1).collect();
        groups.sort();
        groups
    }

    fn check(terms: &[Vec<u32>], distinct: usize) {
        let keys: Vec<u32> = terms.concat();
        let lengths: Vec<usize> = terms.iter().map(Vec::len).collect();
        let borders = borders(lengths.iter().copied(), keys.len());
        let tokens = Tokens { keys: &keys, borders: &borders };
        let expected = plain_sort(tokens, &lengths);
        for threads in [1, 3] {
            let buckets = bucket_starts(tokens.keys, distinct);
            let dealt = deal(tokens.keys, &buckets);
            let Sorted { suffixes, equal_terms } =
                sort(tokens, &buckets, dealt, threads, &Progress::default()).unwrap();
            assert_eq!(suffixes, expected);
            let wholes = |slots: &Range<usize>| {
                suffixes[slots.clone()].iter().map(|&p| p as usize).collect::<Vec<_>>()
            };
            let mut found: Vec<Vec<usize>> = equal_terms.iter().map(wholes).collect();
            found.sort();
            assert_eq!(found, equal_terms_of(terms));
            for (token, start) in buckets.iter().enumerate() {
                assert_eq!(
                    *start as usize,
                    keys.iter().filter(|&&key| (key as usize) < token).count()
                );
            }
        }
        let common = common_prefixes(tokens, &expected).unwrap();
        assert_eq!(common, common_prefixes_of_repetitive(tokens, &expected).unwrap());
        let text = |p: u32| {
            let p = p as usize;
            let end = (p + 1..).find(|&q| tokens.ended(q)).unwrap();
            &keys[p..end]
        };
        for slot in 1..expected.len() {
            let (a, b) = (text(expected[slot - 1]), text(expected[slot]));
            let plain = a.iter().zip(b).take_while(|(a, b)| a == b).count();
            assert_eq!(common[slot] as usize, plain);
        }
    }

    #[test]
    fn small_alphabets_sort_like_a_plain_sort() {
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for round in 0..300 {
            let distinct = 1 + round % 3;
            let terms: Vec<Vec<u32>> = (0..random(12))
                .map(|_| (0..1 + random(9)).map(|_| random(distinct) as u32).collect())
                .collect();
            check(&terms, distinct as usize);
        }
    }

    #[test]
    fn repetitive_terms_longer_than_the_deep_limit_sort_like_a_plain_sort() {
        let periodic =
            |period: u32, length: u32| (0..length).map(|i| i % period).collect::<Vec<u32>>();
        let lengths = [1, 2, 31, 32, 33, 34, 64, 65, 66, 100, 129, 150];
        check(&lengths.map(|length| periodic(1, length)), 1);
        check(&lengths.map(|length| periodic(2, length)), 2);
        let thrice = lengths.map(|length| periodic(3, length));
        check(&[thrice.clone(), thrice].concat(), 3);
        check(&[periodic(1, 200), vec![0; 200], [vec![0; 150], vec![1]].concat()], 2);
    }
}
