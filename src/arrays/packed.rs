//! Arrays of numbers, each with only the bits that the largest one needs.

use crate::arrays::array::Array;
use crate::error::{Error, Result};

/// Numbers of `width` bits each, one after the other, lowest bit first. Every access is checked: they
/// may come from a damaged file.
pub(crate) struct Packed {
    /// The numbers, and eight more bytes, so that eight bytes can be read from any number on.
    pub(crate) bytes: Array<u8>,
    width: usize,
    length: usize,
}

impl PartialEq for Packed {
    fn eq(&self, other: &Packed) -> bool {
        self.width == other.width
            && self.length == other.length
            && self.bytes[..] == other.bytes[..]
    }
}

/// The bits that numbers up to `largest` need.
pub(crate) fn width_for(largest: u64) -> usize {
    (u64::BITS - largest.leading_zeros()) as usize
}

/// The most bits that a number can have: it is read in eight bytes, after up to seven other bits.
pub(crate) const MAX_WIDTH: usize = 57;

/// The bytes that `length` numbers of `width` bits take.
pub(crate) fn bytes_for(length: usize, width: usize) -> usize {
    (length * width).div_ceil(8) + 8
}

impl Packed {
    /// Packs numbers of which `largest` is the largest possible.
    pub(crate) fn new(numbers: impl ExactSizeIterator<Item = u64>, largest: u64) -> Packed {
        let (length, width) = (numbers.len(), width_for(largest));
        let size = bytes_for(length, width);
        let mut bytes = Vec::with_capacity(size + 8);
        let mut word = 0u64;
        let mut filled = 0;
        for number in numbers {
            word |= number << filled;
            filled += width;
            if filled >= 64 {
                bytes.extend_from_slice(&word.to_le_bytes());
                filled -= 64;
                // The bits that did not fit; none if the number ended with the word.
                word = number.checked_shr((width - filled) as u32).unwrap_or(0);
            }
        }
        bytes.extend_from_slice(&word.to_le_bytes());
        bytes.resize(size, 0);
        Packed { bytes: bytes.into(), width, length }
    }

    /// `length` packed numbers of which `largest` is the largest possible; None if the number of bytes is
    /// wrong.
    pub(crate) fn from_bytes(bytes: Array<u8>, length: usize, largest: u64) -> Option<Packed> {
        let width = width_for(largest);
        let fits = width <= MAX_WIDTH && bytes.len() == bytes_for(length, width);
        fits.then_some(Packed { bytes, width, length })
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// The bits of each number.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Number `i`; None after the end.
    #[inline]
    pub(crate) fn get(&self, i: usize) -> Option<u64> {
        if i >= self.length {
            return None;
        }
        let bit = i * self.width;
        let word = self.bytes.get(bit / 8..bit / 8 + 8)?.try_into().ok()?;
        Some(u64::from_le_bytes(word) >> (bit % 8) & ((1 << self.width) - 1))
    }

    /// Number `i`; if there is none, the index is damaged in `part`.
    #[inline]
    pub(crate) fn at(&self, i: usize, part: &'static str) -> Result<usize> {
        match self.get(i) {
            Some(number) => Ok(number as usize),
            None => Err(Error::out_of_range(part)),
        }
    }

    /// Prefetches number `i`, which will be read soon.
    #[inline]
    pub(crate) fn prefetch(&self, i: usize) {
        self.bytes.prefetch(i * self.width / 8);
    }

    /// All numbers, which must have at most 32 bits.
    pub(crate) fn to_vec(&self) -> Vec<u32> {
        (0..self.length).map(|i| self.get(i).unwrap_or(0) as u32).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_width_are_read_as_written() {
        for width in 0..=MAX_WIDTH as u32 {
            let largest = (1u64 << width) - 1;
            assert_eq!(width_for(largest), width as usize);
            for length in [0, 1, 2, 7, 64, 1000] {
                let mut state = 7u64;
                let numbers: Vec<u64> = (0..length)
                    .map(|_| {
                        state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
                        state.rotate_left(32) & largest
                    })
                    .collect();
                let packed = Packed::new(numbers.iter().copied(), largest);
                let packed = Packed::from_bytes(packed.bytes, numbers.len(), largest).unwrap();
                let found: Vec<u64> = (0..numbers.len()).map(|i| packed.get(i).unwrap()).collect();
                assert_eq!(found, numbers, "{width} bits");
                assert_eq!(packed.get(numbers.len()), None);
            }
        }
    }

    #[test]
    fn too_few_or_too_many_bytes_are_refused() {
        let bytes = |count: usize| Array::from(vec![0u8; count]);
        assert!(Packed::from_bytes(bytes(18), 10, 255).is_some());
        assert!(Packed::from_bytes(bytes(17), 10, 255).is_none());
        assert!(Packed::from_bytes(bytes(19), 10, 255).is_none());
        assert!(Packed::from_bytes(bytes(16), 1, u64::MAX).is_none());
    }
}
