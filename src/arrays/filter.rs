//! Filters of phrases, which save the search for most phrases that do not occur.

use std::ops::Range;

use crate::arrays::array::Array;

/// A Bloom filter of phrases of two or three tokens. It accepts every phrase that was added, and some 5 % of
/// others. An empty filter accepts nothing.
///
/// A phrase sets two bits of one 64-bit word.
pub(crate) struct Filter {
    pub(crate) words: Array<u64>,
}

/// Bits of the filter for each phrase that is added: as small as gives 5 %, to fit into a core's cache.
const BITS_PER_PHRASE: usize = 8;

impl Filter {
    /// The first two tokens of the terms that have two or more. `tokens` are the keys of all terms, one
    /// after the other; the bits `borders` mark where each begins, and the end of the last one.
    pub(crate) fn of_openings(tokens: &[u32], borders: &[u64]) -> Filter {
        let phrases = |term: Range<usize>| (term.len() > 1).then_some((term.start, 2)).into_iter();
        Filter::new(tokens, borders, phrases)
    }

    /// The phrases of two and of three tokens that occur in a longer term.
    pub(crate) fn of_enclosed(tokens: &[u32], borders: &[u64]) -> Filter {
        let phrases = |term: Range<usize>| {
            let of_length = move |length: usize| {
                let count = if term.len() > length { term.len() + 1 - length } else { 0 };
                (term.start..term.start + count).map(move |start| (start, length))
            };
            of_length.clone()(2).chain(of_length(3))
        };
        Filter::new(tokens, borders, phrases)
    }

    /// `phrases` returns the starts and lengths of the phrases of a term that are added.
    fn new<P: Iterator<Item = (usize, usize)>>(
        tokens: &[u32],
        borders: &[u64],
        phrases: impl Fn(Range<usize>) -> P,
    ) -> Filter {
        let count: usize = terms(borders).map(|term| phrases(term).count()).sum();
        let mut words = vec![0; (count * BITS_PER_PHRASE).div_ceil(64)];
        for (start, length) in terms(borders).flat_map(phrases) {
            let (word, bits) = place(&tokens[start..start + length], words.len());
            words[word] |= bits;
        }
        Filter { words: words.into() }
    }

    /// Whether a phrase may have been added; if not, it certainly was not.
    #[inline]
    pub(crate) fn may_have(&self, phrase: &[u32]) -> bool {
        let (word, bits) = place(phrase, self.words.len());
        self.words.get(word).is_some_and(|word| word & bits == bits)
    }

    /// Prefetches the word of a phrase, which will be looked up soon.
    #[inline]
    pub(crate) fn prefetch(&self, phrase: &[u32]) {
        self.words.prefetch(place(phrase, self.words.len()).0);
    }
}

/// The positions of each term, from the bits that mark the borders.
fn terms(borders: &[u64]) -> impl Iterator<Item = Range<usize>> {
    let ones = borders.iter().enumerate().flat_map(|(i, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(i * 64 + bit)
        })
    });
    let mut last = None;
    ones.filter_map(move |border| last.replace(border).map(|start| start..border))
}

/// The word of a phrase, one of `words`, and its bits.
#[inline]
fn place(phrase: &[u32], words: usize) -> (usize, u64) {
    // A multiplication moves differences to the upper bits, a shift brings them back to the lower ones.
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |hash: u64, &token: &u32| {
        let hash = (hash ^ u64::from(token)).wrapping_mul(FACTOR);
        hash ^ hash >> 32
    };
    let hash = phrase.iter().fold(0, mix).wrapping_mul(FACTOR);
    let word = ((hash >> 32) * words as u64) >> 32;
    (word as usize, 1 << (hash >> 26 & 63) | 1 << (hash >> 20 & 63))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrays::bits;

    /// The borders of terms of these lengths.
    fn borders(lengths: impl Iterator<Item = usize>) -> Vec<u64> {
        let mut starts = vec![0];
        lengths.for_each(|length| starts.push(starts[starts.len() - 1] + length));
        let mut words = vec![0; bits::words_for(starts[starts.len() - 1] + 1)];
        starts.iter().for_each(|&start| bits::set(&mut words, start));
        words
    }

    #[test]
    fn every_phrase_that_was_added_is_accepted_and_few_others() {
        // Terms of one to five tokens in turn, no token twice.
        let lengths = || (0..30_000).map(|term| 1 + term % 5);
        let borders = borders(lengths());
        let tokens: Vec<u32> = (0..lengths().sum::<usize>() as u32).collect();
        let openings = Filter::of_openings(&tokens, &borders);
        let enclosed = Filter::of_enclosed(&tokens, &borders);
        assert_eq!(openings.words.len(), 24_000 * BITS_PER_PHRASE / 64);
        assert_eq!(enclosed.words.len(), 6_000 * (2 + (3 + 2) + (4 + 3)) * BITS_PER_PHRASE / 64);
        let mut start = 0;
        for length in lengths() {
            let term = &tokens[start..start + length];
            assert!(length < 2 || openings.may_have(&term[..2]));
            for n in 2..4 {
                if n < length {
                    assert!(term.windows(n).all(|phrase| enclosed.may_have(phrase)));
                }
            }
            start += length;
        }
        for filter in [&openings, &enclosed] {
            // No term has these.
            let others = tokens.windows(3).map(|three| [three[0], three[2]]);
            let wrong = others.filter(|other| filter.may_have(other)).count();
            assert!(wrong < tokens.len() / 12, "{wrong} of {}", tokens.len());
        }
    }

    #[test]
    fn a_term_is_not_enclosed_in_itself() {
        let tokens = [1, 2, 3, 4, 5];
        let filter = Filter::of_enclosed(&tokens, &borders([2, 3].into_iter()));
        assert!(!filter.may_have(&[1, 2]) && !filter.may_have(&[3, 4, 5]));
        assert!(filter.may_have(&[3, 4]) && filter.may_have(&[4, 5]));
    }

    #[test]
    fn an_empty_filter_accepts_nothing() {
        for filter in [Filter::of_openings(&[1, 2], &[0b111]), Filter::of_enclosed(&[], &[1])] {
            assert!(filter.words.is_empty() && !filter.may_have(&[1, 2]));
        }
    }
}
