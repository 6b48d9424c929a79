//! Text to tokens to keys: the one definition of a token, used by builds and by queries.

mod fold;
mod language;
mod normal_form;
mod offsets;
mod options;
mod text_words;
mod tokenizers;
mod white_space;

pub use language::Language;
pub use normal_form::Normalize;
pub(crate) use offsets::{CharCounter, char_count};
pub use options::{Options, Tokenizer};
pub(crate) use white_space::Spaces;
