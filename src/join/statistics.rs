//! Statistics of a part of the vocabulary: what all machines must know before terms are exchanged.

use crate::build::entries::Entries;
use crate::error::Result;
use crate::join::analyzer::TermAnalyzer;
use crate::join::blocks::{checksum, partition_of};
use crate::join::fingerprint::ByFingerprint;
use crate::join::ngrams::each_short_ngram;
use crate::join::term_filter::{each_entry, word_of};

/// In how many terms of a sample the n-grams occur.
#[derive(Default)]
pub struct NGramCounts {
    /// The number of terms.
    pub terms: u64,
    /// The number of their n-grams that are shorter than the term, with those that occur in it again.
    pub ngrams: u64,
    /// The terms of each n-gram, and the last of them.
    counts: ByFingerprint<(u64, u64)>,
}

impl NGramCounts {
    /// Adds the entries that are terms.
    pub fn add(&mut self, analyzer: &TermAnalyzer, entries: &dyn Entries) -> Result<()> {
        analyzer.visit_terms(entries, |_, _, key| {
            self.terms += 1;
            self.ngrams += (key.len() * (key.len() + 1) / 2 - 1) as u64;
            each_short_ngram(&analyzer.fingerprinter, key, |ngram| {
                let (count, last) = self.counts.entry(ngram).or_default();
                if *last != self.terms {
                    (*count, *last) = (*count + 1, self.terms);
                }
            });
        })
    }

    /// N-grams, with the number of terms in which each occurs. If there are more than `most`, those of one
    /// term are left out.
    pub fn counts(&self, most: usize) -> Vec<(u128, u64)> {
        let least = if self.counts.len() > most { 2 } else { 1 };
        let counts = self.counts.iter().map(|(&fingerprint, &(count, _))| (fingerprint, count));
        counts.filter(|(_, count)| *count >= least).collect()
    }
}

/// The entries of a [`TermFilter`](crate::TermFilter), and the checksums of the partitions to be.
pub struct FilterEntries {
    /// By the slices of the filter.
    slices: Vec<Vec<u64>>,
    /// By partition.
    checksums: Vec<u128>,
    /// Fingerprints of terms that were added not long ago, each in a slot of its own. They are skipped, so
    /// that a term that occurs a billion times does not make a billion entries.
    recent: Vec<u128>,
}

/// The logarithm of the number of recent terms: 1 MB of fingerprints.
const RECENT_BITS: u32 = 16;
/// Bytes of entries at which they are sent.
const ENOUGH_BYTES: usize = 1 << 24;

impl FilterEntries {
    /// No entries, for a filter of `slices` and a vocabulary of `partitions`.
    pub fn new(slices: usize, partitions: usize) -> FilterEntries {
        FilterEntries {
            slices: vec![Vec::new(); slices],
            checksums: vec![0; partitions],
            recent: vec![0; 1 << RECENT_BITS],
        }
    }

    /// Adds the entries of the vocabulary that are terms.
    pub fn add(&mut self, analyzer: &TermAnalyzer, entries: &dyn Entries) -> Result<()> {
        let FilterEntries { slices, checksums, recent } = self;
        let (partitions, count) = (checksums.len(), slices.len());
        analyzer.visit_terms(entries, |_, _, key| {
            let fingerprint = analyzer.fingerprint(key);
            checksums[partition_of(fingerprint, partitions)] += checksum(fingerprint);
            let slot = &mut recent[(fingerprint >> (128 - RECENT_BITS)) as usize];
            if count > 0 && std::mem::replace(slot, fingerprint) != fingerprint {
                let enter = |entry| slices[word_of(entry, count)].push(entry);
                each_entry(&analyzer.fingerprinter, key, fingerprint, enter);
            }
        })
    }

    /// Whether there are enough that they should be taken and sent.
    pub fn is_full(&self) -> bool {
        self.slices.iter().map(Vec::len).sum::<usize>() * size_of::<u64>() >= ENOUGH_BYTES
    }

    /// The entries since the last call, by the slices of the filter: the input of
    /// [`TermFilter::enter`](crate::TermFilter::enter).
    pub fn take(&mut self) -> Vec<Vec<u64>> {
        let empty = vec![Vec::new(); self.slices.len()];
        std::mem::replace(&mut self.slices, empty)
    }

    /// The checksums of the vocabulary's entries, by partition.
    pub fn checksums(&self) -> &[u128] {
        &self.checksums
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

    fn fingerprint_of(analyzer: &TermAnalyzer, text: &str) -> u128 {
        let mut key = Vec::new();
        analyzer.key_of(text, &mut key).unwrap();
        analyzer.fingerprint(&key)
    }

    #[test]
    fn ngrams_are_counted_once_a_term() {
        let analyzer = analyzer();
        let mut counts = NGramCounts::default();
        counts.add(&analyzer, &List::from_iter(["a b a", "a c", "a", "", "b a"])).unwrap();
        assert_eq!((counts.terms, counts.ngrams), (4, 5 + 2 + 2));
        let mut found = counts.counts(4);
        found.sort_unstable_by_key(|&(_, count)| count);
        let of = |text| fingerprint_of(&analyzer, text);
        assert_eq!(found, [(of("b"), 2), (of("a"), 3)]);
        // "a", "b", "c", "a b" and "b a"
        assert_eq!(counts.counts(5).len(), 5);
    }

    #[test]
    fn terms_are_entered_with_their_milestones() {
        let analyzer = analyzer();
        let long = "x ".repeat(20);
        let terms = ["a b", "a", "a", "", &long];
        let mut entries = FilterEntries::new(2, 3);
        entries.add(&analyzer, &List::from_iter(terms)).unwrap();
        // "a" is entered once, and the term of 20 tokens with its first 8 and 16.
        let slices = entries.take();
        assert_eq!(slices.iter().map(Vec::len).sum::<usize>(), 2 + 3);
        assert!(slices[0].iter().all(|&entry| entry < 1 << 63));
        assert!(slices[1].iter().all(|&entry| entry >= 1 << 63));
        assert!(entries.take().iter().all(Vec::is_empty));
        let all =
            terms.map(
                |text| if text.is_empty() { 0 } else { checksum(fingerprint_of(&analyzer, text)) },
            );
        assert_eq!(entries.checksums().iter().sum::<u128>(), all.iter().sum::<u128>());
    }
}
