//! A list of strings with a hash table from text to number.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::arrays::array::Array;
use crate::arrays::bits::{self, Bits};
use crate::arrays::packed::Packed;
use crate::error::{Error, Result};

/// The most slots in which a string is looked for. Linear probing in a table that is half full stays far
/// below it for a billion strings; a vocabulary made to collide gets another seed.
const MAX_PROBES: usize = 256;

/// Strings, numbered from 0. Every access is checked: they may come from a damaged file.
pub(crate) struct Strings {
    /// All strings, one after the other.
    pub(crate) bytes: Array<u8>,
    /// Bit `i` is set where a string begins at byte `i`, and at the end of all. No string is empty.
    pub(crate) starts: Bits,
    /// The hash table: each slot has the byte at which a string begins, or the end of all strings if it
    /// is free. The search for a string begins at slot `hash * slots.len() / 2^32`, where `hash` is the
    /// lower half of its XXH3 hash under `seed`.
    pub(crate) slots: Packed,
    pub(crate) seed: u64,
}

/// The slots of a new table of `count` strings: at most half of them are used.
fn slots_for(count: usize) -> usize {
    (2 * count).max(1)
}

impl Strings {
    /// A list of these strings; `total` is the sum of their lengths.
    pub(crate) fn new<'a>(
        strings: impl ExactSizeIterator<Item = &'a [u8]>,
        total: usize,
    ) -> Strings {
        let mut bytes = Vec::with_capacity(total);
        let mut starts = vec![0; bits::words_for(total + 1)];
        for string in strings {
            bits::set(&mut starts, bytes.len());
            bytes.extend_from_slice(string);
        }
        bits::set(&mut starts, bytes.len());
        let none = Packed::new([].into_iter(), 0);
        let starts = Bits::new(starts);
        let strings = Strings { bytes: bytes.into(), starts, slots: none, seed: 0 };
        let (slots, seed) = strings.hash_table();
        Strings { slots, seed, ..strings }
    }

    /// The hash table of the strings, and the first seed under which no string is too far from its own
    /// slot. After every eight seeds, the table grows by a quarter.
    ///
    /// The seeds count up from a hash of all strings. So the same strings give the same table, and nobody
    /// can choose strings that collide: choosing them changes the seed.
    fn hash_table(&self) -> (Packed, u64) {
        let mut size = slots_for(self.len());
        let first = xxh3_64(&self.bytes);
        for tried in 0.. {
            if tried > 0 && tried % 8 == 0 {
                size += size / 4 + 1;
            }
            let seed = first.wrapping_add(tried);
            if let Some(slots) = self.try_hash_table(size, seed) {
                return (Packed::new(slots.into_iter(), self.bytes.len() as u64), seed);
            }
        }
        unreachable!("in an ever larger table, no string is too far from its slot")
    }

    /// The hash table of this size under this seed; None if a string is too far from its own slot.
    fn try_hash_table(&self, size: usize, seed: u64) -> Option<Vec<u64>> {
        let free = self.bytes.len() as u64;
        let mut slots = vec![free; size];
        let mut start = 0;
        for _ in 0..self.len() {
            let end = self.starts.after(start).ok()?;
            let mut probes = probe(self.bytes.get(start..end)?, seed, size);
            let slot = probes.find(|&slot| slots[slot] == free)?;
            slots[slot] = start as u64;
            start = end;
        }
        Some(slots)
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.ones().saturating_sub(1)
    }

    #[cold]
    fn damaged() -> Error {
        Error::out_of_range("strings")
    }

    /// String `i`.
    #[inline]
    pub(crate) fn get(&self, i: usize) -> Result<&[u8]> {
        let start = self.starts.select(i)?;
        self.bytes.get(start..self.starts.after(start)?).ok_or_else(Self::damaged)
    }

    /// The number of the string that equals `text`.
    #[inline]
    pub(crate) fn find(&self, text: &[u8]) -> Result<Option<u32>> {
        for slot in probe(text, self.seed, self.slots.len()) {
            let start = self.slots.at(slot, "hash table")?;
            if start == self.bytes.len() {
                return Ok(None);
            }
            if self.is_at(text, start)? {
                return Ok(Some(self.starts.rank(start)? as u32));
            }
        }
        Ok(None)
    }

    /// Whether the string that begins at byte `start` is `text`.
    #[inline]
    fn is_at(&self, text: &[u8], start: usize) -> Result<bool> {
        let end = start + text.len();
        Ok(self.bytes.get(start..end) == Some(text) && self.starts.after(start)? == end)
    }

    pub(crate) fn own_bytes(&self) -> usize {
        self.bytes.own_bytes() + self.starts.own_bytes() + self.slots.bytes.own_bytes()
    }
}

/// The slot at which the search for a string begins.
#[inline]
fn own_slot(text: &[u8], seed: u64, size: usize) -> usize {
    let hash = xxh3_64_with_seed(text, seed) as u32;
    ((u64::from(hash) * size as u64) >> 32) as usize
}

/// The slots in which a string can be, in the order of the search.
#[inline]
fn probe(text: &[u8], seed: u64, size: usize) -> impl Iterator<Item = usize> {
    let first = own_slot(text, seed, size);
    (first..size).chain(0..first).take(MAX_PROBES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(texts: &[String]) -> Strings {
        let total = texts.iter().map(String::len).sum();
        Strings::new(texts.iter().map(|text| text.as_bytes()), total)
    }

    #[test]
    fn every_string_is_found_with_its_number_and_no_other_is() {
        let texts: Vec<String> = (0..150_000).map(|i| format!("token{i:06}")).collect();
        let strings = strings(&texts);
        for (i, text) in texts.iter().enumerate() {
            assert_eq!(strings.get(i).unwrap(), text.as_bytes());
            assert_eq!(strings.find(text.as_bytes()).unwrap(), Some(i as u32));
        }
        assert_eq!(strings.find(b"token").unwrap(), None);
    }

    #[test]
    fn strings_made_to_collide_under_some_seeds_are_found_without_a_larger_table() {
        // Under each of the first seeds, the search for many of these begins at the first slots.
        let mut texts: Vec<String> = Vec::new();
        for seed in 0..4 {
            let low = |text: &String| {
                (xxh3_64_with_seed(text.as_bytes(), seed) as u32) < u32::MAX / 10_000
            };
            texts.extend((0..).map(|i| format!("{seed}x{i}")).filter(low).take(400));
        }
        let strings = strings(&texts);
        assert_eq!(strings.slots.len(), slots_for(texts.len()));
        for (i, text) in texts.iter().enumerate() {
            assert_eq!(strings.find(text.as_bytes()).unwrap(), Some(i as u32));
        }
    }

    #[test]
    fn a_table_in_which_a_string_is_too_far_from_its_slot_is_refused() {
        let low = |text: &String| (xxh3_64_with_seed(text.as_bytes(), 7) as u32) < u32::MAX / 1_000;
        let texts: Vec<String> = (0..).map(|i| format!("x{i}")).filter(low).take(600).collect();
        let strings = strings(&texts);
        assert!(strings.try_hash_table(slots_for(600), 7).is_none());
        assert!(strings.try_hash_table(slots_for(600), 8).is_some());
    }

    #[test]
    fn an_empty_list_finds_nothing() {
        let strings = strings(&[]);
        assert_eq!(strings.len(), 0);
        assert_eq!(strings.find(b"x").unwrap(), None);
    }
}
