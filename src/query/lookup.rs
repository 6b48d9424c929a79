//! From a text to the term that it is.

use crate::analysis::Spaces;
use crate::error::Result;
use crate::index::key::Forms;
use crate::index::{Index, TermId};
use crate::query::walk::TermRange;

impl Index {
    /// The term whose surface the given text has, if there is one.
    pub fn id(&self, term: &str) -> Result<Option<TermId>> {
        if let Some(surfaces) = &self.arrays.surfaces {
            let surface = self.arrays.meta.options.surface_of(term);
            return Ok(surfaces.find(surface.as_bytes())?.map(TermId));
        }
        // The terms' own rule, not that of queries, for which white space may separate too.
        self.term_of_key(&self.key_of(term, Spaces::None, &mut Forms::new())?)
    }

    /// The terms that match a phrase, whatever their surfaces, in id order.
    pub fn lookup(&self, phrase: &str) -> Result<Vec<TermId>> {
        let key = self.query(phrase)?;
        let slots = self.phrase(&key)?;
        let mut found = Vec::new();
        if !slots.is_empty()
            && let Some(position) = self.whole_at(&slots, key.len())?
        {
            let term = TermRange { position, length: key.len(), slots };
            self.each_variant(&term, |position| {
                found.push(self.id_at(position)?);
                Ok(())
            })?;
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
