//! Numbering tokens: the number of each distinct token is its place in the order of all.
//!
//! An occurrence of a token is one 128-bit number, its *record*: the first eleven bytes, the length, the
//! position. The records are divided into partitions by their first bytes; each partition fits into a
//! core's cache. There the distinct tokens are found and sorted, so that one partition after the other
//! they are in order. The text is not read again, except for tokens longer than eleven bytes: these are
//! in a list, and their records have the place in that list instead of the position.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use foldhash::quality::RandomState;

use crate::build::removed::Removed;
use crate::error::Result;
use crate::progress::Progress;
use crate::threads::{Jobs, concat, run, threads_for};

/// The most bytes of a token that fit into its record.
const INLINE_BYTES: usize = 11;
/// Marks the record of a longer token, in place of its length.
const LONG_MARK: u8 = u8::MAX;
/// Occurrences in a partition, on average: 128 KiB of records, which fit into a core's cache.
const PARTITION_SIZE: usize = 1 << 13;
/// The most partitions: each is a place that is written to, and more of them would miss the cache.
const MAX_PARTITIONS: usize = 256;

/// The record of an occurrence. Records compare like the bytes of their tokens, except for long tokens
/// that agree on their first bytes.
#[inline]
fn record(token: &[u8], place: u32) -> u128 {
    // Eight bytes, then three and the length; missing bytes are zero.
    let (first, next) = match token.split_first_chunk::<8>() {
        Some((first, rest)) => (u64::from_be_bytes(*first), short(rest) as u32),
        None => (short(token) << 32 | u64::from(short(token.get(4..).unwrap_or(&[])) as u32), 0),
    };
    let length = if token.len() > INLINE_BYTES { LONG_MARK } else { token.len() as u8 };
    let tail = next & !0xFF | u32::from(length);
    u128::from(first) << 64 | u128::from(tail) << 32 | u128::from(place)
}

/// Up to four bytes as a big-endian number; missing bytes are zero.
#[inline]
fn short(bytes: &[u8]) -> u64 {
    let number = match *bytes {
        [a, b, c, d, ..] => u32::from_be_bytes([a, b, c, d]),
        [a, b, c] => u32::from_be_bytes([a, b, c, 0]),
        [a, b] => u32::from_be_bytes([a, b, 0, 0]),
        [a] => u32::from_be_bytes([a, 0, 0, 0]),
        [] => 0,
    };
    number.into()
}

/// The first eight bytes of the token, which decide its partition.
#[inline]
fn head(record: u128) -> u64 {
    (record >> 64) as u64
}

/// All of a record but its position.
#[inline]
fn token_part(record: u128) -> u128 {
    record >> 32
}

fn is_long(record: u128) -> bool {
    token_part(record) as u8 == LONG_MARK
}

/// Fences greater than the head of any token: no text has such bytes.
const NO_FENCES: [u64; 3] = [u64::MAX; 3];

/// How tokens are divided into partitions, in alphabetical order.
pub(crate) struct Partitions {
    /// The heads at which the second and further partitions begin, and then [`NO_FENCES`].
    fences: Vec<u64>,
    /// The number of partitions.
    count: usize,
    /// For each value of a head's first two bytes, the first partition that it can belong to. (In a
    /// binary search among all, the processor would mispredict nearly every step.)
    by_two_bytes: Vec<u8>,
}

impl Partitions {
    /// Partitions for about `count` occurrences, of which `sample` is a sample.
    pub(crate) fn new(sample: &[&str], count: usize) -> Partitions {
        let wanted = (count / PARTITION_SIZE).clamp(1, MAX_PARTITIONS);
        let mut heads: Vec<u64> =
            sample.iter().map(|token| head(record(token.as_bytes(), 0))).collect();
        heads.sort_unstable();
        let mut fences: Vec<u64> =
            (1..wanted).filter_map(|i| heads.get(heads.len() * i / wanted)).copied().collect();
        fences.dedup();
        Partitions::with_fences(fences)
    }

    fn with_fences(fences: Vec<u64>) -> Partitions {
        let mut by_two_bytes = Vec::new();
        if !fences.is_empty() {
            for (partition, fence) in (0u8..).zip(&fences) {
                // Only from the next value on are all heads past the fence.
                by_two_bytes.resize(fence.div_ceil(1 << 48) as usize, partition);
            }
            by_two_bytes.resize(1 << 16, fences.len() as u8);
        }
        let count = fences.len() + 1;
        Partitions { by_two_bytes, count, fences: [&fences[..], &NO_FENCES].concat() }
    }

