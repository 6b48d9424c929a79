//! The distinct tokens of a vocabulary, and for each the slots of the suffixes that begin with it.
//!
//! All that a query needs of a token is in its record, which is usually in one cache line: the first slot
//! of its bucket (4 bytes), its length (7 bits; 127 if the length is in the next two bytes), a bit that is
//! set if forms follow, its text, its forms (see `forms.rs`). The records are divided into *hash groups* by the hash of the text. A directory, small enough for the
//! cache, has the start of each group, so that finding a token takes one read that misses the cache. An
//! empty record after the last one has the end of all buckets.
//!
//! The id of a token is the offset of its record in bytes, divided by four. Completion needs the order of
//! the texts, which is stored separately.

use std::ops::Range;

use smallvec::SmallVec;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::arrays::array::Array;
use crate::arrays::forms::{TokenForms, encoded, push_form};
use crate::arrays::packed::Packed;
use crate::arrays::pieces::pieces;
use crate::error::{Error, Result};
use crate::threads::run;

/// Records begin at multiples of this many bytes.
const ALIGN: usize = 4;
/// The bytes of a record before the text, for a short token.
const HEAD: usize = 5;
/// The shortest length in bytes that does not fit into seven bits, and takes two more bytes.
const LONG_LENGTH: usize = 127;
/// The bit of the length's byte that is set if forms follow the text.
const HAS_FORMS: u8 = 128;
/// The bytes of the empty record at the end: eight, so that eight bytes can be read from any record on.
const END_RECORD: usize = 8;
/// The most tokens in one hash group. The average is two, and no group of a billion tokens comes near the
/// limit by chance; a vocabulary made to collide gets another seed.
const MAX_GROUP: u32 = 64;

/// The tokens. Every access is checked: they may come from a damaged file.
pub(crate) struct Dictionary {
    pub(crate) records: Array<u8>,
    /// The id of the first token of each hash group, and the id after the last token.
    pub(crate) directory: Packed,
    /// The ids in the order of the texts.
    pub(crate) alphabet: Packed,
    pub(crate) seed: u64,
}

/// The content of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a> {
    /// The first slot of the bucket.
    pub(crate) bucket: usize,
    pub(crate) text: &'a [u8],
    /// Its forms, if it has others than itself.
    pub(crate) forms: &'a [u8],
    /// The id of the next token.
    pub(crate) next: u32,
}

/// The bytes that the record of a token takes, of which the text has `length` and the forms `forms`.
fn record_size(length: usize, forms: usize) -> usize {
    let head = if length < LONG_LENGTH { HEAD } else { HEAD + 2 };
    (head + length + forms).next_multiple_of(ALIGN)
}

/// The ids of tokens whose records have these sizes, and the id after the last; None if they do not fit
/// into 32 bits, with one number left for a token that no term has.
fn record_ids(sizes: &[u32]) -> Option<Vec<u32>> {
    let mut ids = Vec::with_capacity(sizes.len() + 1);
    let mut end = 0u64;
    for &size in sizes {
        ids.push(end as u32);
        end += u64::from(size) / ALIGN as u64;
    }
    ids.push(end as u32);
    (end < u64::from(u32::MAX)).then_some(ids)
}

/// The hash group of a token, one of `groups`.
#[inline]
fn group_of(text: &[u8], seed: u64, groups: usize) -> usize {
    let hash = xxh3_64_with_seed(text, seed) as u32;
    ((u64::from(hash) * groups as u64) >> 32) as usize
}

/// The order and the ids of the tokens of a dictionary.
pub(crate) struct Layout {
    /// For each token, by the order of the texts, its number in the order of the records.
    pub(crate) numbers: Vec<u32>,
    /// For each record its id, and the id after the last.
    pub(crate) ids: Vec<u32>,
    /// For each hash group the number of its first record; at the end, the number of all records.
    groups: Vec<u32>,
    seed: u64,
}

