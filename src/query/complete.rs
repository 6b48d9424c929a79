//! The terms that complete a phrase.

use std::borrow::Cow;
use std::ops::Range;

use crate::analysis::{Case, Tokenizer, is_capitals};
use crate::arrays::best::Items;
use crate::arrays::written::forms_with_prefix;
use crate::error::{Error, Result};
use crate::index::Index;
use crate::index::key::{Forms, Key};
use crate::query::answer::{Found, Hit};
use crate::query::best::{BestFirst, FEW_SLOTS, First, SLOTS_OF_ANSWER};

/// How many tokens ahead of its use the memory of a token is requested.
const PREFETCH_DISTANCE: usize = 16;
/// Up to as many words are taken one by one, not by their runs.
const FEW_WORDS: usize = 64;

/// In which order a term must have the words that it completes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WordOrder {
    /// In the order given, one after the other: see [`Index::complete`].
    #[default]
    Given,
    /// In any order, wherever they are: see [`Index::complete_any`].
    Any,
}

impl Index {
    /// Terms in which the phrase is followed by something, its last word possibly unfinished: those
    /// that start with it first, then heaviest first, then by id.
    pub fn complete(&self, prefix: &str, limit: Option<usize>) -> Result<Vec<Hit>> {
        self.hits(&self.complete_found(prefix, limit)?)
    }

    /// The completions with their words in this order.
    pub(crate) fn completions(
        &self,
        prefix: &str,
        limit: Option<usize>,
        order: WordOrder,
    ) -> Result<Vec<Found>> {
        match order {
            WordOrder::Given => self.complete_found(prefix, limit),
            WordOrder::Any => self.complete_any_found(prefix, limit),
        }
    }

    fn complete_found(&self, prefix: &str, limit: Option<usize>) -> Result<Vec<Found>> {
        let mut fitting: Vec<Found> = Vec::new();
        if let Some(limit) = limit {
            if let Some(best) = self.best_completions(prefix, limit)? {
                return Ok(best);
            }
            self.each_completion(prefix, |p| {
                if self.arrays.borders.get(p)? {
                    fitting.push(self.found_at(p, 0)?);
                }
                Ok(())
            })?;
            if self.has_other_names() {
                keep_first(&mut fitting);
            }
            // Terms that start with the phrase come first: if there are enough, no others are needed.
            if fitting.len() >= limit {
                return self.page(fitting, |_| false, 0, Some(limit));
            }
            fitting.clear();
        }
        self.each_completion(prefix, |p| {
            fitting.push(self.found_at(p, 0)?);
            Ok(())
        })?;
        keep_first(&mut fitting);
        self.page(fitting, |found| found.start > 0, 0, limit)
    }

    /// [`Index::complete_found`] without a look at all completions; None where that would take longer.
    fn best_completions(&self, prefix: &str, limit: usize) -> Result<Option<Vec<Found>>> {
        let prefix = self.prefix(prefix)?;
        let Some(sources) = self.sources(&prefix)? else { return Ok(None) };
        let all = sources.iter().map(|source| source.slots).sum::<usize>();
        if all <= FEW_SLOTS || limit.saturating_mul(SLOTS_OF_ANSWER) > all {
            return Ok(None);
        }
        let (mut found, mut occurrences) = (Vec::new(), Vec::new());
        // Terms that start with the phrase come first: if there are enough, no others are needed.
        for is_start in [true, false] {
            let mut best = BestFirst::new(self, First::Start, |p| {
                let is_completion = self.is_completion(&prefix, p)?;
                is_completion.then(|| self.found_at(p, 0)).transpose()
            });
            for Source { items, range, .. } in &sources {
                match (is_start, items) {
                    (true, Items::Slots) => {
                        best.add(Items::Names, self.names_of(range.clone())?)?
                    }
                    (true, _) => best.add(Items::FirstWords, range.clone())?,
                    (false, &items) => best.add(items, range.clone())?,
                }
            }
            while found.len() < limit && best.next_term(&mut occurrences)? {
                if best.takes_long(all) {
                    return Ok(None);
                }
                found.extend(occurrences.first().filter(|found| (found.start == 0) == is_start));
            }
        }
        Ok(Some(found))
    }

