//! The terms of a partition, each once.

use std::collections::hash_map::Entry;

use crate::error::{Error, Result};
use crate::join::analyzer::TermAnalyzer;
use crate::join::blocks::{
    ByteRange, Outgoing, TABLE_BYTES, TermFields, TermRecord, partition_of, read_terms,
};
use crate::join::fingerprint::{ByFingerprint, NO_TERM};
use crate::join::frequent_ngrams::FrequentNGrams;
use crate::join::ids::Ids;
use crate::join::ngrams::NGramWalk;
use crate::join::term_filter::TermFilter;

/// A term of a [`TermTable`].
struct StoredTerm {
    fingerprint: u128,
    surface: ByteRange,
    /// That of the surface, if the table has no other ids.
    id: ByteRange,
    /// The number of tokens.
    length: u32,
    weight: f64,
    /// The next term with the same fingerprint, or [`NO_TERM`].
    variant: u32,
}

/// Terms, each once. Of the ids of equal terms it keeps the least; their weights add up.
pub struct TermTable {
    fields: TermFields,
    /// The first term of each fingerprint.
    first: ByFingerprint<u32>,
    terms: Vec<StoredTerm>,
    /// The surfaces and ids of all terms.
    bytes: Vec<u8>,
    /// That of the entries of all blocks that were added.
    checksum: u128,
}

