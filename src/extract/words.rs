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

/// The function words of a language by what they show of the words beside them. Each is split as texts are,
/// and folded.
#[derive(Clone, Debug, Default)]
pub struct FunctionWords {
    /// The words that no candidate starts or ends with, and that only connectors are part of.
    pub stop_words: HashSet<String>,
    /// The stop words that may be inside of a candidate: of, de, di.
    pub connectors: HashSet<String>,
    /// Articles and other words that a noun phrase begins with. What is before one is rarely a noun.
    pub determiners: HashSet<String>,
    /// Pronouns, auxiliaries and others that a verb or an adjective follows.
    pub verbal: HashSet<String>,
    /// Prepositions. A word that is mostly before one is rarely a term.
    pub prepositions: HashSet<String>,
    /// Words of any text, on whatever subject, that are not function words.
    pub general: HashSet<String>,
}

impl FunctionWords {
    pub(super) fn folded(&self) -> FunctionWords {
        FunctionWords {
            stop_words: folded_words(&self.stop_words),
            connectors: folded_words(&self.connectors),
            determiners: folded_words(&self.determiners),
            verbal: folded_words(&self.verbal),
            prepositions: folded_words(&self.prepositions),
            general: folded_words(&self.general),
        }
    }
}

/// The analysis of an index in which the candidates are found as they were counted.
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

/// What is between two words.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Between {
    /// Nothing that ends a run.
    Space,
    /// A sign within a sentence, which ends a run.
    Sign,
    /// The end of a sentence or a paragraph.
    SentenceEnd,
}

/// What is between two tokens that have this text between them.
pub(super) fn between(text: &str) -> Between {
    let mut line_ends = 0;
    let mut found = Between::Space;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' => {}
            // Of a CRLF, the LF counts.
            '\r' if chars.peek() == Some(&'\n') => {}
            '\n' | '\r' => line_ends += 1,
            '\x0b' | '\x0c' | '\u{2029}' | '.' | '!' | '?' | ':' => return Between::SentenceEnd,
            _ if c.is_whitespace() || c.general_category() == GeneralCategory::Format => {}
            _ => found = Between::Sign,
        }
    }
    if line_ends > 1 { Between::SentenceEnd } else { found }
}

/// What decides whether a word begins, ends or connects a candidate.
#[derive(Clone, Copy, Default)]
pub(super) struct WordKind {
    /// It is a stop word: no candidate starts or ends with it.
    pub(super) stops: bool,
    /// It is a stop word that may be inside of a candidate.
    pub(super) connects: bool,
    pub(super) determiner: bool,
    pub(super) verbal: bool,
    pub(super) preposition: bool,
    pub(super) general: bool,
    /// It has a letter: a run in which no word has one is not a candidate.
    pub(super) letters: bool,
}

/// The distinct words, numbered as they appear, and how they are written.
#[derive(Default)]
pub(super) struct DistinctWords {
    /// The number of each word as it is in the text, of the surfaces; None for a token that is not a word.
    surface_ids: HashMap<Box<str>, Option<u32>, RandomState>,
    /// Each surface: as it is shown, and the number of its word.
    pub(super) surfaces: List,
    pub(super) word_of: Vec<u32>,
    /// The number of each word as it is counted.
    counted: HashMap<Box<str>, u32, RandomState>,
    /// Each word in lower case, if case makes no difference; else as it is written.
    pub(super) texts: List,
    pub(super) kinds: Vec<WordKind>,
    /// The surface of each word that is all in lower case, if there is one.
    pub(super) lower: Vec<Option<u32>>,
    /// Whether each word begins with a capital anywhere but at the start of a sentence.
    capital: Vec<bool>,
}

impl DistinctWords {
    /// The number of a token of the text among the surfaces; None if it is not a word.
    pub(super) fn surface(
        &mut self,
        word: &str,
        function_words: &FunctionWords,
        fold: bool,
    ) -> Option<u32> {
        match self.surface_ids.get(word) {
            Some(&id) => id,
            None => {
                let id = self.new_surface(word, function_words, fold);
                self.surface_ids.insert(word.into(), id);
                id
            }
        }
    }

