//! Numbering tokens: each distinct one gets its place in the order of all.
//!
//! A token's occurrence is one 128-bit number: its first eleven bytes, its length, its position. The
//! occurrences are dealt into partitions by the alphabet, small enough for a core's cache. There the
//! distinct ones are found and sorted; partition after partition, they are in order. The text itself
//! is not looked at again, but for tokens longer than eleven bytes: these stand in a list, and their
//! records have the place in that list instead of the position.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use foldhash::quality::RandomState;

use crate::arrays::dictionary::Layout;
use crate::error::Result;
use crate::threads::{Job, Progress, fill, run, run_all, threads_for};

/// The bytes of a token that its record holds.
const INLINE: usize = 11;
/// Stands for the length of a longer token.
const LONG: u8 = u8::MAX;
/// Occurrences for which a partition is worth its while.
const PARTITION: usize = 1 << 13;
/// More partitions than this would be too many places to write to at a time.
const MAX_PARTITIONS: usize = 256;

/// The record of an occurrence. As numbers, records are in the order of their tokens' bytes, but for
/// long tokens that agree on their first bytes.
#[inline]
fn record(token: &[u8], place: u32) -> u128 {
    // Eight bytes, then four of which the last is the length; missing bytes are zero.
    let (first, next) = match token.split_first_chunk::<8>() {
        Some((first, rest)) => (u64::from_be_bytes(*first), short(rest) as u32),
        None => (short(token) << 32 | u64::from(short(token.get(4..).unwrap_or(&[])) as u32), 0),
    };
    let length = if token.len() > INLINE { LONG } else { token.len() as u8 };
    let tail = next & !0xFF | u32::from(length);
    u128::from(first) << 64 | u128::from(tail) << 32 | u128::from(place)
}

/// Up to four bytes as a number, the first one highest; zeros for those that are missing.
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

/// The first eight bytes of the token, by which it is dealt to a partition.
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
    token_part(record) as u8 == LONG
}

/// Fences that no token passes: no text has such bytes.
const NO_FENCES: [u64; 3] = [u64::MAX; 3];

/// How the alphabet is divided into partitions.
pub(crate) struct Partitions {
    /// The heads at which the second and further partitions begin, and behind them [`NO_FENCES`].
    fences: Vec<u64>,
    /// The number of partitions.
    count: usize,
    /// For each value of a head's first two bytes, the first partition that can be meant: a search
    /// among all would be guessed wrong by the processor at nearly every step.
    by_two_bytes: Vec<u8>,
}

