//! What is asked about: a phrase in its readings.

use std::ops::Range;

use smallvec::SmallVec;

use crate::analysis::{Case, Options, Spaces, is_capitals};
use crate::error::{Error, Result};
use crate::index::Index;
use crate::index::key::{Forms, Key};
use crate::query::walk::TermRange;

/// An answer that looks at no more suffixes or tokens than this takes some microseconds.
pub(crate) const LIGHT: usize = 1 << 10;

/// A phrase as tokens.
#[derive(Clone, Copy)]
pub(crate) struct Phrase<'a> {
    pub(crate) key: &'a [u32],
    /// Which tokens are in capitals; nothing if that does not matter.
    pub(crate) capitals: &'a [bool],
}

impl<'a> Phrase<'a> {
    /// A phrase of which it does not matter what is in capitals.
    #[inline]
    pub(crate) fn plain(key: &'a [u32]) -> Phrase<'a> {
        Phrase { key, capitals: &[] }
    }

    /// Some of its tokens.
    #[inline]
    pub(crate) fn part(self, tokens: Range<usize>) -> Phrase<'a> {
        let capitals = self.capitals.get(tokens.clone()).unwrap_or_default();
        Phrase { key: &self.key[tokens], capitals }
    }

    /// Its tokens from `start` on.
    #[inline]
    pub(crate) fn from(self, start: usize) -> Phrase<'a> {
        self.part(start..self.key.len())
    }
}

/// One reading of a phrase.
#[derive(Default)]
pub(crate) struct Reading {
    key: Key,
    capitals: SmallVec<[bool; 8]>,
}

impl Reading {
    pub(crate) fn phrase(&self) -> Phrase<'_> {
        Phrase { key: &self.key, capitals: &self.capitals }
    }
}

/// A phrase that is asked about.
pub(crate) struct Asked {
    /// Its readings: as it is, and, if it has hyphens and they may be left out, without them.
    pub(crate) readings: SmallVec<[Reading; 2]>,
    /// Where the own keys begin of the terms that have the phrase as a name, in order. They are neither
    /// super terms of the phrase nor nested in it.
    pub(crate) own: Vec<u32>,
}

impl Asked {
    /// The most tokens of a reading.
    pub(crate) fn longest(&self) -> usize {
        self.readings.iter().map(|reading| reading.key.len()).max().unwrap_or(0)
    }
}

impl Index {
    /// A phrase in its readings.
    pub(crate) fn asked(&self, phrase: &str) -> Result<Asked> {
        let spaces = self.arrays.meta.spaces;
        let mut readings: SmallVec<[Reading; 2]> = SmallVec::new();
        readings.push(self.reading(self.options(), phrase, spaces)?);
        if let Some(options) = self.options().joined_reading() {
            let joined = self.reading(&options, phrase, spaces)?;
            if joined.key.len() < readings[0].key.len() {
                readings.push(joined);
            }
        }
        let mut asked = Asked { readings, own: Vec::new() };
        if self.has_other_names() {
            let mut own = Vec::new();
            for reading in &asked.readings {
                self.each_match(reading.phrase(), |position| {
                    own.push(self.own_position(position)? as u32);
                    Ok(())
                })?;
            }
            own.sort_unstable();
            own.dedup();
            asked.own = own;
        }
        Ok(asked)
    }

    /// How many tokens and suffixes a question about a phrase looks at; with `is_super`, about its super
    /// terms.
    pub(crate) fn effort(&self, asked: &Asked, is_super: bool) -> Result<usize> {
        let mut effort = asked.longest();
        for reading in asked.readings.iter().filter(|_| is_super) {
            effort = effort.max(self.super_slots(reading.phrase().key)?.len());
        }
        Ok(effort)
    }

    /// A phrase as one of its readings, which has these options.
    pub(crate) fn reading(
        &self,
        options: &Options,
        phrase: &str,
        spaces: Spaces,
    ) -> Result<Reading> {
        let text = options.trim(phrase);
        let mut forms = Forms::new();
        let mut capitals = SmallVec::new();
        options.tokens(text, spaces, |range| {
            let token = &text[range];
            let form = self.normal_form_under(options, token)?;
            if !form.is_empty() {
                forms.push(form);
                if options.case == Case::Smart {
                    capitals.push(is_capitals(token));
                }
            }
            Ok::<(), Error>(())
        })?;
        Ok(Reading { key: self.key_of_forms(&forms)?, capitals })
    }

    /// Calls `each` with where each name begins that a phrase matches, in the order of their numbers.
    pub(crate) fn each_match(
        &self,
        phrase: Phrase,
        mut each: impl FnMut(usize) -> Result<()>,
    ) -> Result<()> {
        let slots = self.phrase(phrase.key)?;
        let length = phrase.key.len();
        if !slots.is_empty()
            && let Some(position) = self.whole_at(&slots, length)?
        {
            self.each_variant(&TermRange { position, length, slots }, |position| {
                match self.allows_capitals(position, length, phrase.capitals)? {
                    true => each(position),
                    false => Ok(()),
                }
            })?;
        }
        Ok(())
    }
}
