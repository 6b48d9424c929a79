//! Rows of terms, on their way into an index.

use std::ops::Range;
use std::sync::Arc;

use crate::analysis::{Normalize, Options, Spaces};
use crate::arrays::columns::{Kind, Value};
use crate::build::entries::cut_evenly;
use crate::build::{Aliases, Build, Entries, List, UserColumns, Values};
use crate::error::{Error, Place, Result};
use crate::index::{Index, TermId};
use crate::store::pending::Change;
use crate::store::segment::Segment;
use crate::threads::{run, threads_for, threads_or_all};

/// Some of the rows of an index: their terms, weights and aliases.
#[derive(Default)]
struct Part {
    terms: List,
    weights: Vec<f64>,
    aliases: Vec<(u64, String)>,
}

impl Part {
    fn of(sources: &[Source], places: &[RowPlace]) -> Result<Part> {
        let mut part = Part::default();
        let mut surfaces = Vec::new();
        for alike in places.chunk_by(|a, b| a.source == b.source) {
            let rows = alike.iter().map(|place| place.row);
            match &sources[alike[0].source as usize] {
                Source::Segment(segment) => part.push_stored(segment, rows, &mut surfaces)?,
                Source::Pending(changes) => {
                    for row in rows {
                        let change = changes[row as usize];
                        part.push(&change.surface, change.weight, &change.aliases);
                    }
                }
            }
        }
        Ok(part)
    }

    fn push(&mut self, surface: &str, weight: f64, aliases: &[String]) {
        let entry = self.terms.len() as u64;
        self.terms.push(surface);
        self.weights.push(weight);
        self.aliases.extend(aliases.iter().map(|alias| (entry, alias.clone())));
    }

    /// Adds rows of a segment. `surfaces` is a buffer.
    fn push_stored(
        &mut self,
        segment: &Segment,
        rows: impl ExactSizeIterator<Item = u32> + Clone,
        surfaces: &mut Vec<u8>,
    ) -> Result<()> {
        let index = &segment.index;
        let keys = rows.clone().map(|row| index.key_place(TermId(row)));
        let keys = keys.collect::<Result<Vec<_>>>()?;
        let (mut rows, mut failed) = (rows, None);
        surfaces.clear();
        index.each_surface(keys.into_iter(), surfaces, |surface| {
            let mut push = || -> Result<()> {
                let Some(row) = rows.next().map(TermId) else { return Ok(()) };
                let text = std::str::from_utf8(surface)
                    .map_err(|_| Error::damaged("tokens", "a text is not UTF-8"))?;
                self.push(text, index.weight(row)?, segment.aliases_of(row)?);
                Ok(())
            };
            if let Err(error) = push() {
                failed.get_or_insert(error);
            }
            surface.clear();
        })?;
        failed.map_or(Ok(()), Err)
    }
}

/// The terms of several lists.
#[derive(Default)]
struct Lists {
    lists: Vec<List>,
    /// Where each list begins.
    starts: Vec<usize>,
    count: usize,
}

impl Lists {
    fn push(&mut self, list: List) {
        self.starts.push(self.count);
        self.count += list.len();
        self.lists.push(list);
    }
}

impl Entries for Lists {
    fn cut(&self, parts: usize) -> Vec<Range<usize>> {
        cut_evenly(self.count, parts)
    }

    fn visit<'a>(
        &'a self,
        part: Range<usize>,
        each: &mut dyn FnMut(&'a str) -> Result<()>,
    ) -> Result<()> {
        for (list, &start) in self.lists.iter().zip(&self.starts) {
            let own = part.start.max(start)..part.end.min(start + list.len());
            own.into_iter().try_for_each(|entry| each(list.get(entry - start)))?;
        }
        Ok(())
    }

    fn size(&self) -> usize {
        self.lists.iter().map(Entries::size).sum()
    }

    fn place(&self, n: u64) -> Place {
        Place::Entry(n)
    }
}

/// Where a row comes from.
pub(super) enum Source<'a> {
    Segment(&'a Segment),
    Pending(Vec<&'a Change>),
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
    /// Whether terms have weights of their own, even if these are all 1.
    pub(super) weighted: bool,
    /// Which white space separates the words of a query.
    pub(super) spaces: Spaces,
}

impl Recipe {
    /// The index of some rows, which are in the order of their ids.
    pub(super) fn index(&self, sources: &[Source], places: &[RowPlace]) -> Result<Index> {
        let threads = threads_for(places.len(), threads_or_all(self.threads));
        let parts = cut_evenly(places.len(), threads);
        let parts = run(threads, parts, |part| Part::of(sources, &places[part]))?;
        let mut ids = Values::of(Kind::Ints);
        places.iter().try_for_each(|place| push(&mut ids, &Value::Int(place.id.into())))?;
        let (mut weights, mut aliases) = (Vec::with_capacity(places.len()), Aliases::default());
        let mut terms = Lists::default();
        for part in parts {
            let before = weights.len() as u64;
            let names = part.aliases.into_iter().map(|(entry, alias)| (before + entry, alias));
            aliases.by_entry.extend(names);
            weights.extend(part.weights);
            terms.push(part.terms);
        }
        let columns = (0..self.columns.len()).map(|number| self.column(number, sources, places));
        let columns = UserColumns { columns: columns.collect::<Result<_>>()?, ids: Some(ids) };
        let build = Build {
            options: self.options.clone(),
            normalizer: self.normalizer.clone(),
            aliases,
            columns: Arc::new(columns),
            threads: Some(threads),
            ..Build::default()
        };
        let index = build.index(&terms, self.weighted.then_some(&weights[..]))?;
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
