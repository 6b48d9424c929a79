//! Shuffle blocks: what goes from one task to one partition, packed into bytes.
//!
//! A block is a run of records without any separator; both sides know its kind. There are three:
//!
//! - terms on their way to their partition ([`TermRecord`]), followed by the [checksum](checksum) of the
//!   entries that were packed with them, as 16 bytes;
//! - the two kinds of [`Outgoing`].

use crate::error::{Error, Result};
use crate::join::fingerprint::mix;
use crate::join::ngrams::NGramWalk;

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

/// What an entry adds to the checksum of its partition: a sum, so that neither order nor packing matters.
/// It shows whether a vocabulary that is read twice has the same entries each time.
#[inline]
pub(super) fn checksum(fingerprint: u128) -> u128 {
    mix(fingerprint as u64).into()
}

/// What records have besides what all have.
#[derive(Clone, Copy, Debug, Default)]
pub struct TermFields {
    /// Terms have ids that are not their surfaces.
    pub ids: bool,
    /// Terms have weights.
    pub weights: bool,
    /// N-grams have their lengths and all of their starts. The scores need them.
    pub occurrences: bool,
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

/// Calls `each` with the terms of a block, and returns the checksum of the entries that were packed with
/// them.
pub(super) fn read_terms(
    block: &[u8],
    fields: TermFields,
    mut each: impl FnMut(TermRecord),
) -> Result<u128> {
    let (records, checksum) = block.split_last_chunk().ok_or(Error::Block)?;
    let mut reader = BlockReader::new(records);
    while !reader.is_at_end() {
        each(TermRecord {
            fingerprint: reader.fingerprint()?,
            surface: reader.bytes()?,
            length: reader.number()?,
            id: if fields.ids { reader.bytes()? } else { &[] },
            weight: if fields.weights { reader.weight()? } else { 0.0 },
        });
    }
    Ok(u128::from_le_bytes(*checksum))
}

/// The blocks of the second exchange. Each list has one block for each partition.
pub struct Outgoing {
    /// Terms that n-grams may equal: a fingerprint and an id.
    pub terms: Vec<Vec<u8>>,
    /// N-grams that may be terms: the id of the term around them and its weight, their number, and of each
    /// its fingerprint and its start; for the scores also its length and its [repeats](put_repeats).
    pub ngrams: Vec<Vec<u8>>,
    fields: TermFields,
    /// About how many bytes all blocks have.
    bytes: usize,
    /// The repeats of one n-gram.
    repeats: Vec<u8>,
}

impl Outgoing {
    pub(super) fn new(partitions: usize, fields: TermFields) -> Outgoing {
        let empty = || vec![Vec::new(); partitions];
        Outgoing { terms: empty(), ngrams: empty(), fields, bytes: 0, repeats: Vec::new() }
    }

    /// Whether the blocks should be sent.
    pub(super) fn is_full(&self) -> bool {
        self.bytes >= enough_bytes(self.terms.len())
    }

    /// Sends a term to its partition.
    pub(super) fn put_term(&mut self, fingerprint: u128, id: &[u8]) {
        let partition = partition_of(fingerprint, self.terms.len());
        self.put_term_in(partition, fingerprint, id);
    }

    /// Sends a term to all partitions.
    pub(super) fn put_term_everywhere(&mut self, fingerprint: u128, id: &[u8]) {
        for partition in 0..self.terms.len() {
            self.put_term_in(partition, fingerprint, id);
        }
    }

    fn put_term_in(&mut self, partition: usize, fingerprint: u128, id: &[u8]) {
        let block = &mut self.terms[partition];
        put_fingerprint(block, fingerprint);
        put_bytes(block, id);
        self.bytes += id.len() + 20;
    }

    /// Sends some n-grams of a term, given by their numbers, to a partition.
    pub(super) fn put_ngrams(
        &mut self,
        partition: usize,
        (id, weight): (&[u8], f64),
        walk: &NGramWalk,
        numbers: &[usize],
    ) {
        let block = &mut self.ngrams[partition];
        let before = block.len();
        put_bytes(block, id);
        if self.fields.weights {
            put_weight(block, weight);
        }
        put_number(block, numbers.len() as u32);
        for &number in numbers {
            let ngram = &walk.ngrams[number];
            put_fingerprint(block, ngram.fingerprint);
            put_number(block, ngram.start);
            if self.fields.occurrences {
                put_number(block, ngram.length);
                self.repeats.clear();
                put_repeats(&mut self.repeats, ngram.start, walk.repeats_of(number));
                put_bytes(block, &self.repeats);
            }
        }
        self.bytes += block.len() - before;
    }
}

/// Where an n-gram occurs again after its first start: runs of equal distances, each as the distance and
/// its number. A term like "a a a ..." has very many starts, and few runs.
fn put_repeats(block: &mut Vec<u8>, first: u32, starts: impl Iterator<Item = u32>) {
    let (mut last, mut run) = (first, (0, 0));
    for start in starts {
        let distance = start - last;
        if distance != run.0 && run.1 > 0 {
            put_number(block, run.0);
            put_number(block, run.1);
            run.1 = 0;
        }
        (last, run) = (start, (distance, run.1 + 1));
    }
    if run.1 > 0 {
        put_number(block, run.0);
        put_number(block, run.1);
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
