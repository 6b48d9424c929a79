//! The term that a text is.

use crate::analysis::Spaces;
use crate::error::Result;
use crate::index::key::Forms;
use crate::index::{Index, TermId};

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

    /// The first term that is matched like a phrase, whatever its surface.
    pub fn term_alike(&self, phrase: &str) -> Result<Option<TermId>> {
        self.term_of_key(&self.query(phrase)?)
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