impl Layout {
    /// The layout of distinct tokens, which are in `text` one after the other, in order. It uses the first
    /// seed under which no hash group is too large; after every eight seeds, there are a quarter more
    /// groups. Fails if the ids do not fit into 32 bits.
    ///
    /// The seeds count up from a hash of all tokens. So the same tokens give the same layout, and nobody
    /// can choose tokens that collide: choosing them changes the seed.
    pub(crate) fn new(
        text: &[u8],
        lengths: &[u32],
        forms: &TokenForms,
        threads: usize,
    ) -> Result<Layout> {
        let first = xxh3_64(text);
        let mut groups = (lengths.len() / 2).max(1);
        for tried in 0.. {
            if tried > 0 && tried % 8 == 0 {
                groups += groups / 4 + 1;
            }
            let seed = first.wrapping_add(tried);
            if let Some((numbers, groups)) = order(text, lengths, groups, seed, threads)? {
                let mut sizes = vec![0; lengths.len()];
                let tokens = lengths.iter().zip(forms.iter(lengths.len()));
                for (&number, (&length, forms)) in numbers.iter().zip(tokens) {
                    sizes[number as usize] = record_size(length as usize, forms.len()) as u32;
                }
                let ids = record_ids(&sizes).ok_or(Error::DistinctTokens)?;
                return Ok(Layout { numbers, ids, groups, seed });
            }
        }
        unreachable!("with ever more groups, none is too large")
    }

    /// The number, in the order of the records, of the token with this id.
    pub(crate) fn number(&self, id: u32) -> u32 {
        self.ids.partition_point(|&other| other < id) as u32
    }
}

/// The number of each token in the order of the hash groups, and the first number of each group; None if
/// a group is too large.
fn order(
    text: &[u8],
    lengths: &[u32],
    groups: usize,
    seed: u64,
    threads: usize,
) -> Result<Option<(Vec<u32>, Vec<u32>)>> {
    let mut rest = text;
    let parts = lengths.chunks((lengths.len() / threads).max(1 << 14)).map(|lengths| {
        let size = lengths.iter().map(|&length| length as usize).sum();
        let (text, tail) = rest.split_at(size);
        rest = tail;
        (text, lengths)
    });
    let parts = run(threads, parts.collect(), |(text, lengths)| {
        let group = |token| group_of(token, seed, groups) as u32;
        Ok(pieces(text, lengths).map(group).collect::<Vec<u32>>())
    })?;
    let mut numbers = parts.concat();
    let mut starts = vec![0u32; groups + 1];
    for &group in &numbers {
        starts[group as usize + 1] += 1;
    }
    if starts.iter().any(|&size| size > MAX_GROUP) {
        return Ok(None);
    }
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let mut next = starts.clone();
    for number in &mut numbers {
        let place = &mut next[*number as usize];
        *number = *place;
        *place += 1;
    }
    Ok(Some((numbers, starts)))
}

impl Dictionary {
    /// The dictionary of tokens that are in `text` one after the other, in order, and have this layout.
    /// `buckets` has the first slot of each, in the order of the records, and the end of all.
    pub(crate) fn new(
        text: &[u8],
        lengths: &[u32],
        forms: &TokenForms,
        layout: &Layout,
        buckets: &[u32],
    ) -> Dictionary {
        let Layout { numbers, ids, groups, seed } = layout;
        let end = ids[lengths.len()];
        let mut records = vec![0u8; end as usize * ALIGN + END_RECORD];
        for (&id, &bucket) in ids.iter().zip(buckets) {
            records[id as usize * ALIGN..][..4].copy_from_slice(&bucket.to_le_bytes());
        }
        let tokens = pieces(text, lengths).zip(forms.iter(lengths.len()));
        for ((token, forms), &number) in tokens.zip(numbers) {
            let record = &mut records[ids[number as usize] as usize * ALIGN..];
            record[4] = token.len().min(LONG_LENGTH) as u8;
            if !forms.is_empty() {
                record[4] |= HAS_FORMS;
            }
            let head = match token.len() < LONG_LENGTH {
                true => HEAD,
                false => {
                    record[HEAD..HEAD + 2].copy_from_slice(&(token.len() as u16).to_le_bytes());
                    HEAD + 2
                }
            };
            record[head..head + token.len()].copy_from_slice(token);
            record[head + token.len()..][..forms.len()].copy_from_slice(forms);
        }
        let id = |&number: &u32| u64::from(ids[number as usize]);
        Dictionary {
            records: records.into(),
            directory: Packed::new(groups.iter().map(id), end.into()),
            alphabet: Packed::new(numbers.iter().map(id), end.into()),
            seed: *seed,
        }
    }

    /// The number of tokens.
    pub(crate) fn len(&self) -> usize {
        self.alphabet.len()
    }

