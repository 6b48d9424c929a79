//! The containment join of a vocabulary that no machine holds.

pub(crate) mod blocks;
pub(crate) mod fingerprint;
pub(crate) mod ngrams;
