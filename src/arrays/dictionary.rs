//! The distinct tokens of a vocabulary, and for each the slots of the suffixes that begin with it.
//!
//! All that a query asks of a token stands together in its record, one cache line as a rule: the first
//! slot of its bucket (4 bytes), its length (1 byte; 255 if the next two bytes have it), its text. The
//! records are dealt into *shares* by the hash of the text; a directory, small enough for the cache,
//! tells where each share begins. So a token is found with one read that misses the cache. An empty
//! record behind the last has the end of all buckets.
//!
//! The id of a token is the place of its record, in fours. Completion needs the order of the texts: it
//! is kept beside.

use std::ops::Range;

use smallvec::SmallVec;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::arrays::array::Array;
use crate::arrays::packed::Packed;
use crate::error::{Error, Result};
use crate::threads::run;

/// Records begin at multiples of this.
const ALIGN: usize = 4;
/// The bytes before the text of a short token.
const HEAD: usize = 5;
/// The length from which on a token has it in two more bytes.
const LONG: usize = 255;
/// The bytes of the empty record at the end. From any record on, eight bytes can be read.
const LAST: usize = 8;
/// The most tokens in one share. With two in each on average, a billion tokens never come near it; a
/// vocabulary made to collide gets another seed.
const MAX_SHARE: u32 = 64;

/// The tokens. Every access is checked: they may come from a damaged file.
pub(crate) struct Dictionary {
    pub(crate) records: Array<u8>,
    /// The id of the first token of each share, and the one behind the last of all.
    pub(crate) directory: Packed,
    /// The ids in the order of the texts.
    pub(crate) alphabet: Packed,
    pub(crate) seed: u64,
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

/// The ids of records of tokens with these lengths, and the one behind the last; None if they do not
/// fit into 32 bits, with one number left for a token that no term has.
fn record_ids(lengths: &[u32]) -> Option<Vec<u32>> {
    let mut ids = Vec::with_capacity(lengths.len() + 1);
    let mut end = 0u64;
    for &length in lengths {
        ids.push(end as u32);
        end += (record_size(length as usize) / ALIGN) as u64;
    }
    ids.push(end as u32);
    (end < u64::from(u32::MAX)).then_some(ids)
}

/// The share of a token, of so many.
#[inline]
fn share(text: &[u8], seed: u64, shares: usize) -> usize {
    let hash = xxh3_64_with_seed(text, seed) as u32;
    ((u64::from(hash) * shares as u64) >> 32) as usize
}

/// Where the tokens of a dictionary will stand.
pub(crate) struct Layout {
    /// For each token, by the order of the texts, its number in the order of the records.
    pub(crate) numbers: Vec<u32>,
    /// For each record its id, and the id behind the last.
    pub(crate) ids: Vec<u32>,
    /// For each share the number of its first record, and the number of all.
    shares: Vec<u32>,
    seed: u64,
}

impl Layout {
    /// The layout of distinct tokens, which stand in `text` one after the other, in order: under the
    /// first seed with which no share is too large. After every eight seeds there are a quarter more
    /// shares. Fails if the ids do not fit into 32 bits.
    ///
    /// The seeds count up from a hash of all tokens: so the same tokens give the same layout, and who
    /// chooses tokens that collide under a seed has changed the seed by choosing them.
    pub(crate) fn new(text: &[u8], lengths: &[u32], threads: usize) -> Result<Layout> {
        let first = xxh3_64(text);
        let mut shares = (lengths.len() / 2).max(1);
        for tried in 0.. {
            if tried > 0 && tried % 8 == 0 {
                shares += shares / 4 + 1;
            }
            let seed = first.wrapping_add(tried);
            if let Some((numbers, shares)) = deal(text, lengths, shares, seed, threads)? {
                let mut in_order = vec![0; lengths.len()];
                for (&number, &length) in numbers.iter().zip(lengths) {
                    in_order[number as usize] = length;
                }
                let ids = record_ids(&in_order).ok_or(Error::DistinctTokens)?;
                return Ok(Layout { numbers, ids, shares, seed });
            }
        }
        unreachable!("ever more shares end all collisions")
    }

