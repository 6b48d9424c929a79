//! Super terms, nested terms and completion.
//!
//! A phrase is a range of slots: those of the suffixes that begin with it. One token is looked up, each
//! further one narrows the range by a search inside of it. Whether the phrase is a term makes no
//! difference.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::ops::Range;

use smallvec::SmallVec;

use crate::analyze::{Spaces, Tokenizer};
use crate::error::{Error, Result};
use crate::find::Walk;
use crate::index::{Index, SECONDS, TermId};

/// The id of a token that no term has.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// Slots so few are looked at together.
const FEW: usize = 8;

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

/// An answer as the search finds it: where the term's key begins, which orders terms as their ids do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) position: u32,
    pub(crate) start: u32,
    pub(crate) length: u32,
}

impl Found {
    /// The place of the term's key.
    #[inline]
    pub(crate) fn key(self) -> Range<usize> {
        self.position as usize..self.position as usize + self.length as usize
    }

    /// Appends the words that a nested term has in a query to `text`, joined; `forms` are all of them.
    #[inline]
    pub(crate) fn push_words(self, forms: &[Cow<str>], joiner: &str, text: &mut Vec<u8>) {
        let words = &forms[self.start as usize..self.start as usize + self.length as usize];
        for (i, word) in words.iter().enumerate() {
            if i > 0 {
                text.extend_from_slice(joiner.as_bytes());
            }
            text.extend_from_slice(word.as_bytes());
        }
    }
}

/// A term that a phrase begins with.
#[derive(Clone, Debug)]
pub(crate) struct Beginning {
    /// Where it begins in the keys.
    pub(crate) position: usize,
    /// Its tokens.
    pub(crate) length: usize,
    /// The slots of the suffixes that begin with it.
    pub(crate) slots: Range<usize>,
}

/// Slots whose memory is asked for together.
const TOGETHER: usize = 32;

/// How far ahead of its use the memory of a token is asked for, in tokens.
const AHEAD: usize = 16;

/// The token ids of a query.
pub(crate) type Key = SmallVec<[u32; 8]>;
/// The tokens of many queries, one after the other.
pub(crate) struct Keys<'a> {
    ids: Vec<u32>,
    /// Their normal forms.
    forms: Vec<Cow<'a, str>>,
    /// Where those of each query end.
    ends: Vec<usize>,
}

impl<'a> Keys<'a> {
    /// The normal forms of the tokens of a query.
    #[inline]
    pub(crate) fn forms(&self, query: usize) -> &[Cow<'a, str>] {
        let start = query.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.forms[start..self.ends[query]]
    }

    /// The token ids of each query, and their normal forms.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u32], &[Cow<'a, str>])> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let tokens = start..end;
            start = end;
            (&self.ids[tokens.clone()], &self.forms[tokens])
        })
    }
}

/// The normal forms of the tokens of a query.
pub(crate) type Forms<'a> = SmallVec<[Cow<'a, str>; 8]>;

impl Index {
    /// The super terms of a phrase: heaviest first, then by id.
    pub fn super_terms(&self, phrase: &str, options: &SuperOptions) -> Result<Vec<Hit>> {
        self.hits(&self.super_found(&self.query(phrase)?, options)?)
    }

    /// The nested terms of a phrase: heaviest first, then by id.
    pub fn nested_terms(&self, phrase: &str, options: &NestedOptions) -> Result<Vec<Hit>> {
        self.hits(&self.nested_found(&self.query(phrase)?, options)?)
    }

    /// The length of the answer of [`Index::super_terms`].
    pub fn count_super_terms(&self, phrase: &str, options: &SuperOptions) -> Result<usize> {
        let key = self.query(phrase)?;
        let all = self.super_set(self.super_slots(&key)?, key.len(), options)?;
        Ok(page_length(all.len(), options.offset, options.limit))
    }

    /// The length of the answer of [`Index::nested_terms`].
    pub fn count_nested_terms(&self, phrase: &str, options: &NestedOptions) -> Result<usize> {
        let key = self.query(phrase)?;
        let all = self.nested_set(&key, options.place, options.direct)?;
        Ok(page_length(all.len(), options.offset, options.limit))
    }

