//! The matches in a text.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyMemoryView, PyString, PyTuple, PyType};

use super::columns::{asked, python_id};
use super::errors::{to_python, wrong_type};
use super::surfaces::python_string;
use super::table::{PyTable, TableColumns};
use crate::{Index, MatchRows, Matches, TermId, threads_or_all};

/// The matches in a text; made into Python objects when looked at.
#[pyclass(frozen, module = "termnest._core", name = "Matches")]
pub(super) struct PyMatches {
    pub(super) index: Arc<Index>,
    pub(super) found: Matches,
    /// The user's own columns that the table has.
    pub(super) columns: Vec<String>,
}

/// The most terms that are remembered while a list of matches is made.
const MAX_TERMS: usize = 1 << 12;

/// A term as Python objects.
struct Shown<'py> {
    number: u32,
    surface: Bound<'py, PyString>,
    id: Bound<'py, PyAny>,
}

/// The surfaces and the ids of terms as Python objects. Terms recur: most objects are made once.
struct Terms<'a, 'py> {
    index: &'a Index,
    known: Vec<Option<Shown<'py>>>,
    text: Vec<u8>,
}

impl<'a, 'py> Terms<'a, 'py> {
    /// For this many matches.
    fn new(index: &'a Index, matches: usize) -> Terms<'a, 'py> {
        let count = matches.next_power_of_two().min(MAX_TERMS);
        Terms { index, known: (0..count).map(|_| None).collect(), text: Vec::new() }
    }

    fn get(&mut self, py: Python<'py>, number: u32) -> PyResult<&Shown<'py>> {
        let place = number as usize & (self.known.len() - 1);
        let known = &mut self.known[place];
        if known.as_ref().is_none_or(|known| known.number != number) {
            self.text.clear();
            self.index.push_surface(TermId(number), &mut self.text).map_err(to_python)?;
            *known = None;
        }
        match known {
            Some(shown) => Ok(shown),
            None => Ok(known.insert(Shown {
                number,
                surface: python_string(py, &self.text)?,
                id: python_id(py, self.index, TermId(number))?,
            })),
        }
    }
}

/// Makes objects of a subclass of tuple.
struct Tuples<'a, 'py> {
    class: &'a Bound<'py, PyType>,
    /// What `tuple.__new__` calls: half of the time of a match would be to call that from here.
    new: ffi::newfunc,
}

impl<'a, 'py> Tuples<'a, 'py> {
    fn of(class: &'a Bound<'py, PyType>) -> PyResult<Tuples<'a, 'py>> {
        let tuple = class.py().get_type::<PyTuple>();
        if !class.is_subclass(&tuple)? {
            return Err(wrong_type("class", "a subclass of tuple", class));
        }
        // SAFETY: the slot of this number has a function of this type, and the type tuple has one.
        let new = unsafe {
            let slot = ffi::PyType_GetSlot(tuple.as_type_ptr(), ffi::Py_tp_new);
            std::mem::transmute::<*mut c_void, ffi::newfunc>(slot)
        };
        Ok(Tuples { class, new })
    }

    fn make(&self, values: Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let py = values.py();
        let arguments = PyTuple::new(py, [values])?;
        // SAFETY: the class is a subclass of tuple, the arguments are a tuple, and the result is a new
        // reference or null after an error.
        unsafe {
            let made = (self.new)(self.class.as_type_ptr(), arguments.as_ptr(), null_mut());
            Bound::from_owned_ptr_or_err(py, made)
        }
    }
}

#[pymethods]
impl PyMatches {
    fn __len__(&self) -> usize {
        self.found.len()
    }

    /// The names of the user's own columns that the table has.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.columns.clone()
    }

