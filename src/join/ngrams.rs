//! Walks along the n-grams of a term: those that are sent, and those that are counted.

use crate::join::fingerprint::{ByFingerprint, Fingerprinter, Prefix, TokenValue};
use crate::join::term_filter::TermFilter;

/// About how many n-grams of a term are counted, the shorter ones. A term of 4,096 tokens has eight
/// million n-grams.
const COUNTED_NGRAMS: usize = 1024;
/// N-grams up to this length, in tokens, are counted in terms of any length.
const COUNTED_LENGTH: usize = 8;
/// N-grams of a term that are searched without a table. Searching a list of 16 is faster than a hash table.
const LIST_LENGTH: usize = 16;

/// An n-gram of a term.
pub(super) struct NGram {
    pub(super) fingerprint: u128,
    /// Where it first begins, in tokens.
    pub(super) start: u32,
    /// The number of its tokens.
    pub(super) length: u32,
}

/// The n-grams of one term that are shorter than the term and may be terms. The memory is used again for
/// the next term.
#[derive(Default)]
pub(super) struct NGramWalk {
    /// Each n-gram once.
    pub(super) ngrams: Vec<NGram>,
    /// The other starts of n-grams that occur more than once, in order: the n-gram's number, and a start.
    pub(super) repeats: Vec<(u32, u32)>,
    /// The numbers of the n-grams, if they are many.
    numbers: ByFingerprint<u32>,
}

impl NGramWalk {
    /// Walks along a term. The repeats are only collected if they are wanted.
    pub(super) fn walk(
        &mut self,
        fingerprinter: &Fingerprinter,
        key: &[TokenValue],
        filter: Option<&TermFilter>,
        with_repeats: bool,
    ) {
        self.ngrams.clear();
        self.repeats.clear();
        self.numbers.clear();
        for start in 0..key.len() {
            let mut prefix = Prefix::EMPTY;
            for (length, &token) in (1..key.len()).zip(&key[start..]) {
                prefix = fingerprinter.extend(prefix, token);
                let fingerprint = prefix.fingerprint();
                if filter.is_none_or(|filter| filter.may_have_term(fingerprint)) {
                    match self.number(fingerprint) {
                        None => self.add(fingerprint, start, length),
                        Some(number) if with_repeats => self.repeats.push((number, start as u32)),
                        Some(_) => {}
                    }
                }
                if filter.is_some_and(|filter| filter.has_no_longer_term(length, fingerprint)) {
                    break;
                }
            }
        }
        self.repeats.sort_unstable();
    }

    fn number(&self, fingerprint: u128) -> Option<u32> {
        if self.ngrams.len() > LIST_LENGTH {
            return self.numbers.get(&fingerprint).copied();
        }
        let found = self.ngrams.iter().position(|ngram| ngram.fingerprint == fingerprint)?;
        Some(found as u32)
    }

    fn add(&mut self, fingerprint: u128, start: usize, length: usize) {
        let (start, length) = (start as u32, length as u32);
        self.ngrams.push(NGram { fingerprint, start, length });
        if self.ngrams.len() > LIST_LENGTH {
            let new = if self.numbers.is_empty() { 0 } else { self.ngrams.len() - 1 };
            let numbers = (new as u32..).zip(&self.ngrams[new..]);
            self.numbers.extend(numbers.map(|(number, ngram)| (ngram.fingerprint, number)));
        }
    }

    /// The other starts of an n-gram, given by its number.
    pub(super) fn repeats_of(&self, number: usize) -> impl Iterator<Item = u32> {
        let first = self.repeats.partition_point(|&(other, _)| (other as usize) < number);
        let own = move |&&(other, _): &&(u32, u32)| other as usize == number;
        self.repeats[first..].iter().take_while(own).map(|&(_, start)| start)
    }
}

/// Calls `each` with the fingerprint of every n-gram of a term that is shorter than the term; in long
/// terms, only of the shorter ones. N-grams that repeat are given again.
pub(super) fn each_short_ngram(
    fingerprinter: &Fingerprinter,
    key: &[TokenValue],
    mut each: impl FnMut(u128),
) {
    let all = key.len().saturating_sub(1);
    let longest = (COUNTED_NGRAMS / key.len().max(1)).max(COUNTED_LENGTH).min(all);
    for start in 0..key.len() {
        let mut prefix = Prefix::EMPTY;
        for &token in key[start..].iter().take(longest) {
            prefix = fingerprinter.extend(prefix, token);
            each(prefix.fingerprint());
        }
    }
}
