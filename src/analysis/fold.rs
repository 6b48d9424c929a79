//! Folding: what readers take for the same word becomes the same normal form.
//!
//! NFKC and full case folding (ß is ss, ς is σ, ﬁ is fi, ｆ is f); apostrophes and dashes are made one
//! each; soft hyphens, zero-width characters and directional marks are removed; and so are a possessive
//! `'s`, an elided article, and the period after an abbreviation of single letters.
//!
//! Case folding knows no language: of the Turkish letters, İ becomes i with a dot above it, and ı stays
//! as it is.

use std::borrow::Cow;

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

use crate::analysis::text_words::{elided_length, possessive_length};

/// The folded form of a token; empty for a token that is a possessive or an elided article alone.
pub(super) fn fold(token: &str) -> Cow<'_, str> {
    if token.is_ascii() {
        return match token.bytes().any(|byte| byte.is_ascii_uppercase()) {
            true => Cow::Owned(core(&token.to_ascii_lowercase()).to_owned()),
            false => Cow::Borrowed(core(token)),
        };
    }
    let folded: String = token.nfkc().filter(|&c| !is_ignorable(c)).default_case_fold().collect();
    let folded: String = folded.nfkc().map(unified).collect();
    Cow::Owned(core(&folded).to_owned())
}

/// A folded word without what belongs to the words around it.
fn core(word: &str) -> &str {
    // The tokenizer `text` gives them as tokens of their own, the others as part of a word.
    if word == "'s" || word.len() > 1 && word.strip_suffix('\'').is_some_and(is_elided) {
        return "";
    }
    let word = &word[elided_length(word).unwrap_or(0)..];
    let word = &word[..word.len() - possessive_length(word)];
    match word.strip_suffix('.') {
        Some(abbreviation) if abbreviation.contains('.') => abbreviation,
        _ => word,
    }
}

fn is_elided(word: &str) -> bool {
    // Followed by any letter, it would be one.
    elided_length(&format!("{word}'a")).is_some_and(|length| length == word.len() + 1)
}

/// Whether a character is invisible and makes no difference to a reader.
fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E0FFF}')
}

/// One apostrophe and one dash for all that look like them.
fn unified(c: char) -> char {
    match c {
        '‘' | '’' | '‛' | 'ʼ' | 'ʹ' | '′' | '´' | '`' => '\'',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE58}' | '\u{FE63}' => '-',
        _ => c,
    }
}
