//! The distinct tokens of a vocabulary, and for each the slots of the suffixes that begin with it.
//!
//! All that a query asks of a token stands together in its record, one cache line as a rule: the first
//! slot of its bucket (4 bytes), its length (1 byte; 255 if the next two bytes have it), its text.
//! Records begin at multiples of four, in the order of the texts; an empty one behind the last has the
//! end of all buckets. The id of a token is the place of its record, in fours.

use std::ops::Range;

use crate::array::Array;
use crate::error::{Error, Result};
use crate::hash::HashTable;

/// Records begin at multiples of this.
const ALIGN: usize = 4;
/// The bytes before the text of a short token.
const HEAD: usize = 5;
/// The length from which on a token has it in two more bytes.
const LONG: usize = 255;
/// The bytes of the empty record at the end. From any record on, eight bytes can be read.
const LAST: usize = 8;
/// Of so many tokens one has its id in [`Dictionary::samples`].
pub(crate) const SAMPLE: usize = 64;

/// The tokens. Every access is checked: they may come from a damaged file.
pub(crate) struct Dictionary {
    pub(crate) records: Array<u8>,
    /// The id of the first token, and of every 64th from there on.
    pub(crate) samples: Array<u32>,
    pub(crate) table: HashTable,
    /// The number of tokens.
    pub(crate) count: usize,
}

/// What stands in a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    /// The first slot of the bucket.
    pub(crate) bucket: usize,
    pub(crate) text: &'a [u8],
    /// The id of the next token.
    pub(crate) next: u32,
}

/// The bytes that the record of a token of `length` bytes takes.
fn record_size(length: usize) -> usize {
    let head = if length < LONG { HEAD } else { HEAD + 2 };
    (head + length).next_multiple_of(ALIGN)
}

/// The ids that tokens of these lengths will have, and the one behind the last; None if there are too
/// many for a 32-bit number.
pub(crate) fn ids(lengths: &[u32]) -> Option<Vec<u32>> {
    let mut ids = Vec::with_capacity(lengths.len() + 1);
    let mut end = 0u64;
    for &length in lengths {
        ids.push(end as u32);
        end += (record_size(length as usize) / ALIGN) as u64;
    }
    ids.push(end as u32);
    // One number is left for a token that no term has.
    (end < u64::from(u32::MAX)).then_some(ids)
}

impl Dictionary {
    /// The dictionary of tokens that stand in `text` one after the other, in order. `ids` are those
    /// that [`ids`] gives for their lengths; `buckets` has a slot for each, and the end of all.
    pub(crate) fn new(text: &[u8], lengths: &[u32], ids: &[u32], buckets: &[u32]) -> Dictionary {
        let end = ids[lengths.len()];
        let mut records = vec![0u8; end as usize * ALIGN + LAST];
        for ((token, &id), &bucket) in pieces(text, lengths).zip(ids).zip(buckets) {
            let record = &mut records[id as usize * ALIGN..];
            record[..4].copy_from_slice(&bucket.to_le_bytes());
            let head = match token.len() < LONG {
                true => HEAD,
                false => {
                    record[HEAD..HEAD + 2].copy_from_slice(&(token.len() as u16).to_le_bytes());
                    HEAD + 2
                }
            };
            record[4] = token.len().min(LONG) as u8;
            record[head..head + token.len()].copy_from_slice(token);
        }
        let last = buckets[lengths.len()];
        records[end as usize * ALIGN..][..4].copy_from_slice(&last.to_le_bytes());
        let samples: Vec<u32> = ids[..lengths.len()].iter().step_by(SAMPLE).copied().collect();
        let numbered = ids.iter().map(|&id| id.into()).zip(pieces(text, lengths));
        let table = HashTable::new(numbered, lengths.len(), end.into());
        Dictionary { records: records.into(), samples: samples.into(), table, count: lengths.len() }
    }

    /// The number of tokens.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The id behind that of the last token.
    #[inline]
    pub(crate) fn end(&self) -> u32 {
        end_of(self.records.len())
    }

    #[cold]
    fn damaged() -> Error {
        Error::out_of_range("tokens")
    }

