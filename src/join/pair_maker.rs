//! The last step of a join: terms and n-grams of one partition become pairs.

use std::collections::HashMap;

use crate::error::Result;
use crate::join::blocks::{BlockReader, ByteRange, TABLE_BYTES};
use crate::join::fingerprint::{ByFingerprint, NO_TERM};
use crate::join::ids::Ids;

/// Pairs of terms, by their ids.
#[derive(Debug, Default)]
pub struct IdPairs {
    /// The shorter terms.
    pub nested: Ids,
    /// The longer ones.
    pub supers: Ids,
    /// Where the shorter term first begins in the longer, in tokens.
    pub start: Vec<u32>,
    /// The weights of the longer ones, if there are any.
    pub weight: Vec<f64>,
}

impl IdPairs {
    fn push(&mut self, nested: &[u8], super_term: &[u8], start: u32, weight: Option<f64>) {
        self.nested.push(nested);
        self.supers.push(super_term);
        self.start.push(start);
        self.weight.extend(weight);
    }

    fn is_full(&self) -> bool {
        self.nested.bytes.len() + self.supers.bytes.len() + 8 * self.start.len() >= TABLE_BYTES
    }
}

/// The terms of a partition, which it joins with n-grams.
pub struct PairMaker {
    weighted: bool,
    /// The first term of each fingerprint.
    first: ByFingerprint<u32>,
    /// The id of each term, and the next term with the same fingerprint or [`NO_TERM`].
    terms: Vec<(ByteRange, u32)>,
    /// The ids of the terms that are frequent n-grams, by the n-gram's number.
    frequent: HashMap<u32, Vec<ByteRange>>,
    /// All ids.
    bytes: Vec<u8>,
}

impl PairMaker {
    /// A partition without terms.
    pub fn new(weighted: bool) -> PairMaker {
        let (terms, bytes) = (Vec::new(), Vec::new());
        let frequent = HashMap::new();
        PairMaker { weighted, first: ByFingerprint::default(), terms, frequent, bytes }
    }

    /// Adds a block of [`Outgoing::terms`](crate::Outgoing). All terms of a partition must be added before
    /// pairs are made.
    pub fn add_terms(&mut self, block: &[u8]) -> Result<()> {
        let mut reader = BlockReader::new(block);
        while !reader.is_at_end() {
            let fingerprint = reader.fingerprint()?;
            let id = ByteRange::store(&mut self.bytes, reader.bytes()?);
            let number = self.terms.len() as u32;
            let next = self.first.insert(fingerprint, number).unwrap_or(NO_TERM);
            self.terms.push((id, next));
        }
        Ok(())
    }

    /// Adds a block of [`Outgoing::frequent_terms`](crate::Outgoing).
    pub fn add_frequent_terms(&mut self, block: &[u8]) -> Result<()> {
        let mut reader = BlockReader::new(block);
        while !reader.is_at_end() {
            let number = reader.number()?;
            let id = ByteRange::store(&mut self.bytes, reader.bytes()?);
            self.frequent.entry(number).or_default().push(id);
        }
        Ok(())
    }

    /// The pairs of a block of [`Outgoing::ngrams`](crate::Outgoing) from byte `at` on, and the byte at
    /// which the next call goes on. A call returns about 4 MB.
    pub fn pairs(&self, block: &[u8], at: usize) -> Result<(IdPairs, usize)> {
        let mut pairs = IdPairs::default();
        let mut reader = BlockReader::starting_at(block, at)?;
        while !reader.is_at_end() && !pairs.is_full() {
            let fingerprint = reader.fingerprint()?;
            let start = reader.number()?;
            let super_term = reader.bytes()?;
            let weight = self.weighted.then(|| reader.weight()).transpose()?;
            let mut number = self.first.get(&fingerprint).copied().unwrap_or(NO_TERM);
            while let Some(&(id, next)) = self.terms.get(number as usize) {
                pairs.push(id.of(&self.bytes), super_term, start, weight);
                number = next;
            }
        }
        Ok((pairs, reader.position_in(block)))
    }

    /// The same of a block of [`Outgoing::frequent_ngrams`](crate::Outgoing).
    pub fn frequent_pairs(&self, block: &[u8], at: usize) -> Result<(IdPairs, usize)> {
        let mut pairs = IdPairs::default();
        let mut reader = BlockReader::starting_at(block, at)?;
        while !reader.is_at_end() && !pairs.is_full() {
            let super_term = reader.bytes()?;
            let weight = self.weighted.then(|| reader.weight()).transpose()?;
            for _ in 0..reader.number()? {
                let (number, start) = (reader.number()?, reader.number()?);
                for id in self.frequent.get(&number).into_iter().flatten() {
                    pairs.push(id.of(&self.bytes), super_term, start, weight);
                }
            }
        }
        Ok((pairs, reader.position_in(block)))
    }
}
