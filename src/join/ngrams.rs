//! The parts of a containment join: what each machine makes of its share of a vocabulary.
//!
//! Term A is nested in term B exactly when A's key is an n-gram of B's. So the pairs of a vocabulary
//! that no machine holds are a join of its terms with its n-grams, by fingerprint. Three things keep
//! that join small:
//!
//! - only n-grams that may be terms leave the machine: a [`TermFilter`] of the whole vocabulary drops
//!   nearly all others, and ends a walk early where no term goes on;
//! - the n-grams that stand in very many terms, single words as a rule, are known to all machines
//!   ([`FrequentNGrams`]) and do not leave it either: the few terms that they are come to them;
//! - every distinct n-gram of a term is given once, with its first start.
//!
//! What leaves a machine is packed: see parcels.rs.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use crate::analysis::{Normalize, Options, Spaces};
use crate::build::entries::Entries;
use crate::error::{Error, Place, Result};
use crate::join::fingerprint::{Fingerprinter, Prefix, TokenValue, mix};
use crate::{MAX_TERM_BYTES, MAX_TERM_TOKENS};

/// Text to fingerprints, by the same rules as in an index.
pub struct TermAnalyzer {
    /// How terms become tokens.
    pub options: Options,
    /// The user's own normalisation of tokens.
    pub normalizer: Option<Arc<dyn Normalize>>,
    /// What makes fingerprints of them.
    pub fingerprinter: Fingerprinter,
}

/// A table by fingerprint: those are random enough to be hashes of themselves.
pub(crate) type ByFingerprint<T> = HashMap<u128, T, BuildHasherDefault<LowerHalf>>;

#[derive(Default)]
pub(crate) struct LowerHalf(u64);

impl Hasher for LowerHalf {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = mix(self.0 ^ u64::from(*byte));
        }
    }

    fn write_u128(&mut self, fingerprint: u128) {
        self.0 = fingerprint as u64;
    }
}

/// Walks ask the filter whether any term goes on when they are this long, and at each power of two
/// behind. So a filter has entries for the beginnings of long terms only, and few of them.
const FIRST_MILESTONE: usize = 8;

fn is_milestone(length: usize) -> bool {
    length >= FIRST_MILESTONE && length.is_power_of_two()
}

/// About so many n-grams of a term are counted, the shorter ones: all n-grams of a term of 4,096 tokens
/// would be eight million.
const COUNTED: usize = 1024;

impl TermAnalyzer {
    /// The values of a text's tokens; their number before those with an empty normal form were dropped.
    fn key_of(&self, text: &str, key: &mut Vec<TokenValue>) -> Result<usize> {
        key.clear();
        let mut count = 0;
        self.options.tokens(text, Spaces::None, |range| {
            count += 1;
            let mut form = self.options.normal_form(&text[range]);
            if let Some(normalizer) = &self.normalizer
                && !form.is_empty()
            {
                form = normalizer.normalize(&form)?.into();
            }
            if form.len() > MAX_TERM_BYTES {
                return Err(Error::TokenBytes { found: form.len() });
            }
            if !form.is_empty() {
                key.push(self.fingerprinter.token(&form));
            }
            Ok(())
        })?;
        Ok(count)
    }

