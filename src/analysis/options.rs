//! How terms and queries become tokens: the options, their limits, and the surface of a term.

use std::borrow::Cow;

use crate::analysis::Language;
use crate::analysis::white_space::{Spaces, is_blank, spaces_absent_from};
use crate::error::{Error, Result};

/// How a text is split into tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tokenizer {
    /// At white space, as the Unicode property White_Space defines it, or at [`Options::separator`].
    #[default]
    Whitespace,
    /// Into the words of running text: see text_words.rs.
    Text,
    /// At the word boundaries of UAX #29; segments of only punctuation and white space are dropped.
    Words,
    /// Into grapheme clusters, white space included.
    Chars,
}

/// How terms and queries become tokens; stored with the index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// How to split.
    pub tokenizer: Tokenizer,
    /// The text to split at instead of white space.
    pub separator: Option<String>,
    /// Match tokens in lower case.
    pub lowercase: bool,
    /// Match letters without their accents.
    pub strip_accents: bool,
    /// Match words however they are written: see fold.rs.
    pub fold: bool,
    /// Match the stems of words of this language; implies folding.
    pub language: Option<Language>,
}

impl Options {
    /// Refuses options that contradict each other.
    pub fn validate(&self) -> Result<()> {
        match &self.separator {
            Some(separator) if separator.is_empty() => Err(Error::Option {
                name: "separator",
                value: "empty".into(),
                expected: "leave it out to split at white space",
            }),
            Some(separator) if separator.len() > crate::MAX_SEPARATOR_BYTES => Err(Error::Option {
                name: "separator",
                value: format!("{} bytes long", separator.len()),
                expected: "it may have up to 255 bytes",
            }),
            Some(separator) if self.tokenizer != Tokenizer::Whitespace => Err(Error::Option {
                name: "separator",
                value: format!("{separator:?}"),
                expected: "it goes with the whitespace tokenizer only",
            }),
            _ => Ok(()),
        }
    }

    /// The text between the tokens of a surface that is made from them.
    pub fn joiner(&self) -> &str {
        match self.tokenizer {
            Tokenizer::Chars => "",
            _ => self.separator.as_deref().unwrap_or(" "),
        }
    }

    /// Whether the surface of a term is its matched tokens, joined, so that it need not be stored.
    pub fn surface_is_key(&self, normalizer: bool) -> bool {
        !self.normalizes()
            && !normalizer
            && !matches!(self.tokenizer, Tokenizer::Words | Tokenizer::Text)
    }

    /// Which white space separates the words of a query in addition to the separator: the kind that
    /// no surface contains.
    ///
    /// `surfaces` is the text of the stored surfaces. Without it, surfaces are made from `tokens`, and
    /// `several` is whether any term has more than one token.
    pub(crate) fn white_space_separates(
        &self,
        surfaces: Option<&[u8]>,
        tokens: &[u8],
        several: bool,
    ) -> Spaces {
        if self.separator.is_none() {
            return Spaces::None;
        }
        match surfaces {
            Some(surfaces) => spaces_absent_from(surfaces),
            None if several => {
                spaces_absent_from(self.joiner().as_bytes()).min(spaces_absent_from(tokens))
            }
            None => spaces_absent_from(tokens),
        }
    }

    /// The part of an entry or a query that its surface and its tokens are made from.
    pub fn trim<'a>(&self, text: &'a str) -> &'a str {
        match self.tokenizer {
            Tokenizer::Text | Tokenizer::Words | Tokenizer::Chars => text.trim(),
            Tokenizer::Whitespace => text,
        }
    }

    /// [`Options::trim`] for an entry: an entry of ASCII blanks alone becomes empty, as it is not a
    /// term under any separator. (Other white space can be: some vocabularies have U+2028 as an entry.)
    pub fn trim_entry<'a>(&self, entry: &'a str) -> &'a str {
        match self.separator.is_some() && is_blank(entry.as_bytes()) {
            true => "",
            false => self.trim(entry),
        }
    }

    /// The surface of an entry: its tokens joined, or the entry trimmed.
    pub fn surface_of<'a>(&self, entry: &'a str) -> Cow<'a, str> {
        let entry = self.trim(entry);
        if self.tokenizer != Tokenizer::Whitespace {
            return Cow::Borrowed(entry);
        }
        let mut surface = String::with_capacity(entry.len());
        self.push_surface(entry, &mut surface);
        Cow::Owned(surface)
    }

    /// Appends the tokens of an entry, joined, to `surface`.
    pub(crate) fn push_surface(&self, entry: &str, surface: &mut String) {
        let start = surface.len();
        let Ok(()) = self.tokens(entry, Spaces::None, |range| {
            if surface.len() > start {
                surface.push_str(self.joiner());
            }
            surface.push_str(&entry[range]);
            Ok::<(), std::convert::Infallible>(())
        });
    }
}
