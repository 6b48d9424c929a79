//! From a text to the term that it is.

use crate::analysis::Spaces;
use crate::arrays::MAX_SCANNED;
use crate::error::Result;
use crate::index::key::Forms;
use crate::index::{Index, TermId};

impl Index {
    /// The term whose surface the given text has, if there is one.
    pub fn id(&self, term: &str) -> Result<Option<TermId>> {
        // The terms' own rule, not that of queries, for which white space may separate too.
        let key = self.key_of(term, Spaces::None, &mut Forms::new())?;
        if self.surfaces_are_keys() {
            return self.term_of_key(&key);
        }
        let surface = self.arrays.meta.options.surface_of(term);
        let slots = self.phrase(&key)?;
        let mut other = Vec::new();
        for slot in slots.clone().take(MAX_SCANNED) {
            let Some(position) = self.whole_at(&(slot..slots.end), key.len())? else {
                return Ok(None);
            };
            let id = self.id_at(position)?;
            other.clear();
            self.push_surface(id, &mut other)?;
            if other == surface.as_bytes() {
                return Ok(Some(id));
            }
        }
        Ok(self.arrays.variant(&key, surface.as_bytes())?.map(TermId))
    }

    /// The terms that match a phrase, whatever their surfaces, in id order.
    pub fn lookup(&self, phrase: &str) -> Result<Vec<TermId>> {
        let mut found = Vec::new();
        for reading in &self.asked(phrase)?.readings {
            self.each_match(reading.phrase(), |position| {
                found.push(self.id_at(position)?);
                Ok(())
            })?;
        }
        if !self.is_plain() {
            found.sort_unstable();
            found.dedup();
        }
        Ok(found)
    }

    /// The first term with this key.
    pub(crate) fn term_of_key(&self, key: &[u32]) -> Result<Option<TermId>> {
        let slots = self.phrase(key)?;
        match slots.is_empty() {
            true => Ok(None),
            false => self.whole_at(&slots, key.len())?.map(|p| self.id_at(p)).transpose(),
        }
    }
}
