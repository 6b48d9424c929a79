//! The user's own columns: from Arrow and Python, and into tables.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, LargeListArray, LargeStringArray,
    UInt32Array,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};

use super::arguments::{Optional, list, text};
use super::arrow::{import_column, string_value};
use super::errors::{arrow_error, raise, refuse, to_python, wrong_type};
use crate::arrays::columns::Column;
use crate::error::Place;
use crate::{Error, Index, Kind, List, TermId, TermMask, UserColumns, Value, Values};

const TYPES: &str = "a column of strings, integers, floats, booleans or lists of strings";

/// The ids and the columns as the package gives them.
pub(super) type Given<'py> = Option<(Option<Bound<'py, PyAny>>, Vec<(String, Bound<'py, PyAny>)>)>;

/// The columns of a vocabulary.
pub(super) fn user_columns(given: Given) -> PyResult<Arc<UserColumns>> {
    let Some((ids, columns)) = given else { return Ok(Arc::default()) };
    let ids = ids.map(|ids| values("ids", "ids", &ids)).transpose()?;
    let mut named = Vec::with_capacity(columns.len());
    for (name, column) in columns {
        let values = values(&name, &format!("columns[{name:?}]"), &column)?;
        named.push((name, values));
    }
    Ok(Arc::new(UserColumns { columns: named, ids }))
}

/// The values of a column: any Arrow column, or any iterable.
fn values(name: &str, argument: &str, given: &Bound<PyAny>) -> PyResult<Values> {
    if let Some(chunks) = import_column(given)? {
        let read = |problem| raise("TermTypeError", format!("{argument}: {problem}"));
        let chunks = chunks.map_err(read)?;
        let values = given.py().detach(|| values_of_arrow(&chunks));
        return values.map_err(|problem| match problem {
            Problem::Type(kind) => {
                let found = format!("a column of {kind}");
                refuse("TermTypeError", argument, found, TYPES.into())
            }
            Problem::Value(row, value, expected) => to_python(Error::ColumnValue {
                column: name.into(),
                place: Box::new(Place::Entry(row as u64)),
                value: value.into(),
                expected,
            }),
        });
    }
    values_of_items(name, argument, given)
}

/// The values of a column that is any iterable.
pub(super) fn values_of_items(
    name: &str,
    argument: &str,
    given: &Bound<PyAny>,
) -> PyResult<Values> {
    let expected = "an Arrow column or an iterable of values";
    if given.is_instance_of::<PyString>() {
        return Err(wrong_type(argument, expected, given));
    }
    let mut values = Values::default();
    for (row, item) in
        given.try_iter().map_err(|_| wrong_type(argument, expected, given))?.enumerate()
    {
        let item = item?;
        let place = || format!("entry {row} of {argument}");
        let strings = strings_of(&item);
        let value = value_of(&place, &item, strings.as_deref())?;
        values.push(&value).map_err(|refused| {
            to_python(Error::ColumnValue {
                column: name.into(),
                place: Box::new(Place::Entry(row as u64)),
                value: item.repr().map_or_else(|_| "?".into(), |repr| repr.to_string().into()),
                expected: refused.expected.name(),
            })
        })?;
        if row % 65_536 == 0 {
            given.py().check_signals()?;
        }
    }
    Ok(values)
}

/// The items of a list or tuple.
fn strings_of<'py>(item: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    if item.is_instance_of::<PyList>() || item.is_instance_of::<PyTuple>() {
        return item.try_iter().ok()?.collect::<PyResult<_>>().ok();
    }
    None
}

