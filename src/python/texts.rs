//! Texts to search, portion by portion.

use arrow_array::{Array, ArrayRef};
use pyo3::prelude::*;
use pyo3::types::PyIterator;

use super::arguments::{extend, items};
use super::arrow::{Chunks, StringColumn, import_chunks, text_size};
use super::errors::raise;
use crate::{Entries, List};

/// Any Arrow column or stream of columns, or any iterable of str; a null or None is an empty text.
pub(super) struct Texts {
    source: Source,
    /// The number of texts so far.
    pub(super) count: u64,
}

enum Source {
    Column {
        chunks: Chunks,
        /// What is left of the last chunk.
        rest: Option<ArrayRef>,
    },
    Items(Py<PyIterator>),
}

const ARGUMENT: &str = "texts";

impl Texts {
    pub(super) fn new(texts: &Bound<PyAny>) -> PyResult<Texts> {
        let source = match import_chunks(texts)? {
            Some(chunks) => Source::Column { chunks, rest: None },
            None => Source::Items(items(ARGUMENT, texts)?.unbind()),
        };
        Ok(Texts { source, count: 0 })
    }

    /// The next texts: `rows`, or fewer if they have about this many bytes; none after the last.
    pub(super) fn next(
        &mut self,
        py: Python,
        rows: usize,
        bytes: usize,
    ) -> PyResult<Option<Box<dyn Entries + Send>>> {
        let (entries, count): (Box<dyn Entries + Send>, usize) = match &mut self.source {
            Source::Column { chunks, rest } => {
                // A stream may need other threads that wait for the GIL.
                let portion = py.detach(|| portion(chunks, rest, rows, bytes));
                let problem = |problem| raise("TermTypeError", format!("{ARGUMENT}: {problem}"));
                let column = portion.and_then(StringColumn::new).map_err(problem)?;
                let count = column.len();
                (Box::new(column), count)
            }
            Source::Items(items) => {
                let mut list = List::default();
                extend(&mut list, ARGUMENT, &mut items.bind(py).clone(), self.count, rows, bytes)?;
                let count = list.len();
                (Box::new(list), count)
            }
        };
        self.count += count as u64;
        Ok((count > 0).then_some(entries))
    }
}

/// The next rows of a column.
fn portion(
    chunks: &mut Chunks,
    rest: &mut Option<ArrayRef>,
    rows: usize,
    bytes: usize,
) -> Result<Vec<ArrayRef>, String> {
    let mut portion = Vec::new();
    let (mut count, mut size) = (0, 0);
    while count < rows && size < bytes {
        let Some(chunk) = rest.take().map(Ok).or_else(|| chunks.next()) else { break };
        let chunk = chunk?;
        let taken = chunk.len().min(rows - count);
        if taken < chunk.len() {
            *rest = Some(chunk.slice(taken, chunk.len() - taken));
        }
        let chunk = chunk.slice(0, taken);
        count += taken;
        size += text_size(&chunk);
        portion.push(chunk);
    }
    Ok(portion)
}
