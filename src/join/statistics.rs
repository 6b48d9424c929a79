//! Statistics of a partition: what all machines must know of its terms before n-grams are exchanged.

use crate::error::{Error, Result};
use crate::join::analyzer::TermAnalyzer;
use crate::join::blocks::{TermFields, read_terms};
use crate::join::fingerprint::{ByFingerprint, TokenValue};
use crate::join::ngrams::NGramWalk;
use crate::join::term_filter::{each_entry, word_of};

/// The entries of a [`TermFilter`](crate::TermFilter), and the counts of n-grams in a sample of the terms.
pub struct PartitionStatistics {
    fields: TermFields,
    /// How many more terms are to be sampled. The first terms of a partition are a random sample: they
    /// come by fingerprint.
    sample: usize,
    /// In how many terms of the sample an n-gram occurs, and the last of them.
    counts: ByFingerprint<(u64, usize)>,
    /// The entries of the filter, by its slices.
    filter: Vec<Vec<u64>>,
    /// The entries of the vocabulary, equal ones included.
    entries: u64,
    walk: NGramWalk,
    key: Vec<TokenValue>,
}

impl PartitionStatistics {
    /// Empty statistics, for a filter of `filter_slices` and a sample of `sample` terms.
    pub fn new(fields: TermFields, filter_slices: usize, sample: usize) -> PartitionStatistics {
        PartitionStatistics {
            fields,
            sample,
            counts: ByFingerprint::default(),
            filter: vec![Vec::new(); filter_slices],
            entries: 0,
            walk: NGramWalk::default(),
            key: Vec::new(),
        }
    }

    /// Adds the terms of a block. Equal terms of several blocks are not merged: that makes no difference
    /// to the filter, and little to the counts.
    pub fn add_block(&mut self, analyzer: &TermAnalyzer, block: &[u8]) -> Result<()> {
        let PartitionStatistics { fields, sample, counts, filter, walk, key, .. } = self;
        self.entries += read_terms(block, *fields, |term| {
            let surface = std::str::from_utf8(term.surface).map_err(|_| Error::Block)?;
            let slices = filter.len();
            if slices > 0 {
                let enter = |entry| filter[word_of(entry, slices)].push(entry);
                each_entry(analyzer, (surface, term.length, term.fingerprint), key, enter)?;
            }
            if *sample > 0 {
                *sample -= 1;
                walk.each_short_ngram(analyzer, surface, |ngram| {
                    let (count, last) = counts.entry(ngram).or_insert((0, usize::MAX));
                    if *last != *sample {
                        (*count, *last) = (*count + 1, *sample);
                    }
                })?;
            }
            Ok(())
        })?;
        Ok(())
    }

    /// The entries of the filter, by its slices: the input of [`TermFilter::enter`](crate::TermFilter::enter).
    pub fn filter(&self) -> &[Vec<u64>] {
        &self.filter
    }

    /// N-grams, with the number of sampled terms in which each occurs. If there are more than `most`,
    /// those of one term are left out.
    pub fn counts(&self, most: usize) -> Vec<(u128, u64)> {
        let least = if self.counts.len() > most { 2 } else { 1 };
        let counts = self.counts.iter().map(|(&fingerprint, &(count, _))| (fingerprint, count));
        counts.filter(|(_, count)| *count >= least).collect()
    }

    /// The number of entries, equal ones included.
    pub fn entries(&self) -> u64 {
        self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Options;
    use crate::build::entries::List;
    use crate::join::fingerprint::{Fingerprinter, KEY_BYTES};
    use crate::join::term_sender::TermSender;

    #[test]
    fn ngrams_are_counted_once_a_term_and_terms_are_entered() {
        let fingerprinter = Fingerprinter::new(&[7; KEY_BYTES]);
        let options = Options::default();
        let analyzer = TermAnalyzer { options, normalizer: None, fingerprinter };
        let fields = TermFields::default();
        let long = "x ".repeat(20);
        let list = List::from_iter(["a b a", "a c", "a", "b a", "not in the sample", &long]);
        let mut sender = TermSender::new(1, fields);
        sender.add(&analyzer, &list, |_| &[], |_| 0.0).unwrap();
        let mut statistics = PartitionStatistics::new(fields, 2, 4);
        statistics.add_block(&analyzer, &sender.take()[0]).unwrap();
        assert_eq!(statistics.entries(), 6);
        let fingerprint_of = |text| {
            let mut found = 0;
            let each = |_, _: &str, _, fingerprint| found = fingerprint;
            analyzer.visit_fingerprints(&List::from_iter([text]), each).unwrap();
            found
        };
        let mut counts = statistics.counts(4);
        counts.sort_unstable_by_key(|&(_, count)| count);
        assert_eq!(counts, [(fingerprint_of("b"), 2), (fingerprint_of("a"), 3)]);
        // "a", "b", "c", "a b" and "b a"
        assert_eq!(statistics.counts(5).len(), 5);
        // A term of 20 tokens has entries for its first 8 and 16 too.
        assert_eq!(statistics.filter().iter().map(Vec::len).sum::<usize>(), 6 + 2);
        assert!(statistics.filter()[0].iter().all(|&entry| entry < 1 << 63));
        assert!(statistics.filter()[1].iter().all(|&entry| entry >= 1 << 63));
    }
}
