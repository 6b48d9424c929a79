//! How the tokens of terms are written, where that differs from how they are matched.
//!
//! Under folding or stemming several *forms* ("Cell", "cells") become one token ("cell"). The record of a
//! token lists its forms, and each term has the number of a form for each of its tokens.

use crate::arrays::pieces::pieces;

/// The most forms of a token that are listed. Terms with another one are stored whole.
pub(crate) const MAX_FORMS: usize = 64;

/// How an entry of a list of forms begins: with one of the three ways to write a word, or with this bit
/// and a way, if the word differs from the token.
const OTHER_WORD: u8 = 4;
/// The first byte of a list. A smaller one is the only form of its token: a way to write it.
const LIST: u8 = 3;

/// How a word is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    AsItIs,
    Capitalised,
    InCapitals,
}

const WAYS: [Way; 3] = [Way::AsItIs, Way::Capitalised, Way::InCapitals];

impl Way {
    fn of(number: u8) -> Option<Way> {
        WAYS.get(number as usize).copied()
    }

    fn push(self, word: &str, text: &mut Vec<u8>) {
        let mut push = |c: char| text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        match self {
            Way::AsItIs => text.extend_from_slice(word.as_bytes()),
            Way::Capitalised => {
                let mut chars = word.chars();
                chars.next().map(capital).into_iter().for_each(&mut push);
                text.extend_from_slice(chars.as_str().as_bytes());
            }
            Way::InCapitals if word.is_ascii() => {
                text.extend(word.bytes().map(|byte| byte.to_ascii_uppercase()));
            }
            Way::InCapitals => word.chars().map(capital).for_each(push),
        }
    }

    fn makes(self, word: &str, form: &str) -> bool {
        if let (Way::Capitalised | Way::InCapitals, true) = (self, word.is_ascii()) {
            let (word, form) = (word.as_bytes(), form.as_bytes());
            let capitals = if self == Way::InCapitals { word.len() } else { word.len().min(1) };
            return word.len() == form.len()
                && word[capitals..] == form[capitals..]
                && word[..capitals]
                    .iter()
                    .map(u8::to_ascii_uppercase)
                    .eq(form[..capitals].iter().copied());
        }
        match self {
            Way::AsItIs => word == form,
            Way::Capitalised => {
                let (mut word, mut form) = (word.chars(), form.chars());
                word.next().map(capital) == form.next() && word.as_str() == form.as_str()
            }
            Way::InCapitals => word.chars().map(capital).eq(form.chars()),
        }
    }
}

/// The capital of a letter, if that is one letter. Unicode does not change these pairs.
fn capital(c: char) -> char {
    only(c.to_uppercase()).unwrap_or(c)
}

fn small(c: char) -> char {
    only(c.to_lowercase()).unwrap_or(c)
}

fn only(mut letters: impl Iterator<Item = char>) -> Option<char> {
    let first = letters.next();
    if letters.next().is_none() { first } else { None }
}

/// The forms of tokens, as they are in the records. Empty if every token has itself as its only form.
#[derive(Default)]
pub(crate) struct TokenForms {
    bytes: Vec<u8>,
    /// The number of bytes of each token's forms, in the order of the tokens.
    lengths: Vec<u32>,
}

impl TokenForms {
    /// Adds the forms of the next token, which are in the order of their bytes. `numbers` becomes the
    /// number of each; None if there is no room for it.
    pub(crate) fn push(&mut self, token: &str, forms: &[&str], numbers: &mut Vec<Option<u8>>) {
        let before = self.bytes.len();
        numbers.clear();
        numbers.resize(forms.len(), None);
        // Most tokens have one form, which is made in one way.
        if let ([form], [number]) = (forms, &mut numbers[..])
            && let Some(way) = (0u8..).zip(WAYS).find(|(_, way)| way.makes(token, form))
        {
            *number = Some(0);
            match way {
                (_, Way::AsItIs) => self.lengths.push(0),
                (way, _) => {
                    self.bytes.push(way);
                    self.lengths.push(1);
                }
            }
            return;
        }
        let mut count = 0;
        self.bytes.extend([LIST, 0, 0]);
        for (number, way) in (0u8..).zip(WAYS) {
            let made = |form: &&str| way.makes(token, form);
            if let Some(i) = forms.iter().position(made)
                && numbers[i].is_none()
            {
                numbers[i] = Some(count);
                count += 1;
                self.bytes.push(number);
            }
        }
        for (i, form) in forms.iter().enumerate() {
            if numbers[i].is_none()
                && usize::from(count) < MAX_FORMS
                && self.push_other(token, form)
            {
                numbers[i] = Some(count);
                count += 1;
            }
        }
        // A list of at most MAX_FORMS entries of at most 258 bytes.
        let size = (self.bytes.len() - before - 3) as u16;
        match self.bytes[before + 3..] {
            // As it is, or nothing that could be listed.
            [] | [0] => self.bytes.truncate(before),
            [way] => {
                self.bytes.truncate(before);
                self.bytes.push(way);
            }
            _ => self.bytes[before + 1..before + 3].copy_from_slice(&size.to_le_bytes()),
        }
        self.lengths.push((self.bytes.len() - before) as u32);
    }