    pub(crate) fn super_found(&self, key: &[u32], options: &SuperOptions) -> Result<Vec<Found>> {
        self.super_found_in(self.super_slots(key)?, key.len(), options)
    }

    /// The slots of a phrase, or none where it is clear at once that no longer term has it.
    #[inline]
    pub(crate) fn super_slots(&self, key: &[u32]) -> Result<Range<usize>> {
        if self.stands_alone(key) { Ok(0..0) } else { self.phrase(key) }
    }

    /// Whether the filter denies that a phrase stands in longer terms. Most terms of several words do
    /// not.
    #[inline]
    fn stands_alone(&self, key: &[u32]) -> bool {
        matches!(key.len(), 2 | 3) && !self.enclosed.may_have(key)
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
        self.page(found, |_| false, options.offset, options.limit)
    }

    pub(crate) fn nested_found(&self, key: &[u32], options: &NestedOptions) -> Result<Vec<Found>> {
        let found = self.nested_set(key, options.place, options.direct)?;
        self.page(found, |_| false, options.offset, options.limit)
    }

    fn hits(&self, found: &[Found]) -> Result<Vec<Hit>> {
        let hit = |&Found { position, start, length }: &Found| {
            Ok(Hit { id: self.id_at(position as usize)?, start, length })
        };
        found.iter().map(hit).collect()
    }

    /// Terms in which the phrase is followed by something, its last word possibly unfinished: those
    /// that start with it first, then heaviest first, then by id.
    pub fn complete(&self, prefix: &str, limit: Option<usize>) -> Result<Vec<Hit>> {
        self.hits(&self.complete_found(prefix, limit)?)
    }

    pub(crate) fn complete_found(&self, prefix: &str, limit: Option<usize>) -> Result<Vec<Found>> {
        let mut fitting: Vec<Found> = Vec::new();
        if let Some(limit) = limit {
            self.each_completion(prefix, |p| {
                if self.borders.get(p)? {
                    fitting.push(self.found_at(p)?);
                }
                Ok(())
            })?;
            // Those that start with the phrase come first: if they are enough, they are all.
            if fitting.len() < limit {
                fitting.clear();
            }
        }
        if fitting.is_empty() {
            self.each_completion(prefix, |p| {
                fitting.push(self.found_at(p)?);
                Ok(())
            })?;
        }
        // Of a term's occurrences the first is kept: it tells whether the term starts with the phrase.
        fitting.sort_unstable_by_key(|found| (found.position, found.start));
        fitting.dedup_by_key(|found| found.position);
        self.page(fitting, |found| found.start > 0, 0, limit)
    }

