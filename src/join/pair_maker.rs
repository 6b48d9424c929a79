//! The last step of a join: terms and n-grams of one partition become pairs.

use crate::error::Result;
use crate::join::blocks::{BlockReader, ByteRange, TABLE_BYTES, TermFields};
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
    /// The numbers of tokens of the shorter ones, if all of their occurrences are wanted.
    pub length: Vec<u32>,
    /// And where the shorter occurs again in the longer, as [`nested_shares`](crate::nested_shares) reads
    /// it.
    pub repeats: Ids,
}

impl IdPairs {
    fn is_full(&self) -> bool {
        self.nested.bytes.len() + self.supers.bytes.len() + 8 * self.start.len() >= TABLE_BYTES
    }
}

/// The terms of a partition, which it joins with n-grams.
pub struct PairMaker {
    fields: TermFields,
    /// The first term of each fingerprint.
    first: ByFingerprint<u32>,
    /// The id of each term, and the next term with the same fingerprint or [`NO_TERM`].
    terms: Vec<(ByteRange, u32)>,
    /// All ids.
    bytes: Vec<u8>,
}

impl PairMaker {
    /// A partition without terms.
    pub fn new(fields: TermFields) -> PairMaker {
        let (terms, bytes) = (Vec::new(), Vec::new());
        PairMaker { fields, first: ByFingerprint::default(), terms, bytes }
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

    /// The pairs of a block of [`Outgoing::ngrams`](crate::Outgoing) from byte `at` on, and the byte at
    /// which the next call goes on. A call returns about 4 MB.
    pub fn pairs(&self, block: &[u8], at: usize) -> Result<(IdPairs, usize)> {
        let TermFields { weights, occurrences, .. } = self.fields;
        let mut pairs = IdPairs::default();
        let mut reader = BlockReader::starting_at(block, at)?;
        while !reader.is_at_end() && !pairs.is_full() {
            let super_term = reader.bytes()?;
            let weight = weights.then(|| reader.weight()).transpose()?;
            for _ in 0..reader.number()? {
                let fingerprint = reader.fingerprint()?;
                let start = reader.number()?;
                let (length, repeats) =
                    if occurrences { (reader.number()?, reader.bytes()?) } else { (0, &[][..]) };
                let mut number = self.first.get(&fingerprint).copied().unwrap_or(NO_TERM);
                while let Some(&(id, next)) = self.terms.get(number as usize) {
                    pairs.nested.push(id.of(&self.bytes));
                    pairs.supers.push(super_term);
                    pairs.start.push(start);
                    pairs.weight.extend(weight);
                    if occurrences {
                        pairs.length.push(length);
                        pairs.repeats.push(repeats);
                    }
                    number = next;
                }
            }
        }
        Ok((pairs, reader.position_in(block)))
    }
}