    /// The id after that of the last token.
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
        let (start, text_length) = match (length & !HAS_FORMS) as usize {
            LONG_LENGTH => (place + HEAD + 2, u16::from_le_bytes([low, high]) as usize),
            length => (place + HEAD, length),
        };
        let end = start + text_length;
        let text = self.records.get(start..end).ok_or_else(Self::damaged)?;
        let forms = match length & HAS_FORMS {
            0 => &[],
            _ => self.records.get(end..).and_then(encoded).ok_or_else(Self::damaged)?,
        };
        Ok(Record {
            bucket: u32::from_le_bytes([a, b, c, d]) as usize,
            text,
            forms,
            next: (end + forms.len()).div_ceil(ALIGN) as u32,
        })
    }

    /// Appends a form of a token to `text`.
    #[inline]
    pub(crate) fn push_form(&self, id: u32, number: u8, text: &mut Vec<u8>) -> Result<()> {
        let record = self.record(id)?;
        push_form(record.text, record.forms, number, text).ok_or_else(Self::damaged)
    }

    /// The text of a token.
    #[inline]
    pub(crate) fn text(&self, id: u32) -> Result<&[u8]> {
        Ok(self.record(id)?.text)
    }

    /// The slots of the suffixes that begin with a token.
    #[inline]
    pub(crate) fn bucket(&self, id: u32) -> Result<Range<usize>> {
        let Record { bucket, next, .. } = self.record(id)?;
        let end = self.record(next)?.bucket;
        if bucket <= end { Ok(bucket..end) } else { Err(Self::damaged()) }
    }

    /// Prefetches the record of a token.
    #[inline]
    pub(crate) fn prefetch(&self, id: u32) {
        self.records.prefetch(id as usize * ALIGN);
    }

    /// Calls `each` with the id of the token that equals each text. Faster than single look-ups, as the
    /// memory of several is prefetched at the same time.
    #[inline]
    pub(crate) fn find_all(
        &self,
        texts: &[impl AsRef<str>],
        mut each: impl FnMut(Option<u32>),
    ) -> Result<()> {
        // Look-ups whose memory is prefetched at the same time: more than a core waits for at once.
        const CHUNK: usize = 32;
        let mut chunk_groups: SmallVec<[u32; CHUNK]> = SmallVec::new();
        let groups = self.directory.len().saturating_sub(1);
        for texts in texts.chunks(CHUNK) {
            chunk_groups.clear();
            for text in texts {
                let group = group_of(text.as_ref().as_bytes(), self.seed, groups);
                self.directory.prefetch(group);
                chunk_groups.push(group as u32);
            }
            for &group in &chunk_groups {
                self.prefetch(self.directory.at(group as usize, "token directory")? as u32);
            }
            for (&group, text) in chunk_groups.iter().zip(texts) {
                each(self.find(text.as_ref().as_bytes(), group as usize)?);
            }
        }
        Ok(())
    }

    /// The token of a hash group that equals `text`.
    #[inline]
    fn find(&self, text: &[u8], group: usize) -> Result<Option<u32>> {
        let mut id = self.directory.at(group, "token directory")? as u32;
        let end = self.directory.at(group + 1, "token directory")? as u32;
        while id < end {
            let record = self.record(id)?;
            if record.text == text {
                return Ok(Some(id));
            }
            id = record.next;
        }
        Ok(None)
    }

    /// The token at this place in the order of the texts.
    #[inline]
    pub(crate) fn by_alphabet(&self, place: usize) -> Result<u32> {
        Ok(self.alphabet.at(place, "token order")? as u32)
    }

    /// The places, in the order of the texts, of the tokens that begin with `prefix`.
    pub(crate) fn with_prefix(&self, prefix: &[u8]) -> Result<Range<usize>> {
        let first = self.partition_point(|text| text < prefix)?;
        let end = self.partition_point(|text| text < prefix || text.starts_with(prefix))?;
        Ok(first..end.max(first))
    }

    /// The first place whose token is not `before`.
    fn partition_point(&self, before: impl Fn(&[u8]) -> bool) -> Result<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match before(self.text(self.by_alphabet(middle)?)?) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        Ok(low)
    }

    pub(crate) fn own_bytes(&self) -> usize {
        self.records.own_bytes()
            + self.directory.bytes.own_bytes()
            + self.alphabet.bytes.own_bytes()
    }
}

