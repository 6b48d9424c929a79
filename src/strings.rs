//! A list of strings with a hash table from text to number.

use std::ops::Range;

use crate::array::Array;
use crate::error::{Error, Result};
use crate::hash::HashTable;
use crate::packed::Packed;

/// Strings, numbered from 0. Every access is checked: they may come from a damaged file.
pub(crate) struct Strings {
    /// All strings, one after the other.
    pub(crate) bytes: Array<u8>,
    /// Where each string begins, and the end of all.
    pub(crate) starts: Packed,
    pub(crate) table: HashTable,
}

impl Strings {
    /// The strings given; `total` is the sum of their lengths.
    pub(crate) fn new<'a>(
        strings: impl ExactSizeIterator<Item = &'a [u8]> + Clone,
        total: usize,
    ) -> Strings {
        let count = strings.len();
        let mut bytes = Vec::with_capacity(total);
        let mut starts = Vec::with_capacity(count + 1);
        for string in strings.clone() {
            starts.push(bytes.len() as u64);
            bytes.extend_from_slice(string);
        }
        starts.push(bytes.len() as u64);
        Strings {
            starts: Packed::new(starts.into_iter(), bytes.len() as u64),
            bytes: bytes.into(),
            table: HashTable::new((0..).zip(strings), count, count as u64),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// String `i`.
    #[inline]
    pub(crate) fn get(&self, i: usize) -> Result<&[u8]> {
        self.bytes.get(self.place(i)?).ok_or_else(|| Error::out_of_range("strings"))
    }

    /// Where string `i` stands in the bytes.
    #[inline]
    pub(crate) fn place(&self, i: usize) -> Result<Range<usize>> {
        Ok(self.starts.at(i, "strings")?..self.starts.at(i + 1, "strings")?)
    }

    /// The number of the string that equals `text`.
    pub(crate) fn find(&self, text: &[u8]) -> Result<Option<u32>> {
        self.table.find(text, |i| self.get(i))
    }

    pub(crate) fn own_bytes(&self) -> usize {
        self.bytes.own_bytes() + self.starts.bytes.own_bytes() + self.table.slots.bytes.own_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_string_is_found_under_its_number() {
        let texts: Vec<String> = (0..1000).map(|i| format!("token{i:06}")).collect();
        let total = texts.iter().map(String::len).sum();
        let strings = Strings::new(texts.iter().map(|text| text.as_bytes()), total);
        for (i, text) in texts.iter().enumerate() {
            assert_eq!(strings.get(i).unwrap(), text.as_bytes());
            assert_eq!(strings.find(text.as_bytes()).unwrap(), Some(i as u32));
        }
        assert_eq!(strings.find(b"token").unwrap(), None);
        let none = Strings::new([].into_iter(), 0);
        assert_eq!(none.len(), 0);
        assert_eq!(none.find(b"x").unwrap(), None);
    }
}
