//! Numbering tokens: each distinct one gets its place in the order of all.
//!
//! A token's occurrence is one 128-bit number: its first eleven bytes, its length, its position. The
//! occurrences are dealt into partitions by the alphabet, small enough for a core's cache. There the
//! distinct ones are found and sorted; partition after partition, they are in order. The text itself
//! is not looked at again, but for tokens longer than eleven bytes.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use foldhash::quality::RandomState;
use hashbrown::HashTable;

use crate::error::Result;
use crate::threads::run;

/// The bytes of a token that its record holds.
const INLINE: usize = 11;
/// Stands for the length of a longer token.
const LONG: u8 = u8::MAX;
/// Occurrences for which a partition is worth its while.
const PARTITION: usize = 1 << 14;
/// More partitions than this would be too many places to write to at a time.
const MAX_PARTITIONS: usize = 256;

/// The record of an occurrence. As numbers, records are in the order of their tokens' bytes, but for
/// long tokens that agree on their first bytes.
#[inline]
fn record(token: &[u8], position: u32) -> u128 {
    let mut bytes = [0u8; 16];
    let length = token.len().min(INLINE);
    bytes[..length].copy_from_slice(&token[..length]);
    bytes[INLINE] = if token.len() > INLINE { LONG } else { length as u8 };
    u128::from_be_bytes(bytes) | u128::from(position)
}

/// The first eight bytes of the token, by which it is dealt to a partition.
#[inline]
fn head(record: u128) -> u64 {
    (record >> 64) as u64
}

#[inline]
fn position(record: u128) -> u32 {
    record as u32
}

/// All of a record but its position.
#[inline]
fn token_part(record: u128) -> u128 {
    record >> 32
}

fn is_long(record: u128) -> bool {
    token_part(record) as u8 == LONG
}

/// How the alphabet is divided into partitions.
pub(crate) struct Partitions {
    /// The heads at which the second and further partitions begin.
    fences: Vec<u64>,
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
        Partitions { fences }
    }

    #[inline]
    fn of(&self, record: u128) -> usize {
        let head = head(record);
        self.fences.partition_point(|&fence| fence <= head)
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
        let room = expected / (partitions.fences.len() + 1);
        let partitions = (0..=partitions.fences.len()).map(|_| Vec::with_capacity(room)).collect();
        Occurrences { partitions, long: Vec::new(), count: 0 }
    }

    /// Adds a token; its position is the number of those added before.
    #[inline]
    pub(crate) fn push(&mut self, partitions: &Partitions, token: &'a str) {
        let record = record(token.as_bytes(), self.count);
        if token.len() > INLINE {
            self.long.push((self.count, token));
        }
        self.partitions[partitions.of(record)].push(record);
        self.count += 1;
    }

    /// The number of tokens added.
    pub(crate) fn len(&self) -> usize {
        self.count as usize
    }

    fn long_text(&self, position: u32) -> &'a str {
        match self.long.binary_search_by_key(&position, |&(position, _)| position) {
            Ok(i) => self.long[i].1,
            Err(_) => unreachable!("long tokens are noted when they are added"),
        }
    }
}

/// The distinct tokens of all shares in order, one after the other, with their lengths; and the number
/// of every token, share after share.
pub(crate) struct Numbered {
    pub(crate) text: Vec<u8>,
    pub(crate) lengths: Vec<u32>,
    pub(crate) numbers: Vec<u32>,
}

/// Numbers the tokens of all shares.
pub(crate) fn number(mut shares: Vec<Occurrences>, threads: usize) -> Result<Numbered> {
    let mut firsts = Vec::with_capacity(shares.len());
    let mut total = 0;
    for share in &shares {
        firsts.push(total);
        total += share.len();
    }
    let partitions = shares.first().map_or(0, |share| share.partitions.len());
    let tasks: Vec<Vec<Vec<u128>>> = (0..partitions)
        .map(|i| shares.iter_mut().map(|share| std::mem::take(&mut share.partitions[i])).collect())
        .collect();
    // Seeded at random, so that no vocabulary can be made to collide.
    let hasher = RandomState::default();
    let partitions =
        run(threads, tasks, |records| Ok(number_partition(records, &shares, &hasher)))?;

    let mut text = Vec::with_capacity(partitions.iter().map(|p| p.text.len()).sum());
    let mut lengths = Vec::with_capacity(partitions.iter().map(|p| p.lengths.len()).sum());
    let mut tasks = Vec::with_capacity(partitions.len());
    for partition in partitions {
        tasks.push((lengths.len() as u32, partition.numbers));
        text.extend(partition.text);
        lengths.extend(partition.lengths);
    }
    let numbers: Vec<AtomicU32> = (0..total).map(|_| AtomicU32::new(0)).collect();
    run(threads, tasks, |(first_number, shares)| {
        for (share, &first) in shares.iter().zip(&firsts) {
            for &(number, position) in share {
                numbers[first + position as usize].store(first_number + number, Relaxed);
            }
        }
        Ok(())
    })?;
    let numbers = numbers.into_iter().map(AtomicU32::into_inner).collect();
    Ok(Numbered { text, lengths, numbers })
}

