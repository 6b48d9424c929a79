//! A hash table from strings to their numbers, which reads the strings from where they stand.

use smallvec::SmallVec;
use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};

use crate::error::Result;
use crate::packed::Packed;

/// The longest way from a string's own slot to the one where it stands. Linear probing in a table that
/// is half full stays far below it for a billion strings; a vocabulary made to collide gets another
/// seed.
const MAX_PROBES: usize = 256;

/// The bits of a string's hash that stand in its slot.
const MARK: u32 = 8;
const MARK_BITS: u64 = (1 << MARK) - 1;

/// The table. A slot holds the number of a string and, below, eight bits of its hash as its mark, so
/// that other strings are hardly ever looked at. Every access is checked: the table may come from a
/// damaged file.
pub(crate) struct HashTable {
    pub(crate) slots: Packed,
    pub(crate) seed: u64,
    /// More than any string's number: stands for a free slot.
    end: u64,
}

/// Where a string is looked for: its own slot, and its mark.
#[derive(Clone, Copy)]
struct Home {
    slot: usize,
    mark: u64,
}

impl Home {
    #[inline]
    fn of(text: &[u8], seed: u64, slots: usize) -> Home {
        let hash = xxh3_64_with_seed(text, seed);
        let slot = (u64::from(hash as u32) * slots as u64) >> 32;
        Home { slot: slot as usize, mark: hash >> (64 - MARK) }
    }

    /// The slots in which a string may stand, in the order of search.
    #[inline]
    fn probes(self, slots: usize) -> impl Iterator<Item = usize> {
        (self.slot..slots).chain(0..self.slot).take(MAX_PROBES)
    }
}

/// The least slots that a table of `count` strings has.
fn slots_for(count: usize) -> usize {
    (2 * count).max(1)
}

impl HashTable {
    /// The table of `count` strings with numbers less than `end`: the first seed under which no string
    /// stands too far from its slot. After every eight seeds the table grows by a quarter.
    ///
    /// The seeds count up from a hash of all strings: so the same strings give the same table, and who
    /// chooses strings that collide under a seed has changed the seed by choosing them.
    pub(crate) fn new<'a>(
        strings: impl Iterator<Item = (u64, &'a [u8])> + Clone,
        count: usize,
        end: u64,
    ) -> HashTable {
        let mut all = Xxh3::new();
        strings.clone().for_each(|(_, text)| all.update(text));
        let first = all.digest();
        let mut size = slots_for(count);
        for tried in 0.. {
            if tried > 0 && tried % 8 == 0 {
                size += size / 4 + 1;
            }
            let seed = first.wrapping_add(tried);
            if let Some(slots) = try_slots(strings.clone(), end, size, seed) {
                let slots = Packed::new(slots.into_iter(), largest_slot(end));
                return HashTable { slots, seed, end };
            }
        }
        unreachable!("a growing table ends all collisions")
    }

    pub(crate) fn equals(&self, other: &HashTable) -> bool {
        self.seed == other.seed && self.slots.bytes[..] == other.slots.bytes[..]
    }

    /// A table as it stands in a file; None if it does not have the size that it should.
    pub(crate) fn from_packed(slots: Option<Packed>, seed: u64, end: u64) -> Option<HashTable> {
        slots.map(|slots| HashTable { slots, seed, end })
    }

