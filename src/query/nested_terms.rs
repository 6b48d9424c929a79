//! The terms that a phrase contains.

use std::collections::HashSet;

use smallvec::SmallVec;

use crate::error::{Error, Result};
use crate::index::Index;
use crate::query::answer::{Found, Hit, Where};
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
        self.hits(&self.nested_found(&self.query(phrase)?, options)?)
    }

    /// The number of answers of [`Index::nested_terms`].
    pub fn count_nested_terms(&self, phrase: &str, options: &NestedOptions) -> Result<usize> {
        let all = self.nested_chosen(&self.query(phrase)?, options)?;
        Ok(page_length(all.len(), options.offset, options.limit))
    }

    pub(crate) fn nested_found(&self, key: &[u32], options: &NestedOptions) -> Result<Vec<Found>> {
        let found = self.nested_chosen(key, options)?;
        self.sorted_page(found, key.len(), options.sort, options.offset, options.limit)
    }

    /// All nested terms that the options admit, in id order.
    pub(crate) fn nested_chosen(&self, key: &[u32], options: &NestedOptions) -> Result<Vec<Found>> {
        let &NestedOptions { place, direct, min_length, max_length, sort, .. } = options;
        if matches!(sort, Sort::Left | Sort::Right) {
            return Err(Error::Option {
                name: "sort",
                value: if sort == Sort::Left { "\"left\"" } else { "\"right\"" }.into(),
                expected: "nested terms are sorted by \"weight\" or \"length\"",
            });
        }
        let mut found = self.nested_set(key, place, direct)?;
        keep_lengths(&mut found, min_length, max_length);
        Ok(found)
    }

    pub(crate) fn nested_set(&self, key: &[u32], place: Where, direct: bool) -> Result<Vec<Found>> {
        let mut terms: SmallVec<[(u32, TermRange); 8]> = SmallVec::new();
        let mut note = |start: usize, term: TermRange| -> Result<()> {
            terms.push((start as u32, term));
            Ok(())
        };
        let count = key.len();
        let shorter = &key[..count.saturating_sub(1)];
        match place {
            Where::Start => self.walk(shorter, 0, |term| note(0, term))?,
            Where::End => {
                // No term is longer than the longest: the last of its tokens are enough.
                let first =
                    count.saturating_sub(self.arrays.meta.longest as usize).max(1).min(count);
                let mut walk = Walk::of(self, &key[first..]);
                for start in first..count {
                    if let Some(term) = walk.longest_at(start - first, usize::MAX)?
                        && start + term.length == count
                    {
                        note(start, term)?;
                    }
                }
            }
            Where::Anywhere if count > 0 => {
                self.walk(shorter, 0, |term| note(0, term))?;
                Walk::of(self, &key[1..]).each_distinct(|start, term| note(start + 1, term))?;
            }
            Where::Inside if count > 2 => {
                Walk::of(self, &shorter[1..]).each_distinct(|start, term| note(start + 1, term))?
            }
            Where::Anywhere | Where::Inside => {}
        }
        // Each once, at its first occurrence; only then its variants.
        terms.sort_unstable_by_key(|(start, term)| (term.position, *start));
        terms.dedup_by_key(|(_, term)| term.position);
        let mut all: Vec<Found> = Vec::with_capacity(terms.len());
        for (start, term) in &terms {
            self.each_variant(term, |position| {
                let (position, length) = (position as u32, term.length as u32);
                all.push(Found { position, start: *start, length });
                Ok(())
            })?;
        }
        if self.arrays.surfaces.is_some() {
            all.sort_unstable_by_key(|found| found.position);
        }
        if direct {
            self.keep_direct(&mut all, place)?;
        }
        Ok(all)
    }

    /// Drops the nested terms that are nested in one of the others: longest first, each one that stays
    /// drops all of its own. What is nested in a dropped one is nested in the one that dropped it.
    fn keep_direct(&self, all: &mut Vec<Found>, place: Where) -> Result<()> {
        all.sort_unstable_by_key(|found| (std::cmp::Reverse(found.length), found.position));
        let mut dropped: HashSet<u32> = HashSet::new();
        let mut kept: Vec<Found> = Vec::new();
        let mut last_key = Vec::new();
        for &found in all.iter() {
            if dropped.contains(&found.position) {
                continue;
            }
            // Variants of a term drop the same ones.
            let key = self.key(found.key())?;
            if key != last_key {
                let nested = self.nested_set(&key, place, false)?;
                dropped.extend(nested.iter().map(|found| found.position));
                last_key = key;
            }
            kept.push(found);
        }
        kept.sort_unstable_by_key(|found| found.position);
        *all = kept;
        Ok(())
    }
}