    #[inline]
    fn of(&self, record: u128) -> usize {
        let head = head(record);
        let mut partition = self.by_two_bytes.get((head >> 48) as usize).map_or(0, |&p| p as usize);
        // Three fences at a time are counted, as a branch at each would be mispredicted too.
        while let Some(fences) = self.fences.get(partition..partition + 3) {
            let passed = fences.iter().map(|&fence| usize::from(fence <= head)).sum::<usize>();
            partition += passed;
            if passed < 3 {
                break;
            }
        }
        partition
    }
}

/// The occurrences of tokens in one part of the text.
pub(crate) struct Occurrences<'a> {
    partitions: Vec<Vec<u128>>,
    /// The positions and texts of the tokens that are too long for a record.
    long: Vec<(u32, &'a str)>,
    count: u32,
}

impl<'a> Occurrences<'a> {
    /// Room for about `expected` occurrences.
    pub(crate) fn new(partitions: &Partitions, expected: usize) -> Occurrences<'a> {
        let room = expected / partitions.count;
        let partitions = (0..partitions.count).map(|_| Vec::with_capacity(room)).collect();
        Occurrences { partitions, long: Vec::new(), count: 0 }
    }

    /// Adds a token; its position is the number of those added before.
    #[inline]
    pub(crate) fn push(&mut self, partitions: &Partitions, token: &'a str) {
        let place = match token.len() > INLINE_BYTES {
            true => self.long.len() as u32,
            false => self.count,
        };
        if token.len() > INLINE_BYTES {
            self.long.push((self.count, token));
        }
        let record = record(token.as_bytes(), place);
        self.partitions[partitions.of(record)].push(record);
        self.count += 1;
    }

    /// The number of tokens added.
    pub(crate) fn len(&self) -> usize {
        self.count as usize
    }

    #[inline]
    fn position(&self, record: u128) -> u32 {
        if is_long(record) { self.long[record as u32 as usize].0 } else { record as u32 }
    }

    /// The text of a long token.
    fn long_text(&self, record: u128) -> &'a str {
        self.long[record as u32 as usize].1
    }
}

/// The distinct tokens of all parts.
pub(crate) struct Interned {
    /// The tokens one after the other, in order.
    pub(crate) text: Vec<u8>,
    /// The length of each in bytes.
    pub(crate) lengths: Vec<u32>,
    /// How often each token occurs.
    pub(crate) counts: Vec<u32>,
    /// For each partition the number of its first token, and the occurrences of its tokens.
    partitions: Vec<(u32, Numbered)>,
    /// For each part the number of occurrences before it; at the end, the number of all.
    firsts: Vec<usize>,
}

/// Finds the distinct tokens of all parts.
pub(crate) fn intern(
    mut parts: Vec<Occurrences>,
    threads: usize,
    progress: &Progress,
) -> Result<Interned> {
    let mut firsts = Vec::with_capacity(parts.len() + 1);
    let mut total = 0;
    for part in &parts {
        firsts.push(total);
        total += part.len();
    }
    firsts.push(total);
    let partitions = parts.first().map_or(0, |part| part.partitions.len());
    let tasks: Vec<Vec<Vec<u128>>> = (0..partitions)
        .map(|i| parts.iter_mut().map(|part| std::mem::take(&mut part.partitions[i])).collect())
        .collect();
    // Seeded at random, so that no vocabulary can be made to collide.
    let hasher = RandomState::default();
    let partitions = run(threads, tasks, |records: Vec<Vec<u128>>| {
        progress.advance(records.iter().map(|records| records.len() as u64).sum())?;
        Ok(number_partition(records, &parts, &hasher))
    })?;

    let mut jobs = Jobs::default();
    let text = jobs.add(|| concat(partitions.iter().map(|partition| &partition.text)));
    let lengths = jobs.add(|| concat(partitions.iter().map(|partition| &partition.lengths)));
    let counts = jobs.add(|| concat(partitions.iter().map(|partition| &partition.counts)));
    jobs.run(threads_for(total, threads))?;
    let mut next = 0;
    let partitions = partitions.into_iter().map(|partition| {
        let first = next;
        next += partition.lengths.len() as u32;
        (first, partition.numbered)
    });
    let partitions = partitions.collect();
    let (text, lengths, counts) = (text.take(), lengths.take(), counts.take());
    Ok(Interned { text, lengths, counts, partitions, firsts })
}