    /// Where the completions of a phrase are; None where it is not known without a look at all of them.
    fn sources(&self, prefix: &Prefix) -> Result<Option<Vec<Source>>> {
        let Prefix { key, unfinished, .. } = prefix;
        let slots = self.phrase(key)?;
        let mut sources = Vec::new();
        // What is finished must be followed by another word.
        let followed = |slots: Range<usize>, length: usize| {
            let ended = self.ended(&slots, length)?;
            Ok::<_, Error>(Source::of_slots(slots.start + ended..slots.end))
        };
        let Some(form) = unfinished else {
            sources.push(followed(slots, key.len())?);
            return Ok(Some(sources));
        };
        if self.options().language.is_some() || key.is_empty() && form.is_empty() {
            return Ok(None);
        }
        let tokens = &self.arrays.tokens;
        let mut words = tokens.with_prefix(form.as_bytes())?;
        if words.len() > FEW_WORDS && !key.is_empty() {
            sources.push(followed(slots, key.len())?);
            return Ok(Some(sources));
        }
        // Only the first one can be the word that is the unfinished one itself.
        if !words.is_empty() {
            let first = tokens.by_alphabet(words.start)?;
            if tokens.text(first)? == form.as_bytes() {
                let slots = self.following(&slots, key, first)?;
                sources.push(followed(slots, key.len() + 1)?);
                words.start += 1;
            }
        }
        if words.len() > FEW_WORDS {
            sources.push(self.source_of_words(words));
            return Ok(Some(sources));
        }
        self.each_word(words, |word| {
            sources.push(Source::of_slots(self.following(&slots, key, word)?));
            Ok(())
        })?;
        Ok(Some(sources))
    }

    /// Where the words are that begin with an unfinished one.
    pub(super) fn words_from(&self, form: &str) -> Result<Vec<Source>> {
        let mut sources = Vec::new();
        let tokens = &self.arrays.tokens;
        if self.options().language.is_some() {
            let options = self.options().unstemmed();
            for word in self.written_words()?.with_prefix(tokens, form)? {
                if tokens.text(word)?.starts_with(form.as_bytes())
                    || forms_with_prefix(tokens, word, &options, form)?.iter().any(Option::is_some)
                {
                    sources.push(Source::of_slots(self.bucket(word)?));
                }
            }
            return Ok(sources);
        }
        let words = tokens.with_prefix(form.as_bytes())?;
        if words.len() > FEW_WORDS {
            return Ok(vec![self.source_of_words(words)]);
        }
        self.each_word(words, |word| {
            sources.push(Source::of_slots(self.bucket(word)?));
            Ok(())
        })?;
        Ok(sources)
    }

    fn source_of_words(&self, words: Range<usize>) -> Source {
        let slots = words.len() * (self.arrays.suffixes.len() / self.arrays.tokens.len().max(1));
        Source { items: Items::Words, range: words, slots }
    }

    /// The slots of a phrase followed by a word; `slots` are those of the phrase.
    fn following(&self, slots: &Range<usize>, key: &Key, word: u32) -> Result<Range<usize>> {
        match key.is_empty() {
            true => self.bucket(word),
            false => self.narrow(slots.clone(), key.len(), word),
        }
    }

    /// Whether the suffix at a position, which begins with the finished words of a phrase and goes on, goes on
    /// as the phrase does.
    fn is_completion(&self, prefix: &Prefix, p: usize) -> Result<bool> {
        let Prefix { key, capitals, unfinished } = prefix;
        if !self.has_capitals(p, capitals)? {
            return Ok(false);
        }
        let Some(form) = unfinished else { return Ok(true) };
        let next = p + key.len();
        let text = self.arrays.tokens.text(self.arrays.keys.at(next, "keys")? as u32)?;
        // A word that is finished must be followed by another one.
        Ok(text.starts_with(form.as_bytes())
            && (text.len() > form.len() || !self.arrays.borders.get(next + 1)?))
    }

    /// Calls `each` with the positions at which the phrase occurs and is followed by something, its last
    /// word possibly unfinished.
    fn each_completion(
        &self,
        prefix: &str,
        mut each: impl FnMut(usize) -> Result<()>,
    ) -> Result<()> {
        let Prefix { key, capitals, unfinished } = self.prefix(prefix)?;
        let slots = self.phrase(&key)?;
        // A phrase that is finished must be followed by another word.
        let mut report = |slot: usize, length: usize, finished: bool| -> Result<()> {
            let p = self.suffix(slot)?;
            if finished && self.arrays.borders.get(p + length)?
                || !self.has_capitals(p, &capitals)?
            {
                return Ok(());
            }
            each(p)
        };
        let Some(form) = unfinished else {
            return slots.into_iter().try_for_each(|slot| report(slot, key.len(), true));
        };
        if key.is_empty() && form.is_empty() {
            return Ok(());
        }
        if self.options().language.is_some() {
            return self.each_written_completion(&key, slots, &form, report);
        }
        let words = self.arrays.tokens.with_prefix(form.as_bytes())?;
        let length = key.len() + 1;
        if key.is_empty() || words.len() < slots.len() / 16 {
            return self.each_word(words, |word| {
                let slots = match key.is_empty() {
                    true => self.bucket(word)?,
                    false => self.narrow(slots.clone(), key.len(), word)?,
                };
                // The word that is the prefix itself is finished.
                let finished = self.arrays.tokens.text(word)? == form.as_bytes();
                slots.into_iter().try_for_each(|slot| report(slot, length, finished))
            });
        }
        for slot in slots {
            let p = self.suffix(slot)? + key.len();
            if !self.arrays.borders.get(p)? {
                let next = self.arrays.tokens.text(self.arrays.keys.at(p, "keys")? as u32)?;
                if next.starts_with(form.as_bytes()) {
                    report(slot, length, next == form.as_bytes())?;
                }
            }
        }
        Ok(())
    }

