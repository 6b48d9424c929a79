//! Tables of answers, and their columns.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, Float64Array, LargeStringArray, RecordBatch, UInt32Array, UInt64Array,
    make_array,
};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Schema};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList};

use super::arrow::{export_array, export_schema, export_stream, text_column};
use super::columns::{array, id_array, list_item};
use super::errors::{arrow_error, raise, to_python};
use crate::arrays::columns::Column;
use crate::build::entries::cut_evenly;
use crate::query::batch::Texts;
use crate::threads::run;
use crate::{Index, MatchRows, Rows, TermId, threads_or_all};

/// A column for pickling: its name, its type, whether it may have nulls, its length, its buffers, and
/// which values are not null.
type Part<'py> =
    (String, String, bool, usize, Vec<Bound<'py, PyBytes>>, Option<Bound<'py, PyBytes>>);

/// A table of answers. `termnest.Table` is its documented face.
#[pyclass(frozen, module = "termnest._core", name = "Table")]
pub(crate) struct PyTable {
    pub(crate) table: RecordBatch,
}

impl PyTable {
    pub(super) fn of_rows(index: &Index, rows: Rows, columns: &[&Column]) -> PyResult<PyTable> {
        let mut table = TableColumns::default();
        table.push("query", Arc::new(UInt32Array::from(rows.query)));
        table.push_ids(index, "id", &rows.id)?;
        table.push("term", text_column(rows.term).map_err(arrow_error)?);
        table.push("weight", Arc::new(Float64Array::from(rows.weight)));
        table.push("start", Arc::new(UInt32Array::from(rows.start)));
        table.push("length", Arc::new(UInt32Array::from(rows.length)));
        table.push_own(columns, "", &rows.id)?;
        table.table()
    }

    /// The rows from `start` to `stop`, as far as there are any.
    fn slice(&self, start: usize, stop: usize) -> RecordBatch {
        let start = start.min(self.table.num_rows());
        let stop = stop.clamp(start, self.table.num_rows());
        self.table.slice(start, stop - start)
    }
}

#[pymethods]
impl PyTable {
    fn __len__(&self) -> usize {
        self.table.num_rows()
    }

