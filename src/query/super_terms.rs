//! The terms that contain a phrase.

use std::ops::Range;

use crate::arrays::best::Items;
use crate::error::{Error, Result};
use crate::index::Index;
use crate::query::answer::{Found, Hit, Where};
use crate::query::asked::{Asked, Phrase};
use crate::query::best::{BestFirst, FEW_SLOTS, First, SLOTS_OF_ANSWER};
use crate::query::order::{Sort, has_length, keep_lengths, page_length};
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
        let all = self.super_total(phrase, options)?;
        Ok(page_length(all, options.offset, options.limit))
    }

    /// The number of all super terms of a phrase that the options admit.
    pub(crate) fn super_total(&self, phrase: &str, options: &SuperOptions) -> Result<usize> {
        if self.is_plain() {
            let key = self.query(phrase)?;
            let slots = self.super_slots(&key)?;
            if let Some(count) = self.counted_supers(&key, slots, options)? {
                return Ok(count);
            }
        }
        Ok(self.super_all(phrase, options)?.len())
    }

    pub(crate) fn super_found(&self, phrase: &str, options: &SuperOptions) -> Result<Vec<Found>> {
        if self.is_plain() {
            return self.super_found_of_key(&self.query(phrase)?, options);
        }
        let asked = self.asked(phrase)?;
        if let [reading] = &asked.readings[..] {
            let slots = self.super_slots(reading.phrase().key)?;
            return self.super_page(reading.phrase(), slots, options, &asked.own);
        }
        let found = self.super_of(&asked, options)?;
        self.sorted_page(found, options.sort, options.offset, options.limit)
    }

    /// The page of super terms of a phrase that has these slots. See [`Index::super_set`].
    #[inline]
    pub(crate) fn super_page(
        &self,
        phrase: Phrase,
        slots: Range<usize>,
        options: &SuperOptions,
        own: &[u32],
    ) -> Result<Vec<Found>> {
        if let Some(best) = self.best_supers(phrase, slots.clone(), options, own)? {
            return Ok(best);
        }
        let found = self.super_set(phrase, slots, options, own)?;
        self.sorted_page(found, options.sort, options.offset, options.limit)
    }

    /// [`Index::super_page`] without a look at all slots; None where that would take longer.
    pub(crate) fn best_supers(
        &self,
        phrase: Phrase,
        slots: Range<usize>,
        options: &SuperOptions,
        own: &[u32],
    ) -> Result<Option<Vec<Found>>> {
        let &SuperOptions { place, direct, min_length, max_length, limit, offset, .. } = options;
        let Some(limit) = limit else { return Ok(None) };
        let wanted = offset.saturating_add(limit);
        if slots.len() <= FEW_SLOTS
            || options.sort != Sort::Weight
            || wanted.saturating_mul(SLOTS_OF_ANSWER) > slots.len()
        {
            return Ok(None);
        }
        let inner = phrase.key.len();
        let mut best =
            BestFirst::new(self, First::Name, |p| self.super_at(phrase, p, options, own));
        let ended = || Ok::<usize, Error>(slots.start + self.ended(&slots, inner)?);
        match place {
            // To see if a term is direct, all occurrences are needed.
            _ if direct => best.add(Items::Slots, slots.clone())?,
            Where::Anywhere => best.add(Items::Slots, slots.clone())?,
            Where::Start => best.add(Items::Names, self.names_of(ended()?..slots.end)?)?,
            Where::End => best.add(Items::Slots, slots.start..ended()?)?,
            Where::Inside => best.add(Items::Slots, ended()?..slots.end)?,
        }
        let (mut found, mut occurrences) = (Vec::new(), Vec::new());
        while found.len() < wanted && best.next_term(&mut occurrences)? {
            if best.takes_long(slots.len()) {
                return Ok(None);
            }
            let answer = match direct {
                true => self.direct_of(phrase, &occurrences, place, own)?,
                false => Some(occurrences[0]),
            };
            found.extend(answer.filter(|found| has_length(found, min_length, max_length)));
        }
        found.drain(..offset.min(found.len()));
        Ok(Some(found))
    }

    /// How many of these slots, whose suffixes begin with the same `length` tokens, have suffixes that end
    /// after these: they come first.
    pub(crate) fn ended(&self, slots: &Range<usize>, length: usize) -> Result<usize> {
        let (mut low, mut high) = (slots.start, slots.end);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.arrays.borders.get(self.suffix(middle)? + length)? {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        Ok(low - slots.start)
    }

    /// The number of super terms of a phrase that has these slots, in a plain index, where counting takes
    /// less than a look at all of them.
    pub(crate) fn counted_supers(
        &self,
        key: &[u32],
        slots: Range<usize>,
        options: &SuperOptions,
    ) -> Result<Option<usize>> {
        let &SuperOptions { place, direct, max_extra, min_length, max_length, .. } = options;
        if slots.len() <= FEW_SLOTS
            || direct
            || max_extra.is_some()
            || min_length.is_some()
            || max_length.is_some()
        {
            return Ok(None);
        }
        let ended = self.ended(&slots, key.len())?;
        // The names that are the phrase itself.
        let own = self.names_of(slots.start..slots.start + ended)?.len();
        // Nothing is less than zero but in a damaged index.
        let at_start = self.names_of(slots.clone())?.len().saturating_sub(own);
        let occurrences = match place {
            // A name starts only once, and ends only once.
            Where::Start => return Ok(Some(at_start)),
            Where::End => return Ok(Some(ended.saturating_sub(own))),
            Where::Anywhere => slots.len().saturating_sub(own),
            Where::Inside => slots.len().saturating_sub(ended + at_start),
        };
        let repeated = self.repeated(key, slots, place)?;
        Ok(repeated.map(|repeated| occurrences.saturating_sub(repeated)))
    }

    /// How many of the occurrences of a phrase with these slots are not the first in their name, of those
    /// that are where they must be; None if it takes long to say.
    fn repeated(&self, key: &[u32], slots: Range<usize>, place: Where) -> Result<Option<usize>> {
        let repetitions = &self.arrays.repetitions;
        let places = repetitions.rank(slots.start)?..repetitions.rank(slots.end)?;
        if key.len() == 1 && place == Where::Anywhere {
            return Ok(Some(places.len()));
        }
        let mut effort = places.len();
        if effort > slots.len() / 4 {
            return Ok(None);
        }
        let name = |slot: Result<usize>| self.arrays.borders.at_or_before(self.suffix(slot?)?);
        let mut names = repetitions.numbers(places).map(name).collect::<Result<Vec<usize>>>()?;
        names.sort_unstable();
        names.dedup();
        let mut repeated: usize = 0;
        for name in names {
            let words = self.key(name..self.arrays.borders.after(name)?)?;
            effort += words.len();
            if effort > slots.len() {
                return Ok(None);
            }
            let runs = words.windows(key.len()).enumerate();
            let occurrences = runs
                .filter(|&(start, run)| run == key && place.fits(start, key.len(), words.len()));
            repeated += occurrences.count().saturating_sub(1);
        }
        Ok(Some(repeated))
    }

    /// [`Index::super_found`] of a phrase with this key, in a plain index.
    pub(crate) fn super_found_of_key(
        &self,
        key: &[u32],
        options: &SuperOptions,
    ) -> Result<Vec<Found>> {
        self.super_page(Phrase::plain(key), self.super_slots(key)?, options, &[])
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
        let &SuperOptions { place, direct, min_length, max_length, .. } = options;
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
            hits.extend(self.super_at(phrase, self.suffix(slot)?, options, own)?);
        }
        hits.sort_unstable_by_key(|found| (found.position, found.name, found.start));
        if !direct {
            hits.dedup_by_key(|found| found.position);
            keep_lengths(&mut hits, min_length, max_length);
            return Ok(hits);
        }
        let mut kept: Vec<Found> = Vec::new();
        for occurrences in hits.chunk_by(|a, b| a.position == b.position) {
            kept.extend(self.direct_of(phrase, occurrences, place, own)?);
        }
        keep_lengths(&mut kept, min_length, max_length);
        Ok(kept)
    }

    /// The occurrence of a phrase at position `p`, if it makes a super term that the options admit. If only
    /// direct ones count, all occurrences are needed, wherever they are; and the length is not looked at.
    #[inline]
    fn super_at(
        &self,
        phrase: Phrase,
        p: usize,
        options: &SuperOptions,
        own: &[u32],
    ) -> Result<Option<Found>> {
        let &SuperOptions { place, direct, max_extra, .. } = options;
        let inner = phrase.key.len();
        let found = self.found_at(p, inner)?;
        let length = found.length as usize;
        let extra = length.checked_sub(inner).ok_or_else(|| Error::out_of_range("borders"))?;
        let is_admitted = extra > 0
            && max_extra.is_none_or(|most| extra <= most)
            && (direct || place.fits(found.start as usize, inner, length))
            && own.binary_search(&found.position).is_err()
            && (phrase.capitals.is_empty() || self.has_capitals(p, phrase.capitals)?);
        Ok(is_admitted.then_some(found))
    }

    /// The first of a term's occurrences that is where it must be, in a name that has no other term in
    /// between. They are in the order of names and starts.
    fn direct_of(
        &self,
        phrase: Phrase,
        occurrences: &[Found],
        place: Where,
        own: &[u32],
    ) -> Result<Option<Found>> {
        // All occurrences of the phrase in a name are needed to see if another term is in between.
        for occurrences in occurrences.chunk_by(|a, b| a.name == b.name) {
            let fits = |found: &&Found| {
                place.fits(found.start as usize, phrase.key.len(), found.length as usize)
            };
            if let Some(&first) = occurrences.iter().find(fits)
                && !self.has_term_between(phrase, occurrences, place, own)?
            {
                return Ok(Some(first));
            }
        }
        Ok(None)
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
