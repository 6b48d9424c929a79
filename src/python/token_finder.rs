//! Terms in documents of given tokens: for spaCy.

use std::sync::Arc;

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

use super::arguments::{choose, flag, overlaps, text};
use super::columns::{python_id, python_value};
use super::errors::to_python;
use super::index::PyIndex;
use super::surfaces::python_string;
use crate::{Alignment, Compared, Found, Index, Respelled, TermId, TokenFinder, Units, Variants};

/// Finds the terms of an index in documents whose tokens are given as hashes.
#[pyclass(frozen, module = "termnest._core", name = "TokenFinder")]
pub(super) struct PyTokenFinder {
    index: Arc<Index>,
    finder: TokenFinder,
}

/// What may be compared, by the names that the component gives it.
const COMPARED: [(&str, Compared); 4] = [
    ("text", Compared::Text),
    ("normal", Compared::Normal),
    ("exact", Compared::Exact),
    ("lower", Compared::Lower),
];
const ALIGNMENTS: [(&str, Alignment); 3] = [
    ("strict", Alignment::Strict),
    ("contract", Alignment::Contract),
    ("expand", Alignment::Expand),
];
const VARIANTS: [(&str, Variants); 2] = [("first", Variants::First), ("all", Variants::All)];

/// Tokens of a document that are searched without releasing the GIL: that takes some 50 microseconds.
const FEW_TOKENS: usize = 4096;

#[pymethods]
impl PyTokenFinder {
    /// `tokenize` is given a text and returns the place and the length of its tokens; with `whole`, a list of the
    /// tokens themselves. `respelled` is what the method of this name returned for another finder.
    #[new]
    fn new(
        py: Python,
        index: &PyIndex,
        compared: &Bound<PyAny>,
        alignment: &Bound<PyAny>,
        overlaps: &Bound<PyAny>,
        variants: &Bound<PyAny>,
        tokenize: Option<&Bound<PyAny>>,
        whole: &Bound<PyAny>,
        respelled: Option<&Bound<PyBytes>>,
    ) -> PyResult<PyTokenFinder> {
        let compared = choose("attr", text("attr", compared)?, &COMPARED)?;
        let alignment = choose("alignment_mode", text("alignment_mode", alignment)?, &ALIGNMENTS)?;
        let overlaps = self::overlaps(Some(overlaps))?;
        let variants = choose("variants", text("variants", variants)?, &VARIANTS)?;
        let whole = flag("whole", Some(whole))?;
        let index = index.index.clone();
        let respelled = match (respelled, tokenize) {
            (Some(content), _) => Respelled::from_bytes(content.as_bytes()).map_err(to_python)?,
            (None, None) => None,
            (None, Some(tokenize)) => {
                let mut units = py.detach(|| Units::of(&index, whole)).map_err(to_python)?;
                split(&mut units, tokenize, whole)?;
                py.detach(|| units.respelled(&index, compared)).map_err(to_python)?
            }
        };
        let own = index.clone();
        let finder = TokenFinder::new(own, respelled, compared, alignment, overlaps, variants);
        Ok(PyTokenFinder { index, finder })
    }

    /// The terms that the tokenizer splits otherwise than the index, for another process.
    fn respelled<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let content = py.detach(|| Respelled::to_bytes(self.finder.respelled()));
        Ok(PyBytes::new(py, &content?))
    }

    /// A term that was found, as written in the vocabulary.
    fn term<'py>(&self, py: Python<'py>, number: u32) -> PyResult<Bound<'py, PyString>> {
        let mut surface = Vec::new();
        self.index.push_surface(TermId(number), &mut surface).map_err(to_python)?;
        python_string(py, &surface)
    }

    /// The value of a term that was found in a column; `"id"` is its id.
    fn value<'py>(
        &self,
        py: Python<'py>,
        number: u32,
        column: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        match column {
            "id" => python_id(py, &self.index, TermId(number)),
            _ => python_value(py, self.index.value(TermId(number), column).map_err(to_python)?),
        }
    }

    /// The start, the end and the number of every term, in tokens.
    ///
    /// Args:
    ///     tokens: A buffer of `uint64` with a row for each token: the hash of its text, and, if
    ///         the text is compared, whether a space follows.
    ///     strings: Has the text of each hash.
    fn find<'py>(
        &self,
        py: Python<'py>,
        tokens: &Bound<'py, PyAny>,
        strings: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let buffer = PyBuffer::<u64>::get(tokens)?;
        let (rows, columns) = match buffer.shape() {
            [rows] => (*rows, 1),
            [rows, 2] => (*rows, 2),
            _ => return Err(pyo3::exceptions::PyValueError::new_err("tokens has two columns")),
        };
        let tokens = buffer.to_vec(py)?;
        let find = || match columns {
            1 => self.finder.find(tokens.iter().map(|&hash| (hash, false))),
            _ => self.finder.find(tokens.chunks_exact(2).map(|row| (row[0], row[1] != 0))),
        };
        let mut keep = false;
        let spans = loop {
            let found = if rows > FEW_TOKENS { py.detach(find) } else { find() };
            match found.map_err(to_python)? {
                Found::Spans(spans) => break spans,
                Found::Unknown(hashes) => {
                    let learned = hashes
                        .into_iter()
                        .map(|hash| Ok((hash, strings.get_item(hash)?.extract::<String>()?)));
                    let learned = learned.collect::<PyResult<Vec<_>>>()?;
                    py.detach(|| self.finder.learn(learned, keep)).map_err(to_python)?;
                    keep = true;
                }
            }
        };
        PyList::new(py, spans.iter().map(|span| (span.start, span.end, span.id.0)))
    }
}

/// Has the units split by the tokenizer.
fn split(units: &mut Units, tokenize: &Bound<PyAny>, whole: bool) -> PyResult<()> {
    for range in units.texts() {
        let tokens = tokenize.call1((units.text(range.clone()),))?;
        if whole {
            let tokens = tokens.extract::<Vec<String>>()?;
            units.split_one(range.start, tokens.into_iter().map(Into::into).collect());
            continue;
        }
        let places = PyBuffer::<u64>::get(&tokens)?.to_vec(tokens.py())?;
        if !units.split(range, places.chunks_exact(2).map(|row| (row[0], row[1]))) {
            return Err(pyo3::exceptions::PyValueError::new_err(
                "the tokens of a text are not in it, one after the other",
            ));
        }
    }
    Ok(())
}