    fn new_surface(&mut self, word: &str, functions: &FunctionWords, fold: bool) -> Option<u32> {
        if !word.contains(char::is_alphanumeric) {
            return None;
        }
        let mut folded = options(true).normal_form(word).into_owned();
        let mut elided = false;
        if folded.is_empty() {
            // An elided word: what is before the apostrophe. A possessive 's is not a word.
            let end = word.char_indices().last().filter(|(_, c)| !c.is_alphanumeric())?.0;
            folded = options(true).normal_form(&word[..end]).into_owned();
            elided = true;
        }
        let mut counted = if fold { folded.clone() } else { word.to_owned() };
        if elided {
            counted.push('\'');
        }
        let texts = &mut self.texts;
        let (kinds, lower, capital) = (&mut self.kinds, &mut self.lower, &mut self.capital);
        let id = *self.counted.entry(counted.into()).or_insert_with_key(|counted| {
            let is = |words: &HashSet<String>| words.contains(&*folded);
            texts.push(&if !fold {
                word.to_owned()
            } else if elided {
                counted.to_string()
            } else {
                word.to_lowercase()
            });
            let stops = elided || is(&functions.stop_words);
            kinds.push(WordKind {
                stops,
                connects: stops && is(&functions.connectors),
                determiner: is(&functions.determiners),
                verbal: is(&functions.verbal),
                preposition: is(&functions.prepositions),
                general: is(&functions.general),
                letters: counted.chars().any(char::is_alphabetic),
            });
            lower.push(None);
            capital.push(false);
            kinds.len() as u32 - 1
        });
        let surface = self.word_of.len() as u32;
        self.surfaces.push(word);
        self.word_of.push(id);
        let place = &mut self.lower[id as usize];
        if place.is_none() && !word.contains(char::is_uppercase) {
            *place = Some(surface);
        }
        Some(surface)
    }

    /// Notes that a surface does not begin a sentence.
    pub(super) fn note_inside(&mut self, surface: u32) {
        let word = self.word_of[surface as usize] as usize;
        if !self.capital[word] && self.lower[word] != Some(surface) {
            let text = self.surfaces.get(surface as usize);
            self.capital[word] = text.starts_with(char::is_uppercase);
        }
    }

    /// Whether the capital of a word at the start of a sentence is there for that alone, as far as the other
    /// places show.
    pub(super) fn is_plain_inside(&self, word: u32) -> bool {
        self.lower[word as usize].is_some() || !self.capital[word as usize]
    }

    /// The number of distinct words.
    pub(super) fn len(&self) -> usize {
        self.kinds.len()
    }

    pub(super) fn kind(&self, word: u32) -> WordKind {
        self.kinds[word as usize]
    }

    /// The text of a word in lower case, if case makes no difference.
    pub(super) fn text(&self, word: u32) -> &str {
        self.texts.get(word as usize)
    }
}

/// Words as a text: joined by spaces, but for words of scripts that have none between them, and after an
/// elided article.
pub(super) fn joined<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut joined = String::new();
    for word in words {
        let close = joined.ends_with(is_unspaced) && word.starts_with(is_unspaced);
        if !close && !joined.is_empty() && !joined.ends_with(['\'', '’']) {
            joined.push(' ');
        }
        joined.push_str(word);
    }
    joined
}

/// Words as they are compared: split as texts are, and folded.
fn folded_words<'a>(texts: impl IntoIterator<Item = &'a String>) -> HashSet<String> {
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
    use super::{Between, between};

    #[test]
    fn a_run_ends_at_punctuation_and_at_an_empty_line() {
        for text in [", ", "/", "(", "\u{2014}"] {
            assert!(between(text) == Between::Sign, "{text:?}");
        }
        for text in [". ", "\n\n", "\r\r", "\r\n \r\n", "\x0c", ") ! "] {
            assert!(between(text) == Between::SentenceEnd, "{text:?}");
        }
        for text in ["", " ", "\n", "\r\n", "\t \u{a0}", "\u{200e}", "\u{ad} "] {
            assert!(between(text) == Between::Space, "{text:?}");
        }
    }
}
