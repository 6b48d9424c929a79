//! The words of running text: the tokenizer `text`.
//!
//! 1. A word is a run of letters, digits and combining marks that begins with a letter or digit.
//! 2. Between two such characters, one of these belongs to the word: a hyphen, an apostrophe, a period,
//!    `&`, `_`, a middle dot; a comma between digits; and characters that are invisible, such as a soft
//!    hyphen. So add-on, don't, U.S, R&D, 3.5 and 1,000 are words, and "well- known" is two.
//! 3. One or two plus signs at the end of a word belong to it, and so does `#` after one or two letters:
//!    C++, C#. A period before a capital that follows white space or an opening sign does too: .NET.
//! 4. Letters with periods between them keep the period after the last one: U.S., e.g.
//! 5. At the end of a word, `'s` is a word of its own; at its beginning, so is an elided word of French or
//!    Italian with its apostrophe: "Google's" is "Google" and "'s", "l'homme" is "l'" and "homme".
//! 6. Scripts that are written without spaces (Han, kana, Thai, Lao, Khmer, Burmese) and symbols are
//!    split at the word boundaries of UAX #29, as by the tokenizer `words`.
//! 7. All other punctuation and white space separates words and belongs to none.

use std::ops::Range;

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;

use crate::analysis::Hyphens;

/// Calls `each` with the bytes of every word of a text.
#[inline]
pub(super) fn each_word<E>(
    text: &str,
    hyphens: Hyphens,
    mut each: impl FnMut(Range<usize>) -> Result<(), E>,
) -> Result<(), E> {
    let bytes = text.as_bytes();
    let separate = hyphens.separate();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            byte if byte.is_ascii_alphanumeric() => {
                let run = at + alphanumerics(&bytes[at..]);
                // Most words are ASCII, and a blank or the end of the text follows them.
                if matches!(bytes.get(run), None | Some(b' ' | b'\n')) {
                    each(at..run)?;
                    at = run + 1;
                    continue;
                }
                let end = word_end(text, at, run, separate);
                each_part(text, at..end, &mut each)?;
                at = end;
            }
            b'.' if opens_a_word(text, at) => {
                let end = word_end(text, at + 1, at + 1, separate);
                each_part(text, at..end, &mut each)?;
                at = end;
            }
            byte if is_ascii_symbol(byte) => {
                each(at..at + 1)?;
                at += 1;
            }
            byte if byte.is_ascii() => at += 1,
            _ => {
                let c = char_at(text, at);
                if is_unspaced(c) || is_symbol(c) {
                    at = each_segment(text, at, &mut each)?;
                } else if c.is_alphanumeric() {
                    let end = word_end(text, at, at, separate);
                    each_part(text, at..end, &mut each)?;
                    at = end;
                } else {
                    at += c.len_utf8();
                }
            }
        }
    }
    Ok(())
}

fn char_at(text: &str, at: usize) -> char {
    text[at..].chars().next().unwrap_or(' ')
}

/// The number of ASCII letters and digits that bytes begin with.
#[inline]
fn alphanumerics(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(bytes.len())
}

/// The end of the word that begins at byte `start` and goes on at least to byte `at`; with `separate`, a
/// hyphen ends it.
fn word_end(text: &str, start: usize, mut at: usize, separate: bool) -> usize {
    let bytes = text.as_bytes();
    loop {
        at += alphanumerics(&bytes[at..]);
        let Some(&byte) = bytes.get(at) else { return at };
        if byte == b' ' {
            return at;
        }
        let c = char_at(text, at);
        let after = at + c.len_utf8();
        if is_part(c) {
            at = after;
            continue;
        }
        let goes_on = |at: usize| text[at..].chars().next().is_some_and(is_part);
        let joins = match c {
            c if is_hyphen(c) => !separate && goes_on(after),
            '\'' | '’' | '.' | '&' | '_' | '·' => goes_on(after),
            ',' => {
                let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
                at > start && digit(at - 1) && digit(after)
            }
            _ => c.general_category() == GeneralCategory::Format && goes_on(after),
        };
        if !joins {
            return at + suffix_length(text, start, at);
        }
        at = after;
    }
}

/// The bytes of what follows a word and still belongs to it.
fn suffix_length(text: &str, start: usize, end: usize) -> usize {
    let (word, rest) = (&text[start..end], &text[end..]);
    let ends_after = |length: usize| !rest[length..].chars().next().is_some_and(is_part);
    if rest.starts_with('+') {
        let signs = rest.bytes().take_while(|&byte| byte == b'+').count();
        return if signs <= 2 && ends_after(signs) { signs } else { 0 };
    }
    if rest.starts_with('#') {
        let short = word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
        return usize::from(short && ends_after(1));
    }
    // At least two letters, each followed by a period, the last one by this one.
    let mut letters = word.split('.');
    let single = |part: &str| part.chars().count() == 1 && part.chars().all(char::is_alphabetic);
    usize::from(rest.starts_with('.') && word.contains('.') && letters.all(single))
}

