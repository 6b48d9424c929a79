//! The n-grams that occur in very many terms, which every machine knows.

use crate::join::fingerprint::ByFingerprint;

/// The n-grams that occur in very many terms.
#[derive(Default)]
pub struct FrequentNGrams(ByFingerprint<()>);

impl FrequentNGrams {
    /// The n-grams of these fingerprints, of 16 bytes each, one after the other.
    pub fn from_bytes(fingerprints: &[u8]) -> FrequentNGrams {
        let (fingerprints, _) = fingerprints.as_chunks::<16>();
        let set = fingerprints.iter().map(|bytes| (u128::from_le_bytes(*bytes), ()));
        FrequentNGrams(set.collect())
    }

    /// Whether an n-gram is among them.
    #[inline]
    pub(super) fn contain(&self, fingerprint: u128) -> bool {
        self.0.contains_key(&fingerprint)
    }
}