    /// Calls `each` with the positions at which the phrase stands and is followed by something, its last
    /// word possibly unfinished.
    fn each_completion(
        &self,
        prefix: &str,
        mut each: impl FnMut(usize) -> Result<()>,
    ) -> Result<()> {
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
            None => return Ok(()),
            Some(last) if last.end < prefix.len() => None,
            Some(last) => Some(last.clone()),
        };
        let whole = unfinished.as_ref().map_or(prefix, |last| &prefix[..last.start]);
        let key = self.untrimmed_key_of(whole, self.meta.spaces, &mut Forms::new())?;
        let mut note = |slot: usize, length: usize, finished: bool| -> Result<()> {
            let p = self.suffix(slot)?;
            if finished && self.borders.get(p + length)? {
                return Ok(()); // nothing follows
            }
            each(p)
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
                    return Ok(());
                }
                let unfinished = self.tokens.with_prefix(form.as_bytes())?;
                let slots = self.phrase(&key)?;
                // The token that is the prefix itself is finished.
                if key.is_empty() || unfinished.len() < slots.len() / 16 {
                    for place in unfinished.clone() {
                        // The tokens lie far from each other in memory: they are waited for together.
                        if place + AHEAD < unfinished.end {
                            self.tokens.prefetch(self.tokens.by_alphabet(place + AHEAD)?);
                        }
                        let token = self.tokens.by_alphabet(place)?;
                        let finished = self.tokens.text(token)? == form.as_bytes();
                        let slots = match key.is_empty() {
                            true => self.bucket(token)?,
                            false => self.narrow(slots.clone(), key.len(), token)?,
                        };
                        for slot in slots {
                            note(slot, key.len() + 1, finished)?;
                        }
                    }
                } else {
                    for slot in slots {
                        let p = self.suffix(slot)? + key.len();
                        if !self.borders.get(p)? {
                            let next = self.tokens.text(self.keys.at(p, "keys")? as u32)?;
                            if next.starts_with(form.as_bytes()) {
                                note(slot, key.len() + 1, next == form.as_bytes())?;
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    // --- analysis ---

    /// The token ids of a query.
    #[inline]
    pub(crate) fn query(&self, phrase: &str) -> Result<Key> {
        self.key_of(phrase, self.meta.spaces, &mut Forms::new())
    }

    /// The token ids of a query, whose tokens' normal forms are added to `forms`; with `spaces`, white
    /// space separates beside the separator.
    #[inline]
    pub(crate) fn key_of<'a>(
        &self,
        phrase: &'a str,
        spaces: Spaces,
        forms: &mut Forms<'a>,
    ) -> Result<Key> {
        self.untrimmed_key_of(self.meta.options.trim(phrase), spaces, forms)
    }

    /// [`Index::key_of`], of a text that was trimmed or need not be.
    #[inline]
    fn untrimmed_key_of<'a>(
        &self,
        text: &'a str,
        spaces: Spaces,
        forms: &mut Forms<'a>,
    ) -> Result<Key> {
        self.meta.options.tokens(text, spaces, |range| {
            let form = self.normal_form(&text[range])?;
            if !form.is_empty() {
                forms.push(form);
            }
            Ok::<(), Error>(())
        })?;
        let mut ids = Key::new();
        self.tokens.find_all(forms, |id| ids.push(id.unwrap_or(UNKNOWN)))?;
        Ok(ids)
    }

    /// The tokens of many queries.
    pub(crate) fn keys_of<'a>(&self, phrases: &[&'a str]) -> Result<Keys<'a>> {
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
        Ok(Keys { ids, forms, ends })
    }

    /// The normal form of a token; empty if it is to be passed over.
    #[inline]
    pub(crate) fn normal_form<'a>(&self, token: &'a str) -> Result<Cow<'a, str>> {
        if !self.meta.options.normalizes() && self.normalizer.is_none() {
            return Ok(Cow::Borrowed(token));
        }
        let form = self.meta.options.normal_form(token);
        match &self.normalizer {
            Some(normalizer) if !form.is_empty() => Ok(normalizer.normalize(&form)?.into()),
            _ => Ok(form),
        }
    }

    // --- ranges of slots ---

    /// The slots of the suffixes that begin with a token.
    #[inline]
    pub(crate) fn bucket(&self, token: u32) -> Result<Range<usize>> {
        if token == UNKNOWN {
            return Ok(0..0);
        }
        let slots = self.tokens.bucket(token)?;
        match slots.end <= self.suffixes.len() {
            true => Ok(slots),
            false => Err(Error::out_of_range("tokens")),
        }
    }

    /// Of slots whose suffixes agree on `depth` tokens, those in which `token` follows.
    #[inline]
    pub(crate) fn narrow(
        &self,
        slots: Range<usize>,
        depth: usize,
        token: u32,
    ) -> Result<Range<usize>> {
        let start = self.window(slots.clone(), depth, token, false)?;
        self.narrow_from(start, slots, depth, token)
    }

    /// [`Index::narrow`], when the window of the start is known.
    #[inline]
    fn narrow_from(
        &self,
        start: Range<usize>,
        slots: Range<usize>,
        depth: usize,
        token: u32,
    ) -> Result<Range<usize>> {
        // Few slots are left, as a rule: their end is looked for close to their start.
        let end = self.window(start.start..slots.end, depth, token + 1, true)?;
        let (less, equal) = self.count(start.clone(), depth, token)?;
        let first = start.start + less;
        match start == end {
            true => Ok(first..first + equal),
            false => Ok(first..end.start + self.count(end, depth, token + 1)?.0),
        }
    }

    /// A few slots in a row: among them or next to them is the first of the slots in which the next
    /// token is `token` or a greater one. Suffixes that have ended come before. With `near` it is
    /// looked for close to the start.
    #[inline]
    fn window(
        &self,
        slots: Range<usize>,
        depth: usize,
        token: u32,
        near: bool,
    ) -> Result<Range<usize>> {
        let Range { start: mut low, end: mut high } = slots;
        if depth == 1 {
            // Some slots tell their second token, in arrays that are small enough for the cache.
            for (seconds, step) in self.seconds.iter().zip(SECONDS) {
                if high - low > step {
                    if !near && high - low <= SECONDS[0] {
                        // A few lines of memory, one of which is needed next.
                        (low..high).step_by(16).for_each(|slot| self.suffixes.prefetch(slot));
                    }
                    let samples = low.div_ceil(step)..high.div_ceil(step);
                    let before = |i| Ok(seconds.at(i, "second tokens")? <= token as usize);
                    let sample = partition_point(samples, near, before)?;
                    high = high.min(sample * step);
                    low = low.max((sample * step + 1).saturating_sub(step));
                }
            }
        }
        if high - low > FEW {
            let before = |slot| Ok(self.count(slot..slot + 1, depth, token)?.0 == 1);
            low = partition_point(low..high, near, before)?;
            high = low;
        }
        Ok(low..high)
    }

    /// In how many of a few slots the next token is less than `token`, or there is none; and in how
    /// many it is `token`. All are read, which takes no longer than to wait for one.
    #[inline]
    fn count(&self, slots: Range<usize>, depth: usize, token: u32) -> Result<(usize, usize)> {
        let (mut less, mut equal) = (0, 0);
        for slot in slots {
            let p = self.suffix(slot)? + depth;
            let ended = self.borders.get(p)?;
            // Behind the last token of all, where the last suffix has ended, there is no key.
            let key = self.keys.get(p).unwrap_or(u64::MAX);
            less += usize::from(ended | (key < u64::from(token)));
            equal += usize::from(!ended & (key == u64::from(token)));
        }
        Ok((less, equal))
    }

    /// The slots of the suffixes that begin with a phrase.
    #[inline]
    pub(crate) fn phrase(&self, key: &[u32]) -> Result<Range<usize>> {
        match key.first() {
            None => Ok(0..0),
            Some(&first) => self.rest_of_phrase(key, 1, self.bucket(first)?),
        }
    }

    /// [`Index::phrase`], when its first `length` tokens have these slots.
    #[inline]
    fn rest_of_phrase(
        &self,
        key: &[u32],
        length: usize,
        mut slots: Range<usize>,
    ) -> Result<Range<usize>> {
        for (i, &token) in key.iter().enumerate().skip(length) {
            if slots.is_empty() || token == UNKNOWN {
                return Ok(0..0);
            }
            slots = self.narrow(slots, i, token)?;
        }
        Ok(slots)
    }

    /// [`Index::super_slots`] of many phrases. Each step is taken for all of them before the next, and
    /// the memory that it reads asked for before, so that they wait for it together.
    pub(crate) fn super_slots_of_many(&self, keys: &Keys) -> Result<Vec<Range<usize>>> {
        keys.iter().for_each(|(key, _)| self.enclosed.prefetch(key));
        let first_two = |(key, _): (&[u32], _)| match key.first() {
            Some(&first) if !self.stands_alone(key) => (first, key.get(1).copied()),
            _ => (UNKNOWN, None),
        };
        let steps = self.first_steps(keys.iter().map(first_two))?;
        let mut phrases = Vec::with_capacity(steps.len());
        for ((key, _), (bucket, window)) in keys.iter().zip(steps) {
            phrases.push(match key.get(1) {
                None => bucket,
                Some(&UNKNOWN) => 0..0,
                Some(_) if bucket.is_empty() => bucket,
                Some(&second) => {
                    let slots = self.narrow_from(window, bucket, 1, second)?;
                    self.rest_of_phrase(key, 2, slots)?
                }
            });
        }
        Ok(phrases)
    }

    /// The first step into each of many phrases, of which the first token is given, and the second if
    /// the phrase has one: the bucket of the first, and the window of the second in it. The memory that
    /// the next step reads is asked for.
    pub(crate) fn first_steps(
        &self,
        phrases: impl Iterator<Item = (u32, Option<u32>)>,
    ) -> Result<Vec<(Range<usize>, Range<usize>)>> {
        let mut steps = Vec::new();
        for (first, second) in phrases {
            let bucket = self.bucket(first)?;
            let window = match second {
                None | Some(UNKNOWN) => bucket.start..bucket.start,
                Some(second) => self.window(bucket.clone(), 1, second, false)?,
            };
            self.suffixes.prefetch(window.start);
            steps.push((bucket, window));
        }
        for (_, window) in &steps {
            for slot in window.clone() {
                self.keys.prefetch(self.suffix(slot)? + 1);
            }
        }
        Ok(steps)
    }

    /// Whether these slots hold whole terms at all.
    #[inline]
    pub(crate) fn any_whole(&self, slots: &Range<usize>) -> Result<bool> {
        Ok(self.wholes.rank(slots.end)? > self.wholes.rank(slots.start)?)
    }

    /// Calls `each` with where the term's key begins, and those of its variants.
    #[inline]
    pub(crate) fn each_variant(
        &self,
        term: &Beginning,
        mut each: impl FnMut(usize) -> Result<()>,
    ) -> Result<()> {
        each(term.position)?;
        // Only where surfaces are stored can two terms have one key.
        if self.surfaces.is_some() {
            for slot in term.slots.clone().skip(1) {
                match self.whole_at(&(slot..term.slots.end), term.length)? {
                    Some(position) => each(position)?,
                    None => break,
                }
            }
        }
        Ok(())
    }

    // --- sets of answers, in the order of ids ---

    /// The answer that the suffix at position `p` stands for.
    #[inline]
    fn found_at(&self, p: usize) -> Result<Found> {
        let position = self.borders.at_or_before(p)?;
        let length = self.borders.after(p)? - position;
        Ok(Found { position: position as u32, start: (p - position) as u32, length: length as u32 })
    }

    pub(crate) fn super_set(
        &self,
        slots: Range<usize>,
        inner: usize,
        options: &SuperOptions,
    ) -> Result<Vec<Found>> {
        let &SuperOptions { place, direct, max_extra, .. } = options;
        // A term is often the only one that contains it: itself, which does not count.
        let mut hits = Vec::with_capacity(if slots.len() > 1 { slots.len() } else { 0 });
        let mut ahead = slots.clone();
        for slot in slots {
            // The memory of some suffixes is asked for together; that of the surfaces too.
            if slot == ahead.start && ahead.len() > 1 {
                for slot in ahead.by_ref().take(TOGETHER) {
                    let p = self.suffix(slot)?;
                    self.borders.prefetch(p);
                    self.keys.prefetch(p);
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
            return Ok(hits);
        }
        // All occurrences of the phrase in a term are needed to tell whether one lies in between.
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
        Ok(kept)
    }

    /// Whether a term lies strictly between a phrase of `inner` tokens and the super term in which it
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

    pub(crate) fn nested_set(&self, key: &[u32], place: Where, direct: bool) -> Result<Vec<Found>> {
        let mut terms: SmallVec<[(u32, Beginning); 8]> = SmallVec::new();
        let mut note = |start: usize, term: Beginning| -> Result<()> {
            terms.push((start as u32, term));
            Ok(())
        };
        let count = key.len();
        let shorter = &key[..count.saturating_sub(1)];
        match place {
            Where::Start => self.walk(shorter, 0, |term| note(0, term))?,
            Where::End => {
                // No term is longer than the longest: the last of its tokens are enough.
                let first = count.saturating_sub(self.meta.longest as usize).max(1).min(count);
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
        // Each once, where it stands first; only then its variants.
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
        if self.surfaces.is_some() {
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

    /// Calls `each` with every term that the phrase from `start` on begins with, shortest first.
    #[inline]
    pub(crate) fn walk(
        &self,
        key: &[u32],
        start: usize,
        each: impl FnMut(Beginning) -> Result<()>,
    ) -> Result<()> {
        self.walk_counted(key, start, &mut 0, each)
    }

    /// [`Index::walk`], counting its steps.
    #[inline]
    pub(crate) fn walk_counted(
        &self,
        key: &[u32],
        start: usize,
        steps: &mut usize,
        mut each: impl FnMut(Beginning) -> Result<()>,
    ) -> Result<()> {
        let mut slots = key.get(start).map_or(Ok(0..0), |&first| self.bucket(first))?;
        let mut length = 1;
        while !slots.is_empty() {
            *steps += 1;
            if let Some(position) = self.whole_at(&slots, length)? {
                each(Beginning { position, length, slots: slots.clone() })?;
            }
            match key.get(start + length) {
                None | Some(&UNKNOWN) => return Ok(()),
                // The suffixes of long terms may go on with the phrase for long: what counts is
                // whether a whole term does.
                Some(_) if !self.any_whole(&slots)? => return Ok(()),
                Some(_) if length == 1 && !self.openings.may_have(&key[start..start + 2]) => {
                    return Ok(());
                }
                Some(&token) => slots = self.narrow(slots, length, token)?,
            }
            length += 1;
        }
        Ok(())
    }

    /// Where the term begins that the phrase of `length` tokens with these slots is; the first of its
    /// variants.
    #[inline]
    pub(crate) fn whole_at(&self, slots: &Range<usize>, length: usize) -> Result<Option<usize>> {
        if !self.wholes.get(slots.start)? {
            return Ok(None);
        }
        let position = self.suffix(slots.start)?;
        Ok(self.borders.get(position + length)?.then_some(position))
    }

    // --- order ---

    /// Answers from `offset` on, `limit` at most, in their order: those for which `behind` is true
    /// behind the others, then heaviest first, then by id. They are given in the order of ids.
    pub(crate) fn page(
        &self,
        mut all: Vec<Found>,
        behind: impl Fn(&Found) -> bool,
        offset: usize,
        limit: Option<usize>,
    ) -> Result<Vec<Found>> {
        let places = offset..limit.map_or(usize::MAX, |limit| offset.saturating_add(limit));
        match &self.weights {
            None => keep(&mut all, places, |a, b| {
                behind(a).cmp(&behind(b)).then(a.position.cmp(&b.position))
            }),
            Some(_) => {
                let weigh = |&found: &Found| {
                    Ok((self.weight(self.id_at(found.position as usize)?)?, found))
                };
                let mut weighed = all.iter().map(weigh).collect::<Result<Vec<_>>>()?;
                keep(&mut weighed, places, |(heavy, a), (light, b)| {
                    let by_weight = light.total_cmp(heavy);
                    behind(a).cmp(&behind(b)).then(by_weight).then(a.position.cmp(&b.position))
                });
                all = weighed.into_iter().map(|(_, found)| found).collect();
            }
        }
        Ok(all)
    }
}

/// The first of the numbers for which `before` is false; with `near` it is looked for in steps that
/// double, else by halving.
#[inline]
fn partition_point(
    numbers: Range<usize>,
    near: bool,
    before: impl Fn(usize) -> Result<bool>,
) -> Result<usize> {
    let Range { start: mut low, end: mut high } = numbers;
    if near {
        let mut step = 1;
        while low + step <= high && before(low + step - 1)? {
            low += step;
            step *= 2;
        }
        high = high.min(low + step - 1);
    }
    while low < high {
        let middle = low + (high - low) / 2;
        // Without a branch, whose outcome the processor could only guess.
        let before = before(middle)?;
        low = if before { middle + 1 } else { low };
        high = if before { high } else { middle };
    }
    Ok(low)
}

/// Keeps the items that have these places in the order given, and puts them in that order.
pub(crate) fn keep<T>(
    items: &mut Vec<T>,
    places: Range<usize>,
    order: impl Fn(&T, &T) -> Ordering,
) {
    let end = places.end.min(items.len());
    let start = places.start.min(end);
    if end < items.len() {
        items.select_nth_unstable_by(end, &order);
        items.truncate(end);
    }
    if start > 0 {
        if start < end {
            items.select_nth_unstable_by(start, &order);
        }
        items.drain(..start);
    }
    items.sort_unstable_by(order);
}

/// How many of `all` are left behind `offset`, `limit` at most.
fn page_length(all: usize, offset: usize, limit: Option<usize>) -> usize {
    all.saturating_sub(offset).min(limit.unwrap_or(usize::MAX))
}
