//! The terms that complete a phrase.

use std::borrow::Cow;
use std::ops::Range;

use crate::analysis::{Case, Tokenizer, is_capitals};
use crate::arrays::written::forms_with_prefix;
use crate::error::{Error, Result};
use crate::index::Index;
use crate::index::key::{Forms, Key};
use crate::query::answer::{Found, Hit};

/// How many tokens ahead of its use the memory of a token is requested.
const PREFETCH_DISTANCE: usize = 16;

impl Index {
    /// Terms in which the phrase is followed by something, its last word possibly unfinished: those
    /// that start with it first, then heaviest first, then by id.
    pub fn complete(&self, prefix: &str, limit: Option<usize>) -> Result<Vec<Hit>> {
        self.hits(&self.complete_found(prefix, limit)?)
    }

    pub(crate) fn complete_found(&self, prefix: &str, limit: Option<usize>) -> Result<Vec<Found>> {
        let mut fitting: Vec<Found> = Vec::new();
        if let Some(limit) = limit {
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
    fn prefix<'a>(&self, typed: &'a str) -> Result<Prefix<'a>> {
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
    fn each_word(
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

/// A phrase whose last word may be unfinished.
struct Prefix<'a> {
    /// The key of the finished words.
    key: Key,
    /// Which of these are in capitals, if that matters. An unfinished word may become any.
    capitals: Vec<bool>,
    /// The unfinished word, normalised but not stemmed; None if white space or a separator ends the phrase.
    unfinished: Option<Cow<'a, str>>,
}