/// A Python object as a value; `list` is what it contains if it is a list.
fn value_of<'a>(
    place: &dyn Fn() -> String,
    item: &'a Bound<PyAny>,
    list: Option<&'a [Bound<PyAny>]>,
) -> PyResult<Value<'a>> {
    if let Some(list) = list {
        let texts = list.iter().map(|one| text(&format!("an item of {}", place()), one));
        return Ok(Value::Texts(texts.collect::<PyResult<_>>()?));
    }
    if item.is_none() {
        return Ok(Value::Null);
    }
    if item.is_instance_of::<PyString>() {
        return Ok(Value::Text(text(&place(), item)?));
    }
    if item.is_instance_of::<PyBool>() {
        return Ok(Value::Bool(item.extract()?));
    }
    if item.is_instance_of::<PyFloat>() {
        return Ok(Value::Float(item.extract()?));
    }
    let expected = "a str, int, float, bool, list of str or None";
    if let Ok(int) = item.extract::<i64>() {
        return Ok(Value::Int(int));
    }
    if item.is_instance_of::<PyInt>() {
        let expected = "integers have 64 bits".into();
        return Err(refuse("InvalidTermError", &place(), item.repr()?.to_string(), expected));
    }
    // The scalars of numpy.
    if let Ok(bool) = item.extract::<bool>() {
        return Ok(Value::Bool(bool));
    }
    match item.extract::<f64>() {
        Ok(float) => Ok(Value::Float(float)),
        Err(_) => Err(wrong_type(&place(), expected, item)),
    }
}

/// What is wrong with an Arrow column.
enum Problem {
    /// Its type.
    Type(DataType),
    /// A value, by its row; it is not among those that are expected.
    Value(usize, String, &'static str),
}

fn values_of_arrow(chunks: &[ArrayRef]) -> Result<Values, Problem> {
    let is_dictionary = |chunk: &ArrayRef| {
        matches!(chunk.data_type(), DataType::Dictionary(_, of)
            if matches!(**of, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View))
    };
    if !chunks.is_empty() && chunks.iter().all(is_dictionary) {
        return Ok(values_of_dictionaries(chunks));
    }
    let mut values = match chunks.first().map(|chunk| chunk.data_type()) {
        // So that a column without a value has its type.
        Some(DataType::List(_) | DataType::LargeList(_)) => Values::of(Kind::Lists),
        Some(kind) if kind.is_integer() => Values::of(Kind::Ints),
        Some(kind) if kind.is_floating() => Values::of(Kind::Floats),
        Some(DataType::Boolean) => Values::of(Kind::Bools),
        _ => Values::default(),
    };
    for chunk in chunks {
        push_chunk(chunk, &mut values)?;
    }
    Ok(values)
}

fn values_of_dictionaries(chunks: &[ArrayRef]) -> Values {
    let (mut texts, mut codes, mut nulls) = (List::default(), Vec::new(), Vec::new());
    for chunk in chunks {
        let column = chunk.as_any_dictionary();
        let own = column.values();
        let before = texts.len();
        for i in 0..own.len() {
            texts.push(if own.is_null(i) { "" } else { string_value(own, i) });
        }
        // What stands for nulls of an empty dictionary.
        if own.is_empty() {
            texts.push("");
        }
        let keys = if own.is_empty() { vec![0; chunk.len()] } else { column.normalized_keys() };
        for (i, key) in keys.into_iter().enumerate() {
            let is_null = column.keys().is_null(i) || own.is_empty() || own.is_null(key);
            codes.push((before + if is_null { 0 } else { key }) as u32);
            nulls.push(is_null);
        }
    }
    if !nulls.contains(&true) {
        nulls.clear();
    }
    Values::of_codes(texts, codes, nulls)
}

fn push_chunk(chunk: &ArrayRef, values: &mut Values) -> Result<(), Problem> {
    macro_rules! primitives {
        ($kind:ty, $value:expr) => {
            push_rows(chunk, values, |row| Ok($value(chunk.as_primitive::<$kind>().value(row))))
        };
    }
    macro_rules! ints {
        ($kind:ty) => {
            primitives!($kind, |n| Value::Int(i64::from(n)))
        };
    }
    match chunk.data_type() {
        DataType::Null => push_rows(chunk, values, |_| Ok(Value::Null)),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            push_rows(chunk, values, |row| Ok(Value::Text(string_value(chunk, row))))
        }
        DataType::Boolean => {
            push_rows(chunk, values, |row| Ok(Value::Bool(chunk.as_boolean().value(row))))
        }
        DataType::Int8 => ints!(Int8Type),
        DataType::Int16 => ints!(Int16Type),
        DataType::Int32 => ints!(Int32Type),
        DataType::Int64 => ints!(Int64Type),
        DataType::UInt8 => ints!(UInt8Type),
        DataType::UInt16 => ints!(UInt16Type),
        DataType::UInt32 => ints!(UInt32Type),
        DataType::UInt64 => push_rows(chunk, values, |row| {
            let int = chunk.as_primitive::<UInt64Type>().value(row);
            i64::try_from(int).map(Value::Int).map_err(|_| int.to_string())
        }),
        // A sum in DuckDB is such an integer.
        DataType::Decimal128(_, 0) => push_rows(chunk, values, |row| {
            let int = chunk.as_primitive::<Decimal128Type>().value(row);
            i64::try_from(int).map(Value::Int).map_err(|_| int.to_string())
        }),
        DataType::Float32 => primitives!(Float32Type, |n| Value::Float(f64::from(n))),
        DataType::Float64 => primitives!(Float64Type, Value::Float),
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => {
            push_lists(chunk, values)
        }
        other => Err(Problem::Type(other.clone())),
    }
}

