//! The normal form of a token: what is matched.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

use crate::analysis::Options;
use crate::error::Result;

/// A user's own normalisation of tokens, applied after the built-in ones.
pub trait Normalize: Send + Sync {
    /// The normal form of a token; empty to drop it.
    fn normalize(&self, token: &str) -> Result<String>;
}

impl Options {
    /// Whether the options change any token.
    pub(crate) fn normalizes(&self) -> bool {
        self.lowercase || self.strip_accents
    }

    /// The normal form of a token under the options, before a user's own [`Normalize`].
    pub fn normal_form<'a>(&self, token: &'a str) -> Cow<'a, str> {
        let mut form = Cow::Borrowed(token);
        if self.lowercase {
            if token.is_ascii() {
                if token.bytes().any(|byte| byte.is_ascii_uppercase()) {
                    form = Cow::Owned(token.to_ascii_lowercase());
                }
            } else {
                form = Cow::Owned(token.to_lowercase());
            }
        }
        if self.strip_accents && !form.is_ascii() {
            let bare = form.nfd().filter(|&c| canonical_combining_class(c) == 0);
            form = Cow::Owned(bare.nfc().collect());
        }
        form
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_are_stripped_and_hangul_stays() {
        let options = Options { strip_accents: true, lowercase: true, ..Options::default() };
        assert_eq!(options.normal_form("İÉ한"), "ie한");
    }
}
