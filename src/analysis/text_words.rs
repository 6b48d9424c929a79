//! The words of running text: the tokenizer `text`.
//!
//! 1. A word is a run of letters, digits and combining marks that begins with a letter or digit.
//! 2. Between two such characters, one of these belongs to the word: a hyphen, an apostrophe, a period,
//!    `&`, `@`, `_`, a middle dot; a comma between digits; and characters that are invisible, such as a
//!    soft hyphen. So add-on, don't, U.S, R&D, 3.5 and 1,000 are words, and "well- known" is two.
//! 3. A period between a small letter and a capital that a small letter follows ends a sentence, as in
//!    "the end.Next", and separates.
//! 4. One or two plus signs at the end of a word belong to it, as do two with digits after them, and `#`
//!    after one or two letters: C++, C++11, C#. A period before a capital that follows white space or an
//!    opening sign does too: .NET.
//! 5. A word whose periods are between parts of one or two letters keeps the period after the last part:
//!    U.S., e.g., Ph.D.
//! 6. At the end of a word, `'s` is a word of its own, and so are `'re`, `'ll`, `'ve`, `'d` and `'m`:
//!    "Google's" is "Google" and "'s". So is an `'s` after a closing sign: U.S.'s.
//! 7. At the beginning of a word, before a vowel or h, an elided word of French, Italian or Catalan is a
//!    word of its own, with its apostrophe: "l'homme" is "l'" and "homme", but "L'viv" is one word. Under
//!    a language that elides no words, such as English, it is not: "D'Angelo" is one word.
//! 8. Under the rules of Turkish, what begins with an apostrophe in a word is a suffix, and a word of its
//!    own: "İstanbul'da" is "İstanbul" and "'da".
//! 9. Scripts that are written without spaces (Han, kana, Thai, Lao, Khmer, Burmese) and symbols are
//!    split at the word boundaries of UAX #29, as by the tokenizer `words`. The signs %, ‰ and § are
//!    symbols, as $ and € are.
//! 10. All other punctuation and white space separates words and belongs to none.
//!
//! Apostrophes and hyphens are those of [`is_apostrophe`] and [`is_hyphen`]. Full-width forms of the
//! signs in these rules, but for the comma, are these signs.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;

/// The rules of a text that depend on options.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    /// Whether hyphens separate words.
    pub(super) separate: bool,
    /// Whether apostrophes begin the suffixes of Turkish.
    pub(super) turkish: bool,
    /// Whether words such as "l'" are elided.
    pub(super) elides: bool,
}

/// Calls `each` with the bytes of every word of a text.
#[inline]
pub(super) fn each_word<E>(
    text: &str,
    rules: Rules,
    mut each: impl FnMut(Range<usize>) -> Result<(), E>,
) -> Result<(), E> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            byte if byte.is_ascii_alphanumeric() => {
                let run =
                    bytes[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                if ends_word(&bytes[at + run..]) {
                    each(at..at + run)?;
                    at += run;
                    continue;
                }
                let end = word_end(text, at, at + run, rules.separate);
                each_part(text, at..end, rules, &mut each)?;
                at = end;
            }
            b'.' if opens_a_word(text, at) => {
                let end = word_end(text, at + 1, at + 1, rules.separate);
                each_part(text, at..end, rules, &mut each)?;
                at = end;
            }
            b'\'' => at += each_possessive(text, at, &mut each)?,
            byte if is_ascii_symbol(byte) => {
                each(at..at + 1)?;
                at += 1;
            }
            byte if byte.is_ascii() => at += 1,
            _ => {
                let c = char_at(text, at);
                if is_unspaced(c) || is_symbol(c) {
                    at = each_segment(text, at, &mut each)?;
                } else if is_apostrophe(c) {
                    at += each_possessive(text, at, &mut each)?;
                } else if c.is_alphanumeric() {
                    let end = word_end(text, at, at, rules.separate);
                    each_part(text, at..end, rules, &mut each)?;
                    at = end;
                } else {
                    at += c.len_utf8();
                }
            }
        }
    }
    Ok(())
}

/// Whether a word of ASCII letters and digits surely ends before these bytes, as most words do.
#[inline]
fn ends_word(rest: &[u8]) -> bool {
    match rest {
        [] => true,
        [b',' | b'.', b' ' | b'\n', ..] => true,
        [byte, ..] => {
            matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | b';' | b':' | b'!' | b'?' | b')' | b'"')
        }
    }
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
        let goes_on = || text[after..].chars().next().is_some_and(is_part);
        let joins = match c {
            '.' | '．' => goes_on() && !ends_a_sentence(text, at..after),
            '&' | '＆' | '@' | '＠' | '_' | '＿' | '·' => goes_on(),
            ',' => {
                let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
                at > start && digit(at - 1) && digit(after)
            }
            c if c.is_ascii_whitespace() => false,
            c if is_apostrophe(c) => goes_on(),
            c if is_hyphen(c) => !separate && goes_on(),
            _ => c.general_category() == GeneralCategory::Format && goes_on(),
        };
        if !joins {
            return at + suffix_length(text, start, at);
        }
        at = after;
    }
}

