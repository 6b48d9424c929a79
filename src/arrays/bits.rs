//! A bit for each position, with rank (the ones before a position) and select (the position of the n-th
//! one).

use crate::arrays::array::Array;
use crate::error::{Error, Result};

/// Bits for each count of [`Bits::ranks`]: one cache line.
const BLOCK: usize = 512;
const BLOCK_WORDS: usize = BLOCK / 64;

/// Ones for each sample of [`Bits::samples`]: a search for a one reads few counts, and the samples take
/// an eighth of a bit for each one.
const SAMPLE: usize = 256;

/// Bits with rank and select. Every access is checked: the bits may come from a damaged file.
pub(crate) struct Bits {
    /// Bit `i` is bit `i % 64` of word `i / 64`.
    pub(crate) words: Array<u64>,
    /// `ranks[b]` is the number of ones before block `b`; one more at the end: the number of all.
    pub(crate) ranks: Array<u32>,
    /// The block of every 256th one, from the first on, where a search for the ones after it begins.
    pub(crate) samples: Array<u32>,
}

impl PartialEq for Bits {
    fn eq(&self, other: &Bits) -> bool {
        self.words[..] == other.words[..]
            && self.ranks[..] == other.ranks[..]
            && self.samples[..] == other.samples[..]
    }
}

/// The words that `bits` bits take.
pub(crate) fn words_for(bits: usize) -> usize {
    bits.div_ceil(64)
}

/// The length of [`Bits::ranks`] for `bits` bits.
pub(crate) fn ranks_for(bits: usize) -> usize {
    bits.div_ceil(BLOCK) + 1
}

/// The length of [`Bits::samples`] for `ones` ones.
pub(crate) fn samples_for(ones: usize) -> usize {
    ones.div_ceil(SAMPLE)
}

impl Bits {
    /// The bits of `words`, with the ones counted.
    pub(crate) fn new(words: Vec<u64>) -> Bits {
        let mut ranks = Vec::with_capacity(ranks_for(words.len() * 64));
        let mut samples = Vec::new();
        let mut ones = 0u32;
        for (i, block) in (0u32..).zip(words.chunks(BLOCK_WORDS)) {
            ranks.push(ones);
            ones += block.iter().map(|word| word.count_ones()).sum::<u32>();
            samples.resize(samples_for(ones as usize), i);
        }
        ranks.push(ones);
        Bits { words: words.into(), ranks: ranks.into(), samples: samples.into() }
    }

    /// The number of ones.
    pub(crate) fn ones(&self) -> usize {
        self.ranks.last().map_or(0, |&ones| ones as usize)
    }

    /// The positions of all ones.
    pub(crate) fn positions(&self) -> impl Iterator<Item = usize> {
        let some = |word: u64| (word != 0).then_some(word);
        self.words.iter().enumerate().flat_map(move |(i, &word)| {
            // Each step removes the lowest one.
            let left = std::iter::successors(some(word), move |&word| some(word & (word - 1)));
            left.map(move |word| i * 64 + word.trailing_zeros() as usize)
        })
    }

    /// The positions of the ones from position `i` on.
    pub(crate) fn positions_from(&self, i: usize) -> impl Iterator<Item = usize> {
        let next = move |at: usize| self.after_or_at(at).ok();
        std::iter::successors(next(i), move |&at| next(at + 1))
    }

    pub(crate) fn own_bytes(&self) -> usize {
        self.words.own_bytes() + self.ranks.own_bytes() + self.samples.own_bytes()
    }

    #[cold]
    fn damaged() -> Error {
        Error::out_of_range("bits")
    }

    #[inline]
    pub(crate) fn get(&self, i: usize) -> Result<bool> {
        let word = self.words.get(i / 64).ok_or_else(Self::damaged)?;
        Ok(word >> (i % 64) & 1 == 1)
    }

    /// Prefetches bit `i`, which will be read soon.
    #[inline]
    pub(crate) fn prefetch(&self, i: usize) {
        self.words.prefetch(i / 64);
    }

