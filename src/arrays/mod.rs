//! The arrays of an index. They are read in the same way in memory and in a mapped file.

pub(crate) mod array;
pub(crate) mod best;
pub(crate) mod bits;
pub(crate) mod columns;
pub(crate) mod dictionary;
pub(crate) mod filter;
pub(crate) mod forms;
pub(crate) mod packed;
pub(crate) mod pieces;
mod ranked;
pub(crate) mod sparse;
pub(crate) mod surfaces;
mod variants;
pub(crate) mod written;

use crate::analysis::{Options, Spaces};
use array::Array;
use best::Best;
use bits::Bits;
use columns::Columns;
use dictionary::Dictionary;
use filter::Filter;
use packed::Packed;
use sparse::Sparse;
use surfaces::Surfaces;
pub(crate) use variants::MAX_SCANNED;

/// Sampling rates of the two levels of [`Arrays::seconds`]: one slot in 128 and one in 8.
pub(crate) const SECOND_TOKEN_STEPS: [usize; 2] = [128, 8];

/// The facts about an index that are not arrays; stored in the head of its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Meta {
    pub(crate) options: Options,
    /// Built with a user's own [`Normalize`](crate::Normalize).
    pub(crate) normalized: bool,
    /// The white space that also separates the words of a query, because no surface contains it.
    pub(crate) spaces: Spaces,
    /// Entries without a token.
    pub(crate) skipped: u64,
    /// Entries that were merged into an earlier one.
    pub(crate) duplicates: u64,
    /// The tokens of the longest name.
    pub(crate) longest: u32,
    /// The number of terms.
    pub(crate) terms: usize,
    /// The tokens of the terms themselves, before those of their other names.
    pub(crate) own_tokens: usize,
    /// The aliases. The names after them are joined readings.
    pub(crate) aliases: usize,
    /// Whether two terms have one surface, and differ in their columns.
    pub(crate) homonyms: bool,
}

/// What a build makes of a vocabulary, and what an index file contains.
///
/// The arrays are only read through checked methods: a damaged file can have any number anywhere, and must
/// give [`Error::Damaged`](crate::Error::Damaged), not a panic.
pub(crate) struct Arrays {
    pub(crate) meta: Meta,
    /// The distinct tokens.
    pub(crate) tokens: Dictionary,
    /// The token ids of all names, one name after the other: of the terms, in the order of their ids, then
    /// of their aliases, then of the joined readings of these (see build/names.rs).
    pub(crate) keys: Packed,
    /// Bit `i` is set where a name begins at position `i` of `keys`, and at the end of `keys`.
    pub(crate) borders: Bits,
    /// For each name after those of the terms the id of its term.
    pub(crate) owners: Packed,
    /// Under [`Case::Smart`](crate::Case::Smart), bit `i` is set if the token at position `i` is in capitals.
    pub(crate) capitals: Option<Array<u64>>,
    /// Positions of `keys`, in the order of the suffixes that begin there (see build/suffixes.rs). An
    /// index into this array is called a slot.
    pub(crate) suffixes: Packed,
    /// For every 128th slot, from the first on, the second token of its suffix plus 1, 0 if there is
    /// none; and the same for every eighth.
    pub(crate) seconds: [Packed; SECOND_TOKEN_STEPS.len()],
    /// Bit `i` is set if the suffix in slot `i` is a whole name.
    pub(crate) wholes: Bits,
    /// The first two tokens of terms.
    pub(crate) openings: Filter,
    /// Phrases of two and of three tokens that occur in longer terms.
    pub(crate) enclosed: Filter,
    /// For each term its weight, if the vocabulary has weights.
    pub(crate) weights: Option<Array<f64>>,
    /// How terms are shown, unless that is their tokens joined. Only then can two terms have one key.
    pub(crate) surfaces: Option<Surfaces>,
    /// The ids of terms with the same key as very many others, in the order of their keys and surfaces.
    pub(crate) variants: Packed,
    /// The best term of each run of slots, and of other runs.
    pub(crate) best: Best,
    /// The slots whose first token begins an earlier slot of the same name too: what a range has of them is
    /// the difference between its slots and its names.
    pub(crate) repetitions: Sparse,
    /// The user's own values for each term, if there are any.
    pub(crate) columns: Option<Columns>,
}
