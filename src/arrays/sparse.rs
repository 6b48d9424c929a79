//! A few numbers of many, in order (Elias and Fano).

use std::ops::Range;

use crate::arrays::bits::{self, Bits};
use crate::arrays::packed::Packed;
use crate::error::Result;

/// Numbers in order, each once. Every access is checked: they may come from a damaged file.
#[derive(PartialEq)]
pub(crate) struct Sparse {
    /// For each number a one, in order; before the one of a number, as many zeros as its upper part says.
    pub(crate) high: Bits,
    /// The lower parts.
    pub(crate) low: Packed,
}

/// The bits of the lower parts of `count` numbers below `limit`.
fn low_bits(count: usize, limit: usize) -> u32 {
    (limit / count.max(1)).max(1).ilog2()
}

/// The bits of [`Sparse::high`].
pub(crate) fn high_length(count: usize, limit: usize) -> usize {
    count + (limit >> low_bits(count, limit)) + 1
}

/// The largest possible lower part.
pub(crate) fn largest_low(count: usize, limit: usize) -> usize {
    (1 << low_bits(count, limit)) - 1
}

impl Sparse {
    /// Numbers below `limit`, in order.
    pub(crate) fn new(numbers: &[u32], limit: usize) -> Sparse {
        let shift = low_bits(numbers.len(), limit);
        let largest = largest_low(numbers.len(), limit) as u64;
        let mut words = vec![0; bits::words_for(high_length(numbers.len(), limit))];
        for (i, &number) in numbers.iter().enumerate() {
            bits::set(&mut words, (number as usize >> shift) + i);
        }
        let low = numbers.iter().map(|&number| u64::from(number) & largest);
        Sparse { high: Bits::new(words), low: Packed::new(low, largest) }
    }

    pub(crate) fn len(&self) -> usize {
        self.low.len()
    }

    /// Number `i`.
    fn at(&self, i: usize) -> Result<usize> {
        let high = self.high.select(i)?.wrapping_sub(i);
        Ok(high << self.low.width() | self.low.at(i, "repetitions")?)
    }

    /// How many numbers are less than `limit`.
    pub(crate) fn rank(&self, limit: usize) -> Result<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.at(middle)? < limit {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        Ok(low)
    }

    /// The numbers with these places in the order.
    pub(crate) fn numbers(&self, places: Range<usize>) -> impl Iterator<Item = Result<usize>> {
        places.map(|i| self.at(i))
    }

    pub(crate) fn own_bytes(&self) -> usize {
        self.high.own_bytes() + self.low.bytes.own_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_their_place_and_counted() {
        let all: Vec<u32> = (0..1000).collect();
        let some: Vec<u32> = all.iter().copied().filter(|i| i % 7 == 3 || i % 100 < 9).collect();
        for (numbers, limit) in [
            (&[][..], 0),
            (&[], 1000),
            (&[0], 1),
            (&[999], 1000),
            (&[0, 1, 500_000, 999_999], 1_000_000),
            (&some, 1000),
            (&all, 1000),
        ] {
            let sparse = Sparse::new(numbers, limit);
            let found: Result<Vec<usize>> = sparse.numbers(0..numbers.len()).collect();
            assert_eq!(found.unwrap(), numbers.iter().map(|&n| n as usize).collect::<Vec<_>>());
            for end in (0..1010).chain([500_000, 500_001, 999_999, 1_000_000]) {
                let less = numbers.iter().filter(|&&number| (number as usize) < end).count();
                assert_eq!(sparse.rank(end).unwrap(), less);
            }
            assert!(sparse.numbers(numbers.len()..numbers.len() + 1).all(|number| number.is_err()));
        }
    }
}