fn push_rows<'a>(
    chunk: &ArrayRef,
    values: &mut Values,
    value: impl Fn(usize) -> Result<Value<'a>, String>,
) -> Result<(), Problem> {
    let problem = |row, value, kind: Kind| Problem::Value(row, value, kind.name());
    for row in 0..chunk.len() {
        let value = match chunk.is_null(row) {
            true => Value::Null,
            false => value(row)
                .map_err(|value| Problem::Value(values.len(), value, "integers of 64 bits"))?,
        };
        let refused = values.push(&value);
        refused.map_err(|refused| problem(values.len(), value.to_string(), refused.expected))?;
    }
    Ok(())
}

fn push_lists(chunk: &ArrayRef, values: &mut Values) -> Result<(), Problem> {
    let is_string = |kind: &DataType| {
        matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null)
    };
    for row in 0..chunk.len() {
        let own = match chunk.data_type() {
            DataType::List(_) => chunk.as_list::<i32>().value(row),
            DataType::LargeList(_) => chunk.as_list::<i64>().value(row),
            _ => chunk.as_fixed_size_list().value(row),
        };
        if !is_string(own.data_type()) {
            return Err(Problem::Type(chunk.data_type().clone()));
        }
        let is_null = chunk.is_null(row);
        if !is_null && own.null_count() > 0 {
            let found = "a list with a null".into();
            return Err(Problem::Value(values.len(), found, Kind::Lists.name()));
        }
        let value = match is_null {
            true => Value::Null,
            false => Value::Texts((0..own.len()).map(|i| string_value(&own, i)).collect()),
        };
        let refused = values.push(&value);
        refused.map_err(|refused| {
            Problem::Value(values.len(), "a list".into(), refused.expected.name())
        })?;
    }
    Ok(())
}

/// Conditions on columns, as Python gives them.
pub(super) struct Conditions<'py> {
    given: Vec<(String, Vec<Bound<'py, PyAny>>)>,
}

