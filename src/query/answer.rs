//! What an answer is, and where in the longer term the shorter must occur.

use std::ops::Range;

use smallvec::SmallVec;

use crate::error::Result;
use crate::index::key::Form;
use crate::index::{Index, TermId};

/// Where the shorter of two terms must occur in the longer.
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
    /// Whether `length` tokens from `start` on, in a term of `whole` tokens, are where they must be.
    #[inline]
    pub(crate) fn fits(self, start: usize, length: usize, whole: usize) -> bool {
        match self {
            Where::Anywhere => true,
            Where::Start => start == 0,
            Where::End => start + length == whole,
            Where::Inside => start > 0 && start + length < whole,
        }
    }
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The term.
    pub id: TermId,
    /// Where the shorter of term and query begins in the longer, in tokens: its first fitting occurrence.
    pub start: u32,
    /// The tokens of the term.
    pub length: u32,
}

/// An answer as the search finds it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Where the term's own key begins, which orders terms as their ids do.
    pub(crate) position: u32,
    /// Where the name begins in which the phrase occurs, or which occurs in the phrase: the term's own key,
    /// or that of an alias.
    pub(crate) name: u32,
    /// Where the shorter of name and phrase begins in the longer.
    pub(crate) start: u32,
    /// The tokens of the name.
    pub(crate) length: u16,
    /// The tokens of the phrase, if this is a super term; the number of the phrase's reading, if it is
    /// nested.
    pub(crate) inner: u16,
}

impl Found {
    /// The place of the name's key.
    #[inline]
    pub(crate) fn name_key(self) -> Range<usize> {
        self.name as usize..self.name as usize + self.length as usize
    }

    /// Appends the words that a nested term has in a query to `text`, joined; `forms` are all of them.
    #[inline]
    pub(crate) fn push_words(self, forms: &[Form], joiner: &str, text: &mut Vec<u8>) {
        let words = &forms[self.start as usize..self.start as usize + self.length as usize];
        for (i, word) in words.iter().enumerate() {
            if i > 0 {
                text.extend_from_slice(joiner.as_bytes());
            }
            text.extend_from_slice(word.as_bytes());
        }
    }
}

impl Index {
    pub(crate) fn hits(&self, found: &[Found]) -> Result<Vec<Hit>> {
        let hit = |&Found { position, start, length, .. }: &Found| {
            Ok(Hit { id: self.id_at(position as usize)?, start, length: length.into() })
        };
        found.iter().map(hit).collect()
    }

    /// The super term that the suffix at position `p` gives, which begins with a phrase of `inner` tokens.
    #[inline]
    pub(crate) fn found_at(&self, p: usize, inner: usize) -> Result<Found> {
        let name = self.arrays.borders.at_or_before(p)?;
        let length = self.arrays.borders.after(p)? - name;
        Ok(Found {
            position: self.own_position(name)? as u32,
            name: name as u32,
            start: (p - name) as u32,
            length: length as u16,
            inner: inner as u16,
        })
    }

    /// The place of the own key of an answer's term.
    #[inline]
    pub(crate) fn own_key(&self, found: Found) -> Result<Range<usize>> {
        match found.name == found.position {
            true => Ok(found.name_key()),
            false => {
                let position = found.position as usize;
                Ok(position..self.arrays.borders.after(position)?)
            }
        }
    }

    /// The places of the own keys of the terms of answers.
    pub(crate) fn own_keys(&self, found: &[Found]) -> Result<SmallVec<[Range<usize>; 8]>> {
        found.iter().map(|&found| self.own_key(found)).collect()
    }
}
