//! What a search compares, and what it keeps.

use crate::analysis::{Hyphens, Options, Tokenizer};

/// What separates the tokens in the entries of the second index. It is white space to Python, so no token
/// contains it.
pub(super) const SEPARATOR: &str = "\u{1F}";

/// What is compared of the given tokens and of terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compared {
    /// Both as the index reads them, in all three views.
    #[default]
    Text,
    /// The normal forms that the index makes of the given tokens, which need not be those of the text:
    /// they may be lemmas.
    Normal,
    /// The given tokens and those of the terms as they are.
    Exact,
    /// The same in lower case.
    Lower,
}

impl Compared {
    /// Whether normal forms of the index are compared.
    pub(super) fn is_normal(self) -> bool {
        matches!(self, Compared::Text | Compared::Normal)
    }

    /// How the index of respelled terms compares tokens.
    pub(super) fn options(self, own: &Options) -> Options {
        let base = match self {
            Compared::Text | Compared::Normal => own.clone(),
            Compared::Exact => Options::default(),
            Compared::Lower => Options { lowercase: true, ..Options::default() },
        };
        let tokenizer = Tokenizer::Whitespace;
        let hyphens = Hyphens::unnamed(tokenizer);
        Options { tokenizer, separator: Some(SEPARATOR.into()), hyphens, ..base }
    }
}

/// What becomes of a term that begins or ends inside a given token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alignment {
    /// It is dropped.
    #[default]
    Strict,
    /// It has the tokens that are inside of it.
    Contract,
    /// It has all tokens that it touches.
    Expand,
}