    #[getter]
    fn columns(&self) -> Vec<String> {
        self.table.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The table with one more column, which has the same text in every row.
    fn with_text(&self, name: &str, text: &str) -> PyResult<PyTable> {
        let rows = self.table.num_rows();
        let values = LargeStringArray::from_iter_values(std::iter::repeat_n(text, rows));
        let schema = self.table.schema();
        let fields = schema.fields().iter().zip(self.table.columns());
        let columns = fields.map(|(field, column)| (field.name().clone(), column.clone()));
        let values: ArrayRef = Arc::new(values);
        let columns = columns.chain([(name.to_owned(), values)]);
        Ok(PyTable { table: RecordBatch::try_from_iter(columns).map_err(arrow_error)? })
    }

    /// The first column of a type that cannot be written as text or pickled, and its type: only frames of
    /// users have such columns.
    fn other_type(&self) -> Option<(String, String)> {
        let schema = self.table.schema();
        let is_other = |kind: &DataType| match kind {
            DataType::LargeUtf8 | DataType::Boolean => false,
            DataType::LargeList(item) => item.data_type() != &DataType::LargeUtf8,
            DataType::Float16 => true,
            kind => !kind.is_numeric() || kind.primitive_width().is_none_or(|width| width > 8),
        };
        let other = schema.fields().iter().find(|field| is_other(field.data_type()));
        other.map(|field| (field.name().clone(), field.data_type().to_string()))
    }

    /// A column.
    fn column(&self, name: &str) -> Option<PyColumn> {
        self.table.column_by_name(name).map(|values| PyColumn { values: values.clone() })
    }

    /// The table as Python objects that can be pickled: each column's name, type, and buffers.
    fn to_parts<'py>(&self, py: Python<'py>) -> Vec<Part<'py>> {
        let schema = self.table.schema();
        let fields = schema.fields().iter().zip(self.table.columns());
        let bytes = |buffer: &[u8]| PyBytes::new(py, buffer);
        let part = |(field, column): (&Arc<Field>, &ArrayRef)| {
            // Arrays of tables start at the first of their values: they are never slices.
            let data = column.to_data();
            // Those of lists, then those of the strings in them.
            let inner = data.child_data().iter().flat_map(|child| child.buffers());
            let buffers = data.buffers().iter().chain(inner).map(|buffer| bytes(buffer)).collect();
            let nulls = data.nulls().map(|nulls| bytes(nulls.validity()));
            let name = field.name().clone();
            (
                name,
                column.data_type().to_string(),
                field.is_nullable(),
                column.len(),
                buffers,
                nulls,
            )
        };
        fields.map(part).collect()
    }

    /// The table that `to_parts` took apart.
    #[staticmethod]
    fn from_parts(parts: Vec<Part>) -> PyResult<PyTable> {
        let mut fields = Vec::new();
        let mut columns = Vec::new();
        for (name, kind, nullable, length, buffers, nulls) in parts {
            let kind = [
                DataType::Int8,
                DataType::Int16,
                DataType::Int32,
                DataType::Int64,
                DataType::UInt8,
                DataType::UInt16,
                DataType::UInt32,
                DataType::UInt64,
                DataType::Float32,
                DataType::Float64,
                DataType::Boolean,
                DataType::LargeUtf8,
                DataType::LargeList(list_item()),
            ]
            .into_iter()
            .find(|known| known.to_string() == kind)
            .ok_or_else(|| raise("InvalidOptionError", format!("an unknown type: {kind}")))?;
            let buffer = |bytes: &Bound<PyBytes>| Buffer::from_slice_ref(bytes.as_bytes());
            let mut buffers: Vec<Buffer> = buffers.iter().map(buffer).collect();
            let mut children = Vec::new();
            if let DataType::LargeList(item) = &kind {
                let inner = buffers.split_off(1.min(buffers.len()));
                let strings = inner.first().map_or(0, |ends| ends.len() / 8).saturating_sub(1);
                let strings = ArrayData::builder(item.data_type().clone()).len(strings);
                children.push(strings.buffers(inner).build().map_err(arrow_error)?);
            }
            let data = ArrayData::builder(kind.clone())
                .len(length)
                .buffers(buffers)
                .child_data(children)
                .null_bit_buffer(nulls.as_ref().map(buffer))
                .build()
                .map_err(arrow_error)?;
            fields.push(Field::new(name, kind, nullable));
            columns.push(make_array(data));
        }
        let schema = Arc::new(Schema::new(fields));
        Ok(PyTable { table: RecordBatch::try_new(schema, columns).map_err(arrow_error)? })
    }

    /// The values of a column, from row `start` to row `stop`.
    fn values<'py>(
        &self,
        py: Python<'py>,
        column: &str,
        start: usize,
        stop: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let table = self.slice(start, stop);
        match table.column_by_name(column) {
            Some(values) => python_values(py, values),
            None => Err(pyo3::exceptions::PyKeyError::new_err(column.to_owned())),
        }
    }

    /// The rows from `start` to `stop` as lines of the named columns, between tabs.
    fn lines<'py>(
        &self,
        py: Python<'py>,
        columns: Vec<String>,
        start: usize,
        stop: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let lines =
            py.detach(|| super::tsv_csv_json::tab_separated(&self.slice(start, stop), &columns));
        Ok(PyBytes::new(py, &lines))
    }

    /// The rows from `start` to `stop` as lines of CSV.
    fn csv_lines<'py>(&self, py: Python<'py>, start: usize, stop: usize) -> Bound<'py, PyBytes> {
        let lines = py.detach(|| super::tsv_csv_json::comma_separated(&self.slice(start, stop)));
        PyBytes::new(py, &lines)
    }

    /// The rows from `start` to `stop` as lines of JSON objects.
    fn json_lines<'py>(&self, py: Python<'py>, start: usize, stop: usize) -> Bound<'py, PyBytes> {
        let lines = py.detach(|| super::tsv_csv_json::json(&self.slice(start, stop)));
        PyBytes::new(py, &lines)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface allows ignoring the requested schema.
        let _ = requested_schema;
        export_stream(py, &self.table)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        export_schema(py, &self.table)
    }
}

/// A column of a table. `termnest.Column` is its documented face.
#[pyclass(frozen, module = "termnest._core", name = "Column")]
pub(super) struct PyColumn {
    pub(super) values: ArrayRef,
}

#[pymethods]
impl PyColumn {
    fn __len__(&self) -> usize {
        self.values.len()
    }

    /// The values from row `start` to row `stop`.
    fn values<'py>(
        &self,
        py: Python<'py>,
        start: usize,
        stop: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let stop = stop.min(self.values.len());
        let start = start.min(stop);
        python_values(py, &self.values.slice(start, stop - start))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // The interface allows ignoring the requested schema.
        let _ = requested_schema;
        export_array(py, &self.values)
    }
}

/// A table in the making.
#[derive(Default)]
pub(super) struct TableColumns {
    columns: Vec<(String, ArrayRef, bool)>,
}

impl TableColumns {
    /// Adds a column without nulls.
    pub(super) fn push(&mut self, name: &str, values: ArrayRef) {
        self.columns.push((name.into(), values, false));
    }

    /// Adds a column that may have nulls.
    pub(super) fn push_nullable(&mut self, name: &str, values: ArrayRef) {
        self.columns.push((name.into(), values, true));
    }

    /// Adds the ids of terms: the user's own, or their numbers.
    pub(super) fn push_ids(&mut self, index: &Index, name: &str, terms: &[u32]) -> PyResult<()> {
        self.push(name, id_array(index, terms)?);
        Ok(())
    }

    /// Adds the user's own columns of terms, with a prefix before their names.
    pub(super) fn push_own(
        &mut self,
        columns: &[&Column],
        prefix: &str,
        terms: &[u32],
    ) -> PyResult<()> {
        for column in columns {
            let values = array(column, terms.iter().map(|&term| Some(term)))?;
            self.columns.push((format!("{prefix}{}", column.name), values, column.has_nulls()));
        }
        Ok(())
    }

