//! What the index knows of pairs of tokens that begin terms, remembered: under folding, most of the pairs of a
//! text that begin a term recur.

use std::ops::Range;

use crate::error::Result;
use crate::index::Index;
use crate::query::find::groups::TermGroups;
use crate::query::walk::TermRange;

/// Two tokens with which suffixes begin.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    tokens: [u32; 2],
    /// The slots of these suffixes.
    slots: [u32; 2],
    /// Where the term begins that the two tokens are; [`NONE`] if there is none.
    position: u32,
    /// Whether longer terms may begin with it.
    pub(super) opens: bool,
}

/// No position, and no token.
const NONE: u32 = u32::MAX;
const EMPTY: Pair = Pair { tokens: [NONE; 2], slots: [0; 2], position: NONE, opens: false };

/// The most pairs that are remembered: some 200 kilobytes.
const MAX_PAIRS: usize = 1 << 13;
/// For each bytes of text a place for a pair.
const BYTES_PER_PLACE: usize = 64;

/// The pairs that were seen last, each in the one place that its hash gives it.
pub(super) struct Pairs {
    places: Vec<Pair>,
}

impl Pairs {
    /// For texts of about this many bytes.
    pub(super) fn new(bytes: usize) -> Pairs {
        let count = (bytes / BYTES_PER_PLACE).next_power_of_two().min(MAX_PAIRS);
        Pairs { places: vec![EMPTY; count] }
    }

    /// Two tokens, both of which are known.
    #[inline]
    pub(super) fn get(
        &mut self,
        index: &Index,
        groups: &mut TermGroups,
        tokens: [u32; 2],
    ) -> Result<Pair> {
        let hash =
            (u64::from(tokens[0]) << 32 | u64::from(tokens[1])).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = (hash >> 40) as usize & (self.places.len() - 1);
        if self.places[place].tokens != tokens {
            self.places[place] = Pair::of(index, groups, tokens)?;
        }
        Ok(self.places[place])
    }
}

impl Pair {
    #[inline(never)]
    fn of(index: &Index, groups: &mut TermGroups, tokens: [u32; 2]) -> Result<Pair> {
        let mut pair = Pair { tokens, ..EMPTY };
        let slots = index.narrow(index.bucket(tokens[0])?, 1, tokens[1])?;
        if slots.is_empty() {
            return Ok(pair);
        }
        pair.slots = [slots.start as u32, slots.end as u32];
        let mut terms = 0;
        if let Some(position) = index.whole_at(&slots, 2)? {
            pair.position = position as u32;
            terms = groups.count(&TermRange { position, length: 2, slots: slots.clone() })?;
        }
        pair.opens = index.count_wholes(&slots)? > terms;
        Ok(pair)
    }

    /// The slots of the suffixes that begin with the two tokens.
    #[inline]
    pub(super) fn slots(&self) -> Range<usize> {
        self.slots[0] as usize..self.slots[1] as usize
    }

    /// The term that the two tokens are, if they are one.
    #[inline]
    pub(super) fn term(&self) -> Option<TermRange> {
        let position = self.position as usize;
        (self.position != NONE).then(|| TermRange { position, length: 2, slots: self.slots() })
    }
}