/// Whether a period between two characters of words is between two sentences.
fn ends_a_sentence(text: &str, period: Range<usize>) -> bool {
    let before = text[..period.start].chars().rev().find(|&c| !is_mark(c));
    let mut after = text[period.end..].chars().filter(|&c| !is_mark(c));
    before.is_some_and(char::is_lowercase)
        && after.next().is_some_and(char::is_uppercase)
        && after.next().is_some_and(char::is_lowercase)
}

/// The bytes of what follows a word and still belongs to it.
fn suffix_length(text: &str, start: usize, end: usize) -> usize {
    let (word, rest) = (&text[start..end], &text[end..]);
    let Some(first) = rest.chars().next() else { return 0 };
    let ends_after = |length: usize| !rest[length..].chars().next().is_some_and(is_part);
    match first {
        '+' | '＋' | '⁺' => {
            let signs = || rest.chars().take_while(|&c| matches!(c, '+' | '＋' | '⁺'));
            let length = signs().map(char::len_utf8).sum();
            let count = signs().count();
            if count > 2 {
                return 0;
            }
            let digits = rest[length..].bytes().take_while(u8::is_ascii_digit).count();
            match ends_after(length) || count == 2 && digits > 0 && ends_after(length + digits) {
                true => length + digits,
                false => 0,
            }
        }
        '#' | '＃' => {
            let short = word.chars().count() <= 2 && word.chars().all(|c| c.is_alphabetic());
            if short && ends_after(first.len_utf8()) { first.len_utf8() } else { 0 }
        }
        '.' if word.contains('.') => {
            let short = |part: &str| {
                let letters = part.chars().filter(|&c| !is_mark(c));
                matches!(letters.clone().count(), 1 | 2) && letters.into_iter().all(is_letter)
            };
            usize::from(word.split('.').all(short) && ends_after(1))
        }
        _ => 0,
    }
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic()
}

/// Whether a period begins a word such as .NET.
fn opens_a_word(text: &str, at: usize) -> bool {
    let capital = text.as_bytes().get(at + 1).is_some_and(u8::is_ascii_uppercase);
    let before = text[..at].chars().next_back();
    let opens = |c: char| c.is_whitespace() || "([{/\"'“‘„«-".contains(c);
    capital && before.is_none_or(opens)
}

/// Calls `each` with the `'s` of which the apostrophe at byte `at` is the first character, if it follows
/// a sign that is not a word's. Returns the bytes to go on after.
fn each_possessive<E>(
    text: &str,
    at: usize,
    each: &mut impl FnMut(Range<usize>) -> Result<(), E>,
) -> Result<usize, E> {
    let length = char_at(text, at).len_utf8();
    let mut rest = text[at + length..].chars();
    let is_s =
        rest.next().is_some_and(|c| matches!(c, 's' | 'S')) && !rest.next().is_some_and(is_part);
    let closes =
        |c: char| matches!(c, '.' | '+' | '#' | ')' | ']' | '"' | '”' | '»' | '“' | '*' | '_');
    if is_s && text[..at].chars().next_back().is_some_and(closes) {
        each(at..at + length + 1)?;
        return Ok(length + 1);
    }
    // A grave or an acute accent is a symbol.
    if is_symbol(char_at(text, at)) {
        each(at..at + length)?;
    }
    Ok(length)
}

/// The elided articles, and the prepositions that are elided or have an article in them, in lower case,
/// without their apostrophe.
const ARTICLES: [&str; 15] = [
    "l", "d", "un", "gl", "dell", "degl", "nell", "negl", "sull", "sugl", "all", "agl", "dall",
    "dagl", "coll",
];

/// Other elided words.
const ELIDED: [&str; 28] = [
    "c", "ç", "j", "m", "n", "s", "t", "v", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", "quell",
    "quest", "bell", "sant", "nessun", "ciascun", "alcun", "buon", "tutt", "altr", "senz", "sott",
    "anch", "dov", "com",
];

