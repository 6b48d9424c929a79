//! The terms that a phrase contains.

use std::collections::HashSet;

use smallvec::SmallVec;

use crate::error::{Error, Result};
use crate::index::Index;
use crate::query::answer::{Found, Hit, Where};
use crate::query::asked::{Asked, Phrase};
use crate::query::order::{Sort, keep_lengths, page_length};
use crate::query::walk::{TermRange, Walk};

/// Which nested terms to return, and in which order.
#[derive(Clone, Debug, Default)]
pub struct NestedOptions {
    /// Where they must occur in the phrase.
    pub place: Where,
    /// Only those with no other term in between.
    pub direct: bool,
    /// Only those with at least this many tokens.
    pub min_length: Option<usize>,
    /// Only those with at most this many tokens.
    pub max_length: Option<usize>,
    /// The order: by weight or by length, as no words surround a nested term but the phrase's own.
    pub sort: Sort,
    /// At most this many.
    pub limit: Option<usize>,
    /// How many to skip.
    pub offset: usize,
}

impl Index {
    /// The nested terms of a phrase.
    pub fn nested_terms(&self, phrase: &str, options: &NestedOptions) -> Result<Vec<Hit>> {
        self.hits(&self.nested_found(phrase, options)?)
    }

    /// The number of answers of [`Index::nested_terms`].
    pub fn count_nested_terms(&self, phrase: &str, options: &NestedOptions) -> Result<usize> {
        let all = self.nested_all(phrase, options)?;
        Ok(page_length(all.len(), options.offset, options.limit))
    }

    pub(crate) fn nested_found(&self, phrase: &str, options: &NestedOptions) -> Result<Vec<Found>> {
        let found = self.nested_all(phrase, options)?;
        self.sorted_page(found, options.sort, options.offset, options.limit)
    }

    /// [`Index::nested_found`] of a phrase with this key, in a plain index.
    pub(crate) fn nested_found_of_key(
        &self,
        key: &[u32],
        options: &NestedOptions,
    ) -> Result<Vec<Found>> {
        options.check_sort()?;
        let mut found = self.nested_set(Phrase::plain(key), options.place, options.direct, &[])?;
        keep_lengths(&mut found, options.min_length, options.max_length);
        self.sorted_page(found, options.sort, options.offset, options.limit)
    }

    /// All nested terms of a phrase that the options admit, in id order.
    pub(crate) fn nested_all(&self, phrase: &str, options: &NestedOptions) -> Result<Vec<Found>> {
        options.check_sort()?;
        let &NestedOptions { place, direct, min_length, max_length, .. } = options;
        let mut found = match self.is_plain() {
            true => self.nested_set(Phrase::plain(&self.query(phrase)?), place, direct, &[])?,
            false => self.nested_of(&self.asked(phrase)?, place, direct)?,
        };
        keep_lengths(&mut found, min_length, max_length);
        Ok(found)
    }

    /// All nested terms of a phrase in all its readings, in id order.
    pub(crate) fn nested_of(
        &self,
        asked: &Asked,
        place: Where,
        direct: bool,
    ) -> Result<Vec<Found>> {
        let mut all = Vec::new();
        for (number, reading) in (0..).zip(&asked.readings) {
            let nested = self.nested_set(reading.phrase(), place, direct, &asked.own)?;
            all.extend(nested.into_iter().map(|found| Found { inner: number, ..found }));
        }
        if asked.readings.len() > 1 {
            all.sort_by_key(|found| (found.position, found.name, found.start));
            all.dedup_by_key(|found| found.position);
        }
        Ok(all)
    }

    /// All nested terms of a phrase, in id order, except those whose own keys begin at the positions `own`.
    pub(crate) fn nested_set(
        &self,
        phrase: Phrase,
        place: Where,
        direct: bool,
        own: &[u32],
    ) -> Result<Vec<Found>> {
        let mut names = self.nested_names(phrase, place)?;
        if !own.is_empty() {
            names.retain(|found| own.binary_search(&found.position).is_err());
        }
        if direct {
            self.keep_direct(&mut names, place, own)?;
        }
        if self.has_other_names() {
            names.sort_unstable_by_key(|found| (found.position, found.name, found.start));
            names.dedup_by_key(|found| found.position);
        }
        Ok(names)
    }