impl Partitions {
    /// Partitions for about `count` occurrences, of which `sample` is a sample.
    pub(crate) fn new(sample: &[&str], count: usize) -> Partitions {
        let wanted = (count / PARTITION).clamp(1, MAX_PARTITIONS);
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
                // Only heads from the next value on are all behind the fence.
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
        // Three fences at a time, counted: a branch at each would be guessed wrong as well.
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

/// The occurrences of one thread's share of the text.
pub(crate) struct Occurrences<'a> {
    partitions: Vec<Vec<u128>>,
    /// The positions and texts of the tokens that a record cannot hold.
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
        let place = match token.len() > INLINE {
            true => self.long.len() as u32,
            false => self.count,
        };
        if token.len() > INLINE {
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

/// The distinct tokens of all shares in order, one after the other, with their lengths.
pub(crate) struct Interned {
    pub(crate) text: Vec<u8>,
    pub(crate) lengths: Vec<u32>,
    /// How often each token occurs.
    pub(crate) counts: Vec<u32>,
    /// For each partition the number of its first token, and what it tells of the others.
    partitions: Vec<(u32, Numbered)>,
    /// For each share the number of occurrences before it; and of all.
    firsts: Vec<usize>,
}

/// Finds the distinct tokens of all shares.
pub(crate) fn intern(
    mut shares: Vec<Occurrences>,
    threads: usize,
    progress: &Progress,
) -> Result<Interned> {
    let mut firsts = Vec::with_capacity(shares.len() + 1);
    let mut total = 0;
    for share in &shares {
        firsts.push(total);
        total += share.len();
    }
    firsts.push(total);
    let partitions = shares.first().map_or(0, |share| share.partitions.len());
    let tasks: Vec<Vec<Vec<u128>>> = (0..partitions)
        .map(|i| shares.iter_mut().map(|share| std::mem::take(&mut share.partitions[i])).collect())
        .collect();
    // Seeded at random, so that no vocabulary can be made to collide.
    let hasher = RandomState::default();
    let parts = run(threads, tasks, |records: Vec<Vec<u128>>| {
        progress.advance(records.iter().map(|records| records.len() as u64).sum())?;
        Ok(number_partition(records, &shares, &hasher))
    })?;

    let (mut text, mut lengths, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    let columns: Vec<Job> = vec![
        Box::new(|| fill(&mut text, parts.iter().map(|part| &part.text))),
        Box::new(|| fill(&mut lengths, parts.iter().map(|part| &part.lengths))),
        Box::new(|| fill(&mut counts, parts.iter().map(|part| &part.counts))),
    ];
    run_all(threads_for(total, threads), columns)?;
    let mut next = 0;
    let partitions = parts.into_iter().map(|part| {
        let first = next;
        next += part.lengths.len() as u32;
        (first, part.numbered)
    });
    let partitions = partitions.collect();
    Ok(Interned { text, lengths, counts, partitions, firsts })
}

impl Interned {
    /// The number of every token, share after share: its place in the order of the distinct ones. They
    /// can be told once.
    pub(crate) fn numbers(&mut self, threads: usize) -> Result<Vec<u32>> {
        let mut numbers = vec![0; self.total()];
        let places = atomic(&mut numbers);
        let threads = threads_for(self.total(), threads);
        run(threads, std::mem::take(&mut self.partitions), |(first_token, numbered)| {
            let Numbered { places: tokens, records } = numbered;
            for (share, &first) in records.iter().zip(&self.firsts) {
                for &record in share {
                    let number = first_token + tokens[(record >> 32) as usize];
                    places[first + record as u32 as usize].store(number, Relaxed);
                }
            }
            Ok(())
        })?;
        Ok(numbers)
    }

    /// For every token, share after share, its id in the layout; and the places of all tokens, dealt
    /// into buckets by these: `buckets` tells where each begins. They can be told once.
    pub(crate) fn deal(
        &mut self,
        layout: &Layout,
        buckets: &[u32],
        threads: usize,
    ) -> Result<(Vec<u32>, Vec<u32>)> {
        let (mut keys, mut dealt) = (vec![0; self.total()], vec![0; self.total()]);
        let (places, slots) = (atomic(&mut keys), atomic(&mut dealt));
        let threads = threads_for(self.total(), threads);
        run(threads, std::mem::take(&mut self.partitions), |(first_token, numbered)| {
            let Numbered { places: tokens, records } = numbered;
            let number = |place: &u32| layout.numbers[(first_token + place) as usize];
            let numbers: Vec<u32> = tokens.iter().map(number).collect();
            let ids: Vec<u32> = numbers.iter().map(|&number| layout.ids[number as usize]).collect();
            // All occurrences of a token are in one partition, in order: nobody else writes into its
            // bucket.
            let mut next: Vec<u32> =
                numbers.iter().map(|&number| buckets[number as usize]).collect();
            for (share, &first) in records.iter().zip(&self.firsts) {
                for &record in share {
                    let (place, number) = (first + record as u32 as usize, (record >> 32) as usize);
                    places[place].store(ids[number], Relaxed);
                    slots[next[number] as usize].store(place as u32, Relaxed);
                    next[number] += 1;
                }
            }
            Ok(())
        })?;
        Ok((keys, dealt))
    }

    fn total(&self) -> usize {
        self.firsts[self.firsts.len() - 1]
    }
}

/// Numbers that several threads write, each in places of its own.
fn atomic(numbers: &mut [u32]) -> &[AtomicU32] {
    // SAFETY: an AtomicU32 is in memory as a u32 is, and while the slice of them is there, nothing else
    // reads or writes the numbers.
    unsafe { &*(&raw mut *numbers as *const [AtomicU32]) }
}

struct Partition {
    text: Vec<u8>,
    lengths: Vec<u32>,
    counts: Vec<u32>,
    numbered: Numbered,
}

/// The tokens of a partition, numbered by their first occurrence.
struct Numbered {
    /// For each number the place of its token in the order of all of the partition.
    places: Vec<u32>,
    /// For each share the numbers of its tokens, and below, in 32 bits, their positions.
    records: Vec<Vec<u128>>,
}

/// Numbers the tokens of one partition: the records of each share are replaced by the numbers.
fn number_partition(
    mut records: Vec<Vec<u128>>,
    shares: &[Occurrences],
    hasher: &RandomState,
) -> Partition {
    // A distinct token: the record of its first occurrence, and its share.
    let mut distinct: Vec<(u128, u32)> = Vec::new();
    let text = |&(record, share): &(u128, u32)| shares[share as usize].long_text(record);
    let hash = |token: &(u128, u32)| match is_long(token.0) {
        true => hasher.hash_one(text(token)),
        false => hasher.hash_one(token_part(token.0)),
    };
    // A table of the numbers in `distinct`, with linear probing. It has twice the slots that it can
    // need, and grows with the distinct tokens, which are far fewer than the records as a rule.
    let most = records.iter().map(Vec::len).sum::<usize>();
    let mut slots: Vec<u32> = vec![FREE; (most / 2).next_power_of_two().clamp(1 << 6, 1 << 12)];
    let mut counts: Vec<u32> = Vec::new();
    for (share, records) in records.iter_mut().enumerate() {
        for record in records {
            let token = (*record, share as u32);
            let mut slot = hash(&token) as usize & (slots.len() - 1);
            let number = loop {
                let number = slots[slot];
                if number == FREE {
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
                slots = vec![FREE; slots.len() * 4];
                for (number, token) in (0u32..).zip(&distinct) {
                    let mut slot = hash(token) as usize & (slots.len() - 1);
                    while slots[slot] != FREE {
                        slot = (slot + 1) & (slots.len() - 1);
                    }
                    slots[slot] = number;
                }
            }
            *record = u128::from(number) << 32 | u128::from(shares[share].position(token.0));
        }
    }
    // In place of its position, each distinct token's record gets its number.
    let numbered = distinct.iter().zip(0u32..);
    let mut order: Vec<u128> =
        numbered.map(|(token, number)| token_part(token.0) << 32 | u128::from(number)).collect();
    order.sort_unstable();
    for alike in order.chunk_by_mut(|&a, &b| token_part(a) == token_part(b)) {
        // Equal heads of distinct tokens: they are long.
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

/// A slot that holds no number.
const FREE: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    fn check(shares: &[Vec<&str>], partitions: &Partitions) {
        let made = shares.iter().map(|tokens| {
            let mut share = Occurrences::new(partitions, 0);
            tokens.iter().for_each(|token| share.push(partitions, token));
            share
        });
        let mut interned = intern(made.collect(), 2, &Progress::default()).unwrap();
        let numbers = interned.numbers(2).unwrap();
        let mut expected: Vec<&str> = shares.concat();
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
        let count = |&token: &&str| shares.concat().iter().filter(|&&t| t == token).count() as u32;
        if expected.len() < 100 {
            assert!(interned.counts.iter().copied().eq(expected.iter().map(count)));
        }
        let tokens: Vec<&str> = numbers.iter().map(|&n| expected[n as usize]).collect();
        assert_eq!(tokens, shares.concat());
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
        let partitions = Partitions::new(&sample, PARTITION * 10);
        assert_eq!(partitions.count, 10);
        check(&[sample.clone(), sample], &partitions);
    }
}
