//! Text to tokens: the one definition of a token, used by the build and by every query.
//!
//! A *token* is cut from a text by the [`Tokenizer`], or by the separator. Its *normal form* is what
//! is matched. A token whose normal form is empty is no token: it stays in the surface of its term but
//! is not matched.

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;

use crate::error::{Error, Result};

/// How a text is cut into tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tokenizer {
    /// At white space, as the Unicode property White_Space defines it, or at [`Options::separator`].
    #[default]
    Whitespace,
    /// At the word borders of UAX #29; segments of punctuation and white space alone are dropped.
    Words,
    /// Into grapheme clusters, white space among them.
    Chars,
}

/// How terms and queries become tokens; stored with the index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// How to cut.
    pub tokenizer: Tokenizer,
    /// What to cut at instead of white space.
    pub separator: Option<String>,
    /// Match tokens in lower case.
    pub lowercase: bool,
    /// Match tokens without their combining marks.
    pub strip_accents: bool,
}

/// A user's own normalisation of tokens, applied after the built-in ones.
pub trait Normalize: Send + Sync {
    /// The normal form of a token; empty to drop it.
    fn normalize(&self, token: &str) -> Result<String>;
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

    /// What stands between the tokens of a surface that is made from them.
    pub fn joiner(&self) -> &str {
        match self.tokenizer {
            Tokenizer::Chars => "",
            _ => self.separator.as_deref().unwrap_or(" "),
        }
    }

    /// Whether the surface of a term is its matched tokens, joined: then it need not be stored.
    pub fn surface_is_key(&self, normalizer: bool) -> bool {
        !self.normalizes() && !normalizer && self.tokenizer != Tokenizer::Words
    }

    /// Which white space may separate the words of a query beside the separator: none that surfaces
    /// hold. Surfaces are given if they are stored; else they are made from the tokens, and `several`
    /// tells whether one has more than one.
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
            Some(surfaces) => separating(surfaces),
            None if several => separating(self.joiner().as_bytes()).min(separating(tokens)),
            None => separating(tokens),
        }
    }

    /// Whether the options give tokens a normal form of their own.
    pub(crate) fn normalizes(&self) -> bool {
        self.lowercase || self.strip_accents
    }

    /// The part of an entry or a query that its surface and its tokens are made from.
    pub fn trim<'a>(&self, text: &'a str) -> &'a str {
        match self.tokenizer {
            Tokenizer::Words | Tokenizer::Chars => text.trim(),
            Tokenizer::Whitespace => text,
        }
    }

    /// The same of an entry, of which nothing is left if it is a line of blanks: that is no term,
    /// whatever separates tokens. (Other white space may be: there are vocabularies in which U+2028 is
    /// an entry.)
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

    /// Calls `each` with the bytes of every token of `text`, in order. White space of `spaces` separates
    /// too, beside the separator.
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
            (Tokenizer::Whitespace, None) => split(text, |at| white_space(text, at), each),
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

    /// Cuts a running text into about `parts` parts, in order, where no token goes across.
    pub(crate) fn cut<'a>(&self, mut text: &'a str, parts: usize) -> Vec<&'a str> {
        // A token may hold anything but the separator. Else it ends at a line end at the latest, also
        // under the rules for words and grapheme clusters; and with white space at a blank.
        let is_end = |byte: &u8| match self.tokenizer {
            Tokenizer::Whitespace => matches!(byte, b' ' | b'\n') && self.separator.is_none(),
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

    /// The normal form of a token, as far as the options make it.
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

/// Which white space separates the words of a query, beside a separator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spaces {
    /// None: it means itself, or there is no separator.
    #[default]
    None,
    /// That of ASCII. There are vocabularies in which U+2028 is an entry, and "New York" is still to
    /// find `New_York`.
    Ascii,
    /// All of it.
    All,
}

impl Spaces {
    /// The length of the white space at byte `at` that separates, 0 if there is none.
    #[inline]
    fn length_at(self, text: &str, at: usize) -> usize {
        match self {
            Spaces::None => 0,
            Spaces::Ascii => usize::from(is_blank(&text.as_bytes()[at..=at])),
            Spaces::All => white_space(text, at),
        }
    }
}

