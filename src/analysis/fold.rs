//! Folding: what readers take for the same word becomes the same normal form.
//!
//! - NFKC and full case folding: ß is ss, ς is σ, ﬁ is fi, ｆ is f, ² is 2.
//! - All kinds of apostrophes are one, and all kinds of hyphens and dashes.
//! - Removed are: soft hyphens, zero-width characters and directional marks; the signs ™, ℠, ® and ©; the
//!   lengthening stroke and the vowel marks of Arabic, and the points of Hebrew.
//! - Removed are also a possessive `'s`, an elided article or preposition ("l'homme", "d'hommes"), and the
//!   period after an abbreviation. Other elided words stay: "s'excuse" is not "excuse".
//!
//! Case folding knows no language but Turkish. Elsewhere İ is i, and ı stays as it is: "IŞIK" is "işik".
//! With the language Turkish, I is ı and İ is i, and the suffix after an apostrophe is removed.

use std::borrow::Cow;

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

use crate::analysis::text_words::{
    Rules, article_length, is_apostrophe, is_hyphen, possessive_length,
};

/// The folded form of a token; empty for a token that is a possessive or an elided article alone.
pub(super) fn fold(token: &str, rules: Rules) -> Cow<'_, str> {
    let Rules { turkish, elides, .. } = rules;
    // Most tokens have nothing but ASCII letters and digits.
    let (mut is_plain, mut has_capitals) = (true, false);
    for byte in token.bytes() {
        is_plain &= byte.is_ascii() && !matches!(byte, b'\'' | b'.' | b'`');
        has_capitals |= byte.is_ascii_uppercase();
    }
    if is_plain && !(turkish && has_capitals) {
        return match has_capitals {
            true => Cow::Owned(token.to_ascii_lowercase()),
            false => Cow::Borrowed(token),
        };
    }
    if token.is_ascii() && !turkish && !token.contains('`') {
        return match has_capitals {
            true => Cow::Owned(core(&token.to_ascii_lowercase(), elides).to_owned()),
            false => Cow::Borrowed(core(token, elides)),
        };
    }
    // An accent without a letter would become a space with an accent.
    let visible = token.chars().filter(|&c| !is_ignorable(c)).map(unified);
    let folded: String = visible
        .nfkc()
        .map(|c| match c {
            'I' if turkish => 'ı',
            'İ' => 'i',
            _ => c,
        })
        .default_case_fold()
        .collect();
    let mut before = ' ';
    let mut folded: String = folded
        .nfkc()
        .map(unified)
        .filter(|&c| {
            // The dot above i is there without it.
            let is_kept = !(is_ignorable(c) || c == '\u{307}' && before == 'i');
            if is_kept {
                before = c;
            }
            is_kept
        })
        .nfkc()
        .collect();
    if turkish && let Some(at) = folded.find('\'') {
        folded.truncate(at);
    }
    let core = core(&folded, elides);
    match core.len() == folded.len() {
        true => Cow::Owned(folded),
        false => Cow::Owned(core.to_owned()),
    }
}

/// A folded word without what belongs to the words around it, among that the articles that are elided if
/// `elides`.
fn core(word: &str, elides: bool) -> &str {
    // Most words have neither.
    if !word.bytes().any(|byte| matches!(byte, b'\'' | b'.')) {
        return word;
    }
    // The tokenizer `text` gives them as tokens of their own, the others as part of a word.
    if matches!(word, "'" | "'s") || elides && word.strip_suffix('\'').is_some_and(is_article) {
        return "";
    }
    let word = &word[article_length(word).filter(|_| elides).unwrap_or(0)..];
    let word = &word[..word.len() - possessive_length(word)];
    match word.strip_suffix('.') {
        Some(abbreviation) if abbreviation.contains('.') && !abbreviation.ends_with('.') => {
            abbreviation
        }
        _ => word,
    }
}

fn is_article(word: &str) -> bool {
    // Followed by a vowel, it would be elided.
    article_length(&format!("{word}'a")).is_some_and(|length| length == word.len() + 1)
}

/// Whether a character makes no difference to a reader.
fn is_ignorable(c: char) -> bool {
    !c.is_ascii()
        && matches!(c,
            // Invisible.
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E0FFF}'
            // Signs of rights.
            | '©' | '®' | '℠' | '™'
            // Hebrew accents and points.
            | '\u{591}'..='\u{5BD}' | '\u{5BF}' | '\u{5C1}' | '\u{5C2}' | '\u{5C4}' | '\u{5C5}' | '\u{5C7}'
            // The lengthening stroke and the vowel marks of Arabic.
            | '\u{640}' | '\u{64B}'..='\u{652}' | '\u{670}')
}

/// One apostrophe and one dash for all that look like them.
fn unified(c: char) -> char {
    match c {
        '\u{2014}' | '\u{2015}' | '\u{FE58}' => '-',
        _ if is_apostrophe(c) => '\'',
        _ if is_hyphen(c) => '-',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_a_folded_token_changes_nothing() {
        for c in (0..=0x10FFFF).filter_map(char::from_u32) {
            for token in [format!("{c}"), format!("a{c}b"), format!("i{c}\u{301}")] {
                for turkish in [false, true] {
                    let rules = Rules { separate: true, turkish, elides: !turkish };
                    let once = fold(&token, rules).into_owned();
                    assert_eq!(fold(&once, rules), once, "{token:?} U+{:04X}", c as u32);
                }
            }
        }
    }
}
