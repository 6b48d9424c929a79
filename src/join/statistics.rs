//! Statistics of a part of the vocabulary: what all machines must know before terms are exchanged.

use crate::build::entries::Entries;
use crate::error::Result;
use crate::join::analyzer::TermAnalyzer;
use crate::join::blocks::{checksum, partition_of};
use crate::join::fingerprint::{ByFingerprint, mix};
use crate::join::ngrams::each_short_ngram;
use crate::join::term_filter::{each_entry, word_of};

/// The entries of a [`TermFilter`](crate::TermFilter), the counts of n-grams in a sample of the terms, and
/// the checksum of each partition to be.
pub struct PartitionStatistics {
    /// Terms up to this number, made of their fingerprints, are in the sample: a random one, and the same
    /// wherever a term occurs.
    last_sampled: u64,
    /// The terms in the sample.
    sampled: u64,
    /// In how many terms of the sample an n-gram occurs, and the last of them.
    counts: ByFingerprint<(u64, u64)>,
    /// The entries of the filter, by its slices.
    filter: Vec<Vec<u64>>,
    /// By partition.
    checksums: Vec<u128>,
    /// The entries that are terms, equal ones included.
    entries: u64,
    /// Fingerprints of terms that were added not long ago, each in a slot of its own. They are skipped, so
    /// that a term that occurs a billion times does not make a billion entries of the filter.
    recent: Vec<u128>,
}

/// The logarithm of the number of recent terms: 1 MB of fingerprints.
const RECENT_BITS: u32 = 16;
/// Bytes of entries of the filter at which they are sent.
const FILTER_BYTES: usize = 1 << 24;

impl PartitionStatistics {
    /// Empty statistics of a vocabulary with `partitions`, for a filter of `filter_slices` and a sample of
    /// a share of the terms, from 0 to 1.
    pub fn new(partitions: usize, filter_slices: usize, sample: f64) -> PartitionStatistics {
        PartitionStatistics {
            last_sampled: (sample * u64::MAX as f64) as u64,
            sampled: 0,
            counts: ByFingerprint::default(),
            filter: vec![Vec::new(); filter_slices],
            checksums: vec![0; partitions],
            entries: 0,
            recent: vec![0; 1 << RECENT_BITS],
        }
    }

    /// Adds the entries that are terms.
    pub fn add(&mut self, analyzer: &TermAnalyzer, entries: &dyn Entries) -> Result<()> {
        let PartitionStatistics { counts, filter, checksums, recent, .. } = self;
        let (partitions, slices) = (checksums.len(), filter.len());
        analyzer.visit_terms(entries, |_, _, key| {
            let fingerprint = analyzer.fingerprint(key);
            self.entries += 1;
            checksums[partition_of(fingerprint, partitions)] += checksum(fingerprint);
            let slot = &mut recent[(fingerprint >> (128 - RECENT_BITS)) as usize];
            if std::mem::replace(slot, fingerprint) == fingerprint {
                return;
            }
            if slices > 0 {
                let enter = |entry| filter[word_of(entry, slices)].push(entry);
                each_entry(&analyzer.fingerprinter, key, fingerprint, enter);
            }
            if mix(fingerprint as u64 ^ 1) <= self.last_sampled {
                self.sampled += 1;
                each_short_ngram(&analyzer.fingerprinter, key, |ngram| {
                    let (count, last) = counts.entry(ngram).or_default();
                    if *last != self.sampled {
                        (*count, *last) = (*count + 1, self.sampled);
                    }
                });
            }
        })
    }

    /// Whether there are so many entries of the filter that they should be taken and sent.
    pub fn is_full(&self) -> bool {
        self.filter.iter().map(Vec::len).sum::<usize>() * size_of::<u64>() >= FILTER_BYTES
    }

    /// The entries of the filter since the last call, by its slices: the input of
    /// [`TermFilter::enter`](crate::TermFilter::enter).
    pub fn take_filter(&mut self) -> Vec<Vec<u64>> {
        let slices = self.filter.len();
        std::mem::replace(&mut self.filter, vec![Vec::new(); slices])
    }

    /// N-grams, with the number of sampled terms in which each occurs. If there are more than `most`,
    /// those of one term are left out.
    pub fn counts(&self, most: usize) -> Vec<(u128, u64)> {
        let least = if self.counts.len() > most { 2 } else { 1 };
        let counts = self.counts.iter().map(|(&fingerprint, &(count, _))| (fingerprint, count));
        counts.filter(|(_, count)| *count >= least).collect()
    }

    /// The number of terms in the sample.
    pub fn sampled(&self) -> u64 {
        self.sampled
    }

    /// The number of entries that are terms, equal ones included.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// The checksums of the entries, by partition.
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
    fn ngrams_are_counted_once_a_term_and_terms_are_entered() {
        let analyzer = analyzer();
        let long = "x ".repeat(20);
        let list = List::from_iter(["a b a", "a c", "a", "a", "b a", "", &long]);
        let mut statistics = PartitionStatistics::new(2, 2, 1.0);
        statistics.add(&analyzer, &list).unwrap();
        assert_eq!((statistics.entries(), statistics.sampled()), (6, 5));
        let mut counts = statistics.counts(4);
        counts.sort_unstable_by_key(|&(_, count)| count);
        let of = |text| fingerprint_of(&analyzer, text);
        assert_eq!(counts, [(of("b"), 2), (of("a"), 3)]);
        // "a", "b", "c", "a b", "b a", and 19 of the long one
        assert_eq!(statistics.counts(24).len(), 24);
        // A term of 20 tokens has entries for its first 8 and 16 too. "a" is entered once.
        let filter = statistics.take_filter();
        assert_eq!(filter.iter().map(Vec::len).sum::<usize>(), 5 + 2);
        assert!(filter[0].iter().all(|&entry| entry < 1 << 63));
        assert!(filter[1].iter().all(|&entry| entry >= 1 << 63));
        assert!(statistics.take_filter().iter().all(Vec::is_empty));
        let all = ["a b a", "a c", "a", "a", "b a", &long].map(|text| checksum(of(text)));
        assert_eq!(statistics.checksums().iter().sum::<u128>(), all.iter().sum());
    }

    #[test]
    fn the_sample_has_its_share_of_the_terms() {
        let analyzer = analyzer();
        let entries: Vec<String> = (0..10_000).map(|i| format!("t{i}")).collect();
        let list: List = entries.iter().map(String::as_str).collect();
        for (sample, expected) in [(0.0, 0..=0), (0.1, 900..=1100), (1.0, 10_000..=10_000)] {
            let mut statistics = PartitionStatistics::new(1, 0, sample);
            statistics.add(&analyzer, &list).unwrap();
            assert!(expected.contains(&statistics.sampled()), "{sample}");
        }
    }
}
