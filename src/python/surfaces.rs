//! Terms as Python strings.

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use smallvec::SmallVec;

use super::errors::to_python;
use crate::index::key::Forms;
use crate::query::answer::Found;
use crate::{Error, Index};

/// The surfaces of terms as a list of str.
#[inline]
pub(super) fn surfaces<'py>(
    py: Python<'py>,
    index: &Index,
    found: &[Found],
) -> PyResult<Bound<'py, PyList>> {
    if found.is_empty() {
        return Ok(PyList::empty(py));
    }
    let mut strings: SmallVec<[_; 8]> = SmallVec::new();
    let mut failed = None;
    let mut text = Vec::with_capacity(64);
    let each = |text: &mut Vec<u8>| {
        match python_string(py, text) {
            Ok(string) => strings.push(string),
            Err(error) => failed = Some(error),
        }
        text.clear();
    };
    let keys = index.own_keys(found).map_err(to_python)?;
    index.each_surface(keys.into_iter(), &mut text, each).map_err(to_python)?;
    match failed {
        None => PyList::new(py, strings),
        Some(error) => Err(error),
    }
}

/// The surfaces of terms that consist of words of a query; `forms` are all of its words.
#[inline]
pub(super) fn surfaces_in<'py>(
    py: Python<'py>,
    index: &Index,
    forms: &Forms,
    found: &[Found],
) -> PyResult<Bound<'py, PyList>> {
    let mut text = Vec::new();
    let strings = found.iter().map(|found| {
        text.clear();
        found.push_words(forms, index.options().joiner(), &mut text);
        python_string(py, &text)
    });
    PyList::new(py, strings.collect::<PyResult<Vec<_>>>()?)
}

#[inline]
pub(super) fn python_string<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    // Python checks that the text is UTF-8, which a damaged file need not be.
    PyString::from_bytes(py, bytes)
        .map_err(|_| to_python(Error::damaged("tokens", "a text is not UTF-8")))
}