    /// Calls `report` with the slots at which the phrase is followed by a word that is written with this
    /// beginning, whatever its stem; with the tokens of both; and with whether it is the word itself.
    fn each_written_completion(
        &self,
        key: &Key,
        slots: Range<usize>,
        beginning: &str,
        mut report: impl FnMut(usize, usize, bool) -> Result<()>,
    ) -> Result<()> {
        // Where the word must be read from the term.
        let written = |slot: usize| -> Result<Option<bool>> {
            let p = self.suffix(slot)? + key.len();
            if self.arrays.borders.get(p)? && !key.is_empty() {
                return Ok(None);
            }
            let written = self.written_at(p)?;
            Ok(written.starts_with(beginning).then_some(written == beginning))
        };
        let tokens = &self.arrays.tokens;
        let words = self.written_words()?.with_prefix(tokens, beginning)?;
        if !key.is_empty() && words.len() >= slots.len() / 16 {
            for slot in slots {
                if let Some(is_all) = written(slot)? {
                    report(slot, key.len() + 1, is_all)?;
                }
            }
            return Ok(());
        }
        let options = self.options().unstemmed();
        for word in words {
            // Most occurrences have a form of a token, and few forms are many occurrences.
            let forms = forms_with_prefix(tokens, word, &options, beginning)?;
            if forms.iter().all(Option::is_none)
                && !tokens.text(word)?.starts_with(beginning.as_bytes())
            {
                continue;
            }
            let slots = match key.is_empty() {
                true => self.bucket(word)?,
                false => self.narrow(slots.clone(), key.len(), word)?,
            };
            for slot in slots {
                let found = match self.listed_form_at(self.suffix(slot)? + key.len())? {
                    None => written(slot)?,
                    Some(form) => forms.get(usize::from(form)).copied().flatten(),
                };
                if let Some(is_all) = found {
                    report(slot, key.len() + 1, is_all)?;
                }
            }
        }
        Ok(())
    }

    /// Splits what was typed into the key of its finished words and the unfinished last word.
    pub(super) fn prefix<'a>(&self, typed: &'a str) -> Result<Prefix<'a>> {
        let options = &self.arrays.meta.options;
        let typed = match options.tokenizer {
            // A last cluster may be a blank that separates words: it counts.
            Tokenizer::Chars => typed.trim_start(),
            _ => typed,
        };
        let mut words: Vec<Range<usize>> = Vec::new();
        options.tokens(typed, self.arrays.meta.spaces, |range| {
            words.push(range);
            Ok::<(), Error>(())
        })?;
        // The last word may go on unless something follows it.
        let last = words.pop_if(|last| last.end == typed.len());
        let (mut forms, mut capitals) = (Forms::new(), Vec::new());
        for word in words {
            let word = &typed[word];
            let form = self.normal_form(word)?;
            if !form.is_empty() {
                forms.push(form);
                if options.case == Case::Smart {
                    capitals.push(is_capitals(word));
                }
            }
        }
        let key = self.key_of_forms(&forms)?;
        let unfinished = last.map(|last| options.unstemmed().normal_form(&typed[last]));
        Ok(Prefix { key, capitals, unfinished })
    }

    /// Calls `each` with the tokens at these places of the alphabet.
    pub(super) fn each_word(
        &self,
        places: Range<usize>,
        mut each: impl FnMut(u32) -> Result<()>,
    ) -> Result<()> {
        let tokens = &self.arrays.tokens;
        for place in places.clone() {
            // The tokens are far from each other in memory: several are requested at the same time.
            if place + PREFETCH_DISTANCE < places.end {
                tokens.prefetch(tokens.by_alphabet(place + PREFETCH_DISTANCE)?);
            }
            each(tokens.by_alphabet(place)?)?;
        }
        Ok(())
    }
}

/// Keeps the first of several occurrences in a term, which shows if the term starts with the phrase.
fn keep_first(found: &mut Vec<Found>) {
    let place = |found: &Found| u64::from(found.position) << 32 | u64::from(found.start);
    found.sort_unstable_by_key(|found| (place(found), found.name));
    found.dedup_by_key(|found| found.position);
}

/// Where completions are.
pub(super) struct Source {
    pub(super) items: Items,
    pub(super) range: Range<usize>,
    /// The number of their slots, if need be an estimate.
    pub(super) slots: usize,
}

impl Source {
    pub(super) fn of_slots(range: Range<usize>) -> Source {
        let slots = range.len();
        Source { items: Items::Slots, range, slots }
    }
}

/// A phrase whose last word may be unfinished.
pub(super) struct Prefix<'a> {
    /// The key of the finished words.
    pub(super) key: Key,
    /// Which of these are in capitals, if that matters. An unfinished word may become any.
    pub(super) capitals: Vec<bool>,
    /// The unfinished word, normalised but not stemmed; None if white space or a separator ends the phrase.
    pub(super) unfinished: Option<Cow<'a, str>>,
}