impl<'py> Conditions<'py> {
    /// A mapping from names of columns to a value or to several, such as a list.
    pub(super) fn new(conditions: &Bound<'py, PyMapping>) -> PyResult<Conditions<'py>> {
        let mut given = Vec::with_capacity(conditions.len()?);
        for pair in conditions.items()? {
            let (name, value): (Bound<PyAny>, Bound<PyAny>) = pair.extract()?;
            let name = text("a name in where", &name)?.to_owned();
            let single = value.is_instance_of::<PyString>()
                || value.is_instance_of::<PyBytes>()
                || value.is_instance_of::<PyDict>();
            let items = match value.try_iter() {
                Ok(items) if !single => items.collect::<PyResult<_>>()?,
                _ => vec![value],
            };
            given.push((name, items));
        }
        Ok(Conditions { given })
    }

    /// The values for each column.
    pub(super) fn values(&self) -> PyResult<Vec<(&str, Vec<Value<'_>>)>> {
        let mut conditions: Vec<(&str, Vec<Value>)> = Vec::with_capacity(self.given.len());
        for (name, items) in &self.given {
            let place = || format!("where[{name:?}]");
            let values = items.iter().map(|item| value_of(&place, item, None));
            conditions.push((name, values.collect::<PyResult<_>>()?));
        }
        Ok(conditions)
    }
}

/// The terms that meet conditions on columns.
pub(super) fn term_mask(index: &Index, conditions: &Bound<PyMapping>) -> PyResult<Arc<TermMask>> {
    index.term_mask(&Conditions::new(conditions)?.values()?).map_err(to_python)
}

/// The names of columns that are asked for: any iterable of str.
pub(super) fn names(given: Optional) -> PyResult<Vec<String>> {
    let Some(given) = given.filter(|given| !given.is_none()) else { return Ok(Vec::new()) };
    Ok(list("columns", given)?.iter().map(str::to_owned).collect())
}

/// Columns that were asked for by name.
pub(super) fn asked<'a>(index: &'a Index, names: &[String]) -> PyResult<Vec<&'a Column>> {
    index.asked_columns(names).map_err(to_python)
}

/// The ids of terms as a column: the user's own, or their numbers.
pub(super) fn id_array(index: &Index, terms: &[u32]) -> PyResult<ArrayRef> {
    match index.own_ids() {
        None => Ok(Arc::new(UInt32Array::from(terms.to_vec()))),
        Some(ids) => array(&ids.column, terms.iter().map(|&term| Some(term))),
    }
}

/// The same, where a row may have no term.
pub(super) fn optional_id_array(
    index: &Index,
    terms: impl ExactSizeIterator<Item = Option<u32>> + Clone,
) -> PyResult<ArrayRef> {
    match index.own_ids() {
        None => Ok(Arc::new(terms.collect::<UInt32Array>())),
        Some(ids) => array(&ids.column, terms),
    }
}