    /// The matches from `start` to `stop` as a list of objects of a subclass of tuple: the term, its id,
    /// its start and its end.
    fn rows<'py>(
        &self,
        py: Python<'py>,
        class: &Bound<'py, PyType>,
        start: usize,
        stop: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let mut terms = Terms::new(&self.index, stop.min(self.found.len()).saturating_sub(start));
        let tuples = Tuples::of(class)?;
        let mut rows = Vec::new();
        self.found.each_span(start..stop, |ids, start, end| {
            // The terms of a span share the numbers.
            let (start, end) = (start.into_pyobject(py)?, end.into_pyobject(py)?);
            for &number in ids {
                let Shown { surface, id, .. } = terms.get(py, number)?;
                rows.push(tuples.make((surface, id, &start, &end).into_pyobject(py)?)?);
            }
            Ok::<(), PyErr>(())
        })?;
        PyList::new(py, rows)
    }

    /// The numbers of the terms, the starts and the ends as buffers.
    fn buffers<'py>(this: Bound<'py, Self>) -> PyResult<[Bound<'py, PyMemoryView>; 3]> {
        let py = this.py();
        let found = &this.get().found;
        let rows = py.detach(|| found.rows(None, threads_or_all(None))).map_err(to_python)?;
        let rows = Arc::new(rows);
        let column = |property| {
            let numbers = Numbers { rows: rows.clone(), property };
            PyMemoryView::from(Bound::new(py, numbers)?.as_any())
        };
        Ok([column(Property::Id)?, column(Property::Start)?, column(Property::End)?])
    }

    fn table(&self, py: Python) -> PyResult<PyTable> {
        let columns = asked(&self.index, &self.columns)?;
        py.detach(|| {
            let rows = self.found.rows(Some(&self.index), threads_or_all(None));
            TableColumns::of_matches(&self.index, rows.map_err(to_python)?, &columns, true)?.table()
        })
    }
}

/// A property of matches as a buffer.
#[pyclass(frozen, module = "termnest._core")]
struct Numbers {
    rows: Arc<MatchRows>,
    property: Property,
}

#[derive(Clone, Copy)]
enum Property {
    Id,
    Start,
    End,
}

#[pymethods]
impl Numbers {
    /// The numbers, read-only, as Python's buffer protocol describes them.
    ///
    /// # Safety
    ///
    /// `view` is a buffer to fill in or null, as the protocol demands of those who call this.
    unsafe fn __getbuffer__(
        this: Bound<Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        if view.is_null() || flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
            return Err(PyBufferError::new_err("the numbers of matches are read-only"));
        }
        let Numbers { rows, property } = this.get();
        let MatchRows { id, start, end, .. } = &**rows;
        let (numbers, bytes, count, size, format) = match property {
            Property::Id => (id.as_ptr().cast::<c_void>(), size_of_val(&id[..]), id.len(), 4, c"I"),
            Property::Start => {
                (start.as_ptr().cast(), size_of_val(&start[..]), start.len(), 8, c"Q")
            }
            Property::End => (end.as_ptr().cast(), size_of_val(&end[..]), end.len(), 8, c"Q"),
        };
        // Freed in __releasebuffer__.
        let shape = Box::into_raw(Box::new([count as ffi::Py_ssize_t, size]));
        let wants = |flag| flags & flag == flag;
        // SAFETY: the caller gives a buffer to fill in. The numbers live and do not move as long as
        // the object, to which the buffer gets a reference; nobody writes to a read-only buffer.
        unsafe {
            (*view).obj = this.into_any().into_ptr();
            (*view).buf = numbers as *mut c_void;
            (*view).len = bytes as ffi::Py_ssize_t;
            (*view).readonly = 1;
            (*view).itemsize = size;
            (*view).ndim = 1;
            (*view).format = match wants(ffi::PyBUF_FORMAT) {
                true => format.as_ptr().cast_mut(),
                false => null_mut(),
            };
            (*view).shape = if wants(ffi::PyBUF_ND) { shape.cast() } else { null_mut() };
            (*view).strides = match wants(ffi::PyBUF_STRIDES) {
                true => shape.cast::<ffi::Py_ssize_t>().add(1),
                false => null_mut(),
            };
            (*view).suboffsets = null_mut();
            (*view).internal = shape.cast();
        }
        Ok(())
    }

    /// # Safety
    ///
    /// `view` was filled in by `__getbuffer__`.
    unsafe fn __releasebuffer__(&self, view: *mut ffi::Py_buffer) {
        // SAFETY: `__getbuffer__` made this box, and a buffer is released once.
        drop(unsafe { Box::from_raw((*view).internal.cast::<[ffi::Py_ssize_t; 2]>()) });
    }
}