/// The id after that of the last token, in records of `length` bytes.
pub(crate) fn end_of(length: usize) -> u32 {
    (length.saturating_sub(END_RECORD) / ALIGN) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(texts: &[String]) -> (String, Vec<u32>) {
        (texts.concat(), texts.iter().map(|text| text.len() as u32).collect())
    }

    /// The dictionary of sorted texts; the bucket of each has three slots.
    fn dictionary(texts: &[String]) -> Dictionary {
        let (text, lengths) = parts(texts);
        let forms = TokenForms::default();
        let layout = Layout::new(text.as_bytes(), &lengths, &forms, 2).unwrap();
        let buckets: Vec<u32> = (0..=texts.len() as u32).map(|i| 3 * i).collect();
        Dictionary::new(text.as_bytes(), &lengths, &forms, &layout, &buckets)
    }

    fn check(texts: &[String]) -> Dictionary {
        let dictionary = dictionary(texts);
        let mut found = Vec::new();
        dictionary.find_all(texts, |id| found.push(id.unwrap())).unwrap();
        for (place, (text, &id)) in texts.iter().zip(&found).enumerate() {
            assert_eq!(dictionary.text(id).unwrap(), text.as_bytes());
            assert_eq!(dictionary.by_alphabet(place).unwrap(), id);
        }
        found.sort_unstable();
        for (i, &id) in found.iter().enumerate() {
            assert_eq!(dictionary.bucket(id).unwrap(), 3 * i..3 * i + 3);
        }
        dictionary.find_all(&["none of them"], |id| assert_eq!(id, None)).unwrap();
        dictionary
    }

    #[test]
    fn every_token_is_found_with_its_text_and_its_bucket() {
        check(&[]);
        check(&["one".into()]);
        check(&(0..150_000).map(|i| format!("token{i:06}")).collect::<Vec<_>>());
        let lengths = [1, 2, 3, 4, 125, 126, 127, 128, 254, 255, 256, 65_535];
        let dictionary = check(&lengths.map(|n| "x".repeat(n)));
        assert!(dictionary.record(dictionary.end() + 2).is_err());
        assert!(dictionary.record(u32::MAX).is_err());
    }

    #[test]
    fn tokens_made_to_collide_under_some_seeds_are_found_without_more_groups() {
        // Under each of the first seeds, many of these are in the first hash group.
        let mut texts: Vec<String> = Vec::new();
        for seed in 0..4 {
            let low = |text: &String| group_of(text.as_bytes(), seed, 10_000) == 0;
            texts.extend((0..).map(|i| format!("{seed}x{i}")).filter(low).take(400));
        }
        texts.sort_unstable();
        let dictionary = check(&texts);
        assert_eq!(dictionary.directory.len(), texts.len() / 2 + 1);
        let (text, lengths) = parts(&texts);
        assert!(order(text.as_bytes(), &lengths, texts.len() / 2, 0, 1).unwrap().is_none());
        assert!(order(text.as_bytes(), &lengths, texts.len() / 2, 9, 1).unwrap().is_some());
    }

    #[test]
    fn prefixes_are_found_by_the_order_of_texts() {
        let texts: Vec<String> = (0..1000).map(|i| format!("{i:04}")).collect();
        let dictionary = dictionary(&texts);
        for (i, text) in texts.iter().enumerate() {
            assert_eq!(dictionary.with_prefix(text.as_bytes()).unwrap(), i..i + 1);
        }
        for i in 0..100 {
            let prefix = &texts[10 * i].as_bytes()[..3];
            assert_eq!(dictionary.with_prefix(prefix).unwrap(), 10 * i..10 * i + 10);
        }
        assert_eq!(dictionary.with_prefix(b"").unwrap(), 0..1000);
        assert!(dictionary.with_prefix(b"x").unwrap().is_empty());
        assert!(dictionary.with_prefix(b"!").unwrap().is_empty());
    }

    #[test]
    fn more_tokens_than_there_are_ids_are_refused() {
        let sizes = vec![record_size(65_535, 0) as u32; 262_113];
        let most = record_ids(&sizes[..262_112]).unwrap();
        assert_eq!(u64::from(most[262_112]), 262_112 * (65_535 + 7 + 2) / 4);
        assert!(record_ids(&sizes).is_none());
    }
}