    #[inline]
    pub(crate) fn record(&self, id: u32) -> Result<Record<'_>> {
        let place = id as usize * ALIGN;
        let head: &[u8; 8] = self
            .records
            .get(place..place + 8)
            .and_then(|head| head.try_into().ok())
            .ok_or_else(Self::damaged)?;
        let [a, b, c, d, length, low, high, _] = *head;
        let (start, length) = match length as usize {
            LONG => (place + HEAD + 2, u16::from_le_bytes([low, high]) as usize),
            length => (place + HEAD, length),
        };
        Ok(Record {
            bucket: u32::from_le_bytes([a, b, c, d]) as usize,
            text: self.records.get(start..start + length).ok_or_else(Self::damaged)?,
            next: ((start + length).next_multiple_of(ALIGN) / ALIGN) as u32,
        })
    }

    /// The text of a token.
    #[inline]
    pub(crate) fn text(&self, id: u32) -> Result<&[u8]> {
        Ok(self.record(id)?.text)
    }

    /// The slots of the suffixes that begin with a token; none for the id behind the last.
    #[inline]
    pub(crate) fn bucket(&self, id: u32) -> Result<Range<usize>> {
        let Record { bucket, next, .. } = self.record(id)?;
        let end = if id < self.end() { self.record(next)?.bucket } else { bucket };
        if bucket <= end { Ok(bucket..end) } else { Err(Self::damaged()) }
    }

    /// Asks for the memory of a token, which will be read soon.
    #[inline]
    pub(crate) fn prefetch(&self, id: u32) {
        self.records.prefetch(id as usize * ALIGN);
    }

    /// Calls `each` with the id of the token that equals each text.
    #[inline]
    pub(crate) fn find_all(
        &self,
        texts: &[impl AsRef<str>],
        each: impl FnMut(Option<u32>),
    ) -> Result<()> {
        let prefetch = |id: usize| self.prefetch(id as u32);
        self.table.find_all(texts, prefetch, |id| self.text(id as u32), each)
    }

    /// The ids and records of all tokens, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Result<(u32, Record<'_>)>> {
        self.from(0)
    }

    /// The ids and records from that of `id` on.
    fn from(&self, id: u32) -> impl Iterator<Item = Result<(u32, Record<'_>)>> {
        let mut next = Some(id);
        std::iter::from_fn(move || {
            let id = next.take_if(|id| *id < self.end())?;
            Some(self.record(id).map(|record| {
                next = Some(record.next);
                (id, record)
            }))
        })
    }

    /// The ids of the tokens that begin with `prefix`.
    pub(crate) fn with_prefix(&self, prefix: &[u8]) -> Result<Range<u32>> {
        let first = self.partition_point(|text| text < prefix)?;
        let end = self.partition_point(|text| text < prefix || text.starts_with(prefix))?;
        Ok(first..end.max(first))
    }

    /// The first token for which `before` is false.
    fn partition_point(&self, before: impl Fn(&[u8]) -> bool) -> Result<u32> {
        let (mut low, mut high) = (0, self.samples.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match before(self.text(self.samples[middle])?) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        let start = low.checked_sub(1).map_or(0, |sample| self.samples[sample]);
        for token in self.from(start).take(SAMPLE + 1) {
            let (id, record) = token?;
            if !before(record.text) {
                return Ok(id);
            }
        }
        Ok(self.end())
    }

    pub(crate) fn own_bytes(&self) -> usize {
        self.records.own_bytes() + self.samples.own_bytes() + self.table.slots.bytes.own_bytes()
    }
}

/// The id behind that of the last token, in records of `length` bytes.
pub(crate) fn end_of(length: usize) -> u32 {
    (length.saturating_sub(LAST) / ALIGN) as u32
}

/// Cuts a text into pieces of these lengths.
pub(crate) fn pieces<'a>(
    text: &'a [u8],
    lengths: &'a [u32],
) -> impl ExactSizeIterator<Item = &'a [u8]> + Clone {
    let mut rest = text;
    lengths.iter().map(move |&length| {
        let (piece, tail) = rest.split_at(length as usize);
        rest = tail;
        piece
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dictionary(texts: &[&str]) -> Dictionary {
        let lengths: Vec<u32> = texts.iter().map(|text| text.len() as u32).collect();
        let buckets: Vec<u32> = (0..=texts.len() as u32).map(|i| 3 * i).collect();
        let text = texts.concat();
        Dictionary::new(text.as_bytes(), &lengths, &ids(&lengths).unwrap(), &buckets)
    }

    #[test]
    fn every_token_has_its_text_and_its_bucket() {
        let long: Vec<String> =
            [1, 2, 3, 4, 253, 254, 255, 256, 65_535].map(|n| "x".repeat(n)).to_vec();
        let texts: Vec<&str> = long.iter().map(String::as_str).collect();
        let dictionary = dictionary(&texts);
        let mut found = Vec::new();
        dictionary.find_all(&texts, |id| found.push(id.unwrap())).unwrap();
        for (i, (&text, &id)) in texts.iter().zip(&found).enumerate() {
            assert_eq!(dictionary.text(id).unwrap(), text.as_bytes());
            assert_eq!(dictionary.bucket(id).unwrap(), 3 * i..3 * i + 3);
        }
        let all: Vec<u32> = dictionary.iter().map(|token| token.unwrap().0).collect();
        assert_eq!(all, found);
        let end = dictionary.end();
        assert_eq!(dictionary.bucket(end).unwrap(), 27..27);
        assert!(dictionary.record(end + 2).is_err());
        assert!(dictionary.record(u32::MAX).is_err());
    }

    #[test]
    fn prefixes_are_found_around_the_samples() {
        let texts: Vec<String> = (0..1000).map(|i| format!("{i:04}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let dictionary = dictionary(&texts);
        let ids: Vec<u32> = dictionary.iter().map(|token| token.unwrap().0).collect();
        let id = |i: usize| ids.get(i).copied().unwrap_or(dictionary.end());
        for i in 0..1000 {
            assert_eq!(dictionary.with_prefix(texts[i].as_bytes()).unwrap(), id(i)..id(i + 1));
        }
        for i in 0..100 {
            let prefix = &texts[10 * i].as_bytes()[..3];
            assert_eq!(dictionary.with_prefix(prefix).unwrap(), id(10 * i)..id(10 * i + 10));
        }
        assert_eq!(dictionary.with_prefix(b"").unwrap(), 0..dictionary.end());
        assert!(dictionary.with_prefix(b"x").unwrap().is_empty());
        assert!(dictionary.with_prefix(b"!").unwrap().is_empty());
    }

    #[test]
    fn an_empty_dictionary_has_no_token() {
        let none = dictionary(&[]);
        assert_eq!(none.end(), 0);
        assert_eq!(none.with_prefix(b"").unwrap(), 0..0);
        none.find_all(&["x"], |id| assert_eq!(id, None)).unwrap();
    }

    #[test]
    fn more_tokens_than_ids_can_tell_are_refused() {
        let lengths = vec![65_535; 262_128];
        assert!(ids(&lengths[..262_100]).is_some());
        assert!(ids(&lengths).is_none());
    }
}
