//! How often terms occur inside of others, from the pairs of each super term.
//!
//! Frantzi's C-value needs for each term how often it occurs inside of its super terms, where what occurs
//! inside of several of them counts once: `t(b)`, the sum of `i(a) = f(a) - t(a)` over the super terms `a`
//! of `b`. One machine computes `t` of longer terms first (graph/scores.rs). Across machines that would take
//! an exchange for each length. But `t` is linear in `f`: `t(b)` is the sum of `share(b, a) f(a)` over the
//! super terms, where
//!
//! - `share(b, a)` is 1 less the sum of `share(c, a)` over the terms `c` that contain `b` and are nested in
//!   `a` themselves.
//!
//! All of these are n-grams of `a`, so that the pairs of one super term are enough. (`-share` is the Möbius
//! function of the order of the terms by containment.)

use crate::error::{Error, Result};
use crate::join::blocks::BlockReader;
use crate::join::ids::Ids;

/// A nested term of a super term: where it first begins, and its length, in tokens; and where it occurs
/// again, as [`IdPairs`](crate::IdPairs) has it.
type Occurrences<'a> = (u32, u32, &'a [u8]);

/// The shares of all pairs, given the pairs of one super term after those of another.
///
/// `ends` has the number of the pair after the last of each super term.
pub fn nested_shares(
    ends: &[usize],
    start: &[u32],
    length: &[u32],
    repeats: &Ids,
) -> Result<Vec<f64>> {
    if length.len() != start.len() || repeats.ends.len() != start.len() {
        return Err(Error::Block);
    }
    let mut shares = vec![0.0; start.len()];
    let (mut order, mut inside) = (Vec::new(), Vec::new());
    let mut first = 0;
    for &end in ends {
        if end < first || end > start.len() {
            return Err(Error::Block);
        }
        let of = |pair: usize| (start[pair], length[pair], repeats.get(pair));
        order.clear();
        order.extend(first..end);
        // Longer terms first. Equal terms have equal starts, since they are variants.
        order.sort_unstable_by_key(|&pair| (std::cmp::Reverse(length[pair]), start[pair]));
        // Those whose share is not zero, with the sum of the shares of all variants. They are few as a
        // rule: the longest ones, and where these overlap.
        inside.clear();
        for variants in order.chunk_by(|&a, &b| (start[a], length[a]) == (start[b], length[b])) {
            let nested = of(variants[0]);
            let mut share = 1.0;
            for &(other, shares) in &inside {
                if contains(other, nested)? {
                    share -= shares;
                }
            }
            variants.iter().for_each(|&pair| shares[pair] = share);
            if share != 0.0 {
                inside.push((nested, share * variants.len() as f64));
            }
        }
        first = end;
    }
    Ok(shares)
}

/// Whether one nested term contains another that is not longer.
fn contains(longer: Occurrences, shorter: Occurrences) -> Result<bool> {
    // Where the shorter may begin in the first occurrence of the longer.
    let first = u64::from(longer.0);
    let last = first + u64::from(longer.1.saturating_sub(shorter.1));
    let mut start = u64::from(shorter.0);
    let mut runs = BlockReader::new(shorter.2);
    while start < first && !runs.is_at_end() {
        let (distance, count) = (u64::from(runs.number()?), u64::from(runs.number()?));
        if distance == 0 {
            return Err(Error::Block);
        }
        start += distance * count.min((first - start).div_ceil(distance));
    }
    Ok(longer.1 > shorter.1 && (first..=last).contains(&start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_that_occurs_again_is_found_in_a_longer_one_there() {
        // x at 0, 3, 5, 7 and 20
        let x = (0, 1, &[3, 1, 2, 2, 13, 1][..]);
        let inside = [(0, 2), (1, 3), (2, 2), (3, 2), (4, 2), (6, 2), (7, 2), (19, 2), (20, 2)];
        let outside = [(1, 2), (8, 2), (8, 12), (21, 5), (20, 1)];
        for (start, length) in inside {
            assert!(contains((start, length, &[]), x).unwrap(), "{start} {length}");
        }
        for (start, length) in outside {
            assert!(!contains((start, length, &[]), x).unwrap(), "{start} {length}");
        }
        assert!(contains((9, 9, &[]), (0, 1, &[0, 1])).is_err());
    }

    #[test]
    fn rows_that_do_not_fit_together_are_an_error() {
        let mut repeats = Ids::default();
        repeats.push(&[]);
        assert_eq!(nested_shares(&[1], &[0], &[1], &repeats).unwrap(), [1.0]);
        assert!(nested_shares(&[2], &[0], &[1], &repeats).is_err());
        assert!(nested_shares(&[1], &[0], &[], &repeats).is_err());
        assert!(nested_shares(&[2], &[0, 0], &[1, 1], &repeats).is_err());
        assert!(nested_shares(&[1, 0], &[0], &[1], &repeats).is_err());
    }
}