    /// The columns of matches with the user's own columns: `row`, if there are several texts, `id`, `start`,
    /// `end` and `term`; with `term_first`, `term` comes before all.
    pub(super) fn of_matches(
        index: &Index,
        found: MatchRows,
        own: &[&Column],
        term_first: bool,
    ) -> PyResult<TableColumns> {
        let MatchRows { row, id, start, end, text, text_starts } = found;
        let mut columns = TableColumns::default();
        columns.push_own(own, "", &id)?;
        let own = std::mem::take(&mut columns.columns);
        let term = surface_column(text, text_starts);
        match term_first {
            true => columns.push("term", term.clone()),
            false => columns.push("row", Arc::new(UInt64Array::from(row))),
        }
        columns.push(
            "id",
            match index.own_ids() {
                None => Arc::new(UInt32Array::from(id)),
                Some(_) => id_array(index, &id)?,
            },
        );
        columns.push("start", Arc::new(UInt64Array::from(start)));
        columns.push("end", Arc::new(UInt64Array::from(end)));
        if !term_first {
            columns.push("term", term);
        }
        columns.columns.extend(own);
        Ok(columns)
    }

    pub(super) fn table(self) -> PyResult<PyTable> {
        let table = RecordBatch::try_from_iter_with_nullable(self.columns);
        Ok(PyTable { table: table.map_err(arrow_error)? })
    }
}

/// The values of a column as Python objects.
fn python_values<'py>(py: Python<'py>, values: &ArrayRef) -> PyResult<Bound<'py, PyList>> {
    macro_rules! numbers {
        ($($kind:pat => $type:ty),* $(,)?) => {
            match values.data_type() {
                $($kind => PyList::new(py, values.as_primitive::<$type>().iter()),)*
                DataType::Boolean => PyList::new(py, values.as_boolean().iter()),
                DataType::LargeUtf8 => PyList::new(py, values.as_string::<i64>().iter()),
                DataType::LargeList(_) => {
                    let lists = values.as_list::<i64>().iter();
                    let lists = lists.map(|list| list.map(|list| python_values(py, &list)).transpose());
                    PyList::new(py, lists.collect::<PyResult<Vec<_>>>()?)
                }
                _ => values_of_other_type(py, values),
            }
        };
    }
    numbers! {
        DataType::Int8 => Int8Type,
        DataType::Int16 => Int16Type,
        DataType::Int32 => Int32Type,
        DataType::Int64 => Int64Type,
        DataType::UInt8 => UInt8Type,
        DataType::UInt16 => UInt16Type,
        DataType::UInt32 => UInt32Type,
        DataType::UInt64 => UInt64Type,
        DataType::Float32 => Float32Type,
        DataType::Float64 => Float64Type,
    }
}

/// The values of a column of a type that only frames of users have, such as dates: as the library that knows
/// it makes them.
fn values_of_other_type<'py>(py: Python<'py>, values: &ArrayRef) -> PyResult<Bound<'py, PyList>> {
    let column = Bound::new(py, PyColumn { values: values.clone() })?;
    let made = match (py.import("pyarrow"), py.import("polars")) {
        (Ok(pyarrow), _) => pyarrow.call_method1("array", (column,))?.call_method0("to_pylist")?,
        (_, Ok(polars)) => polars.call_method1("Series", (column,))?.call_method0("to_list")?,
        _ => {
            let kind = values.data_type();
            let problem = format!("values of type {kind} are made by pyarrow: pip install pyarrow");
            return Err(raise("MissingExtraError", problem));
        }
    };
    Ok(made.cast_into::<PyList>()?)
}

/// Surfaces of [`MatchRows`] as a column.
fn surface_column(text: Vec<u8>, starts: Vec<i64>) -> ArrayRef {
    let starts = if starts.is_empty() { vec![0] } else { starts };
    // SAFETY: each start is at most the next, the last is the length of the text, and what is between two
    // of them is UTF-8: `MatchRows` says so, and checks each surface before it writes it.
    Arc::new(unsafe {
        let offsets = OffsetBuffer::new_unchecked(ScalarBuffer::from(starts));
        LargeStringArray::new_unchecked(offsets, Buffer::from_vec(text), None)
    })
}

/// The surfaces of terms as a column.
pub(super) fn term_column(index: &Index, ids: &[u32]) -> PyResult<ArrayRef> {
    let parts = cut_evenly(ids.len(), ids.len().div_ceil(1 << 16));
    let parts = run(threads_or_all(None), parts, |part| {
        let mut texts = Texts::default();
        let key = |&id: &u32| index.key_place(TermId(id));
        let keys = ids[part].iter().map(key).collect::<crate::Result<Vec<_>>>()?.into_iter();
        let Texts { text, end } = &mut texts;
        index.each_surface(keys, text, |text| end.push(text.len() as i64))?;
        Ok(texts)
    });
    let texts = parts.and_then(|parts| Texts::concat(parts.iter(), threads_or_all(None)));
    text_column(texts.map_err(to_python)?).map_err(arrow_error)
}