    /// Whether every token has itself as its only form.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Adds a form that is another word than the token: the bytes that both begin with are not repeated.
    fn push_other(&mut self, token: &str, form: &str) -> bool {
        let rest_of = |word: &str| {
            let alike = token.bytes().zip(word.bytes()).take_while(|(a, b)| a == b).count();
            (alike.min(255), word.len() - alike.min(255))
        };
        // The small letters that become the form, and have most in common with the token.
        let mut first = form.chars();
        let capitalised: String =
            first.next().map(small).into_iter().chain(first.as_str().chars()).collect();
        let words = [form.to_owned(), capitalised, form.chars().map(small).collect()];
        let ways = (0u8..).zip(WAYS).zip(&words).filter(|((_, way), word)| way.makes(word, form));
        let best = ways.min_by_key(|&((number, _), word)| (rest_of(word).1, number));
        let Some(((number, _), word)) = best else { return false };
        let (alike, length) = rest_of(word);
        if length > 255 {
            return false;
        }
        self.bytes.extend([OTHER_WORD | number, alike as u8, length as u8]);
        self.bytes.extend_from_slice(&word.as_bytes()[alike..]);
        true
    }

    /// Adds the forms of the tokens that follow.
    pub(crate) fn append(&mut self, mut more: TokenForms) {
        self.bytes.append(&mut more.bytes);
        self.lengths.append(&mut more.lengths);
    }

    /// Adds the forms of a token as they are in a record.
    pub(crate) fn push_encoded(&mut self, forms: &[u8]) {
        self.bytes.extend_from_slice(forms);
        self.lengths.push(forms.len() as u32);
    }

    /// The forms of each of `count` tokens.
    pub(crate) fn iter(&self, count: usize) -> impl Iterator<Item = &[u8]> {
        // Nothing is added where no token can have forms.
        let none = if self.lengths.is_empty() { count } else { 0 };
        pieces(&self.bytes, &self.lengths).chain(std::iter::repeat_n(&[][..], none))
    }
}

/// The bytes of the forms that `record` begins with; None if they do not end there.
#[inline]
pub(crate) fn encoded(record: &[u8]) -> Option<&[u8]> {
    match *record {
        [LIST, low, high, ..] => record.get(..3 + u16::from_le_bytes([low, high]) as usize),
        [way, ..] if way < LIST => Some(&record[..1]),
        _ => None,
    }
}

/// Appends a form of a token to `text`; None if there is no such form.
#[inline]
pub(crate) fn push_form(token: &[u8], forms: &[u8], number: u8, text: &mut Vec<u8>) -> Option<()> {
    match (forms, number) {
        ([], 0) => {
            text.extend_from_slice(token);
            Some(())
        }
        (&[way], 0) => push_word(token, way, text),
        ([LIST, _, _, list @ ..], _) => push_listed(token, list, number, text),
        _ => None,
    }
}

/// Whether a form of a token, folded, may begin with other bytes than the first `shared` of the token.
#[inline]
pub(crate) fn changes(token: &[u8], forms: &[u8], shared: usize) -> bool {
    // What folding only makes small.
    let is_plain =
        |text: &[u8]| text.iter().all(|b| b.is_ascii() && !matches!(b, b'\'' | b'.' | b'`'));
    if forms.is_empty() {
        return false;
    }
    if !is_plain(token) {
        return true;
    }
    let [LIST, _, _, list @ ..] = forms else { return false };
    let mut list = list;
    loop {
        list = match *list {
            [entry, alike, length, ref rest @ ..] if entry & OTHER_WORD != 0 => {
                let Some((word, rest)) = rest.split_at_checked(usize::from(length)) else {
                    return true;
                };
                if usize::from(alike) < shared || !is_plain(word) {
                    return true;
                }
                rest
            }
            [_, ref rest @ ..] => rest,
            [] => return false,
        };
    }
}

