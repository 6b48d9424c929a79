//! The terms of a vocabulary while it is built: entries that have tokens, column by column.

use crate::build::entries::{Entries, List};
use crate::build::suffixes::{self, Tokens};
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::threads::concat;

/// The terms, in the order of their ids.
pub(super) struct Terms {
    /// The token ids of all terms, one term after the other.
    pub(super) keys: Vec<u32>,
    /// The number of tokens of each term.
    pub(super) lengths: Vec<u16>,
    /// The bits that mark where terms begin in `keys`, and the end of `keys`.
    pub(super) borders: Vec<u64>,
    pub(super) weights: Option<Vec<f64>>,
    /// Their surfaces, if surfaces are stored.
    pub(super) surfaces: Option<List>,
    /// The number of entries that had no token.
    pub(super) skipped: u64,
}

impl Terms {
    /// The entries that have tokens. `token_counts` and `surfaces` come in parts; `weights` is for all
    /// entries.
    pub(super) fn new(
        keys: Vec<u32>,
        token_counts: &[Vec<u16>],
        weights: Option<&[f64]>,
        surfaces: Option<Vec<List>>,
        progress: &Progress,
    ) -> Result<Terms> {
        let mut lengths = concat(token_counts.iter());
        let entries = lengths.len();
        lengths.retain(|&length| length > 0);
        let skipped = (entries - lengths.len()) as u64;
        progress.check()?;
        let weights = weights.map(|weights| {
            let with_counts = weights.iter().zip(token_counts.iter().flatten());
            let of_terms = with_counts.filter(|&(_, &count)| count > 0);
            // Plus zero: a negative zero would not sort like zero.
            of_terms.map(|(weight, _)| weight + 0.0).collect()
        });
        progress.check()?;
        let surfaces = surfaces.map(|parts| {
            let mut of_terms = List::default();
            for (part, counts) in parts.into_iter().zip(token_counts) {
                let with_counts = part.iter().zip(counts).filter(|&(_, &count)| count > 0);
                with_counts.for_each(|(surface, _)| of_terms.push(surface));
            }
            of_terms
        });
        progress.check()?;
        let mut terms = Terms { keys, lengths, borders: Vec::new(), weights, surfaces, skipped };
        terms.set_borders();
        Ok(terms)
    }

    /// Sets `borders` when `lengths` have changed.
    pub(super) fn set_borders(&mut self) {
        let lengths = self.lengths.iter().map(|&length| length.into());
        self.borders = suffixes::borders(lengths, self.keys.len());
    }

    /// The tokens of all terms, for their suffixes.
    pub(super) fn tokens(&self) -> Tokens<'_> {
        Tokens { keys: &self.keys, borders: &self.borders }
    }

    /// The number of tokens of the longest term; 0 if there are no terms.
    pub(super) fn longest(&self) -> u32 {
        self.lengths.iter().copied().max().unwrap_or(0).into()
    }

    /// Whether a term has more than one token.
    pub(super) fn has_several_tokens(&self) -> bool {
        self.keys.len() > self.lengths.len()
    }
}

/// Refuses weights unless there is one for each of `count` entries, and each is a finite number of zero
/// or more.
pub(super) fn check_weights(
    weights: Option<&[f64]>,
    entries: &dyn Entries,
    count: u64,
) -> Result<()> {
    let Some(weights) = weights else { return Ok(()) };
    if weights.len() as u64 != count {
        return Err(Error::WeightCount { terms: count, weights: weights.len() as u64 });
    }
    match weights.iter().position(|weight| !(weight.is_finite() && *weight >= 0.0)) {
        None => Ok(()),
        Some(i) => {
            Err(Error::Weight { place: entries.place(i as u64), value: weights[i].to_string() })
        }
    }
}
