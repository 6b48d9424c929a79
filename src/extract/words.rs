//! Which tokens count as words, where a run of words ends, and the distinct words of the texts.
//!
//! How a text is split into tokens is in `analysis/text_words.rs`.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::ops::Range;

use foldhash::fast::RandomState;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use crate::analysis::{Hyphens, Options, Spaces, is_unspaced};
use crate::build::entries::List;

/// The analysis of an index in which the candidates are found as they were counted. A word with hyphens is
/// one: its parts are seldom terms.
fn options(fold: bool) -> Options {
    Options { fold, hyphens: Hyphens::Keep, ..Options::default() }
}

/// Calls `each` with the bytes of each word of a text, and of each token that is not a word: a symbol, a
/// possessive 's, an elided article.
pub(super) fn each_token<E>(
    text: &str,
    each: impl FnMut(Range<usize>) -> Result<(), E>,
) -> Result<(), E> {
    options(false).tokens(text, Spaces::None, each)
}

/// Whether a run of words ends between two tokens that have this text between them: at punctuation, and at
/// an empty line.
pub(super) fn ends_run(between: &str) -> bool {
    let mut line_ends = 0;
    let mut chars = between.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' => {}
            // Of a CRLF, the LF counts.
            '\r' if chars.peek() == Some(&'\n') => {}
            '\n' | '\r' => line_ends += 1,
            '\x0b' | '\x0c' | '\u{2029}' => return true,
            _ if c.is_whitespace() || c.general_category() == GeneralCategory::Format => {}
            _ => return true,
        }
    }
    line_ends > 1
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
    /// The number of each word as it is in the text; None for a token that is not a word.
    ids: HashMap<Box<str>, Option<u32>, RandomState>,
    /// The number of each word as it is counted.
    counted: HashMap<Box<str>, u32, RandomState>,
    /// How each word is shown: as it appeared first, in lower case if case makes no difference.
    texts: List,
    kinds: Vec<WordKind>,
}

impl DistinctWords {
    /// The number and the kind of a token of the text; None if it is not a word.
    pub(super) fn id(
        &mut self,
        word: &str,
        stop_words: &HashSet<String>,
        fold: bool,
    ) -> Option<(u32, WordKind)> {
        let id = match self.ids.get(word) {
            Some(&id) => id,
            None => {
                let id = self.new_id(word, stop_words, fold);
                self.ids.insert(word.into(), id);
                id
            }
        };
        id.map(|id| (id, self.kinds[id as usize]))
    }

    fn new_id(&mut self, word: &str, stop_words: &HashSet<String>, fold: bool) -> Option<u32> {
        let folded = options(true).normal_form(word);
        if folded.is_empty() || !word.contains(char::is_alphanumeric) {
            return None;
        }
        let counted = if fold { &*folded } else { word };
        Some(*self.counted.entry(counted.into()).or_insert_with(|| {
            self.texts.push(&if fold { word.to_lowercase() } else { word.to_owned() });
            self.kinds.push(WordKind {
                stops: stop_words.contains(&*folded),
                letters: counted.chars().any(char::is_alphabetic),
            });
            self.kinds.len() as u32 - 1
        }))
    }

    /// The words of these numbers: joined by spaces, but for words of scripts that have none between them.
    pub(super) fn join(&self, ids: &[u32]) -> String {
        let mut joined = String::new();
        for &id in ids {
            let word = self.texts.get(id as usize);
            let close = joined.ends_with(is_unspaced) && word.starts_with(is_unspaced);
            if !close && !joined.is_empty() {
                joined.push(' ');
            }
            joined.push_str(word);
        }
        joined
    }
}

/// Stop words as they are compared: split as texts are, and folded.
pub(super) fn folded_words<'a>(texts: impl IntoIterator<Item = &'a String>) -> HashSet<String> {
    let mut words = HashSet::new();
    for text in texts {
        let Ok(()) = each_token(text, |word| {
            words.insert(options(true).normal_form(&text[word]).into_owned());
            Ok::<(), Infallible>(())
        });
    }
    words
}

#[cfg(test)]
mod tests {
    use super::ends_run;

    #[test]
    fn a_run_ends_at_punctuation_and_at_an_empty_line() {
        for between in [", ", "/", "(", "\u{2014}", "\n\n", "\r\r", "\r\n \r\n", "\x0c"] {
            assert!(ends_run(between), "{between:?}");
        }
        for between in ["", " ", "\n", "\r\n", "\t \u{a0}", "\u{200e}", "\u{ad} "] {
            assert!(!ends_run(between), "{between:?}");
        }
    }
}