/// The white space that a text, as its bytes, does not hold.
fn separating(text: &[u8]) -> Spaces {
    let text = String::from_utf8_lossy(text);
    if !(0..text.len()).any(|at| white_space(&text, at) > 0) {
        Spaces::All
    } else if !text.bytes().any(|byte| is_blank(&[byte])) {
        Spaces::Ascii
    } else {
        Spaces::None
    }
}

/// Whether a line holds nothing but ASCII white space.
fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t'..=b'\r'))
}

/// The bytes with which white space begins, and other characters too.
const MAY_BE_WHITE: [bool; 256] = {
    let mut bytes = [false; 256];
    let white = b" \t\n\x0b\x0c\r\xC2\xE1\xE2\xE3";
    let mut i = 0;
    while i < white.len() {
        bytes[white[i] as usize] = true;
        i += 1;
    }
    bytes
};

/// The length of the white space character at byte `at`, 0 if there is none.
#[inline]
fn white_space(text: &str, at: usize) -> usize {
    let byte = text.as_bytes()[at];
    if !MAY_BE_WHITE[byte as usize] {
        return 0;
    }
    match byte {
        b' ' | b'\t'..=b'\r' => 1,
        // The other white space characters begin with one of these bytes.
        0xC2 | 0xE1 | 0xE2 | 0xE3 => match text[at..].chars().next() {
            Some(c) if c.is_whitespace() => c.len_utf8(),
            _ => 0,
        },
        _ => 0,
    }
}

/// Cuts `text` wherever `separator` tells the length of one, and drops empty tokens.
///
/// `separator` is asked at byte positions that may lie inside of a character, where it must say 0;
/// it does, as no UTF-8 sequence begins inside of another.
#[inline]
fn split<E>(
    text: &str,
    separator: impl Fn(usize) -> usize,
    mut each: impl FnMut(Range<usize>) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let mut start = 0;
    let mut at = 0;
    while at < text.len() {
        let length = separator(at);
        if length == 0 {
            at += 1;
            continue;
        }
        if start < at {
            each(start..at)?;
        }
        at += length;
        start = at;
    }
    if start < at {
        each(start..at)?;
    }
    Ok(())
}

/// Whether a character makes its word segment a token: letters, marks, numbers and symbols do.
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

/// The number of characters of a text.
pub(crate) fn char_count(text: &str) -> usize {
    // Every character has one byte that is not a continuation byte 0b10xxxxxx.
    text.bytes().filter(|byte| byte & 0xC0 != 0x80).count()
}

/// Turns growing byte offsets of a text into offsets in characters, as Python counts them.
pub(crate) struct CharCounter<'a> {
    text: &'a str,
    bytes: usize,
    chars: usize,
    ascii: bool,
}

impl<'a> CharCounter<'a> {
    /// `ascii` tells whether the text has no other characters; false is right for any text.
    pub(crate) fn new(text: &'a str, ascii: bool) -> Self {
        CharCounter { text, bytes: 0, chars: 0, ascii }
    }

    /// The number of characters before byte `offset`, which must not be less than the one before.
    #[inline]
    pub(crate) fn advance(&mut self, offset: usize) -> usize {
        if self.ascii {
            return offset;
        }
        self.chars += char_count(&self.text[self.bytes..offset]);
        self.bytes = offset;
        self.chars
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let options = Options::default();
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
        let options = Options { separator: Some("::".into()), ..Options::default() };
        assert_eq!(tokens(&options, "::a:: b::::c:", Spaces::None), ["a", " b", "c:"]);
        assert_eq!(tokens(&options, "a::b c\u{a0}d", Spaces::All), ["a", "b", "c", "d"]);
        assert_eq!(tokens(&options, "a::b c\u{a0}d", Spaces::Ascii), ["a", "b", "c\u{a0}d"]);
    }

    #[test]
    fn words_keep_symbols_and_drop_punctuation() {
        let options = Options { tokenizer: Tokenizer::Words, ..Options::default() };
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

    #[test]
    fn accents_are_stripped_and_hangul_stays() {
        let options = Options { strip_accents: true, lowercase: true, ..Options::default() };
        assert_eq!(options.normal_form("İÉ한"), "ie한");
    }
}
