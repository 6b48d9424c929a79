//! The terms of a vocabulary while it is built: entries that have tokens, column by column.

use crate::arrays::bits;
use crate::build::entries::{Entries, List};
use crate::build::names::Sources;
use crate::build::suffixes::{self, Tokens};
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::threads::concat;

/// Added to the number of a form: the token is written in capitals.
pub(super) const CAPITALS: u8 = 128;

/// The terms, in the order of their ids, then the other names of terms (see `names.rs`).
pub(super) struct Terms {
    /// The token ids of all names, one name after the other.
    pub(super) keys: Vec<u32>,
    /// The number of tokens of each name.
    pub(super) lengths: Vec<u16>,
    /// The bits that mark where terms begin in `keys`, and the end of `keys`.
    pub(super) borders: Vec<u64>,
    pub(super) weights: Option<Vec<f64>>,
    /// For each token of `keys` the number of its form, with [`CAPITALS`] if it is in capitals and that
    /// matters; empty if all are 0.
    pub(super) forms: Vec<u8>,
    /// The number of terms. The names after them are aliases, then joined readings.
    pub(super) count: usize,
    /// The number of aliases.
    pub(super) aliases: usize,
    /// The numbers that the aliases had among all, before any was removed.
    pub(super) alias_sources: Vec<u32>,
    /// For each name after the terms the term it belongs to.
    pub(super) owners: Vec<u32>,
    /// The terms whose surfaces are stored whole.
    pub(super) whole: WholeSurfaces,
    /// The number of entries that had no token.
    pub(super) skipped: u64,
    /// The entry of each term, if the vocabulary has columns or keeps equal entries apart.
    pub(super) rows: Vec<u32>,
}

/// Surfaces that are stored whole, as they are not the tokens joined.
#[derive(Default)]
pub(super) struct WholeSurfaces {
    /// The numbers of their entries, or the ids of their terms, in order.
    pub(super) entries: Vec<u32>,
    pub(super) surfaces: List,
}

impl WholeSurfaces {
    /// Adds an entry.
    pub(super) fn push(&mut self, entry: u32, surface: &str) {
        self.entries.push(entry);
        self.surfaces.push(surface);
    }

    /// Each entry with its surface.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = (u32, &str)> {
        self.entries.iter().copied().zip(self.surfaces.iter())
    }

    /// Keeps those of the entries before this one.
    pub(super) fn keep_before(&mut self, end: u32) {
        if self.entries.last().is_some_and(|&last| last >= end) {
            *self = self.kept((0..end).map(|_| true));
        }
    }

    /// The surfaces by entry.
    pub(super) fn by_entry<'a>(&'a self) -> impl Fn(u32) -> Option<&'a str> + Sync + use<'a> {
        // Most entries are not stored whole.
        let mut stored =
            vec![0; bits::words_for(self.entries.last().map_or(0, |&last| last as usize + 1))];
        self.entries.iter().for_each(|&entry| bits::set(&mut stored, entry as usize));
        move |entry| {
            let word = stored.get(entry as usize / 64)?;
            let is_stored = word >> (entry % 64) & 1 == 1;
            is_stored
                .then(|| self.entries.binary_search(&entry).ok().map(|i| self.surfaces.get(i)))?
        }
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
                left.push(number, surface);
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
        sources: &Sources,
        progress: &Progress,
    ) -> Result<Terms> {
        let mut lengths = concat(token_counts.iter());
        let kept = |names: &[u16]| names.iter().filter(|&&length| length > 0).count();
        let (entries, others) = lengths.split_at(sources.count);
        let count = kept(entries);
        let owners = owners(entries, others, sources)?;
        let aliases_with_tokens = (0u32..).zip(&others[..sources.aliases.owners.len()]);
        let alias_sources: Vec<u32> =
            aliases_with_tokens.filter(|&(_, &length)| length > 0).map(|(i, _)| i).collect();
        lengths.retain(|&length| length > 0);
        let skipped = (sources.count - count) as u64;
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
        let rows = match sources.columns.is_empty() && !sources.apart {
            true => Vec::new(),
            false => {
                let counts = token_counts.iter().flatten().take(sources.count);
                (0..).zip(counts).filter(|&(_, &count)| count > 0).map(|(row, _)| row).collect()
            }
        };
        let borders = Vec::new();
        let mut terms = Terms {
            keys,
            lengths,
            borders,
            weights,
            forms,
            count,
            aliases: alias_sources.len(),
            alias_sources,
            owners,
            whole,
            skipped,
            rows,
        };
        terms.set_borders();
        Ok(terms)
    }

    /// The number of tokens of the terms themselves.
    pub(super) fn own_tokens(&self) -> usize {
        self.lengths[..self.count].iter().map(|&length| length as usize).sum()
    }

    /// For each token the number of its form, where somebody asks for it: not in names that are stored
    /// whole, nor in joined readings.
    pub(super) fn shown_forms(&self) -> Vec<u8> {
        let mut forms: Vec<u8> = self.forms.iter().map(|form| form & !CAPITALS).collect();
        let shown = self.count + self.aliases;
        if forms.is_empty() || self.whole.entries.is_empty() && shown == self.lengths.len() {
            return forms;
        }
        let mut whole = self.whole.entries.iter().peekable();
        let mut at = 0;
        for (name, &length) in (0u32..).zip(&self.lengths) {
            let tokens = at..at + length as usize;
            at = tokens.end;
            if whole.next_if_eq(&&name).is_some() || name as usize >= shown {
                forms[tokens].fill(0);
            }
        }
        forms
    }

    /// The term that a name belongs to.
    pub(super) fn owner(&self, name: u32) -> u32 {
        match (name as usize).checked_sub(self.count) {
            None => name,
            Some(other) => self.owners[other],
        }
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

/// The terms that the other names belong to, of those names that have tokens.
fn owners(entries: &[u16], others: &[u16], sources: &Sources) -> Result<Vec<u32>> {
    if others.is_empty() {
        return Ok(Vec::new());
    }
    let mut ids = Vec::with_capacity(entries.len());
    let mut next = 0;
    for &length in entries {
        ids.push(next);
        next += u32::from(length > 0);
    }
    let mut owners = Vec::with_capacity(others.len());
    for (i, (&length, owner)) in others.iter().zip(sources.owners()).enumerate() {
        if entries[owner as usize] == 0 && i < sources.aliases.names.len() {
            let place = sources.entries.place(owner.into());
            return Err(Error::AliasOfNoToken {
                alias: sources.aliases.names.get(i).into(),
                place,
            });
        }
        if length > 0 {
            owners.push(ids[owner as usize]);
        }
    }
    Ok(owners)
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