impl Interned {
    /// For every occurrence, in the order of the text, what `of` says of its token; and all positions that
    /// stay, in the buckets of their tokens. `of` is given the number of a token, its place in the order of
    /// the distinct ones, and returns the first of its slots too. Tokens of a bucket are next to each other
    /// there, in any order; those of removed positions have no slot. Uses up what the partitions know, so
    /// this can be called once.
    pub(super) fn deal(
        &mut self,
        of: impl Fn(u32) -> (u32, u32) + Sync,
        removed: &Removed,
        staying: usize,
        threads: usize,
    ) -> Result<(Vec<u32>, Vec<u32>)> {
        let (mut values, mut dealt) = (vec![0; self.total()], vec![0; staying]);
        let (places, slots) = (atomic(&mut values), atomic(&mut dealt));
        let threads = threads_for(self.total(), threads);
        run(threads, std::mem::take(&mut self.partitions), |(first_token, numbered)| {
            let Numbered { places: tokens, records } = numbered;
            // All occurrences of a token are in one partition, so no other thread uses its slots.
            let (values, mut next): (Vec<u32>, Vec<u32>) =
                tokens.iter().map(|&place| of(first_token + place)).unzip();
            for (records, &first) in records.iter().zip(&self.firsts) {
                for &record in records {
                    let (place, number) = (first + record as u32 as usize, (record >> 32) as usize);
                    places[place].store(values[number], Relaxed);
                    if let Some(position) = removed.renumber(place as u32) {
                        slots[next[number] as usize].store(position, Relaxed);
                        next[number] += 1;
                    }
                }
            }
            Ok(())
        })?;
        Ok((values, dealt))
    }

    /// The positions of some of the tokens, in order, as far as they are before `end`.
    pub(super) fn positions_of(
        &self,
        is_wanted: impl Fn(u32) -> bool + Sync,
        end: usize,
        threads: usize,
    ) -> Result<Vec<u32>> {
        let threads = threads_for(self.total(), threads);
        let found = run(threads, self.partitions.iter().collect(), |(first_token, numbered)| {
            let Numbered { places: tokens, records } = numbered;
            let wanted: Vec<bool> =
                tokens.iter().map(|place| is_wanted(first_token + place)).collect();
            let mut found = Vec::new();
            if wanted.contains(&true) {
                for (records, &first) in records.iter().zip(&self.firsts) {
                    let of_wanted =
                        records.iter().filter(|&&record| wanted[(record >> 32) as usize]);
                    let places = of_wanted.map(|&record| first + record as u32 as usize);
                    found.extend(places.filter(|&place| place < end).map(|place| place as u32));
                }
            }
            Ok(found)
        })?;
        let mut found = concat(found.iter());
        found.sort_unstable();
        Ok(found)
    }

    /// For each token whether it occurs before `end`.
    pub(super) fn occur_before(&self, end: usize, threads: usize) -> Result<Vec<bool>> {
        let threads = threads_for(self.total(), threads);
        let found = run(threads, self.partitions.iter().collect(), |(_, numbered)| {
            let Numbered { places: tokens, records } = numbered;
            let mut found = vec![false; tokens.len()];
            for (records, &first) in records.iter().zip(&self.firsts) {
                for &record in records {
                    let is_before = first + (record as u32 as usize) < end;
                    found[tokens[(record >> 32) as usize] as usize] |= is_before;
                }
            }
            Ok(found)
        })?;
        Ok(concat(found.iter()))
    }

    /// The number of occurrences.
    pub(super) fn total(&self) -> usize {
        self.firsts[self.firsts.len() - 1]
    }
}

/// Numbers that several threads write at the same time, each at places of its own.
pub(super) fn atomic(numbers: &mut [u32]) -> &[AtomicU32] {
    // SAFETY: an AtomicU32 has the layout of a u32, and the numbers are borrowed mutably for as long as
    // the slice of atomics exists, so nothing else reads or writes them.
    unsafe { &*(&raw mut *numbers as *const [AtomicU32]) }
}

