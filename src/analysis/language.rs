//! Languages: the stem of a word, by Snowball's rules.

use std::borrow::Cow;

use frostem::{Algorithm, Stemmer};

/// A language whose words can be stemmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language {
    code: &'static str,
    algorithm: Algorithm,
}

use Algorithm::*;

/// The languages by their ISO 639-1 codes.
const LANGUAGES: [(&str, Algorithm); 36] = [
    ("ar", Arabic),
    ("ca", Catalan),
    ("cs", Czech),
    ("da", Danish),
    ("de", German),
    ("el", Greek),
    ("en", English),
    ("eo", Esperanto),
    ("es", Spanish),
    ("et", Estonian),
    ("eu", Basque),
    ("fa", Persian),
    ("fi", Finnish),
    ("fr", French),
    ("ga", Irish),
    ("hi", Hindi),
    ("hu", Hungarian),
    ("hy", Armenian),
    ("id", Indonesian),
    ("it", Italian),
    ("lt", Lithuanian),
    ("ne", Nepali),
    ("nl", Dutch),
    ("no", Norwegian),
    ("pl", Polish),
    ("pt", Portuguese),
    ("ro", Romanian),
    ("ru", Russian),
    ("sr", Serbian),
    ("st", Sesotho),
    ("sv", Swedish),
    ("ta", Tamil),
    ("tr", Turkish),
    ("uk", Ukrainian),
    ("yi", Yiddish),
    ("nb", Norwegian),
];

impl Language {
    /// The language of an ISO 639-1 code, or of its English name in lower case.
    pub fn of(name: &str) -> Option<Language> {
        LANGUAGES
            .iter()
            .find(|(code, algorithm)| *code == name || algorithm.name() == name)
            .map(|&(code, algorithm)| Language { code, algorithm })
    }

    /// Its ISO 639-1 code.
    pub fn code(self) -> &'static str {
        self.code
    }

    /// The codes of all languages.
    pub fn codes() -> impl Iterator<Item = &'static str> {
        LANGUAGES.iter().map(|(code, _)| *code)
    }

    /// Whether words follow the rules of Turkish: its two letters i, and apostrophes before suffixes.
    pub(super) fn is_turkish(self) -> bool {
        self.algorithm == Turkish
    }

    /// Whether articles and the like are elided in writing, as in "l'homme".
    pub(super) fn elides(self) -> bool {
        matches!(self.algorithm, Catalan | Esperanto | French | Irish | Italian | Portuguese)
    }

    /// The stem of a folded word: that of its last part, if it has hyphens. A word with signs or digits in
    /// its last part (IL-2, U.S, Node.js) is its own stem.
    pub(super) fn stem(self, word: Cow<'_, str>) -> Cow<'_, str> {
        let last = word.rfind('-').map_or(0, |at| at + 1);
        let is_word = match word.is_ascii() {
            true => word.as_bytes()[last..].iter().all(|b| b.is_ascii_alphabetic() || *b == b'\''),
            false => !word[last..].contains(|c: char| c.is_ascii_digit() || "._&@+#".contains(c)),
        };
        if !is_word || last == word.len() {
            return word;
        }
        let stem = Stemmer::new(self.algorithm).stem(&word[last..]);
        if stem == word[last..] {
            drop(stem);
            return word;
        }
        Cow::Owned(format!("{}{stem}", &word[..last]))
    }
}
