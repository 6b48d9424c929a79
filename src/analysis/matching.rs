//! How terms match, as a text: what the column `matching` of a vocabulary file says, so that a list that was
//! made under some options is read under the same ones.

use crate::analysis::Language;
use crate::analysis::options::{Case, Hyphens, Options, Tokenizer};
use crate::error::{Error, Result};

/// What the text is if all options have their defaults.
const AS_WRITTEN: &str = "as-written";

impl Tokenizer {
    /// The tokenizers by their names.
    pub const NAMES: [(&'static str, Tokenizer); 4] = [
        ("text", Tokenizer::Text),
        ("whitespace", Tokenizer::Whitespace),
        ("words", Tokenizer::Words),
        ("chars", Tokenizer::Chars),
    ];
}

impl Hyphens {
    /// The treatments of hyphens by their names.
    pub const NAMES: [(&'static str, Hyphens); 3] =
        [("keep", Hyphens::Keep), ("split", Hyphens::Split), ("both", Hyphens::Both)];
}

impl Options {
    /// The options as words: those that are not the defaults. None if there is a separator that cannot be a
    /// part of a word.
    pub fn matching(&self) -> Option<String> {
        let mut words = Vec::new();
        if self.tokenizer != Tokenizer::unnamed(self.separator.is_some()) {
            words.push(format!("tokenizer={}", name(&Tokenizer::NAMES, self.tokenizer)));
        }
        if let Some(separator) = &self.separator {
            if separator.contains(char::is_whitespace) {
                return None;
            }
            words.push(format!("separator={separator}"));
        }
        for (is_set, word) in [
            (self.lowercase, "lowercase"),
            (self.strip_accents, "strip_accents"),
            (self.fold && self.language.is_none(), "fold"),
        ] {
            if is_set {
                words.push(word.into());
            }
        }
        if let Some(language) = self.language {
            words.push(format!("language={}", language.code()));
        }
        if self.hyphens != Hyphens::unnamed(self.tokenizer) {
            words.push(format!("hyphens={}", name(&Hyphens::NAMES, self.hyphens)));
        }
        if self.case == Case::Smart {
            words.push("case=smart".into());
        }
        Some(if words.is_empty() { AS_WRITTEN.into() } else { words.join(" ") })
    }

    /// The options of such words.
    pub fn of_matching(text: &str) -> Result<Options> {
        let wrong = || Error::Matching { found: text.into() };
        let mut options = Options::default();
        let (mut tokenizer, mut hyphens) = (None, None);
        for word in text.split_whitespace().filter(|&word| word != AS_WRITTEN) {
            let (option, value) = word.split_once('=').unwrap_or((word, ""));
            match (option, value) {
                ("lowercase", "") => options.lowercase = true,
                ("strip_accents", "") => options.strip_accents = true,
                ("fold", "") => options.fold = true,
                ("case", "smart") => options.case = Case::Smart,
                ("separator", separator) => options.separator = Some(separator.into()),
                ("tokenizer", name) => {
                    tokenizer = Some(named(&Tokenizer::NAMES, name).ok_or_else(wrong)?);
                }
                ("hyphens", name) => {
                    hyphens = Some(named(&Hyphens::NAMES, name).ok_or_else(wrong)?);
                }
                ("language", code) => {
                    options.language = Some(Language::of(code).ok_or_else(wrong)?);
                    options.fold = true;
                }
                _ => return Err(wrong()),
            }
        }
        options.tokenizer = tokenizer.unwrap_or(Tokenizer::unnamed(options.separator.is_some()));
        options.hyphens = hyphens.unwrap_or(Hyphens::unnamed(options.tokenizer));
        options.validate().map_err(|_| wrong())?;
        Ok(options)
    }
}

fn name<T: PartialEq>(names: &[(&'static str, T)], chosen: T) -> &'static str {
    names.iter().find(|(_, value)| *value == chosen).map_or("", |(name, _)| name)
}

fn named<T: Copy>(names: &[(&str, T)], name: &str) -> Option<T> {
    names.iter().find(|(known, _)| *known == name).map(|&(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_as_words_are_read_as_the_same_options() {
        let default = Options::default;
        let language = Language::of("de");
        for (options, words) in [
            (default(), "as-written"),
            (Options { fold: true, ..default() }, "fold"),
            (
                Options { fold: true, language, hyphens: Hyphens::Both, ..default() },
                "language=de hyphens=both",
            ),
            (Options { fold: true, hyphens: Hyphens::Keep, ..default() }, "fold hyphens=keep"),
            (
                Options {
                    separator: Some("_".into()),
                    lowercase: true,
                    ..Options::of(Tokenizer::Whitespace)
                },
                "separator=_ lowercase",
            ),
            (
                Options {
                    fold: true,
                    strip_accents: true,
                    case: Case::Smart,
                    ..Options::of(Tokenizer::Chars)
                },
                "tokenizer=chars strip_accents fold case=smart",
            ),
        ] {
            assert_eq!(options.matching().as_deref(), Some(words));
            assert_eq!(Options::of_matching(words).unwrap(), options);
        }
        let separator = Some(" ".into());
        assert_eq!(Options { separator, ..default() }.matching(), None);
    }

    #[test]
    fn other_words_are_refused() {
        for words in ["folded", "fold=yes", "language=xx", "language", "hyphens=", "case=smart"] {
            assert!(Options::of_matching(words).is_err(), "{words}");
        }
    }
}