/// The distinct tokens of one partition, in order, and their occurrences.
struct Partition {
    text: Vec<u8>,
    lengths: Vec<u32>,
    counts: Vec<u32>,
    numbered: Numbered,
}

/// The occurrences in a partition, whose tokens are numbered by their first occurrence.
struct Numbered {
    /// For each number the place of its token in the order of the partition's tokens.
    places: Vec<u32>,
    /// For each part its occurrences: the number of the token, and in the lower 32 bits the position.
    records: Vec<Vec<u128>>,
}

/// A distinct token: the record of its first occurrence, and the part where that is.
type FirstOccurrence = (u128, u32);

/// Finds, sorts and numbers the distinct tokens of one partition. `records` are its records, part by part.
fn number_partition(
    mut records: Vec<Vec<u128>>,
    parts: &[Occurrences],
    hasher: &RandomState,
) -> Partition {
    let (distinct, counts) = find_distinct(&mut records, parts, hasher);
    let text = |&(record, part): &FirstOccurrence| parts[part as usize].long_text(record);
    // The records of the distinct tokens, with the number of the token instead of the position.
    let numbered = distinct.iter().zip(0u32..);
    let mut order: Vec<u128> =
        numbered.map(|(token, number)| token_part(token.0) << 32 | u128::from(number)).collect();
    order.sort_unstable();
    for alike in order.chunk_by_mut(|&a, &b| token_part(a) == token_part(b)) {
        // Distinct tokens whose records agree are long ones.
        if alike.len() > 1 {
            alike.sort_unstable_by_key(|&record| text(&distinct[record as u32 as usize]));
        }
    }
    let mut places = vec![0u32; distinct.len()];
    let in_order = order.iter().map(|&record| counts[record as u32 as usize]).collect();
    let (mut all_text, mut lengths) = (Vec::new(), Vec::with_capacity(distinct.len()));
    for (place, &record) in (0u32..).zip(&order) {
        places[record as u32 as usize] = place;
        let token = &distinct[record as u32 as usize];
        let start = all_text.len();
        match is_long(token.0) {
            true => all_text.extend_from_slice(text(token).as_bytes()),
            false => {
                let length = token_part(token.0) as u8 as usize;
                all_text.extend_from_slice(&token.0.to_be_bytes()[..length]);
            }
        }
        lengths.push((all_text.len() - start) as u32);
    }
    Partition { text: all_text, lengths, counts: in_order, numbered: Numbered { places, records } }
}

/// The distinct tokens in the order of their first occurrences, and how often each occurs. The records
/// are replaced by those of [`Numbered`].
fn find_distinct(
    records: &mut [Vec<u128>],
    parts: &[Occurrences],
    hasher: &RandomState,
) -> (Vec<FirstOccurrence>, Vec<u32>) {
    let mut distinct: Vec<FirstOccurrence> = Vec::new();
    let mut counts: Vec<u32> = Vec::new();
    let text = |&(record, part): &FirstOccurrence| parts[part as usize].long_text(record);
    let hash = |token: &FirstOccurrence| match is_long(token.0) {
        true => hasher.hash_one(text(token)),
        false => hasher.hash_one(token_part(token.0)),
    };
    // A hash table of places in `distinct`, with linear probing. It is at most half full, and grows with
    // the distinct tokens, which are usually far fewer than the records.
    let most = records.iter().map(Vec::len).sum::<usize>();
    let mut slots: Vec<u32> =
        vec![FREE_SLOT; (most / 2).next_power_of_two().clamp(1 << 6, 1 << 12)];
    for (part, records) in records.iter_mut().enumerate() {
        for record in records {
            let token = (*record, part as u32);
            let mut slot = hash(&token) as usize & (slots.len() - 1);
            let number = loop {
                let number = slots[slot];
                if number == FREE_SLOT {
                    slots[slot] = distinct.len() as u32;
                    distinct.push(token);
                    counts.push(0);
                    break distinct.len() as u32 - 1;
                }
                let other = &distinct[number as usize];
                if token_part(other.0) == token_part(token.0)
                    && (!is_long(token.0) || text(other) == text(&token))
                {
                    break number;
                }
                slot = (slot + 1) & (slots.len() - 1);
            };
            counts[number as usize] += 1;
            if distinct.len() * 2 > slots.len() {
                slots = vec![FREE_SLOT; slots.len() * 4];
                for (number, token) in (0u32..).zip(&distinct) {
                    let mut slot = hash(token) as usize & (slots.len() - 1);
                    while slots[slot] != FREE_SLOT {
                        slot = (slot + 1) & (slots.len() - 1);
                    }
                    slots[slot] = number;
                }
            }
            *record = u128::from(number) << 32 | u128::from(parts[part].position(token.0));
        }
    }
    (distinct, counts)
}