    /// The number, in the order of the records, of the token with this id.
    pub(crate) fn number(&self, id: u32) -> u32 {
        self.ids.partition_point(|&other| other < id) as u32
    }
}

/// The numbers of the tokens in the order of their shares, and the first of each share; None if one is
/// too large.
fn deal(
    text: &[u8],
    lengths: &[u32],
    shares: usize,
    seed: u64,
    threads: usize,
) -> Result<Option<(Vec<u32>, Vec<u32>)>> {
    let mut rest = text;
    let parts = lengths.chunks((lengths.len() / threads).max(1 << 14)).map(|lengths| {
        let size = lengths.iter().map(|&length| length as usize).sum();
        let (text, behind) = rest.split_at(size);
        rest = behind;
        (text, lengths)
    });
    let parts = run(threads, parts.collect(), |(text, lengths)| {
        let share = |token| share(token, seed, shares) as u32;
        Ok(pieces(text, lengths).map(share).collect::<Vec<u32>>())
    })?;
    let mut numbers = parts.concat();
    let mut starts = vec![0u32; shares + 1];
    for &share in &numbers {
        starts[share as usize + 1] += 1;
    }
    if starts.iter().any(|&size| size > MAX_SHARE) {
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
    /// The dictionary of tokens that stand in `text` one after the other, in order, and have this
    /// layout. `buckets` has the first slot of each, in the order of the records, and the end of all.
    pub(crate) fn new(
        text: &[u8],
        lengths: &[u32],
        layout: &Layout,
        buckets: &[u32],
    ) -> Dictionary {
        let Layout { numbers, ids, shares, seed } = layout;
        let end = ids[lengths.len()];
        let mut records = vec![0u8; end as usize * ALIGN + LAST];
        for (&id, &bucket) in ids.iter().zip(buckets) {
            records[id as usize * ALIGN..][..4].copy_from_slice(&bucket.to_le_bytes());
        }
        for (token, &number) in pieces(text, lengths).zip(numbers) {
            let record = &mut records[ids[number as usize] as usize * ALIGN..];
            record[4] = token.len().min(LONG) as u8;
            let head = match token.len() < LONG {
                true => HEAD,
                false => {
                    record[HEAD..HEAD + 2].copy_from_slice(&(token.len() as u16).to_le_bytes());
                    HEAD + 2
                }
            };
            record[head..head + token.len()].copy_from_slice(token);
        }
        let id = |&number: &u32| u64::from(ids[number as usize]);
        Dictionary {
            records: records.into(),
            directory: Packed::new(shares.iter().map(id), end.into()),
            alphabet: Packed::new(numbers.iter().map(id), end.into()),
            seed: *seed,
        }
    }

    /// The number of tokens.
    pub(crate) fn len(&self) -> usize {
        self.alphabet.len()
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
            next: (start + length).div_ceil(ALIGN) as u32,
        })
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

    /// Asks for the memory of a token, which will be read soon.
    #[inline]
    pub(crate) fn prefetch(&self, id: u32) {
        self.records.prefetch(id as usize * ALIGN);
    }

    /// Calls `each` with the id of the token that equals each text. Faster for many: the memory that
    /// the look-ups need is asked for before it is read, so that they wait for it together.
    #[inline]
    pub(crate) fn find_all(
        &self,
        texts: &[impl AsRef<str>],
        mut each: impl FnMut(Option<u32>),
    ) -> Result<()> {
        const TOGETHER: usize = 32;
        let mut together: SmallVec<[u32; TOGETHER]> = SmallVec::new();
        let shares = self.directory.len().saturating_sub(1);
        for texts in texts.chunks(TOGETHER) {
            together.clear();
            for text in texts {
                let share = share(text.as_ref().as_bytes(), self.seed, shares);
                self.directory.prefetch(share);
                together.push(share as u32);
            }
            for &share in &together {
                self.prefetch(self.directory.at(share as usize, "token directory")? as u32);
            }
            for (&share, text) in together.iter().zip(texts) {
                each(self.find(text.as_ref().as_bytes(), share as usize)?);
            }
        }
        Ok(())
    }

    /// The token of a share that equals `text`.
    #[inline]
    fn find(&self, text: &[u8], share: usize) -> Result<Option<u32>> {
        let mut id = self.directory.at(share, "token directory")? as u32;
        let end = self.directory.at(share + 1, "token directory")? as u32;
        while id < end {
            let record = self.record(id)?;
            if record.text == text {
                return Ok(Some(id));
            }
            id = record.next;
        }
        Ok(None)
    }

    /// The token that has this place in the order of the texts.
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

    /// The first place for whose token `before` is false.
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

/// The id behind that of the last token, in records of `length` bytes.
pub(crate) fn end_of(length: usize) -> u32 {
    (length.saturating_sub(LAST) / ALIGN) as u32
}

/// Cuts a text into pieces of these lengths.
pub(crate) fn pieces<'a>(
    text: &'a [u8],
    lengths: &'a [u32],
) -> impl ExactSizeIterator<Item = &'a [u8]> {
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

    fn parts(texts: &[String]) -> (String, Vec<u32>) {
        (texts.concat(), texts.iter().map(|text| text.len() as u32).collect())
    }

    /// The dictionary of sorted texts; the bucket of each has three slots.
    fn dictionary(texts: &[String]) -> Dictionary {
        let (text, lengths) = parts(texts);
        let layout = Layout::new(text.as_bytes(), &lengths, 2).unwrap();
        let buckets: Vec<u32> = (0..=texts.len() as u32).map(|i| 3 * i).collect();
        Dictionary::new(text.as_bytes(), &lengths, &layout, &buckets)
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
        let lengths = [1, 2, 3, 4, 253, 254, 255, 256, 65_535];
        let dictionary = check(&lengths.map(|n| "x".repeat(n)));
        assert!(dictionary.record(dictionary.end() + 2).is_err());
        assert!(dictionary.record(u32::MAX).is_err());
    }

    #[test]
    fn tokens_made_to_collide_under_some_seeds_are_found_without_more_shares() {
        // Under each of the first seeds, many of these are in the first share.
        let mut texts: Vec<String> = Vec::new();
        for seed in 0..4 {
            let low = |text: &String| share(text.as_bytes(), seed, 10_000) == 0;
            texts.extend((0..).map(|i| format!("{seed}x{i}")).filter(low).take(400));
        }
        texts.sort_unstable();
        let dictionary = check(&texts);
        assert_eq!(dictionary.directory.len(), texts.len() / 2 + 1);
        let (text, lengths) = parts(&texts);
        assert!(deal(text.as_bytes(), &lengths, texts.len() / 2, 0, 1).unwrap().is_none());
        assert!(deal(text.as_bytes(), &lengths, texts.len() / 2, 9, 1).unwrap().is_some());
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
    fn more_tokens_than_ids_can_tell_are_refused() {
        let lengths = vec![65_535; 262_113];
        let most = record_ids(&lengths[..262_112]).unwrap();
        assert_eq!(u64::from(most[262_112]), 262_112 * (65_535 + 7 + 2) / 4);
        assert!(record_ids(&lengths).is_none());
    }
}
