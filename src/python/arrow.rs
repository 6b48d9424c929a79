//! Arrow columns in and tables out, through the PyCapsule interface: no copy of the input, no Python
//! object for a term. Every data frame library speaks it.

use std::ffi::CStr;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::types::{
    Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, LargeStringArray, RecordBatch, RecordBatchIterator,
    RecordBatchReader, make_array,
};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer, i256};
use arrow_schema::{ArrowError, DataType};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::build::entries::{Entries, cut_evenly};
use crate::error::{Place, Result};
use crate::query::batch::Texts;

const ARRAY: &CStr = c"arrow_array";
const SCHEMA: &CStr = c"arrow_schema";
const STREAM: &CStr = c"arrow_array_stream";

/// The chunks of the column that an object holds; None if it does not speak Arrow.
pub(crate) fn import_column(
    object: &Bound<PyAny>,
) -> PyResult<Option<std::result::Result<Vec<ArrayRef>, String>>> {
    Ok(import_chunks(object)?.map(Iterator::collect))
}

/// The stream of columns or of rows that an object holds; None if it has none.
pub(super) fn import_stream(
    object: &Bound<PyAny>,
) -> PyResult<Option<std::result::Result<ArrayStreamReader, ArrowError>>> {
    if !object.hasattr("__arrow_c_stream__")? {
        return Ok(None);
    }
    let capsule = object.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
    let stream: *mut FFI_ArrowArrayStream = capsule.pointer_checked(Some(STREAM))?.cast().as_ptr();
    // SAFETY: a capsule of this name holds a valid stream, as the interface demands. It is moved out, and
    // what remains is marked as released.
    Ok(Some(unsafe { ArrayStreamReader::from_raw(stream) }))
}

/// The chunks of a column, as they come.
pub(super) type Chunks = Box<dyn Iterator<Item = std::result::Result<ArrayRef, String>> + Send>;

/// The chunks of the column that an object holds, one after the other; None if it does not speak Arrow.
pub(super) fn import_chunks(object: &Bound<PyAny>) -> PyResult<Option<Chunks>> {
    let failed = |error: ArrowError| -> Chunks { Box::new([Err(error.to_string())].into_iter()) };
    if let Some(reader) = import_stream(object)? {
        let chunk = |chunk: std::result::Result<ArrayRef, ArrowError>| {
            chunk.map_err(|error| error.to_string()).and_then(only_column)
        };
        Ok(Some(match reader {
            Ok(reader) => Box::new(reader.map(chunk)),
            Err(error) => failed(error),
        }))
    } else if object.hasattr("__arrow_c_array__")? {
        let capsules = object.call_method0("__arrow_c_array__")?.cast_into::<PyTuple>()?;
        let schema = capsules.get_item(0)?.cast_into::<PyCapsule>()?;
        let array = capsules.get_item(1)?.cast_into::<PyCapsule>()?;
        let schema: *mut FFI_ArrowSchema = schema.pointer_checked(Some(SCHEMA))?.cast().as_ptr();
        let array: *mut FFI_ArrowArray = array.pointer_checked(Some(ARRAY))?.cast().as_ptr();
        // SAFETY: capsules of these names hold a valid schema and array that belong together, as the
        // interface demands; both are alive here. The array is moved out, what remains is
        // marked as released.
        let data = unsafe { from_ffi(FFI_ArrowArray::from_raw(array), &*schema) };
        Ok(Some(match data {
            Ok(data) => Box::new([only_column(make_array(data))].into_iter()),
            Err(error) => failed(error),
        }))
    } else {
        Ok(None)
    }
}

/// The column of a table that has only one; any other column as it is. The values are checked, since
/// what follows trusts that they are what they claim to be.
fn only_column(chunk: ArrayRef) -> std::result::Result<ArrayRef, String> {
    chunk.to_data().validate_full().map_err(|error| error.to_string())?;
    match chunk.data_type() {
        DataType::Struct(fields) if fields.len() == 1 => Ok(chunk.as_struct().column(0).clone()),
        DataType::Struct(fields) => {
            let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
            Err(format!("it has {} columns ({}): give one of them", names.len(), names.join(", ")))
        }
        _ => Ok(chunk),
    }
}