struct Partition {
    text: Vec<u8>,
    lengths: Vec<u32>,
    /// For each share the number of each of its tokens within the partition, with its position.
    numbers: Vec<Vec<(u32, u32)>>,
}

fn number_partition(
    records: Vec<Vec<u128>>,
    shares: &[Occurrences],
    hasher: &RandomState,
) -> Partition {
    // A distinct token: the record of its first occurrence, and its share.
    let mut distinct: Vec<(u128, u32)> = Vec::new();
    let text = |&(record, share): &(u128, u32)| shares[share as usize].long_text(position(record));
    let mut seen: HashTable<u32> = HashTable::new();
    let mut numbers: Vec<Vec<(u32, u32)>> = Vec::with_capacity(records.len());
    let hash = |token: &(u128, u32)| match is_long(token.0) {
        true => hasher.hash_one(text(token)),
        false => hasher.hash_one(token_part(token.0)),
    };
    for (share, records) in records.into_iter().enumerate() {
        let number = |&record: &u128| {
            let token = (record, share as u32);
            let same = |&other: &u32| {
                let other = &distinct[other as usize];
                token_part(other.0) == token_part(record)
                    && (!is_long(record) || text(other) == text(&token))
            };
            let hash_of = |&other: &u32| hash(&distinct[other as usize]);
            match seen.entry(hash(&token), same, hash_of) {
                hashbrown::hash_table::Entry::Occupied(entry) => (*entry.get(), position(record)),
                hashbrown::hash_table::Entry::Vacant(entry) => {
                    let number = distinct.len() as u32;
                    entry.insert(number);
                    distinct.push(token);
                    (number, position(record))
                }
            }
        };
        numbers.push(records.iter().map(number).collect());
    }
    let mut order: Vec<u32> = (0..distinct.len() as u32).collect();
    order.sort_unstable_by(|&a, &b| {
        let (a, b) = (&distinct[a as usize], &distinct[b as usize]);
        token_part(a.0).cmp(&token_part(b.0)).then_with(|| match is_long(a.0) {
            true => text(a).cmp(text(b)),
            false => std::cmp::Ordering::Equal,
        })
    });
    let mut places = vec![0; distinct.len()];
    let mut partition = Partition { text: Vec::new(), lengths: Vec::new(), numbers };
    for (place, &number) in (0u32..).zip(&order) {
        places[number as usize] = place;
        let token = &distinct[number as usize];
        let start = partition.text.len();
        match is_long(token.0) {
            true => partition.text.extend_from_slice(text(token).as_bytes()),
            false => {
                let length = token_part(token.0) as u8 as usize;
                partition.text.extend_from_slice(&token.0.to_be_bytes()[..length]);
            }
        }
        partition.lengths.push((partition.text.len() - start) as u32);
    }
    for (number, _) in partition.numbers.iter_mut().flatten() {
        *number = places[*number as usize];
    }
    partition
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(shares: &[Vec<&str>], partitions: &Partitions) {
        let made = shares.iter().map(|tokens| {
            let mut share = Occurrences::new(partitions, 0);
            tokens.iter().for_each(|token| share.push(partitions, token));
            share
        });
        let numbered = number(made.collect(), 2).unwrap();
        let mut expected: Vec<&str> = shares.concat();
        expected.sort_unstable();
        expected.dedup();
        let mut at = 0;
        let found: Vec<&str> = numbered
            .lengths
            .iter()
            .map(|&length| {
                at += length as usize;
                std::str::from_utf8(&numbered.text[at - length as usize..at]).unwrap()
            })
            .collect();
        assert_eq!(found, expected);
        let tokens: Vec<&str> = numbered.numbers.iter().map(|&n| expected[n as usize]).collect();
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
        let several = Partitions {
            fences: vec![
                head(record(b"a\0", 0)),
                head(record(b"abcdefgh", 0)),
                head(record(b"b", 0)),
            ],
        };
        check(&[tokens, other], &several);
    }

    #[test]
    fn partitions_follow_the_sample() {
        let sample: Vec<String> =
            (0..10_000).map(|i| format!("{:04}", i * 7919 % 10_000)).collect();
        let sample: Vec<&str> = sample.iter().map(String::as_str).collect();
        let partitions = Partitions::new(&sample, PARTITION * 10);
        assert_eq!(partitions.fences.len(), 9);
        check(&[sample.clone(), sample], &partitions);
    }
}
