//! Fingerprints of token sequences: 128 bits that replace the text where machines exchange n-grams.
//!
//! A sequence is a polynomial over the field of the integers modulo 2^127 - 1, and its fingerprint the
//! polynomial's value at a secret random point. Two different sequences agree at no more points than
//! their degree. So any two that were chosen without the key collide with a probability of at most
//! 2^13 / 2^127. Among 10^21 comparisons (10^10 terms, each compared with 10^11 n-grams), that is one
//! collision in 10^13 runs.
//!
//! The value at one more token is one multiplication away: all n-grams from one start cost as much as
//! the longest of them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The prime 2^127 - 1.
const P: u128 = (1 << 127) - 1;

/// Makes fingerprints. The same key makes the same fingerprints on all machines.
#[derive(Clone, Copy)]
pub struct Fingerprinter {
    /// Where the polynomials of the bytes of a token are evaluated.
    byte_point: u128,
    /// Where those of the tokens of a sequence are evaluated.
    token_point: u128,
}

/// Bytes of a key: two points of 16.
pub const KEY_BYTES: usize = 32;

/// A token, as an element of the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TokenValue(u128);

/// The beginning of a sequence.
#[derive(Clone, Copy)]
pub(super) struct Prefix(u128);

impl Fingerprinter {
    /// The key should be random and unknown to those who choose the texts.
    pub fn new(key: &[u8; KEY_BYTES]) -> Fingerprinter {
        let point = |from: usize| {
            let bytes = key[from..from + 16].try_into().expect("it has sixteen bytes");
            reduce(u128::from_le_bytes(bytes) & P)
        };
        Fingerprinter { byte_point: point(0), token_point: point(16) }
    }

    /// The value of a token.
    #[inline]
    pub(super) fn token(&self, token: &str) -> TokenValue {
        let (words, rest) = token.as_bytes().as_chunks::<8>();
        let mut value = 1;
        for word in words {
            value = add(multiply(value, self.byte_point), u64::from_le_bytes(*word).into());
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        value = add(multiply(value, self.byte_point), u64::from_le_bytes(last).into());
        // The length distinguishes the zeros after the text from zeros at its end.
        TokenValue(add(multiply(value, self.byte_point), token.len() as u128))
    }

    /// The sequence with one more token.
    #[inline]
    pub(super) fn extend(&self, prefix: Prefix, token: TokenValue) -> Prefix {
        Prefix(add(multiply(prefix.0, self.token_point), token.0))
    }
}

impl Prefix {
    /// The sequence of no token. Its polynomial is 1, so that a longer sequence has a higher degree.
    pub(super) const EMPTY: Prefix = Prefix(1);

    /// The fingerprint of the sequence. Hash tables need random bits, which values of the field are not.
    /// So each half is mixed into the other; different values keep different fingerprints.
    #[inline]
    pub(super) fn fingerprint(self) -> u128 {
        let (mut high, mut low) = ((self.0 >> 64) as u64, self.0 as u64);
        low ^= mix(high);
        high ^= mix(low);
        low ^= mix(high);
        u128::from(high) << 64 | u128::from(low)
    }
}

/// Spreads every bit of a number over all of them.
#[inline]
pub(super) fn mix(number: u64) -> u64 {
    let mixed = (number ^ number >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    mixed ^ mixed >> 32
}

/// A table by fingerprint. Fingerprints are random enough to be their own hashes.
pub(super) type ByFingerprint<T> = HashMap<u128, T, BuildHasherDefault<LowerHalf>>;

/// The end of a chain of terms with the same fingerprint.
pub(super) const NO_TERM: u32 = u32::MAX;

/// The hash of a fingerprint: its lower half.
#[derive(Default)]
pub(super) struct LowerHalf(u64);

impl Hasher for LowerHalf {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = mix(self.0 ^ u64::from(*byte));
        }
    }

