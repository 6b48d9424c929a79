//! A list of strings with a hash table from text to number.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::array::Array;
use crate::error::{Error, Result};

/// Marks a free slot of the hash table.
const FREE: u32 = u32::MAX;

/// The longest way from a string's own slot to the one where it stands. Linear probing in a half full
/// table stays far below it for a billion strings; a vocabulary made to collide gets another seed.
const MAX_PROBES: usize = 256;

/// Strings that share a base; so many that their relative offsets fit in 32 bits, since a string has
/// at most [`crate::MAX_TERM_BYTES`] bytes.
const BLOCK: usize = 1 << 16;

/// Strings, numbered from 0. Every access is checked: they may come from a damaged file.
pub(crate) struct Strings {
    /// All strings, one after the other.
    pub(crate) bytes: Array<u8>,
    /// String `i` begins at byte `bases[i / BLOCK] + offsets[i]`; one more offset for the end.
    pub(crate) offsets: Array<u32>,
    pub(crate) bases: Array<u64>,
    /// The hash table: numbers of strings, or [`FREE`]. A string is looked for from the slot
    /// `hash * slots.len() / 2^32` on, where `hash` is the lower half of its XXH3 hash under `seed`.
    pub(crate) slots: Array<u32>,
    pub(crate) seed: u64,
}

/// The bases that `count` strings take.
pub(crate) fn bases_for(count: usize) -> usize {
    count / BLOCK + 1
}

/// The least slots that a table of `count` strings has.
fn slots_for(count: usize) -> usize {
    (2 * count).max(1)
}

impl Strings {
    /// The strings given; `total` is the sum of their lengths.
    pub(crate) fn new<'a>(
        strings: impl ExactSizeIterator<Item = &'a [u8]>,
        total: usize,
    ) -> Strings {
        let mut bytes = Vec::with_capacity(total);
        let mut offsets = Vec::with_capacity(strings.len() + 1);
        let mut bases = Vec::with_capacity(bases_for(strings.len()));
        let mut note_start = |start: u64| {
            if offsets.len() % BLOCK == 0 {
                bases.push(start);
            }
            offsets.push((start - bases[bases.len() - 1]) as u32);
        };
        for string in strings {
            note_start(bytes.len() as u64);
            bytes.extend_from_slice(string);
        }
        note_start(bytes.len() as u64);
        let mut new = Strings {
            bytes: bytes.into(),
            offsets: offsets.into(),
            bases: bases.into(),
            slots: Vec::new().into(),
            seed: 0,
        };
        let (slots, seed) = new.hash_table();
        new.slots = slots.into();
        new.seed = seed;
        new
    }

    /// The hash table of the strings: the first seed, counted up from 0, under which no string stands
    /// too far from its slot. After every eight seeds the table grows by a quarter.
    pub(crate) fn hash_table(&self) -> (Vec<u32>, u64) {
        let count = self.len();
        let mut size = slots_for(count);
        for seed in 0.. {
            if seed > 0 && seed % 8 == 0 {
                size += size / 4 + 1;
            }
            if let Some(slots) = self.try_hash_table(size.min(u32::MAX as usize), seed) {
                return (slots, seed);
            }
        }
        unreachable!("a growing table ends all collisions")
    }

    fn try_hash_table(&self, size: usize, seed: u64) -> Option<Vec<u32>> {
        let mut slots = vec![FREE; size];
        for i in 0..self.len() {
            let text = self.get(i).ok()?;
            let mut probes = probe(text, seed, size);
            let slot = probes.find(|&slot| slots[slot] == FREE)?;
            slots[slot] = i as u32;
        }
        Some(slots)
    }

    pub(crate) fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    #[cold]
    fn damaged() -> Error {
        Error::out_of_range("strings")
    }

    #[inline]
    fn start(&self, i: usize) -> Result<usize> {
        match (self.bases.get(i / BLOCK), self.offsets.get(i)) {
            (Some(&base), Some(&offset)) => base
                .checked_add(offset.into())
                .map(|start| start as usize)
                .ok_or_else(Self::damaged),
            _ => Err(Self::damaged()),
        }
    }

    /// String `i`.
    #[inline]
    pub(crate) fn get(&self, i: usize) -> Result<&[u8]> {
        self.bytes.get(self.start(i)?..self.start(i + 1)?).ok_or_else(Self::damaged)
    }

    /// The number of the string that equals `text`.
    #[inline]
    pub(crate) fn find(&self, text: &[u8]) -> Result<Option<u32>> {
        for slot in probe(text, self.seed, self.slots.len()) {
            let i = *self.slots.get(slot).ok_or_else(Self::damaged)?;
            if i == FREE {
                return Ok(None);
            }
            if self.get(i as usize)? == text {
                return Ok(Some(i));
            }
        }
        Ok(None)
    }

    /// The numbers of the strings that begin with `prefix`; the strings must be sorted.
    pub(crate) fn with_prefix(&self, prefix: &[u8]) -> Result<std::ops::Range<u32>> {
        let first = self.partition_point(|text| text < prefix)?;
        let end = self.partition_point(|text| text < prefix || text.starts_with(prefix))?;
        Ok(first..end.max(first))
    }

    /// The first string for which `before` is false.
    fn partition_point(&self, before: impl Fn(&[u8]) -> bool) -> Result<u32> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match before(self.get(middle)?) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        Ok(low as u32)
    }

    pub(crate) fn own_bytes(&self) -> usize {
        self.bytes.own_bytes()
            + self.offsets.own_bytes()
            + self.bases.own_bytes()
            + self.slots.own_bytes()
    }
}