impl TermTable {
    /// An empty table of terms with these fields.
    pub fn new(fields: TermFields) -> TermTable {
        let (terms, bytes) = (Vec::new(), Vec::new());
        TermTable { fields, first: ByFingerprint::default(), terms, bytes, checksum: 0 }
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The checksum of the entries of all blocks that were added, equal ones included.
    pub fn checksum(&self) -> u128 {
        self.checksum
    }

    /// About how many bytes of memory the table takes.
    pub(super) fn memory(&self) -> usize {
        self.bytes.len() + self.terms.len() * (size_of::<StoredTerm>() + 32)
    }

    /// Removes all terms. The memory is used again.
    pub(super) fn clear(&mut self) {
        self.first.clear();
        self.terms.clear();
        self.bytes.clear();
    }

    /// Adds the terms of a block.
    pub fn add_block(&mut self, block: &[u8]) -> Result<()> {
        self.checksum += read_terms(block, self.fields, |term| self.push(&term))?;
        Ok(())
    }

    pub(super) fn push(&mut self, term: &TermRecord) {
        let number = self.terms.len() as u32;
        match self.first.entry(term.fingerprint) {
            Entry::Vacant(entry) => {
                entry.insert(number);
            }
            Entry::Occupied(entry) => {
                let mut at = *entry.get();
                loop {
                    let stored = &mut self.terms[at as usize];
                    if stored.surface.of(&self.bytes) == term.surface {
                        stored.weight += term.weight;
                        if self.fields.ids && term.id < stored.id.of(&self.bytes) {
                            stored.id = ByteRange::store(&mut self.bytes, term.id);
                        }
                        return;
                    }
                    if stored.variant == NO_TERM {
                        stored.variant = number;
                        break;
                    }
                    at = stored.variant;
                }
            }
        }
        let surface = ByteRange::store(&mut self.bytes, term.surface);
        let id = if self.fields.ids { ByteRange::store(&mut self.bytes, term.id) } else { surface };
        let TermRecord { fingerprint, length, weight, .. } = *term;
        self.terms.push(StoredTerm { fingerprint, surface, id, length, weight, variant: NO_TERM });
    }

    /// Appends the terms to the blocks of their partitions.
    pub(super) fn pack(&self, blocks: &mut [Vec<u8>]) {
        let partitions = blocks.len();
        for term in &self.terms {
            let record = TermRecord {
                fingerprint: term.fingerprint,
                surface: term.surface.of(&self.bytes),
                length: term.length,
                id: term.id.of(&self.bytes),
                weight: term.weight,
            };
            record.put(&mut blocks[partition_of(term.fingerprint, partitions)], self.fields);
        }
    }

    /// The ids, lengths in tokens and weights of the terms from number `first` on, and the number of the
    /// next term. A call returns about 4 MB.
    pub fn rows(&self, first: usize) -> (Ids, Vec<u32>, Vec<f64>, usize) {
        let (mut ids, mut lengths, mut weights) = (Ids::default(), Vec::new(), Vec::new());
        for term in self.terms.iter().skip(first) {
            if ids.bytes.len() >= TABLE_BYTES {
                break;
            }
            ids.push(term.id.of(&self.bytes));
            lengths.push(term.length);
            weights.push(term.weight);
        }
        let next = first + lengths.len();
        (ids, lengths, weights, next)
    }

    /// The blocks of the second exchange for the terms from number `first` on, until they are enough to
    /// send, and the number of the next term.
    pub fn outgoing(
        &self,
        analyzer: &TermAnalyzer,
        first: usize,
        partitions: usize,
        filter: Option<&TermFilter>,
        frequent: &FrequentNGrams,
    ) -> Result<(Outgoing, usize)> {
        let mut out = Outgoing::new(partitions, self.fields);
        let (mut walk, mut key) = (NGramWalk::default(), Vec::new());
        let mut stay = Vec::new();
        for (number, term) in self.terms.iter().enumerate().skip(first) {
            if out.is_full() {
                return Ok((out, number));
            }
            let id = term.id.of(&self.bytes);
            if frequent.contain(term.fingerprint) {
                out.put_term_everywhere(term.fingerprint, id);
            } else {
                out.put_term(term.fingerprint, id);
            }
            // The surface is not trimmed again: an entry may have become a blank.
            analyzer.key_of(self.text(term.surface)?, &mut key)?;
            walk.walk(&analyzer.fingerprinter, &key, filter, self.fields.occurrences);
            stay.clear();
            for (number, ngram) in walk.ngrams.iter().enumerate() {
                if frequent.contain(ngram.fingerprint) {
                    stay.push(number);
                } else {
                    let partition = partition_of(ngram.fingerprint, partitions);
                    out.put_ngrams(partition, (id, term.weight), &walk, &[number]);
                }
            }
            if !stay.is_empty() {
                let partition = partition_of(term.fingerprint, partitions);
                out.put_ngrams(partition, (id, term.weight), &walk, &stay);
            }
        }
        Ok((out, self.terms.len()))
    }

    fn text(&self, range: ByteRange) -> Result<&str> {
        std::str::from_utf8(range.of(&self.bytes)).map_err(|_| Error::Block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Options;
    use crate::build::entries::List;
    use crate::join::fingerprint::{Fingerprinter, KEY_BYTES};
    use crate::join::term_sender::TermSender;

    fn analyzer() -> TermAnalyzer {
        let fingerprinter = Fingerprinter::new(&[7; KEY_BYTES]);
        TermAnalyzer { options: Options::default(), normalizer: None, fingerprinter }
    }

    #[test]
    fn outgoing_blocks_are_made_a_few_megabytes_at_a_time() {
        let analyzer = analyzer();
        let long = |i: usize| format!("t{i} {}", "x ".repeat(3000));
        let terms: List = (0..3).map(long).collect::<Vec<_>>().iter().map(String::as_str).collect();
        let mut sender = TermSender::new(1, TermFields::default());
        sender.add(&analyzer, &terms, |_| &[], |_| 0.0).unwrap();
        let mut table = TermTable::new(TermFields::default());
        table.add_block(&sender.take()[0]).unwrap();
        let (mut first, mut calls) = (0, 0);
        while first < table.len() {
            let none = FrequentNGrams::default();
            let (out, next) = table.outgoing(&analyzer, first, 1, None, &none).unwrap();
            assert!(next > first);
            assert!(!out.terms[0].is_empty());
            (first, calls) = (next, calls + 1);
        }
        assert_eq!((first, calls), (3, 3));
    }

    #[test]
    fn equal_terms_have_the_least_id_and_the_sum_of_the_weights() {
        let analyzer = analyzer();
        let fields = TermFields { ids: true, weights: true, occurrences: false };
        let (mut table, mut sender) = (TermTable::new(fields), TermSender::new(1, fields));
        let ids: [&[u8]; 3] = [b"7", b"3", b"5"];
        for (row, entry) in ["a b", "a  b", "c"].into_iter().enumerate() {
            let list = List::from_iter([entry]);
            sender.add(&analyzer, &list, |_| ids[row], |_| row as f64 + 1.0).unwrap();
            if row != 1 {
                table.add_block(&sender.take()[0]).unwrap(); // the first two at a time
            }
        }
        let (ids, lengths, weights, next) = table.rows(0);
        assert_eq!(
            (ids.bytes.as_slice(), &lengths[..], &weights[..], next),
            (&b"35"[..], &[2, 1][..], &[3.0, 3.0][..], 2)
        );
    }
}