    /// The number of ones before bit `i`.
    #[inline]
    pub(crate) fn rank(&self, i: usize) -> Result<usize> {
        let block = i / BLOCK;
        let mut ones = *self.ranks.get(block).ok_or_else(Self::damaged)? as usize;
        let word = i / 64;
        let before = self.words.get(block * BLOCK_WORDS..word).ok_or_else(Self::damaged)?;
        ones += before.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        if !i.is_multiple_of(64) {
            let last = self.words.get(word).ok_or_else(Self::damaged)?;
            ones += (last << (64 - i % 64)).count_ones() as usize;
        }
        Ok(ones)
    }

    /// The position of the one that has `n` ones before it.
    #[inline]
    pub(crate) fn select(&self, n: usize) -> Result<usize> {
        let mut block = *self.samples.get(n / SAMPLE).ok_or_else(Self::damaged)? as usize;
        while *self.ranks.get(block + 1).ok_or_else(Self::damaged)? as usize <= n {
            block += 1;
        }
        let mut left = n.checked_sub(self.ranks[block] as usize).ok_or_else(Self::damaged)?;
        let words = self.words.iter().enumerate().skip(block * BLOCK_WORDS).take(BLOCK_WORDS);
        for (i, &word) in words {
            let ones = word.count_ones() as usize;
            if left < ones {
                let mut word = word;
                for _ in 0..left {
                    word &= word - 1;
                }
                return Ok(i * 64 + word.trailing_zeros() as usize);
            }
            left -= ones;
        }
        Err(Self::damaged())
    }

    /// The position of the last one at or before `i`.
    #[inline]
    pub(crate) fn at_or_before(&self, i: usize) -> Result<usize> {
        let mut at = i / 64;
        let word = self.words.get(at).ok_or_else(Self::damaged)?;
        let mut word = word << (63 - i % 64) >> (63 - i % 64);
        while word == 0 {
            at = at.checked_sub(1).ok_or_else(Self::damaged)?;
            word = self.words[at];
        }
        Ok(at * 64 + 63 - word.leading_zeros() as usize)
    }

    /// The position of the first one after `i`.
    #[inline]
    pub(crate) fn after(&self, i: usize) -> Result<usize> {
        self.after_or_at(i + 1)
    }

    /// The position of the first one from `i` on.
    #[inline]
    fn after_or_at(&self, i: usize) -> Result<usize> {
        let mut at = i / 64;
        let mut word = *self.words.get(at).ok_or_else(Self::damaged)? >> (i % 64) << (i % 64);
        while word == 0 {
            at += 1;
            word = *self.words.get(at).ok_or_else(Self::damaged)?;
        }
        Ok(at * 64 + word.trailing_zeros() as usize)
    }
}

/// Sets bit `i`.
#[inline]
pub(crate) fn set(words: &mut [u64], i: usize) {
    words[i / 64] |= 1 << (i % 64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_result_equals_that_of_a_plain_scan() {
        // Dense, sparse and empty stretches that are longer than a block.
        let ones: Vec<usize> = (0..700).chain([1500, 1501, 4095, 4096, 9000]).collect();
        let length = 9100;
        let mut words = vec![0; words_for(length)];
        for &one in &ones {
            set(&mut words, one);
        }
        let bits = Bits::new(words);
        assert_eq!(bits.ranks.len(), ranks_for(length));
        for i in 0..length {
            assert_eq!(bits.get(i).unwrap(), ones.contains(&i));
            assert_eq!(bits.rank(i).unwrap(), ones.iter().filter(|&&one| one < i).count());
            let before = ones.iter().copied().filter(|&one| one <= i).max();
            assert_eq!(bits.at_or_before(i).ok(), before);
            let after = ones.iter().copied().filter(|&one| one > i).min();
            assert_eq!(bits.after(i).ok(), after);
        }
        for (n, &one) in ones.iter().enumerate() {
            assert_eq!(bits.select(n).unwrap(), one);
        }
        assert!(bits.positions().eq(ones.iter().copied()));
        for i in [0, 1, 699, 700, 1501, 4097, 9000, 9001] {
            let from = ones.iter().copied().filter(|&one| one >= i);
            assert!(bits.positions_from(i).eq(from));
        }
        assert!(bits.select(ones.len()).is_err());
        assert!(bits.get(1 << 40).is_err());
        assert!(bits.rank(1 << 40).is_err());
    }
}
