//! The pairs of tokens that terms begin with: asked before a phrase is looked for, as most phrases of
//! a text begin no term.

use crate::array::Array;

/// A filter of pairs. It never denies one that is there; of others it lets some 4 % through.
///
/// A pair sets two bits of one 64-bit word. An empty filter lets nothing through.
pub(crate) struct Openings {
    pub(crate) words: Array<u64>,
}

/// Bits for each term that has two tokens or more.
const BITS: usize = 8;

impl Openings {
    /// The filter for terms whose keys are `tokens`, one after the other, and begin at `borders`, which
    /// also mark the end of the last one.
    pub(crate) fn of(tokens: &[u32], borders: &[u64]) -> Openings {
        // Where a border is followed by none, a term of two tokens or more begins; or it is the end.
        let next = borders.iter().skip(1).chain([&0]);
        let longer = borders.iter().zip(next).map(|(word, next)| word & !(word >> 1 | next << 63));
        let count = longer.clone().map(u64::count_ones).sum::<u32>() as usize;
        let mut words = vec![0; (count.saturating_sub(1) * BITS).div_ceil(64)];
        for (i, mut starts) in longer.enumerate() {
            while starts != 0 {
                let start = i * 64 + starts.trailing_zeros() as usize;
                if let Some(&[first, second]) = tokens.get(start..start + 2) {
                    let (word, bits) = place(first, second, words.len());
                    words[word] |= bits;
                }
                starts &= starts - 1;
            }
        }
        Openings { words: words.into() }
    }

    /// Whether a term may begin with these tokens.
    #[inline]
    pub(crate) fn may_have(&self, first: u32, second: u32) -> bool {
        let (word, bits) = place(first, second, self.words.len());
        self.words.get(word).is_some_and(|word| word & bits == bits)
    }
}

/// The word of a pair, of so many, and its bits.
#[inline]
fn place(first: u32, second: u32, words: usize) -> (usize, u64) {
    // A multiplication moves what differs to the upper bits; the second time, all of it.
    let mut hash = u64::from(first) << 32 | u64::from(second);
    hash = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    hash = (hash ^ hash >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let word = ((hash >> 32) * words as u64) >> 32;
    (word as usize, 1 << (hash >> 26 & 63) | 1 << (hash >> 20 & 63))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits;

    #[test]
    fn every_pair_that_begins_a_term_is_let_through_and_few_others() {
        // Terms of one, two and three tokens in turn; the pairs inside of them and across borders are
        // not entered.
        let mut borders = vec![0; bits::words_for(60_001)];
        let mut starts = Vec::new();
        let mut at = 0;
        for term in 0..30_000 {
            bits::set(&mut borders, at);
            starts.push(at as u32);
            at += 1 + term % 3;
        }
        bits::set(&mut borders, at);
        let tokens = at as u32;
        let filter = Openings::of(&(0..tokens).collect::<Vec<u32>>(), &borders);
        assert_eq!(filter.words.len(), 20_000 * BITS / 64);
        let entered = |start: &&u32| (*start + 1) < tokens && !starts.contains(&(*start + 1));
        let some: Vec<u32> = starts.iter().step_by(61).filter(entered).copied().collect();
        assert!(some.len() > 300);
        assert!(some.iter().all(|&first| filter.may_have(first, first + 1)));
        let wrong = (0..tokens).filter(|&first| filter.may_have(first, first + 2)).count();
        assert!(wrong < tokens as usize / 12, "{wrong} of {tokens}");
    }

    #[test]
    fn without_longer_terms_nothing_is_let_through() {
        assert!(!Openings::of(&[1, 2], &[0b111]).may_have(1, 2));
        assert!(Openings::of(&[1, 2], &[0b101]).may_have(1, 2));
        assert!(!Openings::of(&[], &[1]).may_have(1, 2));
    }
}
