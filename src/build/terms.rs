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
    /// For each token of `keys` the number of its form; empty if all have their first form.
    pub(super) forms: Vec<u8>,
    /// The terms whose surfaces are stored whole.
    pub(super) whole: WholeSurfaces,
    /// The number of entries that had no token.
    pub(super) skipped: u64,
}

/// Surfaces that are stored whole, as they are not the tokens joined.
#[derive(Default)]
pub(super) struct WholeSurfaces {
    /// The numbers of their entries, or the ids of their terms, in order.
    pub(super) entries: Vec<u32>,
    pub(super) surfaces: List,
}

impl WholeSurfaces {
    /// Each entry with its surface.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = (u32, &str)> {
        self.entries.iter().copied().zip(self.surfaces.iter())
    }

    /// The surface of an entry, if it is stored whole.
    pub(super) fn get(&self, entry: u32) -> Option<&str> {
        self.entries.binary_search(&entry).ok().map(|i| self.surfaces.get(i))
    }

    /// Those of the entries that are kept, with their numbers among these.
    pub(super) fn kept(&self, kept: impl Iterator<Item = bool>) -> WholeSurfaces {
        let mut left = WholeSurfaces::default();
        let mut own = self.iter().peekable();
        let mut number = 0;
        for (entry, kept) in (0u32..).zip(kept) {
            if let Some((_, surface)) = own.next_if(|&(next, _)| next == entry)
                && kept
            {
                left.entries.push(number);
                left.surfaces.push(surface);
            }
            number += u32::from(kept);
        }
        left
    }
}

impl Terms {
    /// The entries that have tokens. `token_counts` come in parts; `weights` and `whole` are for all
    /// entries.
    pub(super) fn new(
        keys: Vec<u32>,
        forms: Vec<u8>,
        token_counts: &[Vec<u16>],
        weights: Option<&[f64]>,
        whole: WholeSurfaces,
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
        let whole = match whole.entries.is_empty() {
            true => whole,
            false => whole.kept(token_counts.iter().flatten().map(|&count| count > 0)),
        };
        progress.check()?;
        let mut terms =
            Terms { keys, lengths, borders: Vec::new(), weights, forms, whole, skipped };
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
