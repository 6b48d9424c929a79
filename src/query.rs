//! Super terms, nested terms and completion.
//!
//! A phrase is a range of slots: those of the suffixes that begin with it. One token is looked up, each
//! further one narrows the range by a search inside of it. Whether the phrase is a term makes no
//! difference.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::ops::Range;

use crate::analyze::Tokenizer;
use crate::error::{Error, Result};
use crate::find::Walk;
use crate::index::{Index, TermId};

/// The id of a token that no term has.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// Where the shorter of two terms must stand in the longer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Where {
    /// Anywhere.
    #[default]
    Anywhere,
    /// At its start.
    Start,
    /// At its end.
    End,
    /// At neither end.
    Inside,
}

impl Where {
    /// Whether `length` tokens from `start` on, in a term of `whole` tokens, stand where they must.
    #[inline]
    fn fits(self, start: usize, length: usize, whole: usize) -> bool {
        match self {
            Where::Anywhere => true,
            Where::Start => start == 0,
            Where::End => start + length == whole,
            Where::Inside => start > 0 && start + length < whole,
        }
    }
}

/// What super terms to give.
#[derive(Clone, Debug, Default)]
pub struct SuperOptions {
    /// Where the phrase must stand in them.
    pub place: Where,
    /// Only those with no other term in between.
    pub direct: bool,
    /// Only those with at most so many tokens more than the phrase.
    pub max_extra: Option<usize>,
    /// At most so many.
    pub limit: Option<usize>,
    /// Without the first so many.
    pub offset: usize,
}

/// What nested terms to give.
#[derive(Clone, Debug, Default)]
pub struct NestedOptions {
    /// Where they must stand in the phrase.
    pub place: Where,
    /// Only those with no other term in between.
    pub direct: bool,
    /// At most so many.
    pub limit: Option<usize>,
    /// Without the first so many.
    pub offset: usize,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The term.
    pub id: TermId,
    /// Where the shorter of term and query stands in the longer, in tokens: the first place that fits.
    pub start: u32,
    /// The tokens of the term.
    pub length: u32,
}

/// A phrase as token ids, with the place of each token in its text.
#[derive(Default)]
pub(crate) struct Phrase {
    pub(crate) ids: Vec<u32>,
    pub(crate) ranges: Vec<Range<usize>>,
}

impl Index {
    /// The super terms of a phrase: heaviest first, then by id.
    pub fn super_terms(&self, phrase: &str, options: &SuperOptions) -> Result<Vec<Hit>> {
        self.super_hits(&self.query(phrase)?, options)
    }

    /// The nested terms of a phrase: heaviest first, then by id.
    pub fn nested_terms(&self, phrase: &str, options: &NestedOptions) -> Result<Vec<Hit>> {
        self.nested_hits(&self.query(phrase)?, options)
    }

    /// The length of the answer of [`Index::super_terms`].
    pub fn count_super_terms(&self, phrase: &str, options: &SuperOptions) -> Result<usize> {
        let key = self.query(phrase)?;
        let all = self.super_set(&key, options.place, options.direct, options.max_extra)?;
        Ok(page_length(all.len(), options.offset, options.limit))
    }

    /// The length of the answer of [`Index::nested_terms`].
    pub fn count_nested_terms(&self, phrase: &str, options: &NestedOptions) -> Result<usize> {
        let key = self.query(phrase)?;
        let all = self.nested_set(&key, options.place, options.direct)?;
        Ok(page_length(all.len(), options.offset, options.limit))
    }

    pub(crate) fn super_hits(&self, key: &[u32], options: &SuperOptions) -> Result<Vec<Hit>> {
        let mut hits = self.super_set(key, options.place, options.direct, options.max_extra)?;
        self.page(&mut hits, options.offset, options.limit);
        Ok(hits)
    }

    pub(crate) fn nested_hits(&self, key: &[u32], options: &NestedOptions) -> Result<Vec<Hit>> {
        let mut hits = self.nested_set(key, options.place, options.direct)?;
        self.page(&mut hits, options.offset, options.limit);
        Ok(hits)
    }

