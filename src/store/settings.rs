//! How to open a store.

use std::sync::Arc;

use crate::analysis::Normalize;

/// How to open a store.
#[derive(Clone, Default)]
pub struct StoreOptions {
    /// The user's own normalisation of tokens, if the store was created with one.
    pub normalizer: Option<Arc<dyn Normalize>>,
    /// How many threads build segments; one for each core if not given.
    pub threads: Option<usize>,
    /// The rows that the first tier can hold.
    pub first_tier: Option<usize>,
}
