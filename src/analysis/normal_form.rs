//! The normal form of a token: what is matched.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

use crate::analysis::fold::fold;
use crate::analysis::text_words::is_hyphen;
use crate::analysis::{Case, Hyphens, Options};
use crate::error::Result;

/// A user's own normalisation of tokens, applied after the built-in ones.
pub trait Normalize: Send + Sync {
    /// The normal form of a token; empty to drop it.
    fn normalize(&self, token: &str) -> Result<String>;
}

impl Options {
    /// Whether the options change any token.
    pub(crate) fn normalizes(&self) -> bool {
        self.lowercase
            || self.strip_accents
            || self.fold
            || self.language.is_some()
            || self.hyphens == Hyphens::Joined
    }

    /// Whether the normal form of a token is surely the token with its ASCII capitals made small, as that
    /// of most tokens is unless they are stemmed.
    #[inline]
    pub(crate) fn only_lowers(&self, token: &str) -> bool {
        (self.fold || self.lowercase)
            && self.language.is_none()
            && token.bytes().all(|byte| byte.is_ascii_alphanumeric())
    }

    /// The normal form of a token under the options, before a user's own [`Normalize`].
    pub fn normal_form<'a>(&self, token: &'a str) -> Cow<'a, str> {
        let mut form = Cow::Borrowed(token);
        if self.fold || self.language.is_some() {
            // Stemmers know no plurals of abbreviations.
            let singular = self.language.and_then(|_| plural_of_capitals(token));
            form = fold(singular.unwrap_or(token), self.rules());
            if self.case == Case::Smart && form.contains('.') && is_acronym(token, &form) {
                form = Cow::Owned(form.replace('.', ""));
            }
        } else if self.lowercase {
            form = lower_case(token);
            if !form.is_ascii() && form.contains('ς') {
                form = Cow::Owned(form.replace('ς', "σ"));
            }
        }
        if self.hyphens == Hyphens::Joined && form.contains(is_hyphen) {
            form = Cow::Owned(form.replace(is_hyphen, ""));
        }
        if self.strip_accents && !form.is_ascii() {
            form = Cow::Owned(without_accents(&form));
        }
        match self.language {
            Some(language) if !form.is_empty() => language.stem(form),
            _ => form,
        }
    }
}

/// A word in lower case.
pub(crate) fn lower_case(word: &str) -> Cow<'_, str> {
    match word.is_ascii() {
        true if !word.bytes().any(|byte| byte.is_ascii_uppercase()) => Cow::Borrowed(word),
        true => Cow::Owned(word.to_ascii_lowercase()),
        false => Cow::Owned(word.to_lowercase()),
    }
}

/// A word without its last s, if that follows two capitals: GPUs, mRNAs.
fn plural_of_capitals(word: &str) -> Option<&str> {
    let singular = word.strip_suffix('s')?;
    let mut last = singular.chars().rev();
    (last.next()?.is_uppercase() && last.next()?.is_uppercase()).then_some(singular)
}

/// Whether a word is single capitals with periods between them (U.S.), and not one of the abbreviations
/// that are in capitals in headings only.
fn is_acronym(word: &str, folded: &str) -> bool {
    let is_capital = |part: &str| part.chars().count() == 1 && part.chars().all(char::is_uppercase);
    let word = word.strip_suffix('.').unwrap_or(word);
    word.contains('.')
        && word.split('.').all(is_capital)
        && !matches!(folded, "a.m" | "p.m" | "e.g" | "i.e")
}

/// A text without the accents of its Latin, Greek and Cyrillic letters.
///
/// A mark that makes another letter stays: that of й, ў, ї, ѓ and ќ, and the marks of all other scripts
/// (ガ is not カ).
fn without_accents(text: &str) -> String {
    // Accents without a letter go too.
    let mut base = 'a';
    let bare = text.nfd().filter(|&c| {
        if canonical_combining_class(c) == 0 {
            base = c;
            return true;
        }
        !is_accent(base, c)
    });
    bare.nfc().collect()
}