/// A free slot of the hash table.
const FREE_SLOT: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::suffixes;

    fn check(parts: &[Vec<&str>], partitions: &Partitions) {
        let occurrences = parts.iter().map(|tokens| {
            let mut part = Occurrences::new(partitions, 0);
            tokens.iter().for_each(|token| part.push(partitions, token));
            part
        });
        let mut interned = intern(occurrences.collect(), 2, &Progress::default()).unwrap();
        let total = interned.total();
        let (is_third, half) = (|token: u32| token % 3 == 1, total / 2);
        let early = interned.occur_before(half, 2).unwrap();
        let early_thirds = interned.positions_of(is_third, half, 2).unwrap();
        let thirds = interned.positions_of(is_third, total, 2).unwrap();
        let staying = |(token, &count): (u32, &u32)| if is_third(token) { 0 } else { count };
        let slots: Vec<u32> =
            suffixes::starts(&(0..).zip(&interned.counts).map(staying).collect::<Vec<_>>());
        let removed = Removed::new(&thirds, total);
        let of = |token: u32| (token, slots[token as usize]);
        let (numbers, dealt) = interned.deal(of, &removed, total - thirds.len(), 2).unwrap();
        let mut expected: Vec<&str> = parts.concat();
        expected.sort_unstable();
        expected.dedup();
        let mut at = 0;
        let found: Vec<&str> = interned
            .lengths
            .iter()
            .map(|&length| {
                at += length as usize;
                std::str::from_utf8(&interned.text[at - length as usize..at]).unwrap()
            })
            .collect();
        assert_eq!(found, expected);
        let count = |&token: &&str| parts.concat().iter().filter(|&&t| t == token).count() as u32;
        if expected.len() < 100 {
            assert!(interned.counts.iter().copied().eq(expected.iter().map(count)));
        }
        let tokens: Vec<&str> = numbers.iter().map(|&n| expected[n as usize]).collect();
        assert_eq!(tokens, parts.concat());
        for (token, is_early) in (0u32..).zip(early) {
            assert_eq!(is_early, numbers[..half].contains(&token));
        }
        let found = (0..total as u32).filter(|&p| is_third(numbers[p as usize]));
        assert!(found.clone().eq(thirds.iter().copied()));
        assert!(found.filter(|&p| (p as usize) < half).eq(early_thirds));
        let stay: Vec<u32> = numbers.iter().copied().filter(|&token| !is_third(token)).collect();
        assert_eq!(dealt, suffixes::deal(&stay, &slots));
    }

    #[test]
    fn tokens_are_numbered_in_the_order_of_their_bytes() {
        let tokens = vec![
            "b",
            "a",
            "a\0",
            "",
            "abcdefghijk",
            "abcdefghijkl",
            "abcdefghijklm",
            "abcdefghijk\0",
            "ab",
            "é",
            "z",
            "\u{10ffff}",
            "abcdefghijkz",
            "abcdefghijk",
            "a",
            "b",
            "abcdefghijkl",
        ];
        let other: Vec<&str> = tokens.iter().rev().copied().chain(["c"]).collect();
        let one = Partitions::new(&[], 0);
        check(&[tokens.clone(), other.clone()], &one);
        check(&[vec![], tokens.clone(), vec![]], &one);
        check(&[], &one);
        let fences = [&b"a\0"[..], b"abcdefgh", b"b"].map(|token| head(record(token, 0)));
        let several = Partitions::with_fences(fences.to_vec());
        check(&[tokens, other], &several);
    }

    #[test]
    fn partitions_follow_the_sample() {
        let sample: Vec<String> =
            (0..10_000).map(|i| format!("{:04}", i * 7919 % 10_000)).collect();
        let sample: Vec<&str> = sample.iter().map(String::as_str).collect();
        let partitions = Partitions::new(&sample, PARTITION_SIZE * 10);
        assert_eq!(partitions.count, 10);
        check(&[sample.clone(), sample], &partitions);
    }
}
