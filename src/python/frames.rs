//! Data frames from Python: their columns as Arrow arrays.

use std::sync::Arc;

use arrow_array::builder::LargeStringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayReader, ArrayRef, BooleanArray, Float64Array, Int64Array, LargeListArray,
    LargeStringArray, make_array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_data::transform::MutableArrayData;
use arrow_schema::{ArrowError, DataType};
use pyo3::prelude::*;

use super::arrow::{
    StringColumn, import_column, import_stream, is_string, string_value, text_size,
    without_dictionary,
};
use super::columns::{list_item, values_of_items};
use super::errors::{raise, refuse, wrong_type};
use crate::{Kind, Value, Values};

/// The most rows that a join takes.
const MAX_ROWS: usize = u32::MAX as usize - 1;

/// A data frame: named columns of one length.
#[pyclass(frozen, module = "termnest._core", name = "Frame")]
pub(super) struct PyFrame {
    /// What errors call it.
    argument: String,
    pub(super) columns: Vec<(String, ArrayRef)>,
    pub(super) rows: usize,
}

#[pymethods]
impl PyFrame {
    /// The columns of an object that has an Arrow stream of rows.
    #[staticmethod]
    fn of_stream(py: Python, argument: String, frame: &Bound<PyAny>) -> PyResult<PyFrame> {
        let expected = "a data frame (polars, pandas, pyarrow, DuckDB) or a dict of columns";
        let problem = |error: ArrowError| raise("TermTypeError", format!("{argument}: {error}"));
        let Some(reader) = import_stream(frame)? else {
            return Err(wrong_type(&argument, expected, frame));
        };
        let reader = reader.map_err(problem)?;
        let DataType::Struct(fields) = reader.field().data_type().clone() else {
            let found = format!("one column of {}", reader.field().data_type());
            return Err(refuse("TermTypeError", &argument, found, expected.into()));
        };
        // A stream may need other threads that wait for the GIL.
        let chunks: Result<Vec<ArrayRef>, ArrowError> = py.detach(|| {
            reader
                .map(|chunk| {
                    let chunk = chunk?;
                    chunk.to_data().validate_full()?;
                    Ok(chunk)
                })
                .collect()
        });
        let chunks = chunks.map_err(problem)?;
        let rows = chunks.iter().map(|chunk| chunk.len()).sum();
        let columns = fields.iter().enumerate().map(|(i, field)| {
            let parts = chunks.iter().map(|chunk| chunk.as_struct().column(i).clone()).collect();
            Ok((field.name().clone(), one_array(parts, field.data_type())?))
        });
        let columns = py.detach(|| columns.collect::<Result<_, _>>()).map_err(problem)?;
        PyFrame { argument, columns, rows }.checked()
    }

    /// Columns by their names: any Arrow columns, or any iterables of values.
    #[staticmethod]
    fn of_columns(
        py: Python,
        argument: String,
        given: Vec<(String, Bound<PyAny>)>,
    ) -> PyResult<PyFrame> {
        let mut columns = Vec::with_capacity(given.len());
        for (name, values) in given {
            let place = format!("{argument}[{name:?}]");
            let array = match import_column(&values)? {
                Some(chunks) => {
                    let problem =
                        |error: String| raise("TermTypeError", format!("{place}: {error}"));
                    let chunks = chunks.map_err(problem)?;
                    let kind =
                        chunks.first().map_or(DataType::LargeUtf8, |one| one.data_type().clone());
                    let array = py.detach(|| one_array(chunks, &kind));
                    array.map_err(|error| problem(error.to_string()))?
                }
                None => array_of(&values_of_items(&name, &place, &values)?),
            };
            columns.push((name, array));
        }
        let rows = columns.first().map_or(0, |(_, column)| column.len());
        if let Some((name, column)) = columns.iter().find(|(_, column)| column.len() != rows) {
            let (first, other) = (&columns[0].0, column.len());
            let problem = format!(
                "{argument}: the column {first:?} has {rows} values and {name:?} has {other}: columns of a \
                 frame have one length"
            );
            return Err(raise("InvalidOptionError", problem));
        }
        PyFrame { argument, columns, rows }.checked()
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.columns.iter().map(|(name, _)| name.clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.rows
    }
}

impl PyFrame {
    fn checked(self) -> PyResult<PyFrame> {
        for (i, (name, _)) in self.columns.iter().enumerate() {
            if self.columns[..i].iter().any(|(other, _)| other == name) {
                let problem =
                    format!("{} has two columns of the name {name:?}: rename one", self.argument);
                return Err(raise("InvalidOptionError", problem));
            }
        }
        if self.rows > MAX_ROWS {
            let (argument, rows) = (&self.argument, self.rows);
            let problem =
                format!("{argument} has {rows} rows, and {MAX_ROWS} is the most: join parts of it");
            return Err(raise("CapacityError", problem));
        }
        Ok(self)
    }

