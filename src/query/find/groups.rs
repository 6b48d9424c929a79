//! Groups of terms with the same key, which are found together.
//!
//! Under folding a phrase of a text may be a dozen terms ("cell", "Cell", "CELL", ...). A match is then a span
//! with the number of a group, and becomes rows only when these are read. Every term belongs to a group, if
//! need be of its own.

use crate::error::{Error, Result};
use crate::index::Index;
use crate::query::find::options::{FindOptions, Variants};
use crate::query::walk::TermRange;

/// Groups of terms.
#[derive(Default)]
pub(crate) struct Groups {
    /// The terms of all groups, one group after the other; those of a group in the order of their ids.
    pub(crate) ids: Vec<u32>,
    /// Where each group ends.
    pub(crate) ends: Vec<usize>,
}

impl Groups {
    /// The number of groups.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Where the terms of a group are in `ids`.
    #[inline]
    pub(crate) fn place(&self, group: u32) -> std::ops::Range<usize> {
        let group = group as usize;
        let start = group.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[group]
    }

    /// The terms of a group.
    #[inline]
    pub(crate) fn get(&self, group: u32) -> &[u32] {
        &self.ids[self.place(group)]
    }

    /// Whether every group has one term.
    pub(crate) fn are_single(&self) -> bool {
        self.ids.len() == self.ends.len()
    }

    /// Adds a group; its number.
    pub(super) fn push(&mut self, ids: &[u32]) -> Result<u32> {
        let group = self.len() as u32;
        // A number that is left for no group.
        if group == NONE {
            return Err(Error::Full { limit: NONE.into() });
        }
        self.ids.extend_from_slice(ids);
        self.ends.push(self.ids.len());
        Ok(group)
    }

    /// Adds the groups of others; the number that the first of them gets.
    pub(super) fn append(&mut self, others: &Groups) -> Result<u32> {
        if (self.len() + others.len()) as u64 >= u64::from(NONE) {
            return Err(Error::Full { limit: NONE.into() });
        }
        let (first, before) = (self.len() as u32, self.ids.len());
        self.ids.extend_from_slice(&others.ids);
        self.ends.extend(others.ends.iter().map(|end| before + end));
        Ok(first)
    }
}

/// No group.
const NONE: u32 = u32::MAX;

/// What is found where the text has the key of some terms.
#[derive(Clone, Copy)]
pub(super) struct Keyed {
    /// The group of those that are searched for and written like this, if there are any.
    pub(super) group: Option<u32>,
    /// The number of all of them.
    pub(super) terms: usize,
}

/// The groups of a search. Terms recur in a text: most groups are made once.
pub(super) struct TermGroups<'a> {
    index: &'a Index,
    options: FindOptions<'a>,
    pub(super) groups: Groups,
    /// The keys that were seen last, each in the one place that its position gives it.
    known: Vec<Known>,
    ids: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Known {
    /// Where the key of the first of the terms begins; [`NONE`] if the place is empty.
    position: u32,
    /// Which tokens of the text are in capitals: a bit for each.
    capitals: u32,
    group: u32,
    terms: u32,
}

const EMPTY: Known = Known { position: NONE, capitals: 0, group: NONE, terms: 0 };

/// The most keys that are remembered: a quarter of a megabyte.
const MAX_KNOWN: usize = 1 << 14;
/// For each bytes of text a place for a key.
const BYTES_PER_PLACE: usize = 32;

impl<'a> TermGroups<'a> {
    /// For texts of about this many bytes.
    pub(super) fn new(index: &'a Index, options: FindOptions<'a>, bytes: usize) -> TermGroups<'a> {
        let places = (bytes / BYTES_PER_PLACE).next_power_of_two().min(MAX_KNOWN);
        let known = vec![EMPTY; places];
        TermGroups { index, options, groups: Groups::default(), known, ids: Vec::new() }
    }

    /// The group of the terms with a key that a text has; `capitals` says from there on which tokens of the
    /// text are in capitals, if that matters.
    #[inline]
    pub(super) fn of(&mut self, key: &TermRange, capitals: &[bool]) -> Result<Keyed> {
        let (position, capitals) = (key.position as u32, capitals.get(..key.length));
        let capitals = capitals.unwrap_or_default();
        let bits = match capitals.len() {
            0..=32 => Some(capitals.iter().fold(0, |bits, &bit| bits << 1 | u32::from(bit))),
            _ => None,
        };
        let place = (position.wrapping_mul(0x9E37_79B9) >> 16) as usize & (self.known.len() - 1);
        if let Some(bits) = bits {
            let Known { position: known, capitals, group, terms } = self.known[place];
            if (known, capitals) == (position, bits) {
                let group = Some(group).filter(|&group| group != NONE);
                return Ok(Keyed { group, terms: terms as usize });
            }
        }
        let found = self.look_up(key, capitals)?;
        if let Some(capitals) = bits {
            let group = found.group.unwrap_or(NONE);
            self.known[place] = Known { position, capitals, group, terms: found.terms as u32 };
        }
        Ok(found)
    }

    /// The number of terms with a key.
    pub(super) fn count(&mut self, key: &TermRange) -> Result<usize> {
        if self.index.arrays.capitals.is_none() {
            return Ok(self.of(key, &[])?.terms);
        }
        let mut terms = 0;
        self.index.each_variant(key, |_| {
            terms += 1;
            Ok(())
        })?;
        Ok(terms)
    }

    fn look_up(&mut self, key: &TermRange, capitals: &[bool]) -> Result<Keyed> {
        let TermGroups { index, options, ids, .. } = self;
        ids.clear();
        let mut terms = 0;
        index.each_variant(key, |position| {
            terms += 1;
            if index.allows_capitals(position, key.length, capitals)? {
                let id = index.id_at(position)?;
                if options.has(id) {
                    ids.push(id.0);
                }
            }
            Ok(())
        })?;
        // Terms come in the order of their ids, unless they have other names.
        if index.has_other_names() {
            ids.sort_unstable();
            ids.dedup();
        }
        if options.variants == Variants::First {
            ids.truncate(1);
        }
        let group = if ids.is_empty() { None } else { Some(self.groups.push(&self.ids)?) };
        Ok(Keyed { group, terms })
    }

    /// The group of all terms of two groups.
    pub(super) fn union(&mut self, a: u32, b: u32) -> Result<u32> {
        let (a_ids, b_ids) = (self.groups.get(a), self.groups.get(b));
        self.ids.clear();
        self.ids.extend(a_ids.iter().chain(b_ids));
        self.ids.sort_unstable();
        self.ids.dedup();
        if self.options.variants == Variants::First {
            self.ids.truncate(1);
        }
        match () {
            () if self.ids == self.groups.get(a) => Ok(a),
            () if self.ids == self.groups.get(b) => Ok(b),
            () => self.groups.push(&self.ids),
        }
    }
}
