//! The matches in a text.

use std::sync::Arc;

use arrow_array::{UInt32Array, UInt64Array};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use super::arguments::text;
use super::arrow::text_column;
use super::columns::{asked, python_id};
use super::errors::{arrow_error, to_python};
use super::surfaces::python_string;
use super::table::{PyTable, TableColumns, term_column};
use crate::{Index, TermId};

/// The matches in a text; made into Python objects when looked at.
#[pyclass(frozen, module = "termnest._core", name = "Matches")]
pub(super) struct PyMatches {
    pub(super) index: Arc<Index>,
    pub(super) text: Py<PyString>,
    pub(super) id: UInt32Array,
    pub(super) start: UInt64Array,
    pub(super) end: UInt64Array,
    /// The columns that the table has.
    pub(super) columns: Vec<String>,
}

#[pymethods]
impl PyMatches {
    fn __len__(&self) -> usize {
        self.id.len()
    }

    /// The names of the columns that the table has beside its own.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.columns.clone()
    }

    /// The term, its id, its start and its end.
    fn row<'py>(&self, py: Python<'py>, i: usize) -> PyResult<Bound<'py, PyTuple>> {
        if i >= self.id.len() {
            return Err(pyo3::exceptions::PyIndexError::new_err("there are fewer matches"));
        }
        let (id, start, end) = (self.id.value(i), self.start.value(i), self.end.value(i));
        let mut surface = Vec::new();
        self.index.push_surface(TermId(id), &mut surface).map_err(to_python)?;
        let id = python_id(py, &self.index, TermId(id))?;
        (python_string(py, &surface)?, id, start, end).into_pyobject(py)
    }

    fn table(&self, py: Python) -> PyResult<PyTable> {
        let text = text("text", self.text.bind(py))?;
        let (starts, ends) = (self.start.values(), self.end.values());
        let terms = py.detach(|| match self.index.surfaces_are_keys() {
            false => term_column(&self.index, self.id.values()),
            true => {
                let terms = self.index.surfaces_in(text, starts, ends).map_err(to_python)?;
                text_column(terms).map_err(arrow_error)
            }
        });
        let mut table = TableColumns::default();
        table.push("term", terms?);
        match self.index.own_ids() {
            None => table.push("id", Arc::new(self.id.clone())),
            Some(_) => table.push_ids(&self.index, "id", self.id.values())?,
        }
        table.push("start", Arc::new(self.start.clone()));
        table.push("end", Arc::new(self.end.clone()));
        let own = asked(&self.index, &self.columns)?;
        py.detach(|| {
            table.push_own(&own, "", self.id.values())?;
            table.table()
        })
    }
}
