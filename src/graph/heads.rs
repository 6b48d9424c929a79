//! The heads of terms by the rule of a language: what a term is a kind of.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::ops::Range;

use foldhash::fast::RandomState;

use crate::analysis::{Spaces, is_apostrophe};
use crate::error::{Error, Result};
use crate::graph::taxonomy::Taxonomy;
use crate::index::{Index, TermId};

/// Where a language has the head of a term, and what it needs to find it. All words are in lower case.
#[derive(Clone, Debug, Default)]
pub struct HeadRule {
    /// Whether the head comes first, as in French; else last, as in English.
    pub first: bool,
    /// Articles and prepositions: the head is before the first of them.
    pub borders: HashSet<String>,
    /// All function words. None of them is in what a term adds before its head.
    pub function_words: HashSet<String>,
    /// The base forms of words, of those that are not base forms themselves.
    pub bases: HashMap<String, String>,
    /// The least letters of a part of a compound that is its head; 0 if words have no parts.
    pub min_part: usize,
}

/// The least letters of a compound before its head.
const MIN_MODIFIER: usize = 3;

/// A term as words: in lower case, in their base forms.
#[derive(Default)]
struct Words {
    /// The words, a space between any two.
    text: String,
    /// The hash of each beginning of the text.
    hashes: Vec<u64>,
    /// Where each begins and ends.
    places: Vec<(usize, usize)>,
    /// Whether each is a function word, and whether one that the head is before.
    functions: Vec<(bool, bool)>,
}

/// The hash of any part of a text at no more than the cost of two multiplications: a polynomial of its bytes,
/// modulo a prime.
struct PartHash {
    base: u64,
    /// The powers of the base.
    powers: Vec<u64>,
}

const PRIME: u64 = (1 << 61) - 1;

fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

impl PartHash {
    fn new() -> PartHash {
        // Nobody can know which texts collide.
        let base = RandomState::default().hash_one(0u8) % (PRIME - 1000) + 500;
        PartHash { base, powers: vec![1] }
    }

    /// Computes the hashes of the beginnings of a text.
    fn hash(&mut self, words: &mut Words) {
        let mut last = 0;
        words.hashes.clear();
        words.hashes.push(0);
        for byte in words.text.bytes() {
            last = (times(last, self.base) + u64::from(byte) + 1) % PRIME;
            words.hashes.push(last);
        }
        while self.powers.len() < words.hashes.len() {
            let power = times(self.powers[self.powers.len() - 1], self.base);
            self.powers.push(power);
        }
    }

    /// The hash of the bytes of a text from `start` to `end`.
    fn of(&self, words: &Words, start: usize, end: usize) -> u64 {
        let before = times(words.hashes[start], self.powers[end - start]);
        (words.hashes[end] + PRIME - before) % PRIME
    }
}

impl Words {
    fn len(&self) -> usize {
        self.places.len()
    }

    /// The bytes of the words from `start` to `end`.
    fn part(&self, start: usize, end: usize) -> Range<usize> {
        self.places[start].0..self.places[end - 1].1
    }

    fn push(&mut self, word: &str, rule: &HeadRule) {
        let lower = word.to_lowercase();
        let bare = lower.trim_end_matches(is_apostrophe);
        self.functions.push((rule.function_words.contains(bare), rule.borders.contains(bare)));
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        let start = self.text.len();
        self.text.push_str(rule.bases.get(&lower).unwrap_or(&lower));
        self.places.push((start, self.text.len()));
    }
}

impl Index {
    /// Calls `each` with the words of a term; what is elided before a word is one of its own.
    fn each_term_word(&self, term: &str, mut each: impl FnMut(&str)) -> Result<()> {
        self.options().tokens(term, Spaces::None, |range| {
            let token = &term[range];
            match token.find(is_apostrophe) {
                // As in "l'eau" and "dell'acqua", not in "o'clock's".
                Some(at) if at > 0 => {
                    let rest = token[at..].trim_start_matches(is_apostrophe);
                    let elided = token.len() - rest.len();
                    if rest.chars().nth(1).is_some() {
                        each(&token[..elided]);
                        each(rest);
                    } else {
                        each(token);
                    }
                }
                _ => each(token),
            }
            Ok::<(), Error>(())
        })
    }

    fn words_of(&self, id: u32, rule: &HeadRule) -> Result<Words> {
        let surface = self.surface(TermId(id))?;
        let mut words = Words::default();
        self.each_term_word(&surface, |word| words.push(word, rule))?;
        Ok(words)
    }

    /// The tree of terms and their heads by a rule of their language: of several terms with the same words in
    /// their base forms the first is the head of others.
    pub fn heads(&self, rule: &HeadRule) -> Result<Taxonomy> {
        let mut hasher = PartHash::new();
        let mut first: HashMap<u64, u32, RandomState> = HashMap::default();
        let mut lengths = Vec::with_capacity(self.len());
        for id in 0..self.len() as u32 {
            let mut words = self.words_of(id, rule)?;
            hasher.hash(&mut words);
            lengths.push(words.text.len() as u32);
            first.entry(hasher.of(&words, 0, words.text.len())).or_insert(id);
        }
        let mut broader = Vec::with_capacity(self.len());
        for id in 0..self.len() as u32 {
            let mut words = self.words_of(id, rule)?;
            hasher.hash(&mut words);
            let mut found = None;
            each_head(&words, rule, &mut |part| {
                if let Some(&head) = first.get(&hasher.of(&words, part.start, part.end))
                    && self.words_of(head, rule)?.text == words.text[part]
                {
                    found = Some(TermId(head));
                }
                Ok(found.is_some())
            })?;
            broader.push(found);
        }
        // A head has fewer letters than the terms of which it is the head.
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_by_key(|&term| lengths[term as usize]);
        let mut depth = vec![0; self.len()];
        let mut root: Vec<TermId> = (0..self.len() as u32).map(TermId).collect();
        for term in order {
            if let Some(TermId(head)) = broader[term as usize] {
                depth[term as usize] = depth[head as usize] + 1;
                root[term as usize] = root[head as usize];
            }
        }
        Ok(Taxonomy { broader, depth, root })
    }
}

/// Calls `found` with what may be the head of a term, the longest first, until it returns true.
fn each_head(
    words: &Words,
    rule: &HeadRule,
    found: &mut dyn FnMut(Range<usize>) -> Result<bool>,
) -> Result<()> {
    let count = words.len();
    let border = (1..count).find(|&i| words.functions[i].1).unwrap_or(count);
    if rule.first {
        for end in (1..count).rev() {
            if found(words.part(0, end))? {
                return Ok(());
            }
        }
    } else {
        let last_start = (0..border).find(|&i| words.functions[i].0).unwrap_or(border);
        for start in usize::from(border == count)..border.min(last_start + 1) {
            if found(words.part(start, border))? {
                return Ok(());
            }
        }
    }
    // A part of a compound: in languages with the head first, only of a term of one word.
    if rule.min_part == 0 || count == 0 || (rule.first && count > 1) {
        return Ok(());
    }
    let place = words.part(border - 1, border);
    let last = &words.text[place.clone()];
    if (0..border - 1).any(|i| words.functions[i].0) {
        return Ok(());
    }
    let letters = last.chars().count();
    let ends = last.char_indices().map(|(at, _)| at).enumerate().skip(MIN_MODIFIER);
    for (before, at) in ends {
        if letters - before < rule.min_part {
            break;
        }
        let is_word = last[at..].starts_with(char::is_alphanumeric);
        if is_word && found(place.start + at..place.end)? {
            break;
        }
    }
    Ok(())
}
