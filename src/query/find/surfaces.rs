//! The surfaces of matches, most of which recur.

use crate::error::Result;
use crate::index::{Index, TermId};
use crate::query::batch::Texts;

/// The surfaces of the terms that were seen last.
pub(crate) struct Surfaces<'a> {
    index: &'a Index,
    /// For a hash of ids, an id and where its surface is in `text`.
    places: Vec<(u32, u32, u32)>,
    text: Vec<u8>,
}

/// The most surfaces that are remembered.
const MAX_PLACES: usize = 1 << 13;
/// The most bytes of them.
const MAX_BYTES: usize = 1 << 20;
/// No term: an index has fewer.
const NONE: u32 = u32::MAX;

impl<'a> Surfaces<'a> {
    /// For about this many matches.
    pub(crate) fn new(index: &'a Index, matches: usize) -> Surfaces<'a> {
        let count = matches.next_power_of_two().min(MAX_PLACES);
        Surfaces { index, places: vec![(NONE, 0, 0); count], text: Vec::new() }
    }

    /// The surface of a term.
    #[inline]
    pub(crate) fn get(&mut self, id: u32) -> Result<&[u8]> {
        let place = (id.wrapping_mul(0x9E37_79B9) >> 16) as usize & (self.places.len() - 1);
        if self.places[place].0 != id {
            if self.text.len() > MAX_BYTES {
                self.text.clear();
                self.places.fill((NONE, 0, 0));
            }
            let start = self.text.len();
            self.index.push_surface(TermId(id), &mut self.text)?;
            self.places[place] = (id, start as u32, self.text.len() as u32);
        }
        let (_, start, end) = self.places[place];
        Ok(&self.text[start as usize..end as usize])
    }

    /// The surfaces of terms.
    pub(crate) fn of(&mut self, ids: &[u32]) -> Result<Texts> {
        let mut texts = Texts::default();
        texts.end.reserve(ids.len());
        for &id in ids {
            texts.text.extend_from_slice(self.get(id)?);
            texts.end.push(texts.text.len() as i64);
        }
        Ok(texts)
    }
}
