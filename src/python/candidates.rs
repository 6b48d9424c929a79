//! The counter of candidates, and the candidates that it found.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use arrow_array::{ArrayRef, Float64Array, LargeStringArray, RecordBatch, UInt32Array};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use super::arguments::{Optional, choose, count, count_or, flag, list, text};
use super::errors::{arrow_error, to_python};
use super::index::SCORES;
use super::interrupt::interruptible;
use super::table::PyTable;
use crate::{
    CandidateCounter, CandidateOptions, CandidateScore, Candidates, Form, FunctionWords, List,
    Progress, Reference,
};

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
    /// `function_words` has the stop words, connectors, determiners, words before verbs, prepositions and
    /// general words.
    #[new]
    fn new(
        max_words: &Bound<PyAny>,
        function_words: Vec<Bound<PyAny>>,
        fold: &Bound<PyAny>,
        skip_repeated_lines: &Bound<PyAny>,
        max_nodes: Option<usize>,
    ) -> PyResult<PyCandidateCounter> {
        let defaults = CandidateOptions::default();
        let words = |i: usize| -> PyResult<HashSet<String>> {
            let Some(words) = function_words.get(i) else { return Ok(HashSet::new()) };
            Ok(list("stop_words", words)?.iter().map(String::from).collect())
        };
        let options = CandidateOptions {
            max_words: count_or("max_words", Some(max_words), defaults.max_words)?,
            function_words: FunctionWords {
                stop_words: words(0)?,
                connectors: words(1)?,
                determiners: words(2)?,
                verbal: words(3)?,
                prepositions: words(4)?,
                general: words(5)?,
            },
            fold: flag("fold", Some(fold))?,
            skip_repeated_lines: flag("skip_repeated_lines", Some(skip_repeated_lines))?,
            max_nodes: max_nodes.unwrap_or(defaults.max_nodes),
        };
        let counter = CandidateCounter::new(options).map_err(to_python)?;
        Ok(PyCandidateCounter { counter: Mutex::new(Some(counter)) })
    }

    /// The texts that follow are of another document.
    fn begin_document(&self, py: Python) -> PyResult<()> {
        self.with(py, CandidateCounter::begin_document)
    }

    fn add(&self, py: Python, text: &Bound<PyAny>) -> PyResult<()> {
        let text = self::text("text", text)?;
        self.with(py, |counter| counter.add(text))
    }

    fn add_phrase(&self, py: Python, phrase: &Bound<PyAny>) -> PyResult<()> {
        let phrase = text("phrase", phrase)?;
        self.with(py, |counter| counter.add_phrase(phrase))
    }

    /// The distinct words, each with the number of its occurrences.
    fn distinct_words(&self, py: Python) -> PyResult<Vec<(String, u32)>> {
        self.with(py, |counter| {
            let (words, counts) = counter.distinct_words();
            Ok(words.iter().map(String::from).zip(counts).collect())
        })
    }

    /// The candidates that occur at least `min_frequency` times; of phrases, those of at most `max_words`
    /// words. `bases` has the base forms of the distinct words.
    fn finish<'py>(
        &self,
        py: Python<'py>,
        min_frequency: &Bound<'py, PyAny>,
        max_words: Optional<'_, 'py>,
        bases: Option<Bound<'py, PyAny>>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<PyCandidates> {
        let least = count_or("min_frequency", Some(min_frequency), 0)?;
        let max_words = count("max_words", max_words)?;
        let bases: Option<List> = bases.map(|bases| list("bases", &bases)).transpose()?;
        let counter = self.counter.lock().unwrap_or_else(|error| error.into_inner()).take();
        let counter = counter.ok_or_else(finished)?;
        let watched = Progress::default();
        let candidates = interruptible(py, &watched, progress.as_ref(), None, || {
            counter.finish(least as u64, max_words, bases.as_ref(), &watched)
        })?;
        Ok(PyCandidates { candidates })
    }
}