    /// The number of the string that equals `text`; `string` gives that of a number.
    #[inline]
    pub(crate) fn find<'a>(
        &self,
        text: &[u8],
        string: impl Fn(usize) -> Result<&'a [u8]>,
    ) -> Result<Option<u32>> {
        self.find_from(text, Home::of(text, self.seed, self.slots.len()), string)
    }

    #[inline]
    fn find_from<'a>(
        &self,
        text: &[u8],
        home: Home,
        string: impl Fn(usize) -> Result<&'a [u8]>,
    ) -> Result<Option<u32>> {
        for slot in home.probes(self.slots.len()) {
            let slot = self.slots.at(slot, "hash table")? as u64;
            let number = slot >> MARK;
            if number >= self.end {
                return Ok(None);
            }
            if slot & MARK_BITS == home.mark && string(number as usize)? == text {
                return Ok(Some(number as u32));
            }
        }
        Ok(None)
    }

    /// Calls `each` with what [`HashTable::find`] finds for each text. Faster for many: the memory that
    /// the look-ups need is asked for before it is read, so that they wait for it together. `prefetch`
    /// asks for that of a string.
    #[inline]
    pub(crate) fn find_all<'a>(
        &self,
        texts: &[impl AsRef<str>],
        prefetch: impl Fn(usize),
        string: impl Fn(usize) -> Result<&'a [u8]>,
        mut each: impl FnMut(Option<u32>),
    ) -> Result<()> {
        const TOGETHER: usize = 32;
        let mut homes: SmallVec<[Home; TOGETHER]> = SmallVec::new();
        for texts in texts.chunks(TOGETHER) {
            homes.clear();
            for text in texts {
                let home = Home::of(text.as_ref().as_bytes(), self.seed, self.slots.len());
                self.slots.prefetch(home.slot);
                homes.push(home);
            }
            if texts.len() > 1 {
                for home in homes.iter() {
                    prefetch(self.slots.at(home.slot, "hash table")? >> MARK);
                }
            }
            for (&home, text) in homes.iter().zip(texts) {
                each(self.find_from(text.as_ref().as_bytes(), home, &string)?);
            }
        }
        Ok(())
    }
}

/// The largest number in a slot, when strings have numbers less than `end`.
pub(crate) fn largest_slot(end: u64) -> u64 {
    end << MARK | MARK_BITS
}

fn try_slots<'a>(
    strings: impl Iterator<Item = (u64, &'a [u8])>,
    end: u64,
    size: usize,
    seed: u64,
) -> Option<Vec<u64>> {
    let free = end << MARK;
    let mut slots = vec![free; size];
    for (number, text) in strings {
        let home = Home::of(text, seed, size);
        let slot = home.probes(size).find(|&slot| slots[slot] == free)?;
        slots[slot] = number << MARK | home.mark;
    }
    Some(slots)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(texts: &[String]) -> impl Iterator<Item = (u64, &[u8])> + Clone {
        (0..).zip(texts.iter().map(|text| text.as_bytes()))
    }

    fn check(texts: &[String]) -> HashTable {
        let table = HashTable::new(numbered(texts), texts.len(), texts.len() as u64);
        let string = |i: usize| Ok(texts[i].as_bytes());
        for (i, text) in texts.iter().enumerate() {
            assert_eq!(table.find(text.as_bytes(), string).unwrap(), Some(i as u32));
        }
        let mut found = Vec::new();
        table.find_all(texts, |_| {}, string, |number| found.push(number)).unwrap();
        assert!(found.into_iter().eq((0..texts.len() as u32).map(Some)));
        assert_eq!(table.find(b"none of them", string).unwrap(), None);
        table
    }

    #[test]
    fn every_string_is_found_under_its_number_and_no_other_is() {
        check(&[]);
        check(&["one".into()]);
        check(&(0..150_000).map(|i| format!("token{i:06}")).collect::<Vec<_>>());
    }

    #[test]
    fn strings_made_to_collide_under_some_seeds_are_found_without_a_larger_table() {
        // Under each of the first seeds, many of these begin their search at the very start.
        let mut texts: Vec<String> = Vec::new();
        for seed in 0..4 {
            let low = |text: &String| {
                (xxh3_64_with_seed(text.as_bytes(), seed) as u32) < u32::MAX / 10_000
            };
            texts.extend((0..).map(|i| format!("{seed}x{i}")).filter(low).take(400));
        }
        assert_eq!(check(&texts).slots.len(), slots_for(texts.len()));
    }

    #[test]
    fn a_table_in_which_a_string_stands_too_far_from_its_slot_is_not_taken() {
        let low = |text: &String| (xxh3_64_with_seed(text.as_bytes(), 7) as u32) < u32::MAX / 1_000;
        let texts: Vec<String> = (0..).map(|i| format!("x{i}")).filter(low).take(600).collect();
        assert!(try_slots(numbered(&texts), 600, slots_for(600), 7).is_none());
        assert!(try_slots(numbered(&texts), 600, slots_for(600), 8).is_some());
    }
}