/// A column of truth values. A null is false.
pub(super) fn flag_column(chunks: &[ArrayRef]) -> std::result::Result<Vec<bool>, String> {
    let mut flags = Vec::new();
    for chunk in chunks {
        match chunk.data_type() {
            DataType::Boolean => {
                flags.extend(chunk.as_boolean().iter().map(|flag| flag == Some(true)));
            }
            DataType::Null => flags.extend(std::iter::repeat_n(false, chunk.len())),
            other => return Err(format!("it is a column of {other}, not of truth values")),
        }
    }
    Ok(flags)
}

/// A column of strings as entries of a vocabulary. A null is an entry without a token.
pub(crate) struct StringColumn {
    chunks: Vec<ArrayRef>,
    /// The number of rows before each chunk, and of all.
    starts: Vec<usize>,
}

impl StringColumn {
    pub(crate) fn new(chunks: Vec<ArrayRef>) -> std::result::Result<StringColumn, String> {
        let chunks = chunks.into_iter().map(|chunk| match chunk.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => Ok(chunk),
            DataType::Dictionary(_, values) if is_string(values) => Ok(without_dictionary(&chunk)),
            other => Err(format!("it is a column of {other}, not of strings")),
        });
        let chunks = chunks.collect::<std::result::Result<Vec<ArrayRef>, String>>()?;
        let mut starts = vec![0];
        for chunk in &chunks {
            starts.push(starts[starts.len() - 1] + chunk.len());
        }
        Ok(StringColumn { chunks, starts })
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.starts[self.chunks.len()]
    }
}

pub(super) fn is_string(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null)
}

/// A column of a dictionary's strings, each written out.
pub(super) fn without_dictionary(chunk: &ArrayRef) -> ArrayRef {
    let column = chunk.as_any_dictionary();
    let values = column.values();
    // An empty dictionary has no keys that could be made numbers of its values: all are null.
    let keys = if values.is_empty() { Vec::new() } else { column.normalized_keys() };
    let value = |i: usize| match column.keys().is_null(i) || values.is_null(keys[i]) {
        true => None,
        false => Some(string_value(values, keys[i])),
    };
    Arc::new((0..chunk.len()).map(value).collect::<LargeStringArray>())
}

/// The string in a row, which is not null.
pub(super) fn string_value(column: &ArrayRef, row: usize) -> &str {
    match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row),
        DataType::Utf8View => column.as_string_view().value(row),
        _ => "",
    }
}

/// About how many bytes the strings of a column have; of a slice, not of all that it was cut from.
pub(super) fn text_size(column: &ArrayRef) -> usize {
    match column.data_type() {
        DataType::Utf8 => {
            let offsets = column.as_string::<i32>().value_offsets();
            (offsets[offsets.len() - 1] - offsets[0]) as usize
        }
        DataType::LargeUtf8 => {
            let offsets = column.as_string::<i64>().value_offsets();
            (offsets[offsets.len() - 1] - offsets[0]) as usize
        }
        DataType::Utf8View => column.as_string_view().lengths().map(|n| n as usize).sum(),
        _ => 0,
    }
}

impl Entries for StringColumn {
    fn cut(&self, parts: usize) -> Vec<Range<usize>> {
        cut_evenly(self.len(), parts)
    }

    fn visit<'a>(
        &'a self,
        part: Range<usize>,
        each: &mut dyn FnMut(&'a str) -> Result<()>,
    ) -> Result<()> {
        for (chunk, &start) in self.chunks.iter().zip(&self.starts) {
            let from = part.start.max(start) - start;
            let to = part.end.clamp(start, start + chunk.len()) - start;
            if from < to {
                visit_chunk(chunk, from..to, each)?;
            }
        }
        Ok(())
    }

    fn size(&self) -> usize {
        self.chunks.iter().map(text_size).sum()
    }

    fn place(&self, n: u64) -> Place {
        Place::Entry(n)
    }
}

fn visit_chunk<'a>(
    chunk: &'a ArrayRef,
    rows: Range<usize>,
    each: &mut dyn FnMut(&'a str) -> Result<()>,
) -> Result<()> {
    rows.into_iter().try_for_each(|i| match chunk.is_null(i) {
        true => each(""),
        false => each(string_value(chunk, i)),
    })
}

