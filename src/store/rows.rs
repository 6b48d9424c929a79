//! Rows of terms, on their way into an index.

use std::sync::Arc;

use crate::analysis::{Normalize, Options, Spaces};
use crate::arrays::columns::{Kind, Value};
use crate::build::{Aliases, Build, List, UserColumns, Values};
use crate::error::{Error, Result};
use crate::index::{Index, TermId};
use crate::store::pending::Change;
use crate::store::segment::Segment;

/// Where a row comes from.
pub(super) enum Source<'a> {
    Segment(&'a Segment),
    Pending(&'a [Change]),
}

/// A row, by its id and its place in one of some sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowPlace {
    pub(super) id: u32,
    pub(super) source: u16,
    pub(super) row: u32,
}

/// What all indexes of a store have in common.
#[derive(Clone)]
pub(super) struct Recipe {
    pub(super) options: Options,
    pub(super) normalizer: Option<Arc<dyn Normalize>>,
    pub(super) threads: Option<usize>,
    pub(super) columns: Arc<Vec<(String, Kind)>>,
    /// Which white space separates the words of a query.
    pub(super) spaces: Spaces,
}

impl Recipe {
    /// The index of some rows, which are in the order of their ids.
    pub(super) fn index(&self, sources: &[Source], places: &[RowPlace]) -> Result<Index> {
        let mut terms = List::default();
        let mut weights = Vec::with_capacity(places.len());
        let mut ids = Values::of(Kind::Ints);
        let mut aliases = Aliases::default();
        let mut surface = Vec::new();
        for (entry, place) in (0..).zip(places) {
            match &sources[place.source as usize] {
                Source::Segment(segment) => {
                    let term = TermId(place.row);
                    surface.clear();
                    segment.index.push_surface(term, &mut surface)?;
                    let text = std::str::from_utf8(&surface);
                    terms.push(text.map_err(|_| Error::damaged("tokens", "a text is not UTF-8"))?);
                    weights.push(segment.index.weight(term)?);
                    for alias in segment.aliases_of(term)? {
                        aliases.by_entry.push((entry, alias.clone()));
                    }
                }
                Source::Pending(changes) => {
                    let change = &changes[place.row as usize];
                    terms.push(&change.surface);
                    weights.push(change.weight);
                    for alias in &change.aliases {
                        aliases.by_entry.push((entry, alias.clone()));
                    }
                }
            }
            push(&mut ids, &Value::Int(place.id.into()))?;
        }
        let columns = (0..self.columns.len()).map(|number| self.column(number, sources, places));
        let columns = UserColumns { columns: columns.collect::<Result<_>>()?, ids: Some(ids) };
        let build = Build {
            options: self.options.clone(),
            normalizer: self.normalizer.clone(),
            aliases,
            columns: Arc::new(columns),
            threads: match places.len() {
                // Threads cost more than they gain.
                ..4096 => Some(1),
                _ => self.threads,
            },
            ..Build::default()
        };
        let weighted = weights.iter().any(|&weight| weight != 1.0);
        let index = build.index(&terms, weighted.then_some(&weights[..]))?;
        if index.len() != places.len() {
            return Err(Error::damaged("segment", "a term has two ids, or no token"));
        }
        Ok(index)
    }

    /// The values of some rows in a column.
    fn column(
        &self,
        number: usize,
        sources: &[Source],
        places: &[RowPlace],
    ) -> Result<(String, Values)> {
        let (name, kind) = &self.columns[number];
        // A segment that is older than the column does not have it.
        let stored = sources.iter().map(|source| match source {
            Source::Segment(segment) => {
                segment.index.columns().iter().find(|column| column.name == *name)
            }
            Source::Pending(_) => None,
        });
        let stored: Vec<_> = stored.collect();
        let mut values = Values::of(*kind);
        for place in places {
            match (&sources[place.source as usize], stored[place.source as usize]) {
                (Source::Segment(_), Some(column)) => {
                    push(&mut values, &column.value(place.row as usize)?)?;
                }
                (Source::Segment(_), None) => push(&mut values, &Value::Null)?,
                (Source::Pending(changes), _) => {
                    let value = changes[place.row as usize].values.get(number);
                    push(&mut values, &value.map_or(Value::Null, |value| value.as_value()))?;
                }
            }
        }
        Ok((name.clone(), values))
    }

    /// The index, with the store's rule for white space in queries.
    pub(super) fn ruled(&self, mut index: Index) -> Index {
        index.set_spaces(self.spaces);
        index
    }
}

fn push(values: &mut Values, value: &Value) -> Result<()> {
    values.push(value).map_err(|_| Error::damaged("columns", "values of different types"))
}
