//! How terms and queries become tokens: the options, their limits, and the surface of a term.

use std::borrow::Cow;

use crate::analysis::Language;
use crate::analysis::white_space::{Spaces, is_blank, spaces_absent_from};
use crate::error::{Error, Result};

/// How a text is split into tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tokenizer {
    /// Into the words of running text: see text_words.rs.
    #[default]
    Text,
    /// At white space, as the Unicode property White_Space defines it, or at [`Options::separator`].
    Whitespace,
    /// At the word boundaries of UAX #29; segments of only punctuation and white space are dropped.
    Words,
    /// Into grapheme clusters, white space included.
    Chars,
}

/// What the hyphen in a word such as e-mail is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hyphens {
    /// A part of the word.
    Keep,
    /// The border of two words.
    #[default]
    Split,
    /// Either; and a word with hyphens also matches the one without: [`Options::joined_reading`].
    Both,
    /// A part of the word, but not of its normal form: the other reading of [`Hyphens::Both`].
    #[doc(hidden)]
    Joined,
}

/// Which differences of case matter although tokens match in lower case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// None.
    #[default]
    Same,
    /// A word that a term has in capitals matches only words in capitals.
    Smart,
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
    /// What hyphens in words are; with another tokenizer than [`Tokenizer::Text`] it is
    /// [`Hyphens::Keep`].
    pub hyphens: Hyphens,
    /// Whether words in capitals match only such words.
    pub case: Case,
}

impl Hyphens {
    /// What hyphens are to users who do not say it.
    pub fn unnamed(tokenizer: Tokenizer) -> Hyphens {
        if tokenizer == Tokenizer::Text { Hyphens::Split } else { Hyphens::Keep }
    }

    /// Its name among the options.
    fn name(self) -> &'static str {
        match self {
            Hyphens::Keep => "keep",
            Hyphens::Split => "split",
            Hyphens::Both => "both",
            Hyphens::Joined => "joined",
        }
    }

    /// Whether hyphens separate words.
    pub(super) fn separate(self) -> bool {
        matches!(self, Hyphens::Split | Hyphens::Both)
    }
}

impl Tokenizer {
    /// The tokenizer of users who name none: a separator goes with white space only.
    pub fn unnamed(separated: bool) -> Tokenizer {
        if separated { Tokenizer::Whitespace } else { Tokenizer::Text }
    }
}

impl Options {
    /// The default options with this tokenizer.
    pub fn of(tokenizer: Tokenizer) -> Options {
        Options { tokenizer, hyphens: Hyphens::unnamed(tokenizer), ..Options::default() }
    }

