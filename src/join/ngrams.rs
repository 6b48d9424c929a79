//! Walks along the n-grams of a term: those that are sent, and those that are counted.

use crate::error::Result;
use crate::join::analyzer::TermAnalyzer;
use crate::join::fingerprint::{ByFingerprint, Prefix, TokenValue};
use crate::join::term_filter::TermFilter;

/// About how many n-grams of a term are counted, the shorter ones. A term of 4,096 tokens has eight
/// million n-grams.
const COUNTED_NGRAMS: usize = 1024;
/// N-grams up to this length, in tokens, are counted in terms of any length.
const COUNTED_LENGTH: usize = 8;

/// The memory that walks along many terms share.
#[derive(Default)]
pub(super) struct NGramWalk {
    key: Vec<TokenValue>,
    met: MetNGrams,
}

impl NGramWalk {
    /// Calls `each` with the fingerprint and the first start of every n-gram of a term that is shorter
    /// than the term and may be a term by the filter.
    ///
    /// The surface is not trimmed again: an entry may have become a blank.
    pub(super) fn each_ngram(
        &mut self,
        analyzer: &TermAnalyzer,
        surface: &str,
        filter: Option<&TermFilter>,
        mut each: impl FnMut(u128, u32),
    ) -> Result<()> {
        let NGramWalk { key, met } = self;
        analyzer.key_of(surface, key)?;
        met.clear();
        for start in 0..key.len() {
            let mut prefix = Prefix::EMPTY;
            for (length, &token) in (1..key.len()).zip(&key[start..]) {
                prefix = analyzer.fingerprinter.extend(prefix, token);
                let fingerprint = prefix.fingerprint();
                if filter.is_none_or(|filter| filter.may_have_term(fingerprint))
                    && met.insert(fingerprint)
                {
                    each(fingerprint, start as u32);
                }
                if filter.is_some_and(|filter| filter.has_no_longer_term(length, fingerprint)) {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Calls `each` with the fingerprint of every n-gram of a term that is shorter than the term; in long
    /// terms, only of the shorter ones. N-grams that repeat are given again.
    pub(super) fn each_short_ngram(
        &mut self,
        analyzer: &TermAnalyzer,
        surface: &str,
        mut each: impl FnMut(u128),
    ) -> Result<()> {
        let key = &mut self.key;
        analyzer.key_of(surface, key)?;
        let all = key.len().saturating_sub(1);
        let longest = (COUNTED_NGRAMS / key.len().max(1)).max(COUNTED_LENGTH).min(all);
        for start in 0..key.len() {
            let mut prefix = Prefix::EMPTY;
            for &token in key[start..].iter().take(longest) {
                prefix = analyzer.fingerprinter.extend(prefix, token);
                each(prefix.fingerprint());
            }
        }
        Ok(())
    }
}

/// The n-grams of one term that the walk has met: a list while they are few, as in most terms, and then a
/// table.
#[derive(Default)]
struct MetNGrams {
    list: Vec<u128>,
    table: ByFingerprint<()>,
}

/// N-grams in the list. Searching a list of 16 is faster than a hash table.
const LIST_LENGTH: usize = 16;

impl MetNGrams {
    fn clear(&mut self) {
        self.list.clear();
        self.table.clear();
    }

    /// Returns whether it is the first time.
    fn insert(&mut self, fingerprint: u128) -> bool {
        if self.table.is_empty() {
            if self.list.contains(&fingerprint) {
                return false;
            }
            self.list.push(fingerprint);
            if self.list.len() > LIST_LENGTH {
                self.table.extend(self.list.iter().map(|&fingerprint| (fingerprint, ())));
            }
            return true;
        }
        self.table.insert(fingerprint, ()).is_none()
    }
}
