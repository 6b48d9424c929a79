//! Tokens that a name has several times: what makes a range of slots larger than the number of its names.

use std::collections::HashSet;

use crate::arrays::bits;
use crate::arrays::sparse::Sparse;
use crate::build::suffixes::Tokens;

/// Names of up to as many tokens are compared token by token, which takes less time than to sort these.
const SHORT: usize = 4;

/// The slots whose first token begins an earlier slot of the same name too.
pub(crate) fn repetitions(tokens: Tokens, suffixes: &[u32]) -> Sparse {
    let marked = repeated_positions(tokens);
    let mut found = Vec::new();
    // The names that were seen with the token of the current slots.
    let mut seen = HashSet::new();
    let mut token = None;
    for (slot, &position) in (0u32..).zip(suffixes) {
        if marked[position as usize / 64] >> (position % 64) & 1 == 1 {
            let own = tokens.keys[position as usize];
            if token.replace(own) != Some(own) {
                seen.clear();
            }
            if !seen.insert(position - tokens.offset(position)) {
                found.push(slot);
            }
        }
    }
    Sparse::new(&found, suffixes.len())
}

/// The bits of the positions whose token is at another position of the same name too.
fn repeated_positions(tokens: Tokens) -> Vec<u64> {
    let mut marked = vec![0; bits::words_for(tokens.keys.len())];
    let mut sorted: Vec<(u32, usize)> = Vec::new();
    let mut start = 0;
    for end in 1..=tokens.keys.len() {
        if !tokens.ended(end) {
            continue;
        }
        let name = &tokens.keys[start..end];
        if name.len() > SHORT || (1..name.len()).any(|i| name[..i].contains(&name[i])) {
            sorted.clear();
            sorted.extend(name.iter().copied().zip(start..));
            sorted.sort_unstable();
            for same in sorted.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 1) {
                same.iter().for_each(|&(_, position)| bits::set(&mut marked, position));
            }
        }
        start = end;
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::suffixes::borders;

    #[test]
    fn all_but_the_first_slot_of_a_name_and_a_token_are_repetitions() {
        // The names: 0 | 0 0 | 1 0 1 | 0 1 2 3 0 0; the suffixes by their tokens and positions.
        let keys = [0, 0, 0, 1, 0, 1, 0, 1, 2, 3, 0, 0];
        let borders = borders([1, 2, 3, 6].into_iter(), keys.len());
        let tokens = Tokens { keys: &keys, borders: &borders };
        let suffixes = [0, 2, 11, 1, 10, 4, 6, 5, 3, 7, 8, 9];
        let found = repetitions(tokens, &suffixes);
        let slots: Result<Vec<usize>, _> = found.numbers(0..found.len()).collect();
        assert_eq!(slots.unwrap(), [3, 4, 6, 8]);
    }
}
