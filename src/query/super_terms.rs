//! The terms that contain a phrase.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::index::Index;
use crate::query::answer::{Found, Hit, Where};
use crate::query::asked::{Asked, Phrase};
use crate::query::order::{Sort, keep_lengths, page_length};
use crate::query::walk::{TermRange, Walk};

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

/// A phrase in a name, and the terms strictly between the two.
struct Between<'a> {
    phrase: Phrase<'a>,
    /// Where the phrase occurs in the name.
    occurrences: &'a [Found],
    /// Where the phrase must occur in the term between, and that in the name.
    place: Where,
    /// The tokens of the name.
    whole: usize,
}

impl Between<'_> {
    /// The first occurrence of the phrase that a term from the token `start` of the name on can hold.
    fn first_held(&self, start: usize) -> Option<usize> {
        let first = match self.place {
            Where::Start => return Some(0),
            Where::End => return Some(self.whole - self.phrase.key.len()).filter(|&o| o > start),
            Where::Anywhere => start,
            Where::Inside => start + 1,
        };
        let i = self.occurrences.partition_point(|o| (o.start as usize) < first);
        self.occurrences.get(i).map(|o| o.start as usize)
    }

    /// Whether a term with these tokens of the name holds the phrase at the token `at` of the name.
    fn holds(&self, term: Range<usize>, at: usize) -> bool {
        let end = at + self.phrase.key.len();
        match self.place {
            Where::Start => at == 0,
            Where::End => end == self.whole && term.end == self.whole,
            Where::Anywhere => at >= term.start && end <= term.end,
            Where::Inside => at > term.start && end < term.end,
        }
    }
}

impl Index {
    /// The super terms of a phrase.
    pub fn super_terms(&self, phrase: &str, options: &SuperOptions) -> Result<Vec<Hit>> {
        self.hits(&self.super_found(phrase, options)?)
    }

    /// The number of answers of [`Index::super_terms`].
    pub fn count_super_terms(&self, phrase: &str, options: &SuperOptions) -> Result<usize> {
        let all = self.super_all(phrase, options)?;
        Ok(page_length(all.len(), options.offset, options.limit))
    }

    pub(crate) fn super_found(&self, phrase: &str, options: &SuperOptions) -> Result<Vec<Found>> {
        let found = self.super_all(phrase, options)?;
        self.sorted_page(found, options.sort, options.offset, options.limit)
    }

    /// [`Index::super_found`] of a phrase with this key, in a plain index.
    pub(crate) fn super_found_of_key(
        &self,
        key: &[u32],
        options: &SuperOptions,
    ) -> Result<Vec<Found>> {
        let slots = self.super_slots(key)?;
        let found = self.super_set(Phrase::plain(key), slots, options, &[])?;
        self.sorted_page(found, options.sort, options.offset, options.limit)
    }

    /// All super terms of a phrase that the options admit, in id order.
    #[inline]
    pub(crate) fn super_all(&self, phrase: &str, options: &SuperOptions) -> Result<Vec<Found>> {
        match self.is_plain() {
            true => {
                let key = self.query(phrase)?;
                self.super_set(Phrase::plain(&key), self.super_slots(&key)?, options, &[])
            }
            false => self.super_of(&self.asked(phrase)?, options),
        }
    }

    /// All super terms of a phrase in all its readings that the options admit, in id order.
    pub(crate) fn super_of(&self, asked: &Asked, options: &SuperOptions) -> Result<Vec<Found>> {
        let mut all = Vec::new();
        for reading in &asked.readings {
            let phrase = reading.phrase();
            let slots = self.super_slots(phrase.key)?;
            all.extend(self.super_set(phrase, slots, options, &asked.own)?);
        }
        if asked.readings.len() > 1 {
            all.sort_by_key(|found| (found.position, found.name, found.start));
            all.dedup_by_key(|found| found.position);
        }
        Ok(all)
    }

