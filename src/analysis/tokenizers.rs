//! The tokenizers: a text is split at white space or a separator, into words, or into characters.
//!
//! The part of a text that a tokenizer returns is a *token*; what is matched is its *normal form*. A
//! token with an empty normal form is ignored when matching, but stays in the surface of its term.

use std::ops::Range;

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;

use crate::analysis::Language;
use crate::analysis::options::{Options, Tokenizer};
use crate::analysis::text_words::{Rules, each_word};
use crate::analysis::white_space::{Spaces, split, split_at_white_space};

impl Options {
    /// Calls `each` with the bytes of every token of `text`, in order. White space of the kind `spaces`
    /// separates tokens in addition to the separator.
    ///
    /// Entries and queries are trimmed first; running text is not.
    #[inline]
    pub fn tokens<E>(
        &self,
        text: &str,
        spaces: Spaces,
        mut each: impl FnMut(Range<usize>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        match (self.tokenizer, &self.separator) {
            (Tokenizer::Whitespace, None) => split_at_white_space(text, each),
            (Tokenizer::Whitespace, Some(separator)) => {
                let separator = separator.as_bytes();
                let bytes = text.as_bytes();
                if let [byte] = separator {
                    return split(
                        text,
                        |at| match bytes[at] {
                            found if found == *byte => 1,
                            _ => spaces.length_at(text, at),
                        },
                        each,
                    );
                }
                split(
                    text,
                    |at| match bytes[at..].starts_with(separator) {
                        true => separator.len(),
                        false => spaces.length_at(text, at),
                    },
                    each,
                )
            }
            (Tokenizer::Text, _) => each_word(text, self.rules(), each),
            (Tokenizer::Words, _) => {
                for (start, segment) in text.split_word_bound_indices() {
                    if segment.chars().any(belongs_to_word) {
                        each(start..start + segment.len())?;
                    }
                }
                Ok(())
            }
            (Tokenizer::Chars, _) => {
                for (start, cluster) in text.grapheme_indices(true) {
                    each(start..start + cluster.len())?;
                }
                Ok(())
            }
        }
    }

    /// The rules of words under these options.
    #[inline]
    pub(super) fn rules(&self) -> Rules {
        Rules {
            separate: self.hyphens.separate(),
            turkish: self.language.is_some_and(Language::is_turkish),
            elides: self.language.is_none_or(Language::elides),
        }
    }

    /// Cuts a running text into about `parts` consecutive parts, between tokens.
    pub(crate) fn cut<'a>(&self, mut text: &'a str, parts: usize) -> Vec<&'a str> {
        // No token continues after a line break, also under the rules for words and grapheme clusters,
        // nor after a blank when splitting at white space. With a separator, a token may contain both,
        // so the text stays whole.
        let is_end = |byte: &u8| match self.tokenizer {
            Tokenizer::Whitespace => matches!(byte, b' ' | b'\n') && self.separator.is_none(),
            Tokenizer::Text => matches!(byte, b' ' | b'\n'),
            Tokenizer::Words | Tokenizer::Chars => *byte == b'\n',
        };
        let size = text.len().div_ceil(parts.max(1));
        let mut cut = Vec::with_capacity(parts);
        while text.len() > size {
            let Some(end) = text.as_bytes()[size..].iter().position(is_end) else { break };
            let (part, rest) = text.split_at(size + end + 1);
            cut.push(part);
            text = rest;
        }
        cut.push(text);
        cut
    }
}

/// Whether a character makes its word segment a token: true for letters, marks, numbers and symbols.
fn belongs_to_word(c: char) -> bool {
    if c.is_ascii() {
        // The ASCII symbols of category S; the rest of ASCII is punctuation, space and control.
        return c.is_ascii_alphanumeric() || "$+<=>^`|~".contains(c);
    }
    matches!(
        c.general_category_group(),
        GeneralCategoryGroup::Letter
            | GeneralCategoryGroup::Mark
            | GeneralCategoryGroup::Number
            | GeneralCategoryGroup::Symbol
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    fn tokens(options: &Options, text: &str, spaces: Spaces) -> Vec<String> {
        let mut found = Vec::new();
        options
            .tokens(text, spaces, |range| {
                found.push(text[range].to_string());
                Ok::<(), Error>(())
            })
            .unwrap();
        found
    }

    #[test]
    fn white_space_is_the_unicode_property() {
        let options = Options::of(Tokenizer::Whitespace);
        for c in (0..=0x10FFFF).filter_map(char::from_u32) {
            let expected = if c.is_whitespace() { vec!["a", "b"] } else { vec![] };
            let found = tokens(&options, &format!("a{c}b"), Spaces::None);
            assert_eq!(found.len() == 2, expected.len() == 2, "U+{:04X}", c as u32);
        }
        assert_eq!(tokens(&options, "a\u{1c}b", Spaces::None), ["a\u{1c}b"]);
        assert_eq!(tokens(&options, " \u{3000}a  b\u{a0}", Spaces::None), ["a", "b"]);
    }

    #[test]
    fn a_separator_of_several_bytes_splits_and_drops_empty_tokens() {
        let options =
            Options { separator: Some("::".into()), ..Options::of(Tokenizer::Whitespace) };
        assert_eq!(tokens(&options, "::a:: b::::c:", Spaces::None), ["a", " b", "c:"]);
        assert_eq!(tokens(&options, "a::b c\u{a0}d", Spaces::All), ["a", "b", "c", "d"]);
        assert_eq!(tokens(&options, "a::b c\u{a0}d", Spaces::Ascii), ["a", "b", "c\u{a0}d"]);
    }

    #[test]
    fn words_keep_symbols_and_drop_punctuation() {
        let options = Options::of(Tokenizer::Words);
        assert_eq!(
            tokens(&options, "C++, (can't) 👍🏽!", Spaces::None),
            ["C", "+", "+", "can't", "👍🏽"]
        );
    }

    #[test]
    fn the_ascii_shortcut_of_words_agrees_with_the_unicode_categories() {
        for c in (0u8..128).map(char::from) {
            let group = c.general_category_group();
            let expected = matches!(
                group,
                GeneralCategoryGroup::Letter
                    | GeneralCategoryGroup::Mark
                    | GeneralCategoryGroup::Number
                    | GeneralCategoryGroup::Symbol
            );
            assert_eq!(belongs_to_word(c), expected, "{c:?}");
        }
    }
}