/// A column of numbers as weights.
pub(crate) fn number_column(chunks: &[ArrayRef]) -> std::result::Result<Vec<f64>, String> {
    fn extend<T: ArrowPrimitiveType>(
        chunk: &ArrayRef,
        to_f64: impl Fn(T::Native) -> f64,
        numbers: &mut Vec<f64>,
    ) -> std::result::Result<(), String> {
        let column = chunk.as_primitive::<T>();
        if let Some(i) = (0..column.len()).find(|&i| column.is_null(i)) {
            return Err(format!("entry {} (counted from 0) is null", numbers.len() + i));
        }
        numbers.extend(column.values().iter().map(|&value| to_f64(value)));
        Ok(())
    }
    let mut numbers = Vec::new();
    for chunk in chunks {
        match chunk.data_type() {
            DataType::Float64 => extend::<Float64Type>(chunk, |n| n, &mut numbers),
            DataType::Float32 => extend::<Float32Type>(chunk, Into::into, &mut numbers),
            DataType::Int8 => extend::<Int8Type>(chunk, Into::into, &mut numbers),
            DataType::Int16 => extend::<Int16Type>(chunk, Into::into, &mut numbers),
            DataType::Int32 => extend::<Int32Type>(chunk, Into::into, &mut numbers),
            DataType::Int64 => extend::<Int64Type>(chunk, |n| n as f64, &mut numbers),
            DataType::UInt8 => extend::<UInt8Type>(chunk, Into::into, &mut numbers),
            DataType::UInt16 => extend::<UInt16Type>(chunk, Into::into, &mut numbers),
            DataType::UInt32 => extend::<UInt32Type>(chunk, Into::into, &mut numbers),
            DataType::UInt64 => extend::<UInt64Type>(chunk, |n| n as f64, &mut numbers),
            // A sum in DuckDB is a hugeint, a product often a decimal.
            &DataType::Decimal128(_, scale) => {
                let unit = 10f64.powi(scale.into());
                extend::<Decimal128Type>(chunk, |n| n as f64 / unit, &mut numbers)
            }
            &DataType::Decimal256(_, scale) => {
                let unit = 10f64.powi(scale.into());
                let to_f64 = |n: i256| i256_to_f64(n) / unit;
                extend::<Decimal256Type>(chunk, to_f64, &mut numbers)
            }
            other => Err(format!("it is a column of {other}, not of numbers")),
        }?;
    }
    Ok(numbers)
}

fn i256_to_f64(number: i256) -> f64 {
    // Of the absolute value, as -1 has parts that a f64 rounds to zero.
    let (low, high) = number.wrapping_abs().to_parts();
    let absolute = high as f64 * 2f64.powi(128) + low as f64;
    if number.is_negative() { -absolute } else { absolute }
}

/// A table as the capsule that `__arrow_c_stream__` gives.
pub(crate) fn export_stream<'py>(
    py: Python<'py>,
    batch: &RecordBatch,
) -> PyResult<Bound<'py, PyCapsule>> {
    let reader = RecordBatchIterator::new([Ok(batch.clone())], batch.schema());
    let reader: Box<dyn RecordBatchReader + Send> = Box::new(reader);
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM)
}

/// The columns of a table as the capsule that `__arrow_c_schema__` gives.
pub(crate) fn export_schema<'py>(
    py: Python<'py>,
    batch: &RecordBatch,
) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(batch.schema().as_ref())
        .map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// A column as the two capsules that `__arrow_c_array__` gives: its type and its values.
pub(crate) fn export_array<'py>(
    py: Python<'py>,
    column: &ArrayRef,
) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let schema = FFI_ArrowSchema::try_from(column.data_type())
        .map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))?;
    let array = FFI_ArrowArray::new(&column.to_data());
    Ok((
        PyCapsule::new_with_value(py, schema, SCHEMA)?,
        PyCapsule::new_with_value(py, array, ARRAY)?,
    ))
}

/// Texts as a column.
pub(crate) fn text_column(texts: Texts) -> std::result::Result<ArrayRef, ArrowError> {
    let Texts { text, mut end } = texts;
    end.insert(0, 0);
    let offsets = OffsetBuffer::new(ScalarBuffer::from(end));
    // Checks that the text is UTF-8, which a damaged file need not be.
    Ok(Arc::new(LargeStringArray::try_new(offsets, Buffer::from_vec(text), None)?))
}
