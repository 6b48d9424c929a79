//! The terms that complete some words, in any order.

use std::ops::Range;

use smallvec::SmallVec;

use crate::arrays::best::Items;
use crate::error::Result;
use crate::index::Index;
use crate::index::key::UNKNOWN;
use crate::query::answer::{Found, Hit};
use crate::query::best::{BestFirst, FEW_SLOTS, First, SLOTS_OF_ANSWER};
use crate::query::complete::{Prefix, Source};

/// A finished word.
struct Needed {
    token: u32,
    /// How often it was given, and how often of these in capitals, if that matters.
    times: usize,
    in_capitals: usize,
}

/// What a name must have.
struct Asked<'a> {
    prefix: &'a Prefix<'a>,
    needed: SmallVec<[Needed; 4]>,
}

impl Index {
    /// Terms that have all words of the phrase, in any order, each word given being another word of the
    /// term; the last one may be unfinished. The phrase itself does not count. Heaviest first, then by id.
    pub fn complete_any(&self, prefix: &str, limit: Option<usize>) -> Result<Vec<Hit>> {
        self.hits(&self.complete_any_found(prefix, limit)?)
    }

    pub(super) fn complete_any_found(
        &self,
        prefix: &str,
        limit: Option<usize>,
    ) -> Result<Vec<Found>> {
        let mut prefix = self.prefix(prefix)?;
        // A word that is not matched, such as a possessive 's.
        prefix.unfinished = prefix.unfinished.filter(|form| !form.is_empty());
        if prefix.key.contains(&UNKNOWN) {
            return Ok(Vec::new());
        }
        let mut needed: SmallVec<[Needed; 4]> = SmallVec::new();
        for (i, &token) in prefix.key.iter().enumerate() {
            let in_capitals = usize::from(prefix.capitals.get(i) == Some(&true));
            match needed.iter_mut().find(|needed| needed.token == token) {
                Some(needed) => {
                    needed.times += 1;
                    needed.in_capitals += in_capitals;
                }
                None => needed.push(Needed { token, times: 1, in_capitals }),
            }
        }
        let sources = self.rarest(&prefix)?;
        let asked = Asked { prefix: &prefix, needed };
        let all = sources.iter().map(|source| source.slots).sum::<usize>();
        let answer = |p| {
            let found = self.found_at(p, 0)?;
            Ok(self.has_words(found.name_key(), &asked)?.then_some(Found { start: 0, ..found }))
        };
        if let Some(limit) = limit
            && all > FEW_SLOTS
            && limit.saturating_mul(SLOTS_OF_ANSWER) <= all
        {
            let mut best = BestFirst::new(self, First::Name, answer);
            for source in &sources {
                best.add(source.items, source.range.clone())?;
            }
            let (mut found, mut occurrences) = (Vec::new(), Vec::new());
            let mut is_done = true;
            while found.len() < limit && is_done && best.next_term(&mut occurrences)? {
                found.push(occurrences[0]);
                is_done = !best.takes_long(all);
            }
            if is_done {
                return Ok(found);
            }
        }
        let mut found = Vec::new();
        let mut each = |slots: Range<usize>| {
            for slot in slots {
                found.extend(answer(self.suffix(slot)?)?);
            }
            Ok(())
        };
        for Source { items, range, .. } in sources {
            match items {
                Items::Slots => each(range)?,
                _ => self.each_word(range, |word| each(self.bucket(word)?))?,
            }
        }
        found.sort_unstable_by_key(|found| (found.position, found.name));
        found.dedup_by_key(|found| found.position);
        self.page(found, |_| false, 0, limit)
    }

    /// Where the rarest of the words is.
    fn rarest(&self, prefix: &Prefix) -> Result<Vec<Source>> {
        let mut rarest: Option<Vec<Source>> = None;
        let mut slots = usize::MAX;
        for &token in &prefix.key {
            let bucket = self.bucket(token)?;
            if bucket.len() < slots {
                slots = bucket.len();
                rarest = Some(vec![Source::of_slots(bucket)]);
            }
        }
        if slots <= FEW_SLOTS {
            return Ok(rarest.unwrap_or_default());
        }
        let Some(form) = prefix.unfinished.as_deref() else {
            return Ok(rarest.unwrap_or_default());
        };
        let unfinished = self.words_from(form)?;
        match unfinished.iter().map(|source| source.slots).sum::<usize>() < slots {
            true => Ok(unfinished),
            false => Ok(rarest.unwrap_or_default()),
        }
    }

    /// Whether a name has all words that are asked for, and is not the phrase itself.
    fn has_words(&self, name: Range<usize>, asked: &Asked) -> Result<bool> {
        let Asked { prefix: Prefix { key, unfinished, .. }, needed } = asked;
        if name.len() < key.len() + usize::from(unfinished.is_some()) {
            return Ok(false);
        }
        let start = name.start;
        let words = self.key(name)?;
        let capitals = |token: u32| -> Result<usize> {
            let own = (start..).zip(&words).filter(|&(_, &word)| word == token);
            own.map(|(p, _)| Ok(usize::from(self.is_in_capitals(p)?))).sum()
        };
        let times = |token: u32| words.iter().filter(|&&word| word == token).count();
        for needed in needed {
            if times(needed.token) < needed.times
                || needed.in_capitals > 0 && capitals(needed.token)? < needed.in_capitals
            {
                return Ok(false);
            }
        }
        let Some(form) = unfinished else { return Ok(words[..] != key[..]) };
        let mut is_complete = false;
        for (p, &word) in (start..).zip(&words) {
            // Its own word, beside those of the finished ones.
            let is_free = match needed.iter().find(|needed| needed.token == word) {
                None => true,
                Some(needed) if times(word) == needed.times => false,
                Some(needed) if needed.in_capitals == 0 || !self.is_in_capitals(p)? => true,
                Some(needed) => capitals(word)? > needed.in_capitals,
            };
            if is_free && self.is_written_with(p, word, form)? {
                is_complete = true;
                break;
            }
        }
        if !is_complete {
            return Ok(false);
        }
        let is_phrase = words.len() == key.len() + 1 && words[..key.len()] == key[..] && {
            let last = key.len();
            self.is_written_as(start + last, words[last], form)?
        };
        Ok(!is_phrase)
    }

    /// Whether the token at a position begins, as it is written, with an unfinished word.
    fn is_written_with(&self, position: usize, token: u32, form: &str) -> Result<bool> {
        match self.options().language.is_some() {
            true => Ok(self.written_at(position)?.starts_with(form)),
            false => Ok(self.arrays.tokens.text(token)?.starts_with(form.as_bytes())),
        }
    }

    /// Whether the token at a position is written like this.
    fn is_written_as(&self, position: usize, token: u32, form: &str) -> Result<bool> {
        match self.options().language.is_some() {
            true => Ok(self.written_at(position)? == form),
            false => Ok(self.arrays.tokens.text(token)? == form.as_bytes()),
        }
    }
}
