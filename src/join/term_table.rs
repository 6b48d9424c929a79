//! The terms of a partition, each once.

use std::collections::hash_map::Entry;

use crate::build::entries::Entries;
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
    /// The entries that were added. Equal ones are one term.
    entries: u64,
}

impl TermTable {
    /// An empty table of terms with these fields.
    pub fn new(fields: TermFields) -> TermTable {
        let (terms, bytes) = (Vec::new(), Vec::new());
        TermTable { fields, first: ByFingerprint::default(), terms, bytes, entries: 0 }
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The number of entries that were added, equal ones included.
    pub(super) fn entries(&self) -> u64 {
        self.entries
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
        self.entries = 0;
    }

    /// Adds the entries that are terms. `id` and `weight` return those of a row; they are called only if
    /// the table has such a field.
    pub fn add<'a>(
        &mut self,
        analyzer: &TermAnalyzer,
        entries: &dyn Entries,
        id: impl Fn(usize) -> &'a [u8],
        weight: impl Fn(usize) -> f64,
    ) -> Result<()> {
        analyzer.visit_fingerprints(entries, |row, surface, length, fingerprint| {
            let row = row as usize;
            let id = if self.fields.ids { id(row) } else { &[] };
            let weight = if self.fields.weights { weight(row) } else { 0.0 };
            self.entries += 1;
            self.push(&TermRecord { fingerprint, surface: surface.as_bytes(), length, id, weight });
        })
    }

    /// Adds the terms of a block.
    pub fn add_block(&mut self, block: &[u8]) -> Result<()> {
        let fields = self.fields;
        self.entries += read_terms(block, fields, |term| {
            self.push(&term);
            Ok(())
        })?;
        Ok(())
    }

    fn push(&mut self, term: &TermRecord) {
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
        let mut walk = NGramWalk::default();
        let mut found: Vec<(u32, u32)> = Vec::new();
        for (number, term) in self.terms.iter().enumerate().skip(first) {
            if out.is_full() {
                return Ok((out, number));
            }
            let id = term.id.of(&self.bytes);
            match frequent.number(term.fingerprint) {
                Some(number) => out.put_frequent_term(number, id),
                None => out.put_term(term.fingerprint, id),
            }
            found.clear();
            let surface = self.text(term.surface)?;
            walk.each_ngram(analyzer, surface, filter, |fingerprint, start| {
                match frequent.number(fingerprint) {
                    Some(number) => found.push((number, start)),
                    None => out.put_ngram(fingerprint, start, id, term.weight),
                }
            })?;
            if !found.is_empty() {
                let partition = partition_of(term.fingerprint, partitions);
                out.put_frequent_ngrams(partition, &found, id, term.weight);
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

    fn analyzer() -> TermAnalyzer {
        let fingerprinter = Fingerprinter::new(&[7; KEY_BYTES]);
        TermAnalyzer { options: Options::default(), normalizer: None, fingerprinter }
    }

    #[test]
    fn outgoing_blocks_are_made_a_few_megabytes_at_a_time() {
        let analyzer = analyzer();
        let long = |i: usize| format!("t{i} {}", "x ".repeat(3000));
        let terms: List = (0..3).map(long).collect::<Vec<_>>().iter().map(String::as_str).collect();
        let mut table = TermTable::new(TermFields::default());
        table.add(&analyzer, &terms, |_| &[], |_| 0.0).unwrap();
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
        let mut table = TermTable::new(TermFields { ids: true, weights: true });
        let ids: [&[u8]; 3] = [b"7", b"3", b"5"];
        let list = List::from_iter(["a b", "a  b", "c"]);
        table.add(&analyzer, &list, |row| ids[row], |row| row as f64 + 1.0).unwrap();
        let (ids, lengths, weights, next) = table.rows(0);
        assert_eq!(
            (ids.bytes.as_slice(), &lengths[..], &weights[..], next),
            (&b"35"[..], &[2, 1][..], &[3.0, 3.0][..], 2)
        );
    }
}