/// Calls `each` with a word, and apart from it with the elided word before and the clitic after it.
#[inline]
fn each_part<E>(
    text: &str,
    mut word: Range<usize>,
    rules: Rules,
    each: &mut impl FnMut(Range<usize>) -> Result<(), E>,
) -> Result<(), E> {
    // Most words have no apostrophe. The others but the ASCII one and the grave are not ASCII.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    if text.as_bytes()[word.clone()].iter().copied().all(plain) {
        return each(word);
    }
    let clitic = match rules.turkish {
        true => {
            let start = text[word.clone()].find(is_apostrophe).unwrap_or(word.len());
            word.len() - start
        }
        false => {
            let begin = &text[word.clone()];
            let elided = article_length(begin).or_else(|| elided_length(begin, &ELIDED));
            if let Some(length) = elided.filter(|_| rules.elides) {
                each(word.start..word.start + length)?;
                word.start += length;
            }
            clitic_length(&text[word.clone()], &CLITICS)
        }
    };
    let end = word.end - clitic;
    each(word.start..end)?;
    match clitic {
        0 => Ok(()),
        _ => each(end..word.end),
    }
}

/// Whether a character between the parts of a word is a hyphen: one of the kinds of hyphens, a figure or
/// en dash, or a minus sign.
pub(crate) fn is_hyphen(c: char) -> bool {
    matches!(
        c,
        '-' | '\u{58A}' | '\u{5BE}' | '\u{2010}'
            ..='\u{2013}' | '\u{207B}' | '\u{208B}' | '\u{2212}' | '\u{FE63}' | '\u{FF0D}'
    )
}

/// Whether a character between the parts of a word is an apostrophe: one of the kinds of single quotation
/// marks and primes, an accent without a letter, or a letter that looks like one.
pub(super) fn is_apostrophe(c: char) -> bool {
    matches!(
        c,
        '\'' | '`' | '´' | '\u{2B9}' | '\u{2BB}'
            ..='\u{2BD}' | '\u{5F3}' | '‘' | '’' | '‛' | '′' | '\u{FF07}'
    )
}

/// The bytes of an elided article or preposition that a word begins with, and of its apostrophe.
pub(super) fn article_length(word: &str) -> Option<usize> {
    elided_length(word, &ARTICLES)
}

/// The bytes of one of these elided words that a word begins with, and of its apostrophe.
fn elided_length(word: &str, words: &[&str]) -> Option<usize> {
    // The longest has seven letters.
    let first = word.char_indices().take(8).find(|&(_, c)| is_apostrophe(c))?;
    let (at, apostrophe) = first;
    let end = at + apostrophe.len_utf8();
    let followed = word[end..].chars().next().is_some_and(is_vowel_or_h);
    let elided = words.iter().any(|elided| word[..at].eq_ignore_ascii_case(elided));
    (followed && elided).then_some(end)
}

/// Whether articles are elided before a letter.
fn is_vowel_or_h(c: char) -> bool {
    let base = c.nfd().next().unwrap_or(c).to_ascii_lowercase();
    matches!(base, 'a' | 'e' | 'i' | 'o' | 'u' | 'y' | 'h' | 'æ' | 'œ' | 'Æ' | 'Œ')
}

/// What is apart from the word that it follows, without its apostrophe.
const CLITICS: [&str; 6] = ["s", "re", "ll", "ve", "d", "m"];

/// The bytes of the one of these clitics that a word ends with.
fn clitic_length(word: &str, clitics: &[&str]) -> usize {
    // The longest has two letters.
    let last = word.char_indices().rev().take(3).find(|&(_, c)| is_apostrophe(c));
    let Some((at, apostrophe)) = last else { return 0 };
    let letters = &word[at + apostrophe.len_utf8()..];
    match at > 0 && clitics.iter().any(|clitic| letters.eq_ignore_ascii_case(clitic)) {
        true => word.len() - at,
        false => 0,
    }
}

/// The bytes of the `'s` that a word ends with.
pub(super) fn possessive_length(word: &str) -> usize {
    clitic_length(word, &["s"])
}

/// Calls `each` with the segments of a run of characters that are not words by spaces; the end of it.
fn each_segment<E>(
    text: &str,
    start: usize,
    each: &mut impl FnMut(Range<usize>) -> Result<(), E>,
) -> Result<usize, E> {
    let belongs = |c: char| {
        is_unspaced(c)
            || !c.is_ascii() && is_symbol(c)
            || is_mark(c)
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
    !is_unspaced(c) && (c.is_alphanumeric() || is_mark(c)) && !is_apostrophe(c)
}

fn is_mark(c: char) -> bool {
    !c.is_ascii() && c.general_category_group() == GeneralCategoryGroup::Mark
}

fn is_ascii_symbol(byte: u8) -> bool {
    matches!(byte, b'$' | b'%' | b'+' | b'<' | b'=' | b'>' | b'^' | b'`' | b'|' | b'~')
}

fn is_symbol(c: char) -> bool {
    match c.is_ascii() {
        true => is_ascii_symbol(c as u8),
        // A minus sign is a hyphen in IL−2, and separates like one elsewhere.
        false => {
            matches!(c, '‰' | '‱' | '٪' | '％' | '§')
                || !is_hyphen(c) && c.general_category_group() == GeneralCategoryGroup::Symbol
        }
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
