//! The counter of candidates.

use std::sync::{Arc, Mutex};

use arrow_array::{ArrayRef, Float64Array, LargeStringArray, RecordBatch};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::arguments::{Optional, count, count_or, flag, list, text};
use super::errors::{arrow_error, to_python};
use super::interrupt::interruptible;
use super::table::PyTable;
use crate::{CandidateCounter, CandidateOptions, Progress};

/// Counts candidates for terms in texts.
#[pyclass(frozen, module = "termnest._core", name = "CandidateCounter")]
pub(super) struct PyCandidateCounter {
    /// None after `finish`.
    counter: Mutex<Option<CandidateCounter>>,
}

impl PyCandidateCounter {
    fn with<T: Send>(
        &self,
        py: Python,
        work: impl FnOnce(&mut CandidateCounter) -> crate::Result<T> + Send,
    ) -> PyResult<T> {
        py.detach(|| {
            let mut counter = self.counter.lock().unwrap_or_else(|error| error.into_inner());
            counter
                .as_mut()
                .ok_or_else(finished)
                .and_then(|counter| work(counter).map_err(to_python))
        })
    }
}

fn finished() -> PyErr {
    PyRuntimeError::new_err("the candidates were counted already")
}

#[pymethods]
impl PyCandidateCounter {
    #[new]
    fn new(
        max_words: &Bound<PyAny>,
        stop_words: &Bound<PyAny>,
        fold: &Bound<PyAny>,
        maximal: &Bound<PyAny>,
        max_nodes: Option<usize>,
    ) -> PyResult<PyCandidateCounter> {
        let defaults = CandidateOptions::default();
        let options = CandidateOptions {
            max_words: count_or("max_words", Some(max_words), defaults.max_words)?,
            stop_words: list("stop_words", stop_words)?.iter().map(String::from).collect(),
            fold: flag("fold", Some(fold))?,
            maximal: flag("maximal", Some(maximal))?,
            max_nodes: max_nodes.unwrap_or(defaults.max_nodes),
        };
        let counter = CandidateCounter::new(options).map_err(to_python)?;
        Ok(PyCandidateCounter { counter: Mutex::new(Some(counter)) })
    }

    fn add(&self, py: Python, text: &Bound<PyAny>) -> PyResult<()> {
        let text = self::text("text", text)?;
        self.with(py, |counter| counter.add(text))
    }

    fn add_phrase(&self, py: Python, phrase: &Bound<PyAny>) -> PyResult<()> {
        let phrase = text("phrase", phrase)?;
        self.with(py, |counter| counter.add_phrase(phrase))
    }

    /// The candidates that occur at least `min_frequency` times (of phrases, those with at most
    /// `max_words` words) as a table of `term` and `frequency`, a byte for each that is 1 if it is
    /// maximal, and the number of words seen.
    fn finish<'py>(
        &self,
        py: Python<'py>,
        min_frequency: &Bound<'py, PyAny>,
        max_words: Optional<'_, 'py>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(PyTable, Option<Bound<'py, PyBytes>>, u64)> {
        let least = count_or("min_frequency", Some(min_frequency), 0)?;
        let max_words = count("max_words", max_words)?;
        let counter = self.counter.lock().unwrap_or_else(|error| error.into_inner()).take();
        let counter = counter.ok_or_else(finished)?;
        let watched = Progress::default();
        let candidates = interruptible(py, &watched, progress.as_ref(), None, || {
            counter.finish(least as u64, max_words, &watched)
        })?;
        let terms = &candidates.terms;
        let terms = LargeStringArray::from_iter_values((0..terms.len()).map(|i| terms.get(i)));
        let columns: [(&str, ArrayRef); 2] = [
            ("term", Arc::new(terms)),
            ("frequency", Arc::new(Float64Array::from(candidates.counts))),
        ];
        let table = PyTable { table: RecordBatch::try_from_iter(columns).map_err(arrow_error)? };
        let maximal = candidates
            .maximal
            .map(|marks| PyBytes::new(py, &marks.into_iter().map(u8::from).collect::<Vec<u8>>()));
        Ok((table, maximal, candidates.words))
    }
}