/// The values that terms have in a column; null where there is no term.
pub(super) fn array(
    column: &Column,
    terms: impl ExactSizeIterator<Item = Option<u32>> + Clone,
) -> PyResult<ArrayRef> {
    let made = || -> crate::Result<Result<ArrayRef, ArrowError>> {
        let mut present = Vec::new();
        for term in terms.clone() {
            present.push(term.map_or(Ok(true), |term| column.is_null(term as usize))?);
        }
        let nulls = present.contains(&true);
        let nulls = nulls.then(|| present.iter().map(|is_null| !is_null).collect::<NullBuffer>());
        let rows = terms.zip(&present).map(|(term, is_null)| match is_null {
            true => None,
            false => term.map(|term| term as usize),
        });
        if let Some((starts, strings)) = column.strings() {
            let mut text = Vec::new();
            let mut ends: Vec<i64> = vec![0];
            let mut list_ends: Vec<i64> = vec![0];
            for row in rows {
                let items = match (row, starts) {
                    (None, Some(_)) => 0..0,
                    (None, None) => {
                        ends.push(text.len() as i64);
                        continue;
                    }
                    (Some(row), None) => row..row + 1,
                    (Some(row), Some(starts)) => {
                        starts.at(row, "columns")?..starts.at(row + 1, "columns")?
                    }
                };
                for item in items {
                    text.extend_from_slice(strings.get(item)?);
                    ends.push(text.len() as i64);
                }
                list_ends.push(ends.len() as i64 - 1);
            }
            let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
            let is_list = starts.is_some();
            let own_nulls = nulls.clone().filter(|_| !is_list);
            // Checks that the text is UTF-8, which a damaged file need not be.
            let strings = LargeStringArray::try_new(offsets, Buffer::from_vec(text), own_nulls);
            return Ok(match is_list {
                false => strings.map(|strings| Arc::new(strings) as ArrayRef),
                true => strings.and_then(|strings| {
                    let offsets = OffsetBuffer::new(ScalarBuffer::from(list_ends));
                    let lists =
                        LargeListArray::try_new(list_item(), offsets, Arc::new(strings), nulls)?;
                    Ok(Arc::new(lists) as ArrayRef)
                }),
            });
        }
        macro_rules! of_values {
            ($array:ty, $value:path) => {{
                let mut all = Vec::with_capacity(present.len());
                for row in rows {
                    all.push(match row.map(|row| column.value(row)).transpose()? {
                        Some($value(own)) => Some(own),
                        _ => None,
                    });
                }
                Arc::new(<$array>::from(all)) as ArrayRef
            }};
        }
        Ok(Ok(match column.kind {
            Kind::Ints => of_values!(Int64Array, Value::Int),
            Kind::Floats => of_values!(Float64Array, Value::Float),
            _ => of_values!(BooleanArray, Value::Bool),
        }))
    };
    made().map_err(to_python)?.map_err(arrow_error)
}

/// The field of the strings in a column of lists.
pub(super) fn list_item() -> Arc<Field> {
    Arc::new(Field::new("item", DataType::LargeUtf8, false))
}

/// A value as a Python object.
pub(super) fn python_value<'py>(py: Python<'py>, value: Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Text(text) => PyString::new(py, text).into_any(),
        Value::Int(int) => int.into_pyobject(py)?.into_any(),
        Value::Float(float) => float.into_pyobject(py)?.into_any(),
        Value::Bool(bool) => PyBool::new(py, bool).to_owned().into_any(),
        Value::Texts(texts) => PyList::new(py, texts)?.into_any(),
    })
}

/// The id of a term as a Python object: the user's own, or its number.
#[inline]
pub(super) fn python_id<'py>(
    py: Python<'py>,
    index: &Index,
    term: TermId,
) -> PyResult<Bound<'py, PyAny>> {
    match index.own_ids() {
        None => Ok(term.0.into_pyobject(py)?.into_any()),
        Some(ids) => python_value(py, ids.column.value(term.0 as usize).map_err(to_python)?),
    }
}

/// The term that has this id.
pub(super) fn term_with_id(index: &Index, id: &Bound<PyAny>) -> PyResult<TermId> {
    let has_own = index.own_ids().is_some();
    let value = match id.cast::<PyString>() {
        Ok(string) if has_own => Some(Value::Text(text("id", string)?)),
        _ => match id.extract::<i64>() {
            Ok(int) => Some(Value::Int(int)),
            // Beyond 64 bits.
            Err(_) if id.is_instance_of::<PyInt>() => None,
            Err(_) => {
                let kind = if has_own { "an int or a str" } else { "an int" };
                let id = id.repr()?;
                let problem =
                    format!("an id is {kind}, not {id}; index.id(term) gives that of a term");
                return Err(raise("TermTypeError", problem));
            }
        },
    };
    let term = value.map(|value| index.term_with_id(&value)).transpose().map_err(to_python)?;
    match term.flatten() {
        Some(term) => Ok(term),
        None => {
            let ids = match index.len() {
                _ if has_own => "the ids are index.column(\"id\")".into(),
                0 => "there are no terms".into(),
                terms => format!("ids are 0 to {}", terms - 1),
            };
            Err(raise("TermIdError", format!("no term has id {}: {ids}", id.repr()?)))
        }
    }
}
