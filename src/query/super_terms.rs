//! The terms that contain a phrase.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::index::Index;
use crate::query::answer::{Found, Hit, Where};
use crate::query::order::{Sort, keep_lengths, page_length};
use crate::query::walk::Walk;

/// Which super terms to return, and in which order.
#[derive(Clone, Debug, Default)]
pub struct SuperOptions {
    /// Where the phrase must occur in them.
    pub place: Where,
    /// Only those with no other term in between.
    pub direct: bool,
    /// Only those with at most this many tokens more than the phrase.
    pub max_extra: Option<usize>,
    /// Only those with at least this many tokens.
    pub min_length: Option<usize>,
    /// Only those with at most this many tokens.
    pub max_length: Option<usize>,
    /// The order.
    pub sort: Sort,
    /// At most this many.
    pub limit: Option<usize>,
    /// How many to skip.
    pub offset: usize,
}

/// How many slots' memory is requested at the same time.
const PREFETCHED_SLOTS: usize = 32;

impl Index {
    /// The super terms of a phrase.
    pub fn super_terms(&self, phrase: &str, options: &SuperOptions) -> Result<Vec<Hit>> {
        self.hits(&self.super_found(&self.query(phrase)?, options)?)
    }

    /// The number of answers of [`Index::super_terms`].
    pub fn count_super_terms(&self, phrase: &str, options: &SuperOptions) -> Result<usize> {
        let key = self.query(phrase)?;
        let all = self.super_set(self.super_slots(&key)?, key.len(), options)?;
        Ok(page_length(all.len(), options.offset, options.limit))
    }

    pub(crate) fn super_found(&self, key: &[u32], options: &SuperOptions) -> Result<Vec<Found>> {
        self.super_found_in(self.super_slots(key)?, key.len(), options)
    }

    /// The super terms of a phrase of `length` tokens that has these slots.
    #[inline]
    pub(crate) fn super_found_in(
        &self,
        slots: Range<usize>,
        length: usize,
        options: &SuperOptions,
    ) -> Result<Vec<Found>> {
        let found = self.super_set(slots, length, options)?;
        self.sorted_page(found, length, options.sort, options.offset, options.limit)
    }

    /// All super terms that the options admit, in id order.
    pub(crate) fn super_set(
        &self,
        slots: Range<usize>,
        inner: usize,
        options: &SuperOptions,
    ) -> Result<Vec<Found>> {
        let &SuperOptions { place, direct, max_extra, min_length, max_length, .. } = options;
        // A term is often the only one that contains it: itself, which does not count.
        let mut hits = Vec::with_capacity(if slots.len() > 1 { slots.len() } else { 0 });
        let mut ahead = slots.clone();
        for slot in slots {
            // Requested ahead: the memory of several suffixes, and that of their surfaces.
            if slot == ahead.start && ahead.len() > 1 {
                for slot in ahead.by_ref().take(PREFETCHED_SLOTS) {
                    let p = self.suffix(slot)?;
                    self.arrays.borders.prefetch(p);
                    self.arrays.keys.prefetch(p);
                }
            }
            let found = self.found_at(self.suffix(slot)?)?;
            let length = found.length as usize;
            let extra = length.checked_sub(inner).ok_or_else(|| Error::out_of_range("borders"))?;
            if extra > 0
                && max_extra.is_none_or(|most| extra <= most)
                && (direct || place.fits(found.start as usize, inner, length))
            {
                hits.push(found);
            }
        }
        hits.sort_unstable_by_key(|found| (found.position, found.start));
        if !direct {
            hits.dedup_by_key(|found| found.position);
            keep_lengths(&mut hits, min_length, max_length);
            return Ok(hits);
        }
        // All occurrences of the phrase in a term are needed to see if another term is in between.
        let mut kept = Vec::new();
        for occurrences in hits.chunk_by(|a, b| a.position == b.position) {
            let whole = occurrences[0].length as usize;
            let first = occurrences.iter().find(|o| place.fits(o.start as usize, inner, whole));
            if let Some(&first) = first
                && !self.has_term_between(inner, occurrences, place)?
            {
                kept.push(first);
            }
        }
        keep_lengths(&mut kept, min_length, max_length);
        Ok(kept)
    }

    /// Whether a term is strictly between a phrase of `inner` tokens and the super term in which it
    /// has these occurrences, both containments being where `place` says.
    fn has_term_between(&self, inner: usize, occurrences: &[Found], place: Where) -> Result<bool> {
        let key = self.key(occurrences[0].key())?;
        let whole = key.len();
        let starts = match place {
            Where::Start => 0..1,
            Where::Anywhere => 0..whole,
            Where::End | Where::Inside => 1..whole,
        };
        let mut walk = Walk::of(self, &key);
        for start in starts {
            // The first occurrence that a term from here can hold.
            let after = usize::from(place == Where::Inside);
            let held = match place {
                Where::Start => Some(0),
                Where::End => Some(whole - inner).filter(|&o| o > start),
                _ => {
                    let i = occurrences.partition_point(|o| (o.start as usize) < start + after);
                    occurrences.get(i).map(|o| o.start as usize)
                }
            };
            let Some(held) = held else { return Ok(false) };
            // The longest term from here: if that does not hold the occurrence, no shorter one does.
            let below = match place {
                Where::Anywhere | Where::End => whole.min(whole - start + 1),
                Where::Start | Where::Inside => whole - start,
            };
            if let Some(term) = walk.longest_at(start, below)?
                && term.length > inner
                && start + term.length >= held + inner + after
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