    /// Terms in which the phrase is followed by something, its last word possibly unfinished: those
    /// that start with it first, then heaviest first, then by id.
    pub fn complete(&self, prefix: &str, limit: Option<usize>) -> Result<Vec<Hit>> {
        let options = &self.meta.options;
        // A last cluster may be a blank that separates words: it counts.
        let prefix = match options.tokenizer {
            Tokenizer::Chars => prefix.trim_start(),
            _ => prefix,
        };
        let mut ends = Vec::new();
        options.tokens(prefix, self.meta.spaces, |range| {
            ends.push(range);
            Ok::<(), Error>(())
        })?;
        let unfinished = match ends.last() {
            None => return Ok(Vec::new()),
            Some(last) if last.end < prefix.len() => None,
            Some(last) => Some(last.clone()),
        };
        let whole = unfinished.as_ref().map_or(prefix, |last| &prefix[..last.start]);
        let key = self.phrase_of(whole)?.ids;
        let mut fitting: Vec<(bool, Hit)> = Vec::new();
        let mut note = |slot: usize, length: usize, finished: bool| -> Result<()> {
            let p = self.suffix(slot)?;
            if finished && self.borders.get(p + length)? {
                return Ok(()); // nothing follows
            }
            let (id, start) = self.term_at(p)?;
            let length = (self.borders.after(p)? - start) as u32;
            let start = (p - start) as u32;
            fitting.push((start > 0, Hit { id, start, length }));
            Ok(())
        };
        match unfinished {
            None => {
                for slot in self.phrase(&key)? {
                    note(slot, key.len(), true)?;
                }
            }
            Some(last) => {
                let form = options.normal_form(&prefix[last]);
                if key.is_empty() && form.is_empty() {
                    return Ok(Vec::new());
                }
                let ids = self.tokens.with_prefix(form.as_bytes())?;
                // The token that is the prefix itself sorts first.
                let finished = match self.tokens.get(ids.start as usize) {
                    Ok(text) if !ids.is_empty() => text == form.as_bytes(),
                    _ => false,
                };
                let slots = match key.is_empty() {
                    true => self.bucket(ids.start)?.start..self.bucket(ids.end)?.start,
                    false => {
                        let slots = self.phrase(&key)?;
                        let from = self.first_slot(slots.clone(), key.len(), ids.start)?;
                        from..self.first_slot(from..slots.end, key.len(), ids.end)?
                    }
                };
                for slot in slots {
                    let exact = finished
                        && self.keys.get(self.suffix(slot)? + key.len()) == Some(ids.start.into());
                    note(slot, key.len() + 1, exact)?;
                }
            }
        }
        // Of a term's occurrences the first is kept: it tells whether the term starts with the phrase.
        fitting.sort_unstable_by_key(|(_, hit)| (hit.id, hit.start));
        fitting.dedup_by_key(|(_, hit)| hit.id);
        let order = self.order();
        let compare =
            |a: &(bool, Hit), b: &(bool, Hit)| a.0.cmp(&b.0).then_with(|| order(&a.1, &b.1));
        keep_first(&mut fitting, limit.unwrap_or(usize::MAX), compare);
        Ok(fitting.into_iter().map(|(_, hit)| hit).collect())
    }

    // --- analysis ---

    /// The token ids of a query.
    #[inline]
    pub(crate) fn query(&self, phrase: &str) -> Result<Vec<u32>> {
        self.key_of(phrase, self.meta.spaces)
    }

    /// The token ids of a query; with `spaces`, white space separates beside the separator.
    #[inline]
    pub(crate) fn key_of(&self, phrase: &str, spaces: bool) -> Result<Vec<u32>> {
        let text = self.meta.options.trim(phrase);
        let mut ids = Vec::new();
        self.meta.options.tokens(text, spaces, |range| {
            let form = self.normal_form(&text[range])?;
            if !form.is_empty() {
                ids.push(self.tokens.find(form.as_bytes())?.unwrap_or(UNKNOWN));
            }
            Ok::<(), Error>(())
        })?;
        Ok(ids)
    }

    /// The token ids of many queries: one after the other, and where those of each end.
    pub(crate) fn keys_of(&self, phrases: &[&str]) -> Result<(Vec<u32>, Vec<usize>)> {
        let mut forms = Vec::with_capacity(4 * phrases.len());
        let mut ends = Vec::with_capacity(phrases.len());
        for phrase in phrases {
            let text = self.meta.options.trim(phrase);
            self.meta.options.tokens(text, self.meta.spaces, |range| {
                let form = self.normal_form(&text[range])?;
                if !form.is_empty() {
                    forms.push(form);
                }
                Ok::<(), Error>(())
            })?;
            ends.push(forms.len());
        }
        let mut ids = Vec::with_capacity(forms.len());
        self.tokens.find_all(&forms, |id| ids.push(id.unwrap_or(UNKNOWN)))?;
        Ok((ids, ends))
    }

