//! Text to tokens to keys: the one definition of a token, used by builds and by queries.

mod capitals;
mod fold;
mod language;
mod matching;
mod normal_form;
mod offsets;
mod options;
mod text_words;
mod tokenizers;
mod white_space;

pub(crate) use capitals::is_capitals;
pub use language::Language;
pub use normal_form::Normalize;
pub(crate) use offsets::{CharCounter, char_count};
pub use options::{Case, Hyphens, Options, Tokenizer};
pub(crate) use text_words::{is_apostrophe, is_hyphen, is_unspaced};
pub(crate) use white_space::Spaces;