    /// Calls `each` with the number, the surface and the key of every entry that is a term.
    fn visit_terms(
        &self,
        entries: &dyn Entries,
        mut each: impl FnMut(u32, &str, &[TokenValue]),
    ) -> Result<()> {
        let mut key = Vec::new();
        let mut row = 0;
        for part in entries.cut(1) {
            entries.visit(part, &mut |entry| {
                let entry = self.options.trim_entry(entry);
                let tokens = self.key_of(entry, &mut key)?;
                if tokens > 0 {
                    let surface = self.options.surface_of(entry);
                    let place = || Place::beginning(&surface);
                    if surface.len() > MAX_TERM_BYTES {
                        return Err(Error::TermBytes { place: place(), found: surface.len() });
                    }
                    if key.len() > MAX_TERM_TOKENS {
                        return Err(Error::TermTokens { place: place(), found: key.len() });
                    }
                    if !key.is_empty() {
                        each(row, &surface, &key);
                    }
                }
                row += 1;
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Calls `each` with the number, the surface, the number of tokens and the fingerprint of every
    /// entry that is a term.
    pub(crate) fn visit_fingerprints(
        &self,
        entries: &dyn Entries,
        mut each: impl FnMut(u32, &str, u32, u128),
    ) -> Result<()> {
        self.visit_terms(entries, |row, surface, key| {
            each(row, surface, key.len() as u32, self.fingerprint(key));
        })
    }

    fn fingerprint(&self, key: &[TokenValue]) -> u128 {
        let extend = |prefix, &token: &TokenValue| self.fingerprinter.extend(prefix, token);
        key.iter().fold(Prefix::EMPTY, extend).fingerprint()
    }

    /// Calls `each` with the entries that a [`TermFilter`] has for a term, given as in
    /// [`TermAnalyzer::visit_fingerprints`].
    pub(crate) fn each_filter_entry(
        &self,
        surface: &str,
        length: u32,
        fingerprint: u128,
        walk: &mut Walk,
        mut each: impl FnMut(u64),
    ) -> Result<()> {
        each(term_entry(fingerprint));
        if length as usize > FIRST_MILESTONE {
            self.key_of(surface, &mut walk.key)?;
            let mut prefix = Prefix::EMPTY;
            for (length, &token) in (1..walk.key.len()).zip(&walk.key) {
                prefix = self.fingerprinter.extend(prefix, token);
                if is_milestone(length) {
                    each(milestone_entry(prefix.fingerprint()));
                }
            }
        }
        Ok(())
    }

    /// Calls `each` with the fingerprint of every n-gram of a term that is shorter than the term. In
    /// long terms, only with the shorter ones.
    pub(crate) fn each_short_ngram(
        &self,
        surface: &str,
        walk: &mut Walk,
        mut each: impl FnMut(u128),
    ) -> Result<()> {
        let Walk { key, .. } = walk;
        self.key_of(surface, key)?;
        let all = key.len().saturating_sub(1);
        let longest = (COUNTED / key.len().max(1)).max(FIRST_MILESTONE).min(all);
        for start in 0..key.len() {
            let mut prefix = Prefix::EMPTY;
            for &token in key[start..].iter().take(longest) {
                prefix = self.fingerprinter.extend(prefix, token);
                each(prefix.fingerprint());
            }
        }
        Ok(())
    }

    /// Calls `each` with the fingerprint and the first start of every n-gram of a term that is shorter
    /// than the term and may be one itself, by the filter.
    ///
    /// The surface is given, which is not trimmed again: that of an entry may be a blank.
    pub(crate) fn each_ngram(
        &self,
        surface: &str,
        filter: Option<&TermFilter>,
        walk: &mut Walk,
        mut each: impl FnMut(u128, u32),
    ) -> Result<()> {
        let Walk { key, seen } = walk;
        self.key_of(surface, key)?;
        seen.clear();
        for start in 0..key.len() {
            let mut prefix = Prefix::EMPTY;
            for (length, &token) in (1..key.len()).zip(&key[start..]) {
                prefix = self.fingerprinter.extend(prefix, token);
                let fingerprint = prefix.fingerprint();
                if filter.is_none_or(|filter| filter.may_have(term_entry(fingerprint)))
                    && seen.insert(fingerprint)
                {
                    each(fingerprint, start as u32);
                }
                if is_milestone(length)
                    && let Some(filter) = filter
                    && !filter.may_have(milestone_entry(fingerprint))
                {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Memory that the walks along many terms share.
#[derive(Default)]
pub(crate) struct Walk {
    key: Vec<TokenValue>,
    seen: Seen,
}

/// The n-grams of one term that were met: few as a rule, when looking through them is fastest.
#[derive(Default)]
struct Seen {
    few: Vec<u128>,
    many: ByFingerprint<()>,
}

const FEW: usize = 16;

impl Seen {
    fn clear(&mut self) {
        self.few.clear();
        self.many.clear();
    }

    /// Whether it had not been met.
    fn insert(&mut self, fingerprint: u128) -> bool {
        if self.many.is_empty() {
            if self.few.contains(&fingerprint) {
                return false;
            }
            self.few.push(fingerprint);
            if self.few.len() > FEW {
                self.many.extend(self.few.iter().map(|&fingerprint| (fingerprint, ())));
            }
            return true;
        }
        self.many.insert(fingerprint, ()).is_none()
    }
}

/// The n-grams that stand in very many terms, by fingerprint, with a number for each.
#[derive(Default)]
pub struct FrequentNGrams {
    numbers: ByFingerprint<u32>,
}

impl FrequentNGrams {
    /// The n-grams of these fingerprints, numbered in their order.
    pub fn new(fingerprints: impl Iterator<Item = u128>) -> FrequentNGrams {
        FrequentNGrams { numbers: fingerprints.zip(0..).collect() }
    }

    /// The number of an n-gram, if it is among them.
    #[inline]
    pub(crate) fn number(&self, fingerprint: u128) -> Option<u32> {
        self.numbers.get(&fingerprint).copied()
    }
}

/// The entry of a [`TermFilter`] that says: there is such a term.
fn term_entry(fingerprint: u128) -> u64 {
    (fingerprint >> 64) as u64
}

/// The entry of a [`TermFilter`] that says: a longer term begins like this.
fn milestone_entry(fingerprint: u128) -> u64 {
    mix(fingerprint as u64)
}

/// The terms of a vocabulary as a Bloom filter: it never denies a term, and lets few other n-grams
/// through.
///
/// An entry sets some bits of one 64-bit word, so that it costs one look into memory. Which word, the
/// upper bits of the entry tell, so that parts of the filter can be made apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermFilter {
    words: Vec<u64>,
    /// How many bits an entry sets.
    bits: u32,
}

impl TermFilter {
    /// The most bits that an entry sets; six bits of it tell each, and they must not reach those that
    /// tell the word.
    const MOST_BITS: u32 = 5;

    /// The best number of bits to set when there are so many bits for each entry.
    pub fn best_bits(bits_per_entry: f64) -> u32 {
        ((bits_per_entry / 3.2).round() as u32).clamp(1, TermFilter::MOST_BITS)
    }

    /// The filter of these words, in little endian order; if entries set so many bits.
    pub fn from_bytes(bytes: &[u8], bits: u32) -> TermFilter {
        let (words, _) = bytes.as_chunks::<8>();
        let words = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        TermFilter { words, bits: bits.clamp(1, TermFilter::MOST_BITS) }
    }

    /// Makes entries in some words of a filter: those from number `first` on, of `all`. Entries that
    /// belong to others are passed over.
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

    /// Whether an entry was made. An empty filter has none.
    #[inline]
    fn may_have(&self, entry: u64) -> bool {
        let mask = mask_of(entry, self.bits);
        self.words.get(word_of(entry, self.words.len())).is_some_and(|word| word & mask == mask)
    }
}

/// The word of an entry, of so many.
#[inline]
pub fn word_of(entry: u64, words: usize) -> usize {
    ((u128::from(entry) * words as u128) >> 64) as usize
}

/// The bits of an entry in its word: told by its lower bits, of which the word depends on none unless
/// there are billions of words.
#[inline]
fn mask_of(entry: u64, bits: u32) -> u64 {
    (0..bits).fold(0, |mask, bit| mask | 1 << (entry >> (6 * bit) & 63))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KEY_BYTES;
    use crate::analysis::Tokenizer;
    use crate::build::entries::List;

    fn analyzer(options: Options) -> TermAnalyzer {
        let fingerprinter = Fingerprinter::new(&[7; KEY_BYTES]);
        TermAnalyzer { options, normalizer: None, fingerprinter }
    }

    /// The terms' numbers and the starts of all n-grams that are let through.
    fn ngrams(analyzer: &TermAnalyzer, terms: &List, filter: &TermFilter) -> Vec<(usize, u32)> {
        let mut found = Vec::new();
        let mut walk = Walk::default();
        for i in 0..terms.len() {
            let each = |_, start| found.push((i, start));
            analyzer.each_ngram(terms.get(i), Some(filter), &mut walk, each).unwrap();
        }
        found
    }

    fn filter_of(analyzer: &TermAnalyzer, terms: &List, parts: usize) -> TermFilter {
        let part_words = 40;
        let mut entries = Vec::new();
        let mut walk = Walk::default();
        let each = |_, surface: &str, length, fingerprint| {
            let each = |entry| entries.push(entry);
            analyzer.each_filter_entry(surface, length, fingerprint, &mut walk, each).unwrap();
        };
        analyzer.visit_fingerprints(terms, each).unwrap();
        let mut bytes = Vec::new();
        for part in 0..parts {
            let mut words = vec![0; part_words];
            let (first, all) = (part * part_words, parts * part_words);
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
        let options = Options { tokenizer: Tokenizer::Chars, ..Options::default() };
        let analyzer = analyzer(options);
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