/// Candidates with their counts, forms and scores.
#[pyclass(frozen, module = "termnest._core", name = "Candidates")]
pub(super) struct PyCandidates {
    candidates: Candidates,
}

#[pymethods]
impl PyCandidates {
    fn __len__(&self) -> usize {
        self.candidates.terms.len()
    }

    /// The number of words of the texts.
    #[getter]
    fn total_words(&self) -> u64 {
        self.candidates.total_words
    }

    /// The distinct words of the texts.
    fn words(&self) -> Vec<String> {
        self.candidates.words.iter().map(String::from).collect()
    }

    /// The forms of each candidate, with their counts, the most frequent first.
    fn forms(&self) -> Vec<Vec<Form>> {
        self.candidates.forms.clone()
    }

    /// The candidates in the order of their terms.
    fn table(&self) -> PyResult<PyTable> {
        let order: Vec<usize> = (0..self.candidates.terms.len()).collect();
        self.rows(&order, None)
    }

    /// The best candidates by a score. `reference` has the share of each distinct word in other texts, the
    /// share of each candidate if it is known, and the number of words of the other texts.
    fn ranking(
        &self,
        py: Python,
        score: &Bound<PyAny>,
        keep: &Bound<PyAny>,
        top: Option<&Bound<PyAny>>,
        reference: Option<(Vec<f64>, Option<Vec<f64>>, f64)>,
    ) -> PyResult<PyTable> {
        let figures = SCORES.iter().map(|&(name, score)| (name, CandidateScore::Figure(score)));
        let scores: Vec<(&'static str, CandidateScore)> = [
            ("termhood", CandidateScore::Termhood),
            ("keyness", CandidateScore::Keyness),
            ("log-likelihood", CandidateScore::LogLikelihood),
            ("weirdness", CandidateScore::Weirdness),
        ]
        .into_iter()
        .chain(figures)
        .collect();
        let score = choose("score", text("score", score)?, &scores)?;
        let keep = choose("keep", text("keep", keep)?, &[("all", false), ("maximal", true)])?;
        let top = count("top", top)?;
        let reference = reference.map(|(words, terms, size)| Reference { words, terms, size });
        py.detach(|| {
            let (order, scores) = self.candidates.ranked(score, reference.as_ref(), keep, top);
            self.rows(&order, Some(scores))
        })
    }
}

impl PyCandidates {
    fn rows(&self, order: &[usize], scores: Option<Vec<f64>>) -> PyResult<PyTable> {
        let Candidates { terms, counts, documents, forms, scores: figures, .. } = &self.candidates;
        let numbers = |of: &[u32]| -> ArrayRef {
            Arc::new(UInt32Array::from_iter_values(order.iter().map(|&i| of[i])))
        };
        let term = LargeStringArray::from_iter_values(order.iter().map(|&i| terms.get(i)));
        let frequency = Float64Array::from_iter_values(order.iter().map(|&i| counts[i]));
        let forms = LargeStringArray::from_iter_values(order.iter().map(|&i| shown(&forms[i])));
        let mut columns: Vec<(&str, ArrayRef)> =
            vec![("term", Arc::new(term)), ("frequency", Arc::new(frequency))];
        if let Some(scores) = scores {
            columns.push(("score", Arc::new(Float64Array::from(scores))));
        }
        columns.push(("documents", numbers(documents)));
        columns.push(("super_count", numbers(&figures.super_count)));
        columns.push(("nested_count", numbers(&figures.nested_count)));
        columns.push(("forms", Arc::new(forms)));
        Ok(PyTable { table: RecordBatch::try_from_iter(columns).map_err(arrow_error)? })
    }
}

/// Forms in a cell, if there are several: `wind turbine (129) | wind turbines (112)`.
fn shown(forms: &[Form]) -> String {
    if forms.len() < 2 {
        return String::new();
    }
    let shown: Vec<String> =
        forms.iter().map(|(form, count)| format!("{form} ({count})")).collect();
    shown.join(" | ")
}
