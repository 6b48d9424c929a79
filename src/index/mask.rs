//! Some of the terms of an index.

/// A set of terms: a bit for each term of an index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermMask {
    words: Vec<u64>,
    length: usize,
}

impl TermMask {
    /// None of the terms of an index of `length` terms.
    pub(crate) fn none_of(length: usize) -> TermMask {
        TermMask { words: vec![0; length.div_ceil(64)], length }
    }

    /// Adds a term, by its number.
    pub(crate) fn add(&mut self, term: usize) {
        self.words[term / 64] |= 1 << (term % 64);
    }

    /// Keeps the terms that are in another set too.
    pub(crate) fn keep_those_of(&mut self, other: &TermMask) {
        self.words.iter_mut().zip(&other.words).for_each(|(own, other)| *own &= other);
    }

    /// The number of terms of the index, in the set or not.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether the index has no terms.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Whether a term, by its number, is in the set.
    #[inline]
    pub fn has(&self, term: u32) -> bool {
        let word = self.words.get(term as usize / 64);
        word.is_some_and(|word| word >> (term % 64) & 1 == 1)
    }
}

impl FromIterator<bool> for TermMask {
    /// For each term, by id, whether it is in the set.
    fn from_iter<I: IntoIterator<Item = bool>>(chosen: I) -> TermMask {
        let mut mask = TermMask::default();
        for is_chosen in chosen {
            if mask.length.is_multiple_of(64) {
                mask.words.push(0);
            }
            if let Some(word) = mask.words.last_mut() {
                *word |= u64::from(is_chosen) << (mask.length % 64);
            }
            mask.length += 1;
        }
        mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_has_the_terms_whose_bit_is_set() {
        for length in [0, 1, 63, 64, 65, 200] {
            let mask: TermMask = (0..length).map(|id| id % 3 == 1).collect();
            assert_eq!(mask.len(), length);
            for id in 0..length + 100 {
                assert_eq!(mask.has(id as u32), id < length && id % 3 == 1);
            }
        }
    }
}
