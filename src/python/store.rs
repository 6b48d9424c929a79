//! Stores in Python: convert, release the GIL, call, return.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::UInt32Array;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};
use smallvec::SmallVec;

use super::aliases::aliases;
use super::arguments::{Analysis, Optional, count, entries, list, numbers, text, threads};
use super::columns::{Given, user_columns};
use super::errors::{to_python, with_file};
use super::index::{PyIndex, options_tuple};
use super::normalize::normalizer;
use super::surfaces::python_string;
use super::table::PyColumn;
use crate::{About, Addition, Answers, Snapshot, Store, StoreOptions};

/// A store. `termnest.TermStore` is its documented face.
#[pyclass(frozen, module = "termnest._core", name = "Store")]
pub(super) struct PyStore {
    pub(super) store: Arc<Store>,
}

/// One generation of a store. `termnest.Snapshot` is its documented face.
#[pyclass(frozen, module = "termnest._core", name = "Snapshot")]
pub(super) struct PySnapshot {
    pub(super) snapshot: Arc<Snapshot>,
}

impl PyStore {
    fn of(store: crate::Result<Store>, path: &Path) -> PyResult<PyStore> {
        let store = store.map_err(|error| with_file_unless_named(error, path))?;
        Ok(PyStore { store: Arc::new(store) })
    }
}

/// An error with the folder that it concerns, if it does not name one.
fn with_file_unless_named(error: crate::Error, path: &Path) -> PyErr {
    match error {
        crate::Error::Store { .. } | crate::Error::Io { .. } => to_python(error),
        error => with_file(error, Some(path)),
    }
}

#[pymethods]
impl PyStore {
    #[staticmethod]
    fn create(py: Python, path: PathBuf, analysis: Analysis) -> PyResult<PyStore> {
        let build = analysis.build()?;
        let options = StoreOptions {
            normalizer: build.normalizer,
            threads: build.threads,
            ..StoreOptions::default()
        };
        PyStore::of(py.detach(|| Store::create(&path, &build.options, options)), &path)
    }

    #[staticmethod]
    fn open(
        py: Python,
        path: PathBuf,
        write: bool,
        mmap: bool,
        normalize: Option<Bound<PyAny>>,
        threads: Optional,
    ) -> PyResult<PyStore> {
        let options = StoreOptions {
            normalizer: normalizer(normalize)?,
            threads: self::threads(threads)?,
            ..StoreOptions::default()
        };
        let opened = py.detach(|| match write {
            true => Store::write(&path, options),
            false => Store::read(&path, !mmap, options),
        });
        PyStore::of(opened, &path)
    }

    #[getter]
    fn warning(&self) -> Option<&str> {
        self.store.warning()
    }

    #[getter]
    fn writable(&self) -> bool {
        self.store.is_writer()
    }

    /// Whether this is a writer that is not closed.
    fn is_open(&self) -> bool {
        self.store.is_open()
    }

    fn snapshot(&self) -> PyResult<PySnapshot> {
        // Usually nothing was committed since: it takes less time than to release the GIL.
        let snapshot = self.store.snapshot().map_err(to_python)?;
        Ok(PySnapshot { snapshot })
    }

    fn add(
        &self,
        py: Python,
        terms: &Bound<PyAny>,
        weights: Option<&Bound<PyAny>>,
        rows: Given,
        aliases: Option<(bool, Bound<PyAny>)>,
    ) -> PyResult<Vec<Option<u32>>> {
        let terms = entries("terms", terms)?;
        let weights = weights.map(|weights| numbers("weights", weights)).transpose()?;
        let names = match aliases.is_some() {
            true => Some(self::aliases(aliases)?),
            false => None,
        };
        let columns = user_columns(rows)?;
        py.detach(|| {
            self.store.add(&Addition {
                terms: terms.as_ref(),
                weights: weights.as_deref(),
                columns,
                aliases: names,
            })
        })
        .map_err(to_python)
    }

    fn id(&self, py: Python, term: &Bound<PyAny>) -> PyResult<Option<u32>> {
        let term = text("term", term)?;
        py.detach(|| self.store.id(term)).map_err(to_python)
    }

    /// Removes terms; the place of the first that is not there, if there is one.
    fn remove(&self, py: Python, terms: &Bound<PyAny>) -> PyResult<Option<usize>> {
        let terms = list("terms", terms)?;
        let terms: Vec<&str> = terms.iter().collect();
        let removed = py.detach(|| self.store.remove(&terms)).map_err(to_python)?;
        Ok(removed.err())
    }

    fn pending(&self, py: Python) -> PyResult<usize> {
        py.detach(|| self.store.pending()).map_err(to_python)
    }

    fn rollback(&self, py: Python) -> PyResult<()> {
        py.detach(|| self.store.rollback()).map_err(to_python)
    }

    fn commit(&self, py: Python) -> PyResult<u64> {
        py.detach(|| self.store.commit()).map_err(to_python)
    }

    fn compact(&self, py: Python) -> PyResult<u64> {
        py.detach(|| self.store.compact()).map_err(to_python)
    }

