//! The filter of Spark's join: a Bloom filter of all terms, which keeps n-grams that are not terms out of
//! the exchange.
//!
//! Walks along the n-grams of a long term also ask it whether any longer term begins like this. They ask
//! at a few *milestones*, the lengths 8, 16, 32, ...; so the filter has entries for the beginnings of long
//! terms only, and few of them.

use crate::error::Result;
use crate::join::analyzer::TermAnalyzer;
use crate::join::fingerprint::{Prefix, TokenValue, mix};

/// The length of the first milestone, in tokens; the others are the powers of two after it.
const FIRST_MILESTONE: usize = 8;

fn is_milestone(length: usize) -> bool {
    length >= FIRST_MILESTONE && length.is_power_of_two()
}

/// The entry that says that a term exists.
fn term_entry(fingerprint: u128) -> u64 {
    (fingerprint >> 64) as u64
}

/// The entry that says that a longer term begins like this.
fn milestone_entry(fingerprint: u128) -> u64 {
    mix(fingerprint as u64)
}

/// Calls `each` with the filter's entries of a term, given as by [`TermAnalyzer::visit_fingerprints`].
/// `key` is memory to use.
pub(super) fn each_entry(
    analyzer: &TermAnalyzer,
    (surface, length, fingerprint): (&str, u32, u128),
    key: &mut Vec<TokenValue>,
    mut each: impl FnMut(u64),
) -> Result<()> {
    each(term_entry(fingerprint));
    if length as usize > FIRST_MILESTONE {
        analyzer.key_of(surface, key)?;
        let mut prefix = Prefix::EMPTY;
        for (length, &token) in (1..key.len()).zip(key.iter()) {
            prefix = analyzer.fingerprinter.extend(prefix, token);
            if is_milestone(length) {
                each(milestone_entry(prefix.fingerprint()));
            }
        }
    }
    Ok(())
}

/// The terms of a vocabulary as a Bloom filter: it never denies a term, and lets few other n-grams
/// through.
///
/// An entry sets some bits of one 64-bit word, so that it costs one read of memory. The upper bits of the
/// entry choose the word, so that slices of the filter can be made by different tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermFilter {
    words: Vec<u64>,
    /// How many bits an entry sets.
    bits: u32,
}

impl TermFilter {
    /// The most bits that an entry sets. Six bits of the entry choose each, and these must not overlap
    /// with those that choose the word.
    const MAX_BITS: u32 = 5;

    /// The best number of bits for an entry to set, for a filter of this size.
    pub fn best_bits(bits_per_entry: f64) -> u32 {
        ((bits_per_entry / 3.2).round() as u32).clamp(1, TermFilter::MAX_BITS)
    }

    /// The filter of these words, in little endian order, in which an entry sets `bits` bits.
    pub fn from_bytes(bytes: &[u8], bits: u32) -> TermFilter {
        let (words, _) = bytes.as_chunks::<8>();
        let words = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        TermFilter { words, bits: bits.clamp(1, TermFilter::MAX_BITS) }
    }

    /// Adds entries to some words of a filter: those from number `first` on, of `all`. Entries of other
    /// words are ignored.
    pub fn enter(
        words: &mut [u64],
        first: usize,
        all: usize,
        bits: u32,
        entries: impl Iterator<Item = u64>,
    ) {
        for entry in entries {
            if let Some(word) = words.get_mut(word_of(entry, all).wrapping_sub(first)) {
                *word |= mask_of(entry, bits);
            }
        }
    }

    /// Whether there may be a term of this fingerprint.
    #[inline]
    pub(super) fn may_have_term(&self, fingerprint: u128) -> bool {
        self.may_have(term_entry(fingerprint))
    }

    /// Whether no longer term begins like this n-gram. Only known at milestones; elsewhere false.
    #[inline]
    pub(super) fn has_no_longer_term(&self, length: usize, fingerprint: u128) -> bool {
        is_milestone(length) && !self.may_have(milestone_entry(fingerprint))
    }