fn push_listed(token: &[u8], mut list: &[u8], number: u8, text: &mut Vec<u8>) -> Option<()> {
    for _ in 0..number {
        list = match *list {
            [entry, _, length, ref rest @ ..] if entry & OTHER_WORD != 0 => {
                rest.get(usize::from(length)..)?
            }
            [_, ref rest @ ..] => rest,
            [] => return None,
        };
    }
    match *list {
        [entry, alike, length, ref rest @ ..] if entry & OTHER_WORD != 0 => {
            let mut word = token.get(..usize::from(alike))?.to_vec();
            word.extend_from_slice(rest.get(..usize::from(length))?);
            push_word(&word, entry & !OTHER_WORD, text)
        }
        [way, ..] => push_word(token, way, text),
        [] => None,
    }
}

fn push_word(word: &[u8], way: u8, text: &mut Vec<u8>) -> Option<()> {
    Way::of(way)?.push(std::str::from_utf8(word).ok()?, text);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(token: &str, forms: &[&str]) -> Vec<u8> {
        let mut all = TokenForms::default();
        let mut numbers = Vec::new();
        all.push(token, forms, &mut numbers);
        let bytes = all.iter(1).next().unwrap().to_vec();
        assert_eq!(encoded(&[&bytes[..], b"xyz"].concat()).unwrap_or(&[]), &bytes[..]);
        for (form, number) in forms.iter().zip(numbers) {
            let Some(number) = number else { continue };
            let mut text = Vec::new();
            push_form(token.as_bytes(), &bytes, number, &mut text).unwrap();
            assert_eq!(text, form.as_bytes());
        }
        bytes
    }

    #[test]
    fn every_form_is_made_again() {
        check("cell", &["CELL", "CELLS", "Cell", "Cells", "cell", "cells", "cełł"]);
        check("strasse", &["STRASSE", "Strasse", "Straße", "straße", "ﬆrasse"]);
        check("οδοσ", &["ΟΔΟΣ", "οδος", "Οδός"]);
        check("", &["x"]);
        check("ß", &["SS", "ß", "ẞ"]);
        check("ǆ", &["ǅ", "Ǆ", "ǆ"]);
        let long = "x".repeat(300);
        let other = "y".repeat(255);
        check(&long, &[&long[..299], &other, &format!("{long}y"), &format!("X{}", &long[1..])]);
    }

    #[test]
    fn the_usual_forms_take_no_byte_or_one() {
        assert!(check("london", &["london"]).is_empty());
        assert_eq!(check("london", &["London"]), [1]);
        assert_eq!(check("nasa", &["NASA"]), [2]);
        assert_eq!(check("the", &["THE", "The", "the"]), [LIST, 3, 0, 0, 1, 2]);
        assert_eq!(check("cell", &["Cells"]), [LIST, 4, 0, OTHER_WORD | 1, 4, 1, b's']);
    }

    #[test]
    fn more_forms_than_a_list_has_room_for_have_no_number() {
        let forms: Vec<String> = (0..100).map(|i| format!("form{i:03}")).collect();
        let forms: Vec<&str> = forms.iter().map(String::as_str).collect();
        let mut numbers = Vec::new();
        TokenForms::default().push("x", &forms, &mut numbers);
        assert_eq!(numbers.iter().flatten().count(), MAX_FORMS);
        TokenForms::default().push("x", &[&"y".repeat(256)], &mut numbers);
        assert_eq!(numbers, [None]);
        check("x", &forms);
    }

    #[test]
    fn damaged_forms_are_refused() {
        let mut text = Vec::new();
        for forms in [&[3, 9, 0][..], &[3, 1, 0, 9], &[9], &[3, 3, 0, 4, 9, 0], &[3, 3, 0, 4, 0, 9]]
        {
            for number in 0..3 {
                assert_eq!(push_form(b"abc", forms, number, &mut text), None, "{forms:?}");
            }
        }
        assert_eq!(encoded(&[9, 9]), None);
        assert_eq!(encoded(&[3, 9, 0, 1]), None);
        assert_eq!(encoded(&[]), None);
    }
}
