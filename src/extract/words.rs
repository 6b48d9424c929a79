//! What a word is, and the distinct words of the texts.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use crate::analysis::lower_case;
use crate::build::entries::List;

/// The words of a text.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        let (word, after) = rest.split_at(word_end(rest, 0));
        rest = after;
        (!word.is_empty()).then_some(word)
    })
}

/// Where the word that begins at byte `at` ends; `at` if none begins there. A word is a run of letters,
/// digits and marks that begins with a letter or digit; some characters join two parts of it.
pub(super) fn word_end(text: &str, at: usize) -> usize {
    let mut end = at;
    let mut rest = text[at..].chars();
    let mut last = ' ';
    while let Some(c) = rest.next() {
        if is_part(c) && (end > at || c.is_alphanumeric()) {
            end = text.len() - rest.as_str().len();
        } else if end == at || !joins(last, c, rest.as_str().chars().next()) {
            break;
        }
        last = c;
    }
    end
}

/// Whether a character is part of a word.
fn is_part(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    c.is_alphanumeric() || c.general_category_group() == GeneralCategoryGroup::Mark
}

/// Whether a character joins the parts of a word before and after it: co-operation, don't, R&D, U.S,
/// 1,000, snake_case; soft hyphens and the joiners of Persian and Indic scripts.
fn joins(before: char, c: char, after: Option<char>) -> bool {
    let Some(after) = after.filter(|&after| after.is_alphanumeric()) else { return false };
    match c {
        '-' | '\'' | '’' | '.' | '&' | '_' => is_part(before),
        '\u{2010}' | '\u{2011}' | '\u{ad}' | '·' | '\u{200c}' | '\u{200d}' => is_part(before),
        ',' => before.is_ascii_digit() && after.is_ascii_digit(),
        _ => false,
    }
}

/// What decides whether a word begins or ends a candidate.
#[derive(Clone, Copy)]
pub(super) struct WordKind {
    /// It is a stop word: no candidate starts or ends with it.
    pub(super) stops: bool,
    /// It has a letter: a run in which no word has one is not a candidate.
    pub(super) letters: bool,
}

/// The distinct words, numbered as they appear.
#[derive(Default)]
pub(super) struct DistinctWords {
    /// The number of each word, by the word as it is in the text and as it is counted.
    ids: HashMap<Box<str>, u32, RandomState>,
    /// Each word as it is counted.
    texts: List,
    kinds: Vec<WordKind>,
}

impl DistinctWords {
    /// The number and the kind of a word of the text.
    pub(super) fn id(
        &mut self,
        word: &str,
        stop_words: &HashSet<String>,
        lowercase: bool,
    ) -> (u32, WordKind) {
        if let Some(&id) = self.ids.get(word) {
            return (id, self.kinds[id as usize]);
        }
        let lower = lower_case(word);
        let counted = if lowercase { &*lower } else { word };
        let known = (counted != word).then(|| self.ids.get(counted).copied()).flatten();
        let id = known.unwrap_or_else(|| {
            let id = self.texts.len() as u32;
            self.texts.push(counted);
            self.kinds.push(WordKind {
                stops: stop_words.contains(&*lower),
                letters: counted.chars().any(char::is_alphabetic),
            });
            if counted != word {
                self.ids.insert(counted.into(), id);
            }
            id
        });
        self.ids.insert(word.into(), id);
        (id, self.kinds[id as usize])
    }

    /// The words of these numbers, joined by spaces.
    pub(super) fn join(&self, ids: &[u32]) -> String {
        let words: Vec<&str> = ids.iter().map(|&id| self.texts.get(id as usize)).collect();
        words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn some_characters_join_the_parts_of_a_word() {
        for word in [
            "co-operation",
            "don't",
            "don’t",
            "R&D",
            "U.S",
            "1,000",
            "snake_case",
            "a\u{2010}b",
            "so\u{ad}ft",
            "col·lega",
            "می\u{200c}خواهم",
            "क्ष",
            "e\u{301}te\u{301}",
            "3-D",
        ] {
            assert_eq!(words(word).collect::<Vec<_>>(), [word]);
        }
    }

    #[test]
    fn other_characters_end_a_word() {
        for (text, wanted) in [
            ("e.g. this", &["e.g", "this"][..]),
            ("a,b 1,b", &["a", "b", "1", "b"]),
            ("well--known -x x- 'y'", &["well", "known", "x", "x", "y"]),
            ("a/b (c) \"d\"; e!", &["a", "b", "c", "d", "e"]),
            ("\u{301}a", &["a"]),
            (" \n.,-", &[]),
        ] {
            assert_eq!(words(text).collect::<Vec<_>>(), wanted, "{text:?}");
        }
    }
}
