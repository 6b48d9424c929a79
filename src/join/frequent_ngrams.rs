//! The n-grams that occur in very many terms, which every machine knows.

use crate::join::fingerprint::ByFingerprint;

/// The n-grams that occur in very many terms, by fingerprint, with a number for each.
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
    pub(super) fn number(&self, fingerprint: u128) -> Option<u32> {
        self.numbers.get(&fingerprint).copied()
    }
}
