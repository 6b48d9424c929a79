//! The questions that are asked one at a time.

use std::sync::{Arc, OnceLock};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use super::arguments::{Optional, QuestionArguments, text};
use super::errors::to_python;
use super::index::PyIndex;
use super::store::{PySnapshot, PyStore, surfaces_of};
use super::surfaces::{surfaces, surfaces_in};
use crate::index::key::Forms;
use crate::{Index, Snapshot, Store};

/// The base of `termnest.TermIndex`: questions about one phrase.
///
/// They are native methods: a Python call around them would take a tenth of their time.
#[pyclass(frozen, subclass, module = "termnest._core", name = "Questions")]
pub(super) struct Questions {
    asked: OnceLock<Asked>,
}

/// What the questions are put to.
enum Asked {
    Index(Arc<Index>),
    /// A store, of which each question sees the newest generation.
    Store(Arc<Store>),
    Snapshot(Arc<Snapshot>),
}

/// What one question is put to.
enum Now<'a> {
    Index(&'a Index),
    Snapshot(Arc<Snapshot>),
}

impl Questions {
    #[inline]
    fn now(&self) -> PyResult<Now<'_>> {
        Ok(match self.asked.get() {
            Some(Asked::Index(index)) => Now::Index(index),
            Some(Asked::Store(store)) => Now::Snapshot(store.snapshot().map_err(to_python)?),
            Some(Asked::Snapshot(snapshot)) => Now::Snapshot(snapshot.clone()),
            None => {
                let problem = "there is nothing to ask: build a TermIndex, or open a TermStore";
                return Err(PyRuntimeError::new_err(problem));
            }
        })
    }
}

#[pymethods]
impl Questions {
    #[new]
    #[pyo3(signature = (*_arguments, **_options))]
    fn new(_arguments: &Bound<PyTuple>, _options: Option<&Bound<PyDict>>) -> Questions {
        Questions { asked: OnceLock::new() }
    }

    /// Sets the index, the store or the generation of a store that is asked; only once.
    fn _attach(&self, asked: &Bound<PyAny>) -> PyResult<()> {
        let asked = if let Ok(index) = asked.cast::<PyIndex>() {
            Asked::Index(index.get().index.clone())
        } else if let Ok(store) = asked.cast::<PyStore>() {
            Asked::Store(store.get().store.clone())
        } else {
            Asked::Snapshot(asked.cast::<PySnapshot>()?.get().snapshot.clone())
        };
        let twice = |_| PyRuntimeError::new_err("an index is built once: make a new TermIndex");
        self.asked.set(asked).map_err(twice)
    }

