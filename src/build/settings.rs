//! How to build an index.

use std::sync::Arc;

use crate::analysis::{Normalize, Options};
use crate::build::columns::UserColumns;
use crate::build::names::Aliases;
use crate::progress::Progress;

/// How to build an index.
#[derive(Clone, Default)]
pub struct Build {
    /// How terms become tokens.
    pub options: Options,
    /// The user's own normalisation of tokens.
    pub normalizer: Option<Arc<dyn Normalize>>,
    /// Other names of terms.
    pub aliases: Aliases,
    /// The user's own columns, which keep terms apart whose surfaces are equal.
    pub columns: Arc<UserColumns>,
    /// How many threads to use; one for each core if not given.
    pub threads: Option<usize>,
    /// How far the build is, and the way to cancel it.
    pub progress: Arc<Progress>,
    /// A lower limit of tokens than [`MAX_TOKENS`](crate::MAX_TOKENS), to test what happens at the limit.
    #[doc(hidden)]
    pub max_tokens: Option<u64>,
}
