//! What an answer is, and where in the longer term the shorter must occur.

use std::borrow::Cow;
use std::ops::Range;

use crate::error::Result;
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

impl Index {
    pub(crate) fn hits(&self, found: &[Found]) -> Result<Vec<Hit>> {
        let hit = |&Found { position, start, length }: &Found| {
            Ok(Hit { id: self.id_at(position as usize)?, start, length })
        };
        found.iter().map(hit).collect()
    }

    /// The answer that the suffix at position `p` gives.
    #[inline]
    pub(crate) fn found_at(&self, p: usize) -> Result<Found> {
        let position = self.arrays.borders.at_or_before(p)?;
        let length = self.arrays.borders.after(p)? - position;
        Ok(Found { position: position as u32, start: (p - position) as u32, length: length as u32 })
    }
}