/// The slots in which a string may stand, in the order of search.
#[inline]
fn probe(text: &[u8], seed: u64, size: usize) -> impl Iterator<Item = usize> {
    let hash = xxh3_64_with_seed(text, seed) as u32;
    let first = (u64::from(hash) * size as u64 >> 32) as usize;
    (first..size).chain(0..first).take(MAX_PROBES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(texts: &[String]) -> Strings {
        Strings::new(texts.iter().map(|text| text.as_bytes()), 0)
    }

    #[test]
    fn every_string_is_found_under_its_number_and_no_other_is() {
        // More than one block of offsets.
        let texts: Vec<String> = (0..150_000).map(|i| format!("token{i:06}")).collect();
        let strings = strings(&texts);
        assert_eq!(strings.bases.len(), bases_for(texts.len()));
        for (i, text) in texts.iter().enumerate() {
            assert_eq!(strings.get(i).unwrap(), text.as_bytes());
            assert_eq!(strings.find(text.as_bytes()).unwrap(), Some(i as u32));
        }
        assert_eq!(strings.find(b"token").unwrap(), None);
        assert_eq!(strings.with_prefix(b"token0001").unwrap(), 100..200);
        assert_eq!(strings.with_prefix(b"u").unwrap(), 150_000..150_000);
        assert_eq!(strings.with_prefix(b"").unwrap(), 0..150_000);
    }

    #[test]
    fn strings_made_to_collide_under_one_seed_get_another() {
        // All of these begin their search in the first hundredth of a table of their size.
        let low = |text: &String| (xxh3_64_with_seed(text.as_bytes(), 0) as u32) < u32::MAX / 100;
        let texts: Vec<String> = (0..).map(|i| format!("x{i}")).filter(low).take(2_000).collect();
        let strings = strings(&texts);
        assert_ne!(strings.seed, 0);
        for (i, text) in texts.iter().enumerate() {
            assert_eq!(strings.find(text.as_bytes()).unwrap(), Some(i as u32));
        }
    }

    #[test]
    fn no_strings_are_a_list_too() {
        let strings = strings(&[]);
        assert_eq!(strings.len(), 0);
        assert_eq!(strings.find(b"x").unwrap(), None);
        assert_eq!(strings.with_prefix(b"").unwrap(), 0..0);
    }
}
