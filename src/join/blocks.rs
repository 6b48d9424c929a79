//! Shuffle blocks: what goes from one task to one partition, packed into bytes.
//!
//! A block is a run of records without any separator; both sides know its kind. There are five:
//!
//! - terms on their way to their partition ([`TermRecord`]), followed by the number of entries that were
//!   packed with them, as eight bytes;
//! - the four kinds of [`Outgoing`].

use crate::error::{Error, Result};

/// Bytes of one table of results. Copies of 4 MB stay in a core's cache.
pub(super) const TABLE_BYTES: usize = 1 << 22;

/// Bytes in waiting blocks at which they are sent: for each partition 16 KB, so that blocks are not too
/// small, but 64 MB in all, so that they fit into memory.
pub(super) fn enough_bytes(partitions: usize) -> usize {
    (partitions << 14).clamp(TABLE_BYTES, 1 << 26)
}

/// The partition of a fingerprint.
#[inline]
pub(super) fn partition_of(fingerprint: u128, partitions: usize) -> usize {
    ((u128::from(fingerprint as u64) * partitions as u128) >> 64) as usize
}

/// What is known of each term besides the term itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct TermFields {
    /// Terms have ids that are not their surfaces.
    pub ids: bool,
    /// Terms have weights.
    pub weights: bool,
}

/// A term in a block.
pub(super) struct TermRecord<'a> {
    pub(super) fingerprint: u128,
    pub(super) surface: &'a [u8],
    /// The number of tokens.
    pub(super) length: u32,
    /// Empty if the surface is the id.
    pub(super) id: &'a [u8],
    pub(super) weight: f64,
}

impl TermRecord<'_> {
    /// Appends the record to a block.
    pub(super) fn put(&self, block: &mut Vec<u8>, fields: TermFields) {
        put_fingerprint(block, self.fingerprint);
        put_bytes(block, self.surface);
        put_number(block, self.length);
        if fields.ids {
            put_bytes(block, self.id);
        }
        if fields.weights {
            put_weight(block, self.weight);
        }
    }
}

/// Calls `each` with the terms of a block, and returns the number of entries that were packed with them.
pub(super) fn read_terms(
    block: &[u8],
    fields: TermFields,
    mut each: impl FnMut(TermRecord) -> Result<()>,
) -> Result<u64> {
    let (records, entries) = block.split_last_chunk().ok_or(Error::Block)?;
    let mut reader = BlockReader::new(records);
    while !reader.is_at_end() {
        each(TermRecord {
            fingerprint: reader.fingerprint()?,
            surface: reader.bytes()?,
            length: reader.number()?,
            id: if fields.ids { reader.bytes()? } else { &[] },
            weight: if fields.weights { reader.weight()? } else { 0.0 },
        })?;
    }
    Ok(u64::from_le_bytes(*entries))
}

/// The blocks of the second exchange. Each list has one block for each partition.
pub struct Outgoing {
    /// Terms that n-grams may equal: a fingerprint and an id.
    pub terms: Vec<Vec<u8>>,
    /// Terms that are frequent n-grams, with the n-gram's number and an id: one block, for all partitions.
    pub frequent_terms: Vec<u8>,
    /// N-grams that may be terms: a fingerprint, the start, the id of the term around it, its weight.
    pub ngrams: Vec<Vec<u8>>,
    /// Ids and weights of terms, with the numbers and starts of the frequent n-grams in them.
    pub frequent_ngrams: Vec<Vec<u8>>,
    fields: TermFields,
    /// About how many bytes all blocks have.
    bytes: usize,
}

impl Outgoing {
    pub(super) fn new(partitions: usize, fields: TermFields) -> Outgoing {
        Outgoing {
            terms: vec![Vec::new(); partitions],
            frequent_terms: Vec::new(),
            ngrams: vec![Vec::new(); partitions],
            frequent_ngrams: vec![Vec::new(); partitions],
            fields,
            bytes: 0,
        }
    }

    /// Whether the blocks should be sent.
    pub(super) fn is_full(&self) -> bool {
        self.bytes >= enough_bytes(self.terms.len())
    }

    pub(super) fn put_term(&mut self, fingerprint: u128, id: &[u8]) {
        let block = &mut self.terms[partition_of(fingerprint, self.ngrams.len())];
        put_fingerprint(block, fingerprint);
        put_bytes(block, id);
        self.bytes += id.len() + 20;
    }