/// Whether a period begins a word such as .NET.
fn opens_a_word(text: &str, at: usize) -> bool {
    let capital = text.as_bytes().get(at + 1).is_some_and(u8::is_ascii_uppercase);
    let before = text[..at].chars().next_back();
    let opens = |c: char| c.is_whitespace() || "([{/\"'“‘„«-".contains(c);
    capital && before.is_none_or(opens)
}

/// The elided words of French and Italian, in lower case, without their apostrophe.
const ELIDED: [&str; 29] = [
    "l", "d", "j", "m", "n", "s", "t", "c", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", "presqu",
    "un", "dell", "nell", "sull", "all", "dall", "coll", "gl", "quell", "quest", "bell", "sant",
    "nessun", "ciascun", "buon",
];

/// Calls `each` with a word, and apart from it with the elided word before and the `'s` after it.
#[inline]
fn each_part<E>(
    text: &str,
    mut word: Range<usize>,
    each: &mut impl FnMut(Range<usize>) -> Result<(), E>,
) -> Result<(), E> {
    if let Some(length) = elided_length(&text[word.clone()]) {
        each(word.start..word.start + length)?;
        word.start += length;
    }
    match possessive_length(&text[word.clone()]) {
        0 => each(word),
        length => {
            each(word.start..word.end - length)?;
            each(word.end - length..word.end)
        }
    }
}

/// Whether a character between the parts of a word is a hyphen: one of the kinds of hyphens, a figure or
/// en dash, or a minus sign.
pub(crate) fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2013}' | '\u{2212}' | '\u{FE63}' | '\u{FF0D}')
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

/// The bytes of an elided word that a word begins with, and of its apostrophe.
pub(super) fn elided_length(word: &str) -> Option<usize> {
    // The longest has seven letters.
    let first = word.char_indices().take(8).find(|&(_, c)| is_apostrophe(c))?;
    let (at, apostrophe) = first;
    let end = at + apostrophe.len_utf8();
    let followed = word[end..].chars().next().is_some_and(char::is_alphabetic);
    let elided = ELIDED.iter().any(|elided| word[..at].eq_ignore_ascii_case(elided));
    // "s's" is a word and its clitic.
    (followed && elided && possessive_length(word) != word.len() - at).then_some(end)
}

/// The bytes of the `'s` that a word ends with.
pub(super) fn possessive_length(word: &str) -> usize {
    let Some(rest) = word.strip_suffix(['s', 'S']) else { return 0 };
    match rest.strip_suffix(is_apostrophe) {
        Some(stem) if !stem.is_empty() => word.len() - stem.len(),
        _ => 0,
    }
}

/// Calls `each` with the segments of a run of characters that are not words by spaces; the end of it.
fn each_segment<E>(
    text: &str,
    start: usize,
    each: &mut impl FnMut(Range<usize>) -> Result<(), E>,
) -> Result<usize, E> {
    let belongs = |c: char| {
        is_unspaced(c)
            || is_symbol(c)
            || matches!(c.general_category_group(), GeneralCategoryGroup::Mark)
            || c.general_category() == GeneralCategory::Format
    };
    let run = text[start..].split(|c| !belongs(c)).next().unwrap_or_default();
    for (at, segment) in run.split_word_bound_indices() {
        if segment.chars().any(|c| c.is_alphanumeric() || is_symbol(c)) {
            each(start + at..start + at + segment.len())?;
        }
    }
    Ok(start + run.len())
}

/// Whether a character is part of a word that is written between spaces.
fn is_part(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    !is_unspaced(c)
        && (c.is_alphanumeric() || c.general_category_group() == GeneralCategoryGroup::Mark)
}

fn is_ascii_symbol(byte: u8) -> bool {
    matches!(byte, b'$' | b'+' | b'<' | b'=' | b'>' | b'^' | b'`' | b'|' | b'~')
}

fn is_symbol(c: char) -> bool {
    match c.is_ascii() {
        true => is_ascii_symbol(c as u8),
        // The minus sign is a hyphen in IL−2, and separates like one elsewhere.
        false => c != '\u{2212}' && c.general_category_group() == GeneralCategoryGroup::Symbol,
    }
}

/// Whether a character belongs to a script that is written without spaces.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{0EFF}' // Thai, Lao
        | '\u{1000}'..='\u{109F}' // Burmese
        | '\u{1780}'..='\u{17FF}' // Khmer
        | '\u{19E0}'..='\u{19FF}'
        | '\u{2E80}'..='\u{2FDF}' // radicals
        | '\u{3005}'..='\u{3007}'
        | '\u{3021}'..='\u{303C}'
        | '\u{3040}'..='\u{312F}' // kana, Bopomofo
        | '\u{31A0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}' // Han
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{A9E0}'..='\u{A9FF}'
        | '\u{AA60}'..='\u{AA7F}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FF66}'..='\u{FF9F}'
        | '\u{1B000}'..='\u{1B16F}'
        | '\u{20000}'..='\u{3FFFF}')
}