    /// All names that are nested in a phrase, each at its first occurrence; in id order, if no term has
    /// several.
    fn nested_names(&self, phrase: Phrase, place: Where) -> Result<Vec<Found>> {
        let mut terms: SmallVec<[(u32, TermRange); 8]> = SmallVec::new();
        self.each_nested_key(phrase.key, place, |start, term| {
            terms.push((start as u32, term));
            Ok(())
        })?;
        // Each once, at its first occurrence; only then its variants.
        terms.sort_unstable_by_key(|(start, term)| (term.position, *start));
        if self.arrays.capitals.is_none() {
            terms.dedup_by_key(|(_, term)| term.position);
        }
        let mut all: Vec<Found> = Vec::with_capacity(terms.len());
        for (start, term) in &terms {
            let text = phrase.capitals.get(*start as usize..).unwrap_or_default();
            self.each_variant(term, |name| {
                if self.allows_capitals(name, term.length, text)? {
                    all.push(Found {
                        position: self.own_position(name)? as u32,
                        name: name as u32,
                        start: *start,
                        length: term.length as u16,
                        inner: 0,
                    });
                }
                Ok(())
            })?;
        }
        if self.may_have_variants() || self.arrays.capitals.is_some() {
            all.sort_unstable_by_key(|found| (found.name, found.start));
            all.dedup_by_key(|found| found.name);
        }
        Ok(all)
    }

    /// Calls `each` with the terms of one key each that are nested in a phrase, and where they begin: each at
    /// its first occurrence at least.
    fn each_nested_key(
        &self,
        key: &[u32],
        place: Where,
        mut each: impl FnMut(usize, TermRange) -> Result<()>,
    ) -> Result<()> {
        let count = key.len();
        let shorter = &key[..count.saturating_sub(1)];
        match place {
            Where::Start => self.walk(shorter, 0, |term| each(0, term))?,
            Where::End => {
                // No term is longer than the longest: the last of its tokens are enough.
                let first =
                    count.saturating_sub(self.arrays.meta.longest as usize).max(1).min(count);
                let mut walk = Walk::of(self, &key[first..]);
                for start in first..count {
                    if let Some(term) = walk.longest_at(start - first, usize::MAX)?
                        && start + term.length == count
                    {
                        each(start, term)?;
                    }
                }
            }
            // Of several occurrences, one may have the capitals that a term needs.
            Where::Anywhere | Where::Inside if self.arrays.capitals.is_some() => {
                let inside = usize::from(place == Where::Inside);
                let mut walk = Walk::of(self, &key[..count.saturating_sub(inside)]);
                for start in inside..count.saturating_sub(inside) {
                    walk.each_at(start, |term| match term.length < count {
                        true => each(start, term.clone()),
                        false => Ok(()),
                    })?;
                }
            }
            Where::Anywhere if count > 0 => {
                self.walk(shorter, 0, |term| each(0, term))?;
                Walk::of(self, &key[1..]).each_distinct(|start, term| each(start + 1, term))?;
            }
            Where::Inside if count > 2 => {
                Walk::of(self, &shorter[1..]).each_distinct(|start, term| each(start + 1, term))?
            }
            Where::Anywhere | Where::Inside => {}
        }
        Ok(())
    }

    /// Drops the nested names that are nested in one of another term: longest first, each one that stays
    /// drops all of its own. What is nested in a dropped one is nested in the one that dropped it.
    fn keep_direct(&self, all: &mut Vec<Found>, place: Where, own: &[u32]) -> Result<()> {
        all.sort_unstable_by_key(|found| (std::cmp::Reverse(found.length), found.name));
        // A name that only names of its own term contain is not dropped.
        let mut dropped: HashSet<u32> = HashSet::new();
        let mut kept: Vec<Found> = Vec::new();
        let mut last = (Vec::new(), Vec::new());
        for &found in all.iter() {
            let is_dropped = dropped.contains(&found.name);
            // What it would drop is dropped already; but of what a term is dropped for, another name of
            // that term may stay.
            if is_dropped && !self.has_other_names() {
                continue;
            }
            // Variants of a term drop the same ones.
            let key = (self.key(found.name_key())?, self.capitals_of(found.name_key())?);
            if key != last || self.has_other_names() {
                let phrase = Phrase { key: &key.0, capitals: &key.1 };
                let nested = self.nested_names(phrase, place)?;
                let others = nested.iter().filter(|inner| {
                    inner.position != found.position && own.binary_search(&inner.position).is_err()
                });
                dropped.extend(others.map(|inner| inner.name));
                last = key;
            }
            if !is_dropped {
                kept.push(found);
            }
        }
        kept.sort_unstable_by_key(|found| found.name);
        *all = kept;
        Ok(())
    }
}

impl NestedOptions {
    /// Refuses orders by words around the answer.
    fn check_sort(&self) -> Result<()> {
        match self.sort {
            Sort::Left | Sort::Right => Err(Error::Option {
                name: "sort",
                value: if self.sort == Sort::Left { "\"left\"" } else { "\"right\"" }.into(),
                expected: "nested terms are sorted by \"weight\" or \"length\"",
            }),
            Sort::Weight | Sort::Length => Ok(()),
        }
    }
}
