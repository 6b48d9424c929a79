//! Terms in texts: the arguments of the questions, and the answers of many texts.

use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use pyo3::types::PyMapping;

use super::arguments::{Optional, overlaps, threads, variants};
use super::arrow::{flag_column, import_column};
use super::columns::{asked, names, term_mask};
use super::errors::{raise, refuse, to_python, wrong_type};
use super::table::{PyTable, TableColumns};
use super::texts::Texts;
use crate::{FindOptions, Index, MatchRows, Overlaps, TermMask, Variants};

/// The options of a search.
pub(super) struct Asked {
    overlaps: Overlaps,
    variants: Variants,
    only: Option<Arc<TermMask>>,
    /// The user's own columns that the tables have.
    pub(super) columns: Vec<String>,
    pub(super) threads: Option<usize>,
}

impl Asked {
    pub(super) fn new(
        index: &Index,
        overlaps: Optional,
        variants: Optional,
        columns: Optional,
        r#where: Optional,
        threads: Optional,
    ) -> PyResult<Asked> {
        let columns = names(columns)?;
        asked(index, &columns)?;
        Ok(Asked {
            overlaps: self::overlaps(overlaps)?,
            variants: self::variants(variants)?,
            only: r#where.map(|chosen| mask(index, chosen)).transpose()?,
            columns,
            threads: self::threads(threads)?,
        })
    }

    pub(super) fn options(&self) -> FindOptions<'_> {
        FindOptions { overlaps: self.overlaps, variants: self.variants, only: self.only.as_deref() }
    }
}

/// The terms that `where` selects.
fn mask(index: &Index, chosen: &Bound<PyAny>) -> PyResult<Arc<TermMask>> {
    const ARGUMENT: &str = "where";
    if let Ok(conditions) = chosen.cast::<PyMapping>() {
        return term_mask(index, conditions);
    }
    let flags = match import_column(chosen)? {
        Some(column) => {
            let problem = |problem| raise("TermTypeError", format!("{ARGUMENT}: {problem}"));
            column.and_then(|chunks| flag_column(&chunks)).map_err(problem)?
        }
        None => {
            let expected = "a mapping from names of columns to values, an iterable of bool or an Arrow \
                            column of them";
            let items = chosen.try_iter().map_err(|_| wrong_type(ARGUMENT, expected, chosen))?;
            let mut flags = Vec::with_capacity(index.len());
            for (i, item) in items.enumerate() {
                let item = item?;
                // As bool or as numpy has it.
                flags.push(item.extract::<bool>().map_err(|_| {
                    wrong_type(&format!("entry {i} of {ARGUMENT}"), "True or False", &item)
                })?);
            }
            flags
        }
    };
    match flags.len() == index.len() {
        true => Ok(Arc::new(flags.into_iter().collect())),
        false => {
            let found = format!("{} values", flags.len());
            let expected = format!("one for each of the {} terms", index.len());
            Err(refuse("InvalidOptionError", ARGUMENT, found, expected))
        }
    }
}

/// The bytes of texts that are searched at a time, when they come one by one or as a stream: few enough
/// to take little memory, enough for threads.
const BYTES_AT_A_TIME: usize = 1 << 24;

/// The terms in many texts, as one table.
pub(super) fn find_batch(
    py: Python,
    index: &Index,
    texts: &Bound<PyAny>,
    asked: &Asked,
) -> PyResult<PyTable> {
    let mut texts = Texts::new(texts)?;
    let mut found = MatchRows::default();
    search(py, index, &mut texts, asked, usize::MAX, &mut found)?;
    table(py, index, found, &asked.columns)
}

/// Searches the next texts, up to `rows`; whether there were any.
fn search(
    py: Python,
    index: &Index,
    texts: &mut Texts,
    asked: &Asked,
    rows: usize,
    found: &mut MatchRows,
) -> PyResult<bool> {
    let start = texts.count;
    loop {
        let first = texts.count;
        let left = rows - (first - start) as usize;
        let Some(entries) = texts.next(py, left, BYTES_AT_A_TIME)? else { break };
        let more = || index.find_batch(entries.as_ref(), first, &asked.options(), asked.threads);
        found.append(py.detach(more).map_err(to_python)?);
        py.check_signals()?;
    }
    Ok(texts.count > start)
}

fn table(py: Python, index: &Index, found: MatchRows, columns: &[String]) -> PyResult<PyTable> {
    let columns = asked(index, columns)?;
    py.detach(|| TableColumns::of_matches(index, found, &columns, false)?.table())
}

/// The terms in a stream of texts, as a table for each portion of them.
#[pyclass(frozen, module = "termnest._core", name = "TextBatches")]
pub(super) struct PyTextBatches {
    index: Arc<Index>,
    asked: Asked,
    rows: usize,
    /// Taken while a batch is read.
    texts: Mutex<Option<Texts>>,
}

impl PyTextBatches {
    pub(super) fn new(
        index: Arc<Index>,
        texts: &Bound<PyAny>,
        rows: usize,
        asked: Asked,
    ) -> PyResult<PyTextBatches> {
        Ok(PyTextBatches { index, asked, rows, texts: Mutex::new(Some(Texts::new(texts)?)) })
    }
}

#[pymethods]
impl PyTextBatches {
    fn __iter__(this: Py<PyTextBatches>) -> Py<PyTextBatches> {
        this
    }

    fn __next__(&self, py: Python) -> PyResult<Option<PyTable>> {
        let taken = self.texts.lock().unwrap().take();
        let Some(mut texts) = taken else { return Ok(None) };
        let mut found = MatchRows::default();
        // After an error, or at the end, nothing more comes.
        match search(py, &self.index, &mut texts, &self.asked, self.rows, &mut found)? {
            false => Ok(None),
            true => {
                *self.texts.lock().unwrap() = Some(texts);
                table(py, &self.index, found, &self.asked.columns).map(Some)
            }
        }
    }
}