    pub(super) fn put_frequent_term(&mut self, number: u32, id: &[u8]) {
        put_number(&mut self.frequent_terms, number);
        put_bytes(&mut self.frequent_terms, id);
        self.bytes += id.len() + 20;
    }

    pub(super) fn put_ngram(&mut self, fingerprint: u128, start: u32, id: &[u8], weight: f64) {
        let block = &mut self.ngrams[partition_of(fingerprint, self.terms.len())];
        put_fingerprint(block, fingerprint);
        put_number(block, start);
        put_bytes(block, id);
        if self.fields.weights {
            put_weight(block, weight);
        }
        self.bytes += id.len() + 24;
    }

    /// The frequent n-grams in a term, as numbers and starts. They stay in the term's partition.
    pub(super) fn put_frequent_ngrams(
        &mut self,
        partition: usize,
        ngrams: &[(u32, u32)],
        id: &[u8],
        weight: f64,
    ) {
        let block = &mut self.frequent_ngrams[partition];
        put_bytes(block, id);
        if self.fields.weights {
            put_weight(block, weight);
        }
        put_number(block, ngrams.len() as u32);
        for &(number, start) in ngrams {
            put_number(block, number);
            put_number(block, start);
        }
        self.bytes += id.len() + 8 * ngrams.len();
    }
}

fn put_fingerprint(block: &mut Vec<u8>, fingerprint: u128) {
    block.extend_from_slice(&fingerprint.to_le_bytes());
}

fn put_weight(block: &mut Vec<u8>, weight: f64) {
    block.extend_from_slice(&weight.to_le_bytes());
}

/// Seven bits in a byte, the lower ones first; all bytes but the last have the upper bit set.
fn put_number(block: &mut Vec<u8>, mut number: u32) {
    while number > 127 {
        block.push(number as u8 | 128);
        number >>= 7;
    }
    block.push(number as u8);
}

fn put_bytes(block: &mut Vec<u8>, bytes: &[u8]) {
    put_number(block, bytes.len() as u32);
    block.extend_from_slice(bytes);
}

/// What is left to read of a block.
pub(super) struct BlockReader<'a> {
    rest: &'a [u8],
}

impl<'a> BlockReader<'a> {
    pub(super) fn new(block: &'a [u8]) -> BlockReader<'a> {
        BlockReader { rest: block }
    }

    /// A reader that begins at byte `at`.
    pub(super) fn starting_at(block: &'a [u8], at: usize) -> Result<BlockReader<'a>> {
        Ok(BlockReader { rest: block.get(at..).ok_or(Error::Block)? })
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// The byte of the block that is read next.
    pub(super) fn position_in(&self, block: &[u8]) -> usize {
        block.len() - self.rest.len()
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(Error::Block)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(super) fn fingerprint(&mut self) -> Result<u128> {
        self.take().map(u128::from_le_bytes)
    }

    pub(super) fn weight(&mut self) -> Result<f64> {
        self.take().map(f64::from_le_bytes)
    }

    pub(super) fn number(&mut self) -> Result<u32> {
        let mut number = 0;
        for shift in (0..32).step_by(7) {
            let [byte] = self.take()?;
            number |= u32::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(number);
            }
        }
        Err(Error::Block)
    }

    pub(super) fn bytes(&mut self) -> Result<&'a [u8]> {
        let length = self.number()? as usize;
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Error::Block)?;
        self.rest = rest;
        Ok(taken)
    }
}

/// Where some bytes are in a longer buffer: tables have one buffer for the texts of all their terms.
#[derive(Clone, Copy)]
pub(super) struct ByteRange {
    start: usize,
    length: u32,
}

impl ByteRange {
    /// Appends bytes to a buffer, and returns where they are.
    pub(super) fn store(buffer: &mut Vec<u8>, bytes: &[u8]) -> ByteRange {
        let start = buffer.len();
        buffer.extend_from_slice(bytes);
        ByteRange { start, length: bytes.len() as u32 }
    }

    pub(super) fn of(self, buffer: &[u8]) -> &[u8] {
        &buffer[self.start..self.start + self.length as usize]
    }
}