    /// The tokens of a running text.
    pub(crate) fn phrase_of(&self, text: &str) -> Result<Phrase> {
        let mut phrase = Phrase::default();
        let mut forms = Vec::new();
        self.meta.options.tokens(text, self.meta.spaces, |range| {
            let form = self.normal_form(&text[range.clone()])?;
            if !form.is_empty() {
                forms.push(form);
                phrase.ranges.push(range);
            }
            // In portions, so that the forms of a long text do not all stand in memory.
            if forms.len() == 1024 {
                self.tokens.find_all(&forms, |id| phrase.ids.push(id.unwrap_or(UNKNOWN)))?;
                forms.clear();
            }
            Ok::<(), Error>(())
        })?;
        self.tokens.find_all(&forms, |id| phrase.ids.push(id.unwrap_or(UNKNOWN)))?;
        Ok(phrase)
    }

    /// The normal form of a token; empty if it is to be passed over.
    #[inline]
    fn normal_form<'a>(&self, token: &'a str) -> Result<Cow<'a, str>> {
        let form = self.meta.options.normal_form(token);
        match &self.normalizer {
            Some(normalizer) if !form.is_empty() => Ok(normalizer.normalize(&form)?.into()),
            _ => Ok(form),
        }
    }

    // --- ranges of slots ---

    /// The slots of the suffixes that begin with a token. One past the last token: an empty range.
    #[inline]
    pub(crate) fn bucket(&self, token: u32) -> Result<Range<usize>> {
        if token as usize >= self.tokens.len() {
            return Ok(self.suffixes.len()..self.suffixes.len());
        }
        let start = self.buckets.select(token as usize)?;
        let end = self.buckets.select(token as usize + 1)?;
        if start <= end && end <= self.suffixes.len() {
            Ok(start..end)
        } else {
            Err(Error::out_of_range("buckets"))
        }
    }

    /// The first of the slots, whose suffixes agree on `depth` tokens, in which the next token is
    /// `token` or a greater one. Suffixes that have ended come first.
    #[inline]
    fn first_slot(&self, slots: Range<usize>, depth: usize, token: u32) -> Result<usize> {
        let Range { start: mut low, end: mut high } = slots;
        while low < high {
            let middle = low + (high - low) / 2;
            let p = self.suffix(middle)? + depth;
            let before = self.borders.get(p)?
                || match self.keys.get(p) {
                    Some(key) => key < token.into(),
                    None => return Err(Error::out_of_range("suffixes")),
                };
            match before {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        Ok(low)
    }

    /// Of slots whose suffixes agree on `depth` tokens, those in which `token` follows.
    #[inline]
    pub(crate) fn narrow(
        &self,
        slots: Range<usize>,
        depth: usize,
        token: u32,
    ) -> Result<Range<usize>> {
        let start = self.first_slot(slots.clone(), depth, token)?;
        // Few slots are left, as a rule: look for their end in steps that double.
        let mut step = 1;
        let mut end = start;
        while end + step < slots.end && self.follows(end + step, depth, token)? {
            end += step;
            step *= 2;
        }
        let end = self.first_slot(end..(end + step).min(slots.end), depth, token + 1)?;
        Ok(start..end)
    }

    /// Whether `token` stands `depth` tokens behind the start of the suffix in `slot`.
    #[inline]
    fn follows(&self, slot: usize, depth: usize, token: u32) -> Result<bool> {
        let p = self.suffix(slot)? + depth;
        Ok(!self.borders.get(p)? && self.keys.get(p) == Some(token.into()))
    }

    /// The slots of the suffixes that begin with a phrase.
    #[inline]
    pub(crate) fn phrase(&self, key: &[u32]) -> Result<Range<usize>> {
        let Some((&first, rest)) = key.split_first() else { return Ok(0..0) };
        let mut slots = self.bucket(first)?;
        for (i, &token) in rest.iter().enumerate() {
            if slots.is_empty() || token == UNKNOWN {
                return Ok(0..0);
            }
            slots = self.narrow(slots, i + 1, token)?;
        }
        Ok(slots)
    }

    /// Whether these slots hold whole terms at all.
    #[inline]
    pub(crate) fn any_whole(&self, slots: &Range<usize>) -> Result<bool> {
        Ok(self.wholes.rank(slots.end)? > self.wholes.rank(slots.start)?)
    }

    /// The slots of the terms, among those of a phrase of `length` tokens, that are just the phrase.
    #[inline]
    pub(crate) fn whole_terms(
        &self,
        slots: Range<usize>,
        length: usize,
    ) -> impl Iterator<Item = Result<usize>> {
        let whole = move |&slot: &usize| -> Result<bool> {
            Ok(self.wholes.get(slot)? && self.borders.get(self.suffix(slot)? + length)?)
        };
        slots
            .map(move |slot| whole(&slot).map(|whole| whole.then_some(slot)))
            .map_while(Result::transpose)
    }

    // --- sets of hits, not yet in order ---

    fn super_set(
        &self,
        key: &[u32],
        place: Where,
        direct: bool,
        max_extra: Option<usize>,
    ) -> Result<Vec<Hit>> {
        let slots = self.phrase(key)?;
        let mut hits = Vec::with_capacity(slots.len());
        for slot in slots.clone() {
            let p = self.suffix(slot)?;
            let (id, start) = self.term_at(p)?;
            let length = self.borders.after(p)? - start;
            let extra =
                length.checked_sub(key.len()).ok_or_else(|| Error::out_of_range("borders"))?;
            if extra > 0
                && max_extra.is_none_or(|most| extra <= most)
                && (direct || place.fits(p - start, key.len(), length))
            {
                hits.push(Hit { id, start: (p - start) as u32, length: length as u32 });
            }
        }
        hits.sort_unstable_by_key(|hit| (hit.id, hit.start));
        if !direct {
            hits.dedup_by_key(|hit| hit.id);
            return Ok(hits);
        }
        // All occurrences of the phrase in a term are needed to tell whether one lies in between.
        let mut kept = Vec::new();
        for occurrences in hits.chunk_by(|a, b| a.id == b.id) {
            let whole = occurrences[0].length as usize;
            let first = occurrences.iter().find(|o| place.fits(o.start as usize, key.len(), whole));
            if let Some(&first) = first
                && !self.has_term_between(key.len(), occurrences, place)?
            {
                kept.push(first);
            }
        }
        Ok(kept)
    }

    /// Whether a term lies strictly between a phrase of `inner` tokens and the super term in which it
    /// has these occurrences, both containments being where `place` says.
    fn has_term_between(&self, inner: usize, occurrences: &[Hit], place: Where) -> Result<bool> {
        let key = self.key(occurrences[0].id)?;
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
            if let Some((length, _)) = walk.longest_at(start, below)?
                && length > inner
                && start + length >= held + inner + after
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(crate) fn nested_set(&self, key: &[u32], place: Where, direct: bool) -> Result<Vec<Hit>> {
        // The phrases that are terms: slots, length, start.
        let mut found: Vec<(Range<usize>, usize, usize)> = Vec::new();
        let mut note = |start: usize, length: usize, slots: Range<usize>| -> Result<()> {
            found.push((slots, length, start));
            Ok(())
        };
        let count = key.len();
        match place {
            Where::Start => self.walk(key, 0, |length, slots| {
                if length < count {
                    note(0, length, slots)?;
                }
                Ok(length < count)
            })?,
            Where::End => {
                // No term is longer than the longest: the last of its tokens are enough.
                let first = count.saturating_sub(self.meta.longest as usize).max(1).min(count);
                let mut walk = Walk::of(self, &key[first..]);
                for start in first..count {
                    if let Some((length, slots)) = walk.longest_at(start - first, usize::MAX)?
                        && start + length == count
                    {
                        note(start, length, slots)?;
                    }
                }
            }
            Where::Anywhere => Walk::of(self, key).each_distinct(|start, length, slots| {
                if length < count { note(start, length, slots) } else { Ok(()) }
            })?,
            Where::Inside if count < 3 => {}
            Where::Inside => Walk::of(self, &key[1..count - 1])
                .each_distinct(|start, length, slots| note(start + 1, length, slots))?,
        }
        // Each once, where it stands first; only then its variants.
        found.sort_unstable_by_key(|(slots, length, start)| (slots.start, *length, *start));
        found.dedup_by_key(|(slots, length, _)| (slots.start, *length));
        let mut hits = Vec::with_capacity(found.len());
        for (slots, length, start) in found {
            for slot in self.whole_terms(slots, length) {
                let (id, _) = self.term_at(self.suffix(slot?)?)?;
                hits.push(Hit { id, start: start as u32, length: length as u32 });
            }
        }
        hits.sort_unstable_by_key(|hit| hit.id);
        if direct {
            self.keep_direct(&mut hits, place)?;
        }
        Ok(hits)
    }

    /// Drops the nested terms that are nested in one of the others: longest first, each one that stays
    /// drops all of its own. What is nested in a dropped one is nested in the one that dropped it.
    fn keep_direct(&self, hits: &mut Vec<Hit>, place: Where) -> Result<()> {
        hits.sort_unstable_by_key(|hit| (std::cmp::Reverse(hit.length), hit.id));
        let mut dropped: HashSet<TermId> = HashSet::new();
        let mut kept: Vec<Hit> = Vec::new();
        let mut last_key = Vec::new();
        for &hit in hits.iter() {
            if dropped.contains(&hit.id) {
                continue;
            }
            // Variants of a term drop the same ones.
            let key = self.key(hit.id)?;
            if key != last_key {
                dropped.extend(self.nested_set(&key, place, false)?.iter().map(|hit| hit.id));
                last_key = key;
            }
            kept.push(hit);
        }
        *hits = kept;
        Ok(())
    }

    /// Calls `each` with the length and the slots of every phrase from `start` on that is a term,
    /// shortest first, until it says false.
    #[inline]
    pub(crate) fn walk(
        &self,
        key: &[u32],
        start: usize,
        mut each: impl FnMut(usize, Range<usize>) -> Result<bool>,
    ) -> Result<()> {
        self.walk_counted(key, start, &mut 0, &mut each)
    }

    /// [`Index::walk`], counting its steps.
    #[inline]
    pub(crate) fn walk_counted(
        &self,
        key: &[u32],
        start: usize,
        steps: &mut usize,
        each: &mut impl FnMut(usize, Range<usize>) -> Result<bool>,
    ) -> Result<()> {
        let Some(&first) = key.get(start) else { return Ok(()) };
        if first == UNKNOWN {
            return Ok(());
        }
        let mut slots = self.bucket(first)?;
        let mut length = 1;
        while !slots.is_empty() {
            *steps += 1;
            if self.opens_with_term(&slots, length)? && !each(length, slots.clone())? {
                return Ok(());
            }
            match key.get(start + length) {
                None | Some(&UNKNOWN) => return Ok(()),
                // The suffixes of long terms may go on with the phrase for long: what counts is
                // whether a whole term does.
                Some(_) if !self.any_whole(&slots)? => return Ok(()),
                Some(&token) => slots = self.narrow(slots, length, token)?,
            }
            length += 1;
        }
        Ok(())
    }

    /// Whether the phrase of `length` tokens that has these slots is a term.
    #[inline]
    pub(crate) fn opens_with_term(&self, slots: &Range<usize>, length: usize) -> Result<bool> {
        Ok(self.wholes.get(slots.start)? && self.borders.get(self.suffix(slots.start)? + length)?)
    }

    // --- order ---

    /// The order of answers: heaviest first, then by id.
    fn order(&self) -> impl Fn(&Hit, &Hit) -> Ordering {
        move |a: &Hit, b: &Hit| {
            let weight = |hit: &Hit| match &self.weights {
                // A weight that is missing in a damaged file counts as none.
                Some(weights) => weights.get(hit.id.0 as usize).copied().unwrap_or(0.0),
                None => 0.0,
            };
            weight(b).total_cmp(&weight(a)).then(a.id.cmp(&b.id))
        }
    }

    /// Orders hits and keeps those from `offset` on, `limit` at most.
    fn page(&self, hits: &mut Vec<Hit>, offset: usize, limit: Option<usize>) {
        let last = limit.map_or(usize::MAX, |limit| offset.saturating_add(limit));
        keep_first(hits, last, self.order());
        hits.drain(..offset.min(hits.len()));
    }
}

/// Sorts the first `count` items to the front and drops the others.
fn keep_first<T>(items: &mut Vec<T>, count: usize, order: impl Fn(&T, &T) -> Ordering) {
    if count == 0 {
        items.clear();
    } else if count < items.len() {
        items.select_nth_unstable_by(count - 1, &order);
        items.truncate(count);
    }
    items.sort_unstable_by(order);
}

/// How many of `all` are left behind `offset`, `limit` at most.
fn page_length(all: usize, offset: usize, limit: Option<usize>) -> usize {
    all.saturating_sub(offset).min(limit.unwrap_or(usize::MAX))
}
