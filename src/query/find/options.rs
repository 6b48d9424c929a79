//! What a search for terms in a text reports.

use crate::index::TermId;
use crate::index::mask::TermMask;

/// Which of several overlapping spans to report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlaps {
    /// All of them.
    #[default]
    All,
    /// Those that are not inside another.
    Longest,
    /// From left to right the longest, each after the end of the one before.
    Leftmost,
}

/// Which of several terms with the same span to report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variants {
    /// All of them.
    #[default]
    All,
    /// One: the first of the vocabulary.
    First,
}

/// The options of a search for terms in a text.
#[derive(Clone, Copy, Debug, Default)]
pub struct FindOptions<'a> {
    /// Which of several overlapping spans to report.
    pub overlaps: Overlaps,
    /// Which of several terms with the same span to report.
    pub variants: Variants,
    /// The terms to look for, as if the index had no others; all if there is no mask.
    pub only: Option<&'a TermMask>,
}

impl FindOptions<'_> {
    /// Whether a term is searched for.
    #[inline]
    pub(crate) fn has(&self, id: TermId) -> bool {
        self.only.is_none_or(|only| only.has(id.0))
    }
}
