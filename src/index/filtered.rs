//! An index of some of the terms of another.

use std::sync::Arc;

use crate::build::{Aliases, Build, List};
use crate::error::Result;
use crate::index::{Index, TermId};

impl Index {
    /// An index of the terms with at least this weight and at most this many tokens.
    pub fn filtered(&self, min_weight: f64, max_tokens: Option<usize>) -> Result<Index> {
        let lengths = self.lengths()?;
        let mut terms = List::default();
        let mut weights = Vec::new();
        let mut ids = Vec::new();
        for id in (0..self.len() as u32).map(TermId) {
            let weight = self.weight(id)?;
            let length = lengths[id.0 as usize] as usize;
            if weight >= min_weight && max_tokens.is_none_or(|most| length <= most) {
                terms.push(&self.surface(id)?);
                ids.push(id);
                weights.push(weight);
            }
        }
        let mut aliases = Aliases::default();
        let mut kept = vec![None; self.len()];
        for (number, id) in (0..).zip(&ids) {
            kept[id.0 as usize] = Some(number);
        }
        for (id, alias) in self.aliases()? {
            if let Some(entry) = kept[id.0 as usize] {
                aliases.by_entry.push((entry, alias));
            }
        }
        let rows: Vec<usize> = ids.iter().map(|id| id.0 as usize).collect();
        let columns = self.user_columns()?.of_rows(&rows);
        let build = Build {
            aliases,
            columns: Arc::new(columns),
            options: self.options().clone(),
            normalizer: self.normalizer.clone(),
            ..Build::default()
        };
        build.index(&terms, self.weighted().then_some(&weights[..]))
    }
}