    fn close(&self, py: Python) {
        py.detach(|| self.store.close());
    }
}

#[pymethods]
impl PySnapshot {
    #[getter]
    fn generation(&self) -> u64 {
        self.snapshot.generation()
    }

    fn __len__(&self) -> usize {
        self.snapshot.len()
    }

    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        options_tuple(py, self.snapshot.options(), self.snapshot.normalized())
    }

    #[getter]
    fn matching(&self) -> Option<String> {
        if self.snapshot.normalized() { None } else { self.snapshot.options().matching() }
    }

    #[getter]
    fn weighted(&self) -> bool {
        self.snapshot.weighted()
    }

    /// The names of the columns, and the types of their values.
    fn columns(&self) -> Vec<(String, &'static str)> {
        self.snapshot.columns().iter().map(|(name, kind)| (name.clone(), kind.name())).collect()
    }

    /// The tiers of the segments and their rows, the hidden ids, and the bytes of all files.
    fn facts(&self) -> (Vec<(u8, usize)>, usize, u64) {
        (self.snapshot.segment_rows(), self.snapshot.hidden_ids(), self.snapshot.file_bytes())
    }

    fn files(&self) -> Vec<String> {
        self.snapshot.files()
    }

    #[getter]
    fn checksum(&self) -> u64 {
        self.snapshot.checksum()
    }

    fn check(&self, py: Python, checksums_only: bool) -> PyResult<()> {
        py.detach(|| self.snapshot.check(checksums_only)).map_err(to_python)
    }

    fn ids(&self, py: Python) -> PyResult<PyColumn> {
        let ids = py.detach(|| self.snapshot.ids()).map_err(to_python)?;
        Ok(PyColumn { values: Arc::new(UInt32Array::from(ids)) })
    }

    fn id(&self, term: &Bound<PyAny>) -> PyResult<Option<u32>> {
        self.snapshot.id(text("term", term)?).map_err(to_python)
    }

    fn lookup(&self, phrase: &Bound<PyAny>) -> PyResult<Vec<u32>> {
        self.snapshot.lookup(text("phrase", phrase)?).map_err(to_python)
    }

    fn term(&self, id: u32) -> PyResult<Option<String>> {
        self.snapshot.surface(id).map_err(to_python)
    }

    fn weight(&self, id: u32) -> PyResult<Option<f64>> {
        self.snapshot.weight(id).map_err(to_python)
    }

    /// Whether the answers to a question about a phrase are made in some microseconds.
    fn is_light(&self, phrase: &Bound<PyAny>) -> PyResult<bool> {
        self.snapshot.is_light(text("term", phrase)?).map_err(to_python)
    }

    /// All terms as one index.
    fn index(&self, py: Python) -> PyResult<PyIndex> {
        let index = py.detach(|| self.snapshot.index()).map_err(to_python)?;
        Ok(PyIndex { index })
    }

    /// The index of the terms that matter for a question about `what`.
    fn about(
        &self,
        py: Python,
        question: &str,
        what: &Bound<PyAny>,
        limit: Optional,
    ) -> PyResult<PyIndex> {
        let index = match question {
            "super_of_many" | "nested_of_many" | "texts" => {
                let argument = if question == "texts" { "texts" } else { "terms" };
                let many = entries(argument, what)?;
                py.detach(|| {
                    self.snapshot.about(&match question {
                        "super_of_many" => About::SuperOfMany(many.as_ref()),
                        "nested_of_many" => About::NestedOfMany(many.as_ref()),
                        _ => About::Texts(many.as_ref()),
                    })
                })
            }
            "completions" => {
                let (prefix, limit) = (text("prefix", what)?, count("limit", limit)?);
                py.detach(|| self.snapshot.about(&About::Completions(prefix, limit)))
            }
            "around" => {
                let (phrase, limit) = (text("phrase", what)?, count("limit", limit)?);
                py.detach(|| self.snapshot.about(&About::Around(phrase, limit)))
            }
            "text" => {
                let one = Snapshot::one_text(text("text", what)?);
                py.detach(|| self.snapshot.about(&About::Texts(&one)))
            }
            _ => {
                let phrase = text("term", what)?;
                py.detach(|| {
                    self.snapshot.about(&match question {
                        "super" => About::Super(phrase),
                        "nested" => About::Nested(phrase),
                        _ => About::Both(phrase),
                    })
                })
            }
        };
        Ok(PyIndex { index: index.map_err(to_python)? })
    }
}

/// The surfaces of answers as a list of str.
pub(super) fn surfaces_of<'py>(py: Python<'py>, answers: &Answers) -> PyResult<Bound<'py, PyList>> {
    let mut strings: SmallVec<[Bound<'py, PyString>; 8]> = SmallVec::new();
    let mut surface = Vec::with_capacity(64);
    for answer in &answers.all {
        surface.clear();
        answers.push_surface(answer, &mut surface).map_err(to_python)?;
        strings.push(python_string(py, &surface)?);
    }
    PyList::new(py, strings)
}