    /// Whether an entry was made. An empty filter has none.
    #[inline]
    fn may_have(&self, entry: u64) -> bool {
        let mask = mask_of(entry, self.bits);
        self.words.get(word_of(entry, self.words.len())).is_some_and(|word| word & mask == mask)
    }
}

/// The word of an entry in a filter of `words` words; or its slice, in a filter of that many slices.
#[inline]
pub(super) fn word_of(entry: u64, words: usize) -> usize {
    ((u128::from(entry) * words as u128) >> 64) as usize
}

/// The bits of an entry in its word. Its lower bits choose them; the word does not depend on these unless
/// there are billions of words.
#[inline]
fn mask_of(entry: u64, bits: u32) -> u64 {
    (0..bits).fold(0, |mask, bit| mask | 1 << (entry >> (6 * bit) & 63))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Options, Tokenizer};
    use crate::build::entries::List;
    use crate::join::fingerprint::{Fingerprinter, KEY_BYTES};
    use crate::join::ngrams::NGramWalk;

    fn analyzer(options: Options) -> TermAnalyzer {
        let fingerprinter = Fingerprinter::new(&[7; KEY_BYTES]);
        TermAnalyzer { options, normalizer: None, fingerprinter }
    }

    /// The terms' numbers and the starts of all n-grams that are let through.
    fn ngrams(analyzer: &TermAnalyzer, terms: &List, filter: &TermFilter) -> Vec<(usize, u32)> {
        let mut found = Vec::new();
        let mut walk = NGramWalk::default();
        for i in 0..terms.len() {
            let each = |_, start| found.push((i, start));
            walk.each_ngram(analyzer, terms.get(i), Some(filter), each).unwrap();
        }
        found
    }

    fn filter_of(analyzer: &TermAnalyzer, terms: &List, slices: usize) -> TermFilter {
        let slice_words = 40;
        let mut entries = Vec::new();
        let mut key = Vec::new();
        let each = |_, surface: &str, length, fingerprint| {
            let each = |entry| entries.push(entry);
            each_entry(analyzer, (surface, length, fingerprint), &mut key, each).unwrap();
        };
        analyzer.visit_fingerprints(terms, each).unwrap();
        let mut bytes = Vec::new();
        for slice in 0..slices {
            let mut words = vec![0; slice_words];
            let (first, all) = (slice * slice_words, slices * slice_words);
            TermFilter::enter(&mut words, first, all, 5, entries.iter().copied());
            bytes.extend(words.into_iter().flat_map(u64::to_le_bytes));
        }
        TermFilter::from_bytes(&bytes, 5)
    }

    #[test]
    fn a_filter_keeps_terms_and_drops_nearly_all_else() {
        let analyzer = analyzer(Options::default());
        let words: Vec<String> = (0..1000).map(|i| format!("w{i}")).collect();
        let list: List = words.iter().map(String::as_str).collect();
        // 7680 bits for 1000 terms.
        let filter = filter_of(&analyzer, &list, 3);
        let others: Vec<String> = (0..1000).map(|i| format!("x{i} w{i} y{i}")).collect();
        let list: List = others.iter().map(String::as_str).collect();
        let found = ngrams(&analyzer, &list, &filter);
        assert!((0..1000).all(|term| found.contains(&(term, 1))));
        // Four other n-grams of each term are not in the filter.
        assert!(found.len() < 1000 + 4000 / 8, "{}", found.len());
    }

    #[test]
    fn a_long_term_is_walked_as_far_as_terms_go() {
        let analyzer = analyzer(Options::of(Tokenizer::Chars));
        let long = "ab".repeat(2000);
        let list = List::from_iter([long.as_str(), &long[..1500], "ab"]);
        let filter = filter_of(&analyzer, &list, 1);
        let found = ngrams(&analyzer, &list, &filter);
        for term in [0, 1] {
            assert!(found.contains(&(term, 0)));
        }
        let more: List = List::from_iter(["x".repeat(4000).as_str()]);
        assert!(ngrams(&analyzer, &more, &filter).len() < 100);
    }
}