    fn write_u128(&mut self, fingerprint: u128) {
        self.0 = fingerprint as u64;
    }
}

/// A number up to 2 P + 1 as an element of the field.
#[inline]
fn reduce(number: u128) -> u128 {
    let folded = (number & P) + (number >> 127);
    if folded >= P { folded - P } else { folded }
}

#[inline]
fn add(a: u128, b: u128) -> u128 {
    reduce(a + b)
}

/// The product of two elements, which have 127 bits each.
#[inline]
fn multiply(a: u128, b: u128) -> u128 {
    let halves = |n: u128| (n >> 64, n & u128::from(u64::MAX));
    let ((a1, a0), (b1, b0)) = (halves(a), halves(b));
    // The upper halves have 63 bits: the sum of the two mixed products fits.
    let middle = a1 * b0 + a0 * b1;
    let (low, carry) = (a0 * b0).overflowing_add(middle << 64);
    let high = a1 * b1 + (middle >> 64) + u128::from(carry);
    // 2^127 is 1: the bits above are added below.
    reduce((high << 1 | low >> 127) + (low & P))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(of: &Fingerprinter, tokens: &[&str]) -> u128 {
        let extend = |prefix, token: &&str| of.extend(prefix, of.token(token));
        tokens.iter().fold(Prefix::EMPTY, extend).fingerprint()
    }

    #[test]
    fn multiplication_is_that_of_the_field() {
        // Russian peasants' multiplication, which needs nothing wider than 128 bits.
        fn slowly(mut a: u128, mut b: u128) -> u128 {
            let mut product = 0;
            while b > 0 {
                if b & 1 == 1 {
                    product = (product + a) % P;
                }
                a = (a + a) % P;
                b >>= 1;
            }
            product
        }
        let mut numbers = vec![0, 1, 2, P - 1, P - 2, 1 << 126, u64::MAX.into(), 1 << 64];
        let mut number = 1;
        for _ in 0..50 {
            number = slowly(number, 0x1234_5678_9ABC_DEF0_0FED_CBA9_8765_4321) + 12345;
            numbers.push(number % P);
        }
        for &a in &numbers {
            for &b in &numbers {
                assert_eq!(multiply(a, b), slowly(a, b), "{a} {b}");
                assert_eq!(add(a, b), (a + b) % P, "{a} {b}");
            }
        }
    }

    #[test]
    fn different_sequences_have_different_fingerprints() {
        let of = Fingerprinter::new(&std::array::from_fn(|i| (i as u8).wrapping_mul(37)));
        let tokens =
            ["", "\0", "\0\0", "a", "a\0", "b", "ab", "aaaaaaaa", "aaaaaaaa\0", "aaaaaaaaa"];
        let mut seen: HashMap<u128, Vec<&str>> = HashMap::new();
        let mut sequences: Vec<Vec<&str>> = vec![vec![]];
        for _ in 0..3 {
            let longer = sequences.iter().flat_map(|sequence| {
                tokens.iter().map(|token| [sequence.as_slice(), &[*token]].concat())
            });
            sequences = longer.collect();
            for sequence in &sequences {
                let before = seen.insert(fingerprint(&of, sequence), sequence.clone());
                assert_eq!(before, None, "{sequence:?}");
            }
        }
        let other = Fingerprinter::new(&[5; KEY_BYTES]);
        assert_ne!(fingerprint(&of, &["a", "b"]), fingerprint(&other, &["a", "b"]));
    }

    #[test]
    fn neighbouring_values_have_fingerprints_far_apart() {
        let mut ones = [0; 128];
        for value in 0..1000u128 {
            let changed = Prefix(value).fingerprint() ^ Prefix(value ^ 1).fingerprint();
            (0..128).for_each(|bit| ones[bit] += (changed >> bit & 1) as usize);
        }
        assert!(ones.iter().all(|&ones| (400..600).contains(&ones)), "{ones:?}");
    }
}