    /// Refuses options that contradict each other.
    pub fn validate(&self) -> Result<()> {
        if self.hyphens != Hyphens::Keep && self.tokenizer != Tokenizer::Text {
            return Err(Error::Option {
                name: "hyphens",
                value: format!("{:?}", self.hyphens.name()),
                expected: "it goes with the text tokenizer only",
            });
        }
        if self.case == Case::Smart && !self.lowercase && !self.fold && self.language.is_none() {
            return Err(Error::Option {
                name: "case",
                value: "\"smart\"".into(),
                expected: "it needs fold, language or lowercase, without which case always matters",
            });
        }
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

    /// The same options without stemming, which implies folding.
    pub(crate) fn unstemmed(&self) -> Options {
        let fold = self.fold || self.language.is_some();
        Options { language: None, fold, ..self.clone() }
    }

    /// How a text reads when the hyphens in its words join: the same options, under which "e-mail" is one
    /// token whose normal form is that of "email". None unless both readings are matched.
    pub fn joined_reading(&self) -> Option<Options> {
        let both = self.hyphens == Hyphens::Both;
        both.then(|| Options { hyphens: Hyphens::Joined, ..self.clone() })
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
    /// `texts` are all that surfaces are made of.
    pub(crate) fn white_space_separates<'a>(
        &self,
        texts: impl IntoIterator<Item = &'a [u8]>,
    ) -> Spaces {
        match self.separator {
            None => Spaces::None,
            Some(_) => texts.into_iter().map(spaces_absent_from).min().unwrap_or(Spaces::All),
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

    /// The surface of an entry. Split at white space or a separator, it is its tokens joined; with the
    /// other tokenizers it is the entry trimmed, in running text with one space for all white space.
    pub fn surface_of<'a>(&self, entry: &'a str) -> Cow<'a, str> {
        let entry = self.trim(entry);
        match self.tokenizer {
            Tokenizer::Words | Tokenizer::Chars => Cow::Borrowed(entry),
            Tokenizer::Text => one_space(entry),
            Tokenizer::Whitespace => {
                let mut surface = String::with_capacity(entry.len());
                let Ok(()) = self.tokens(entry, Spaces::None, |range| {
                    if !surface.is_empty() {
                        surface.push_str(self.joiner());
                    }
                    surface.push_str(&entry[range]);
                    Ok::<(), std::convert::Infallible>(())
                });
                Cow::Owned(surface)
            }
        }
    }

    /// Whether what an entry has between two tokens is one joiner in its surface.
    #[inline]
    pub(crate) fn joins(&self, between: &str) -> bool {
        let is_space = || !between.is_empty() && between.chars().all(char::is_whitespace);
        between == self.joiner() || self.tokenizer == Tokenizer::Text && is_space()
    }
}

/// A text with one space for each run of white space.
fn one_space(text: &str) -> Cow<'_, str> {
    let mut before = 'a';
    let mut is_other = |c: char| {
        let before = std::mem::replace(&mut before, c);
        c.is_whitespace() && (c != ' ' || before == ' ')
    };
    match text.chars().any(&mut is_other) {
        false => Cow::Borrowed(text),
        true => Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(options: &Options, text: &str) -> Vec<String> {
        let mut words = Vec::new();
        let Ok(()) = options.tokens(text, Spaces::None, |range| {
            words.push(options.normal_form(&text[range]).into_owned());
            Ok::<(), std::convert::Infallible>(())
        });
        words
    }

    #[test]
    fn options_that_contradict_each_other_are_refused() {
        let spaces = Options::of(Tokenizer::Whitespace);
        let message = |options: Options| options.validate().map_err(|error| error.to_string());
        for hyphens in [Hyphens::Split, Hyphens::Both] {
            let error = message(Options { hyphens, ..spaces.clone() }).unwrap_err();
            let name = hyphens.name();
            let expected = "it goes with the text tokenizer only";
            assert_eq!(error, format!("hyphens cannot be {name:?}: {expected}"));
            assert_eq!(message(Options { hyphens, ..Options::default() }), Ok(()));
        }
        let case = Case::Smart;
        let error = message(Options { case, ..Options::default() }).unwrap_err();
        assert!(error.starts_with("case cannot be \"smart\": it needs fold"), "{error}");
        let language = Language::of("en");
        for options in [
            Options { case, lowercase: true, ..Options::default() },
            Options { case, fold: true, ..Options::default() },
            Options { case, language, ..Options::default() },
        ] {
            assert_eq!(message(options), Ok(()));
        }
    }

    #[test]
    fn hyphens_belong_to_words_or_separate_them_or_join_them() {
        let with = |hyphens| Options { hyphens, ..Options::default() };
        let text = "An e-mail on IL−2, state-of-the-art -- or -x-.";
        let kept = ["An", "e-mail", "on", "IL−2", "state-of-the-art", "or", "x"];
        let joined = ["An", "email", "on", "IL2", "stateoftheart", "or", "x"];
        let split = ["An", "e", "mail", "on", "IL", "2", "state", "of", "the", "art", "or", "x"];
        assert_eq!(words(&with(Hyphens::Keep), text), kept);
        assert_eq!(words(&with(Hyphens::Split), text), split);
        assert_eq!(words(&with(Hyphens::Both), text), split);
        let reading = with(Hyphens::Both).joined_reading().unwrap();
        assert_eq!(words(&reading, text), joined);
        assert_eq!(with(Hyphens::Keep).joined_reading(), None);
        assert_eq!(with(Hyphens::Split).joined_reading(), None);
        assert_eq!(reading.joined_reading(), None);
    }

    #[test]
    fn joined_words_are_stemmed_as_one() {
        let options =
            Options { language: Language::of("en"), hyphens: Hyphens::Both, ..Options::default() };
        let reading = options.joined_reading().unwrap();
        assert_eq!(words(&reading, "E-mails"), words(&options, "emails"));
        assert_eq!(words(&reading, "IL‐2"), ["il2"]);
    }
}