    /// A column by its name.
    pub(super) fn column(&self, option: &str, name: &str) -> PyResult<&ArrayRef> {
        match self.columns.iter().find(|(other, _)| other == name) {
            Some((_, column)) => Ok(column),
            None => {
                let names: Vec<String> =
                    self.columns.iter().map(|(name, _)| format!("{name:?}")).collect();
                let expected = match names.is_empty() {
                    true => format!("{} has no columns", self.argument),
                    false => format!("the columns of {} are {}", self.argument, names.join(", ")),
                };
                Err(refuse("InvalidOptionError", option, format!("{name:?}"), expected))
            }
        }
    }

    /// A column of strings.
    pub(super) fn strings(&self, name: &str) -> PyResult<StringColumn> {
        let column = self.column("on", name)?.clone();
        let argument = &self.argument;
        StringColumn::new(vec![column])
            .map_err(|problem| raise("TermTypeError", format!("{argument}[{name:?}]: {problem}")))
    }
}

/// Whether two columns of strings, which are in one array each, have the same values; a null counts as an
/// empty string.
pub(super) fn are_equal(a: &ArrayRef, b: &ArrayRef) -> bool {
    let (a, b) = (a.as_string::<i64>(), b.as_string::<i64>());
    a.value_offsets() == b.value_offsets()
        && a.value_data() == b.value_data()
        && a.nulls() == b.nulls()
        || a.len() == b.len()
            && a.iter().zip(b.iter()).all(|(a, b)| a.unwrap_or_default() == b.unwrap_or_default())
}

/// A column in one array; strings of any kind are `LargeUtf8`.
fn one_array(chunks: Vec<ArrayRef>, kind: &DataType) -> Result<ArrayRef, ArrowError> {
    Ok(match kind {
        DataType::Dictionary(_, values) if is_string(values) => {
            one_array(chunks.iter().map(without_dictionary).collect(), &DataType::LargeUtf8)?
        }
        DataType::Utf8 if chunks.len() == 1 => {
            let column = chunks[0].as_string::<i32>();
            let offsets: ScalarBuffer<i64> =
                column.value_offsets().iter().map(|&offset| offset.into()).collect();
            let (_, text, nulls) = column.clone().into_parts();
            Arc::new(LargeStringArray::new(OffsetBuffer::new(offsets), text, nulls))
        }
        DataType::LargeUtf8 if chunks.len() == 1 => chunks[0].clone(),
        kind if is_string(kind) => {
            let rows = chunks.iter().map(|chunk| chunk.len()).sum();
            let bytes = chunks.iter().map(text_size).sum();
            let mut all = LargeStringBuilder::with_capacity(rows, bytes);
            for chunk in &chunks {
                for row in 0..chunk.len() {
                    match chunk.is_null(row) || kind == &DataType::Null {
                        true => all.append_null(),
                        false => all.append_value(string_value(chunk, row)),
                    }
                }
            }
            Arc::new(all.finish())
        }
        _ if chunks.len() == 1 => chunks[0].clone(),
        _ if chunks.is_empty() => arrow_array::new_empty_array(kind),
        _ => {
            let data: Vec<_> = chunks.iter().map(|chunk| chunk.to_data()).collect();
            let rows = data.iter().map(|chunk| chunk.len()).sum();
            let mut all = MutableArrayData::new(data.iter().collect(), true, rows);
            for (i, chunk) in data.iter().enumerate() {
                all.try_extend(i, 0, chunk.len())?;
            }
            make_array(all.freeze())
        }
    })
}

/// Values as an array.
fn array_of(values: &Values) -> ArrayRef {
    let rows = (0..values.len()).map(|row| values.get(row));
    match values.kind() {
        Kind::Strings => Arc::new(
            rows.map(|value| if let Value::Text(text) = value { Some(text) } else { None })
                .collect::<LargeStringArray>(),
        ),
        Kind::Ints => Arc::new(
            rows.map(|value| if let Value::Int(int) = value { Some(int) } else { None })
                .collect::<Int64Array>(),
        ),
        Kind::Floats => Arc::new(
            rows.map(|value| if let Value::Float(float) = value { Some(float) } else { None })
                .collect::<Float64Array>(),
        ),
        Kind::Bools => Arc::new(
            rows.map(|value| if let Value::Bool(bool) = value { Some(bool) } else { None })
                .collect::<BooleanArray>(),
        ),
        Kind::Lists => {
            let (mut texts, mut ends, mut present) = (Vec::new(), vec![0i64], Vec::new());
            for value in rows {
                present.push(matches!(value, Value::Texts(_)));
                if let Value::Texts(own) = value {
                    texts.extend(own);
                }
                ends.push(texts.len() as i64);
            }
            let nulls = present.contains(&false).then(|| NullBuffer::from(present));
            let texts = Arc::new(LargeStringArray::from_iter_values(texts));
            let ends = OffsetBuffer::new(ScalarBuffer::from(ends));
            Arc::new(LargeListArray::new(list_item(), ends, texts, nulls))
        }
    }
}