    /// All super terms of a phrase with these slots that the options admit, in id order, except those whose
    /// own keys begin at the positions `own`.
    pub(crate) fn super_set(
        &self,
        phrase: Phrase,
        slots: Range<usize>,
        options: &SuperOptions,
        own: &[u32],
    ) -> Result<Vec<Found>> {
        let &SuperOptions { place, direct, max_extra, min_length, max_length, .. } = options;
        let inner = phrase.key.len();
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
            let p = self.suffix(slot)?;
            let found = self.found_at(p, inner)?;
            let length = found.length as usize;
            let extra = length.checked_sub(inner).ok_or_else(|| Error::out_of_range("borders"))?;
            if extra > 0
                && max_extra.is_none_or(|most| extra <= most)
                && (direct || place.fits(found.start as usize, inner, length))
                && own.binary_search(&found.position).is_err()
                && (phrase.capitals.is_empty() || self.has_capitals(p, phrase.capitals)?)
            {
                hits.push(found);
            }
        }
        hits.sort_unstable_by_key(|found| (found.position, found.name, found.start));
        if !direct {
            hits.dedup_by_key(|found| found.position);
            keep_lengths(&mut hits, min_length, max_length);
            return Ok(hits);
        }
        // All occurrences of the phrase in a name are needed to see if another term is in between.
        let mut kept: Vec<Found> = Vec::new();
        for occurrences in hits.chunk_by(|a, b| a.name == b.name) {
            if kept.last().is_some_and(|last| last.position == occurrences[0].position) {
                continue;
            }
            let whole = occurrences[0].length as usize;
            let first = occurrences.iter().find(|o| place.fits(o.start as usize, inner, whole));
            if let Some(&first) = first
                && !self.has_term_between(phrase, occurrences, place, own)?
            {
                kept.push(first);
            }
        }
        keep_lengths(&mut kept, min_length, max_length);
        Ok(kept)
    }

    /// Whether a term is strictly between a phrase and a name in which it has these occurrences, both
    /// containments being where `place` says. Neither the name's own term counts, nor those whose own keys
    /// begin at the positions `own`.
    fn has_term_between(
        &self,
        phrase: Phrase,
        occurrences: &[Found],
        place: Where,
        own: &[u32],
    ) -> Result<bool> {
        let inner = phrase.key.len();
        let name = occurrences[0].name_key();
        let key = self.key(name.clone())?;
        let capitals = self.capitals_of(name)?;
        let whole = key.len();
        let starts = match place {
            Where::Start => 0..1,
            Where::Anywhere => 0..whole,
            Where::End | Where::Inside => 1..whole,
        };
        let between = Between { phrase, occurrences, place, whole };
        let mut walk = Walk::of(self, &key);
        for start in starts {
            let Some(held) = between.first_held(start) else { return Ok(false) };
            // The longest term from here: if that does not hold the occurrence, no shorter one does.
            let below = match place {
                Where::Anywhere | Where::End => whole.min(whole - start + 1),
                Where::Start | Where::Inside => whole - start,
            };
            let holds = |term: &TermRange| {
                term.length > inner && between.holds(start..start + term.length, held)
            };
            if self.is_plain() {
                if walk.longest_at(start, below)?.is_some_and(|term| holds(&term)) {
                    return Ok(true);
                }
                continue;
            }
            let text = Phrase { key: &key, capitals: &capitals }.from(start);
            for term in walk.terms_at(start)?.iter().filter(|t| t.length < below && holds(t)) {
                if self.has_name_between(&between, start, term, text.capitals, own)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether one of the names with this key, which begins at the token `start` of the longer name, is
    /// between the two: its term is neither the longer name's nor one of `own`, and the capitals are right.
    fn has_name_between(
        &self,
        between: &Between,
        start: usize,
        term: &TermRange,
        capitals: &[bool],
        own: &[u32],
    ) -> Result<bool> {
        let &Between { phrase, occurrences, .. } = between;
        let mut found = false;
        self.each_variant(term, |position| {
            let owner = self.own_position(position)? as u32;
            if found
                || owner == occurrences[0].position
                || own.binary_search(&owner).is_ok()
                || !self.allows_capitals(position, term.length, capitals)?
            {
                return Ok(());
            }
            let starts = occurrences.iter().map(|o| o.start as usize);
            for o in starts.filter(|&o| between.holds(start..start + term.length, o)) {
                found |= phrase.capitals.is_empty()
                    || self.has_capitals(position + o - start, phrase.capitals)?;
            }
            Ok(())
        })?;
        Ok(found)
    }
}
