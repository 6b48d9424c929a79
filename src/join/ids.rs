//! The ids of terms in a join.

/// Ids, one after the other.
///
/// The user's name for a term: a value of the id column; without such a column, the surface of the term.
/// (An index numbers its terms itself: `TermId`.) It is kept as bytes, whose order is that of the ids: the
/// least id of equal terms is that with the least bytes.
#[derive(Debug, Default)]
pub struct Ids {
    /// All of them.
    pub bytes: Vec<u8>,
    /// Where each one ends.
    pub ends: Vec<usize>,
}

/// Flips the sign bit of a number, so that negative numbers come before others in the order of bytes.
const SIGN: u64 = 1 << 63;

impl Ids {
    /// Adds one.
    pub fn push(&mut self, id: &[u8]) {
        self.bytes.extend_from_slice(id);
        self.ends.push(self.bytes.len());
    }

    /// Adds one that is a number.
    pub fn push_number(&mut self, id: i64) {
        self.push(&(id as u64 ^ SIGN).to_be_bytes());
    }

    /// Id `i`.
    pub fn get(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.bytes[start..self.ends[i]]
    }

    /// All ids as numbers, unless one of them is not a number.
    pub fn numbers(&self) -> Option<impl Iterator<Item = i64>> {
        let (numbers, _) = self.bytes.as_chunks::<8>();
        let numbers_of = || numbers.iter().map(|bytes| (u64::from_be_bytes(*bytes) ^ SIGN) as i64);
        (numbers.len() == self.ends.len()).then(numbers_of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_the_order_of_their_bytes() {
        let mut ids = Ids::default();
        let numbers = [i64::MIN, -300, -1, 0, 7, 10, i64::MAX];
        numbers.iter().for_each(|&number| ids.push_number(number));
        assert!((1..numbers.len()).all(|i| ids.get(i - 1) < ids.get(i)));
        assert_eq!(ids.numbers().unwrap().collect::<Vec<_>>(), numbers);
        ids.push(b"seven");
        assert!(ids.numbers().is_none());
    }
}