/// Whether a mark on this letter is an accent.
fn is_accent(letter: char, mark: char) -> bool {
    match letter {
        'A'..='Z' | 'a'..='z' | 'ª' | 'º' | 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='\u{2AF}' => true,
        '\u{FB00}'..='\u{FB06}' => true,
        '\u{1D00}'..='\u{1EFF}' | '\u{2C60}'..='\u{2C7F}' | '\u{A720}'..='\u{A7FF}' => true,
        '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => true,
        '\u{400}'..='\u{52F}' => match mark {
            // Stress marks; г and к with one are letters of Macedonian.
            '\u{300}' | '\u{301}' => !matches!(letter, 'г' | 'к' | 'Г' | 'К'),
            '\u{308}' => matches!(letter, 'е' | 'Е'),
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Language;

    #[test]
    fn accents_are_stripped_and_hangul_stays() {
        let options = Options { strip_accents: true, lowercase: true, ..Options::default() };
        assert_eq!(options.normal_form("İÉ한"), "ie한");
    }

    #[test]
    fn marks_that_make_another_letter_stay() {
        let options = Options { strip_accents: true, ..Options::default() };
        for (token, bare) in [
            ("ё", "е"),
            ("й", "й"),
            ("ї", "ї"),
            ("ガ", "ガ"),
            ("क्", "क्"),
            ("Ώ", "Ω"),
            ("за́мок", "замок"),
        ] {
            assert_eq!(options.normal_form(token), bare);
        }
    }

    #[test]
    fn folding_makes_one_form_of_what_readers_take_for_the_same() {
        let options = Options { fold: true, ..Options::default() };
        for (one, other) in [
            ("Straße", "STRASSE"),
            ("ΟΔΟΣ", "οδος"),
            ("ﬁnal", "Ｆｉｎａｌ"),
            ("co\u{AD}operate", "cooperate"),
            ("Crohn’s", "crohn"),
            ("l’Homme", "homme"),
            ("add‑on", "add-on"),
            ("U.S.", "U.S"),
            ("Cafe\u{301}", "café"),
            ("\u{200E}x\u{200F}", "X"),
        ] {
            assert_eq!(options.normal_form(one), options.normal_form(other), "{one} {other}");
        }
        for dropped in ["'s", "’S", "l'", "Dell’"] {
            assert_eq!(options.normal_form(dropped), "", "{dropped}");
        }
        for kept in ["o'brien", "don't", "s", "i", "é", "qu'", "s'excuse", "sant'agostino"] {
            assert_eq!(options.normal_form(kept), kept);
        }
    }

    #[test]
    fn plain_words_are_only_made_small() {
        let with = |fold, lowercase| Options { fold, lowercase, ..Options::default() };
        for c in (0..=0x10FFFF).filter_map(char::from_u32) {
            for token in [format!("{c}"), format!("A{c}s"), format!("aB{c}")] {
                for options in [with(true, false), with(false, true)] {
                    if options.only_lowers(&token) {
                        assert_eq!(options.normal_form(&token), token.to_ascii_lowercase());
                    }
                }
            }
        }
        assert!(with(true, false).only_lowers("Word9"));
        assert!(!with(false, false).only_lowers("Word9"));
    }

    #[test]
    fn languages_without_elision_keep_what_looks_elided() {
        let language = Language::of("en");
        let english = Options { language, ..Options::default() };
        assert_eq!(english.normal_form("D’Angelo"), "d'angelo");
        assert_eq!(english.normal_form("d'oeuvres"), english.normal_form("D'oeuvre"));
        let language = Language::of("it");
        let italian = Options { language, ..Options::default() };
        assert_eq!(italian.normal_form("dell'acqua"), italian.normal_form("acqua"));
    }

    #[test]
    fn stems_are_those_of_the_language() {
        let stem = |language, token| {
            let language = crate::Language::of(language);
            Options { language, ..Options::default() }.normal_form(token).into_owned()
        };
        assert_eq!(stem("en", "Cells"), stem("en", "cell"));
        assert_eq!(stem("fr", "maladies"), stem("fr", "l’Maladie"));
        assert_eq!(stem("de", "Häuser"), stem("de", "haus"));
        assert_ne!(stem("en", "Häuser"), stem("en", "haus"));
    }
}
