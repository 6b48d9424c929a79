//! Text to tokens to keys: the one definition of a token, used by builds and by queries.

mod tokenizers;

pub(crate) use tokenizers::{CharCounter, Spaces, char_count};
pub use tokenizers::{Normalize, Options, Tokenizer};