    /// The terms that contain a phrase: heaviest first, then by id.
    ///
    /// The phrase need not be a term. A term contains neither itself nor its variants.
    ///
    /// >>> index = TermIndex(["york", "new york", "new york city", "york minster"])
    /// >>> index.super_terms("york")
    /// ['new york', 'new york city', 'york minster']
    /// >>> index.super_terms("york", where="end")
    /// ['new york']
    /// >>> index.super_terms("york", direct=True)
    /// ['new york', 'york minster']
    /// >>> index.super_terms("york", sort="left", max_length=2)
    /// ['york minster', 'new york']
    ///
    /// Time and memory grow with the number of terms that contain the phrase, even if `limit` is
    /// small: all of them must be seen to know the heaviest.
    ///
    /// Args:
    ///     term: The phrase.
    ///     where: Where in the answers the phrase must occur: `"anywhere"`, `"start"`, `"end"`, or
    ///         `"inside"`, which touches neither end. If it occurs more than once, one occurrence
    ///         that fits is enough.
    ///     direct: Return only terms with no other term in between, under the same `where`.
    ///     max_extra: Return only terms with at most this many tokens more than the phrase.
    ///     min_length: Return only terms with at least this many tokens.
    ///     max_length: Return only terms with at most this many tokens.
    ///     sort: `"weight"`, heaviest first; `"left"` or `"right"`, by the words on that side of
    ///         the phrase, nearest first; or `"length"`, fewest tokens first, then heaviest.
    ///     limit: Return at most this many terms.
    ///     offset: Skip this many terms.
    #[pyo3(
        signature = (term, *, r#where = None, direct = None, max_extra = None, min_length = None, max_length = None, sort = None, limit = None, offset = None),
        text_signature = "($self, term, *, where='anywhere', direct=False, max_extra=None, min_length=None, max_length=None, sort='weight', limit=None, offset=0)"
    )]
    fn super_terms<'py>(
        &self,
        py: Python<'py>,
        term: &Bound<'py, PyAny>,
        r#where: Optional<'_, 'py>,
        direct: Optional<'_, 'py>,
        max_extra: Optional<'_, 'py>,
        min_length: Optional<'_, 'py>,
        max_length: Optional<'_, 'py>,
        sort: Optional<'_, 'py>,
        limit: Optional<'_, 'py>,
        offset: Optional<'_, 'py>,
    ) -> PyResult<Bound<'py, PyList>> {
        let place = r#where;
        let options = QuestionArguments {
            place,
            direct,
            max_extra,
            min_length,
            max_length,
            sort,
            limit,
            offset,
        }
        .for_super_terms()?;
        let phrase = text("term", term)?;
        match self.now()? {
            Now::Index(index) => {
                let found = index.super_found(phrase, &options).map_err(to_python)?;
                surfaces(py, index, &found)
            }
            Now::Snapshot(snapshot) => {
                surfaces_of(py, &snapshot.super_terms(phrase, &options).map_err(to_python)?)
            }
        }
    }

    /// The terms that a phrase contains: heaviest first, then by id.
    ///
    /// A phrase that equals a term does not contain that term: use `find` for the terms in a text.
    ///
    /// >>> index = TermIndex(["york", "new york", "city", "new york city"])
    /// >>> index.nested_terms("new york city hall")
    /// ['york', 'new york', 'city', 'new york city']
    /// >>> index.nested_terms("new york city hall", direct=True)
    /// ['new york city']
    ///
    /// Args:
    ///     term: The phrase, of any length.
    ///     where: Where in the phrase the answers must occur: `"anywhere"`, `"start"`, `"end"`, or
    ///         `"inside"`, which touches neither end.
    ///     direct: Return only terms with no other term in between, under the same `where`.
    ///     min_length: Return only terms with at least this many tokens.
    ///     max_length: Return only terms with at most this many tokens.
    ///     sort: `"weight"`, heaviest first, or `"length"`, fewest tokens first, then heaviest.
    ///     limit: Return at most this many terms.
    ///     offset: Skip this many terms.
    #[pyo3(
        signature = (term, *, r#where = None, direct = None, min_length = None, max_length = None, sort = None, limit = None, offset = None),
        text_signature = "($self, term, *, where='anywhere', direct=False, min_length=None, max_length=None, sort='weight', limit=None, offset=0)"
    )]
    fn nested_terms<'py>(
        &self,
        py: Python<'py>,
        term: &Bound<'py, PyAny>,
        r#where: Optional<'_, 'py>,
        direct: Optional<'_, 'py>,
        min_length: Optional<'_, 'py>,
        max_length: Optional<'_, 'py>,
        sort: Optional<'_, 'py>,
        limit: Optional<'_, 'py>,
        offset: Optional<'_, 'py>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (place, max_extra) = (r#where, None);
        let options = QuestionArguments {
            place,
            direct,
            max_extra,
            min_length,
            max_length,
            sort,
            limit,
            offset,
        }
        .for_nested_terms()?;
        let phrase = text("term", term)?;
        let index = match self.now()? {
            Now::Index(index) => index,
            Now::Snapshot(snapshot) => {
                let found = snapshot.nested_terms(phrase, &options).map_err(to_python)?;
                return surfaces_of(py, &found);
            }
        };
        if !index.surfaces_are_keys() {
            let found = index.nested_found(phrase, &options).map_err(to_python)?;
            return surfaces(py, index, &found);
        }
        let mut forms = Forms::new();
        let spaces = index.arrays.meta.spaces;
        let key = index.key_of(phrase, spaces, &mut forms).map_err(to_python)?;
        let found = index.nested_found_of_key(&key, &options).map_err(to_python)?;
        surfaces_in(py, index, &forms, &found)
    }

    /// The number of terms that `super_terms` returns, without making them.
    ///
    /// >>> TermIndex(["llc", "google llc", "llc llc"]).count_super_terms("llc")
    /// 2
    #[pyo3(
        signature = (term, *, r#where = None, direct = None, max_extra = None, min_length = None, max_length = None, limit = None, offset = None),
        text_signature = "($self, term, *, where='anywhere', direct=False, max_extra=None, min_length=None, max_length=None, limit=None, offset=0)"
    )]
    fn count_super_terms(
        &self,
        term: &Bound<PyAny>,
        r#where: Optional,
        direct: Optional,
        max_extra: Optional,
        min_length: Optional,
        max_length: Optional,
        limit: Optional,
        offset: Optional,
    ) -> PyResult<usize> {
        let (place, sort) = (r#where, None);
        let options = QuestionArguments {
            place,
            direct,
            max_extra,
            min_length,
            max_length,
            sort,
            limit,
            offset,
        }
        .for_super_terms()?;
        let phrase = text("term", term)?;
        match self.now()? {
            Now::Index(index) => index.count_super_terms(phrase, &options),
            Now::Snapshot(snapshot) => snapshot.count_super_terms(phrase, &options),
        }
        .map_err(to_python)
    }

    /// The number of terms that `nested_terms` returns, without making them.
    ///
    /// >>> TermIndex(["llc", "google llc"]).count_nested_terms("alphabet google llc")
    /// 2
    #[pyo3(
        signature = (term, *, r#where = None, direct = None, min_length = None, max_length = None, limit = None, offset = None),
        text_signature = "($self, term, *, where='anywhere', direct=False, min_length=None, max_length=None, limit=None, offset=0)"
    )]
    fn count_nested_terms(
        &self,
        term: &Bound<PyAny>,
        r#where: Optional,
        direct: Optional,
        min_length: Optional,
        max_length: Optional,
        limit: Optional,
        offset: Optional,
    ) -> PyResult<usize> {
        let (place, max_extra, sort) = (r#where, None, None);
        let options = QuestionArguments {
            place,
            direct,
            max_extra,
            min_length,
            max_length,
            sort,
            limit,
            offset,
        }
        .for_nested_terms()?;
        let phrase = text("term", term)?;
        match self.now()? {
            Now::Index(index) => index.count_nested_terms(phrase, &options),
            Now::Snapshot(snapshot) => snapshot.count_nested_terms(phrase, &options),
        }
        .map_err(to_python)
    }
}
