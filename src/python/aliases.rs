//! Aliases from Python.

use std::path::PathBuf;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::arguments::{list, text};
use super::arrow::{StringColumn, import_column};
use super::errors::{half_a_character, raise, with_file, wrong_type};
use crate::{Aliases, Entries};

/// Aliases as the package gives them: pairs of a term and an alias, if `by_term`; else a column with the
/// aliases of each term, in any iterable or as Arrow.
pub(super) fn aliases(given: Option<(bool, Bound<PyAny>)>) -> PyResult<Aliases> {
    let (by_term, given) = match &given {
        None => return Ok(Aliases::default()),
        Some((by_term, given)) => (*by_term, given),
    };
    if by_term {
        let by_term = given.extract().map_err(|_| half_a_character("aliases"))?;
        return Ok(Aliases { by_term, ..Aliases::default() });
    }
    let mut found = Aliases::default();
    if let Some(column) = import_column(given)? {
        let problem = |problem| raise("TermTypeError", format!("aliases: {problem}"));
        let mut before = 0;
        for chunk in column.map_err(problem)? {
            push_chunk(&chunk, before, &mut found).map_err(problem)?;
            before += chunk.len() as u64;
        }
        return Ok(found);
    }
    let expected = "a mapping from terms to aliases, a column of lists of str, or a file";
    for (row, item) in
        given.try_iter().map_err(|_| wrong_type("aliases", expected, given))?.enumerate()
    {
        let item = item?;
        let argument = format!("entry {row} of aliases");
        if item.is_none() {
            continue;
        }
        match item.cast::<PyString>() {
            Ok(alias) => found.by_entry.push((row as u64, text(&argument, alias)?.to_owned())),
            Err(_) => {
                let own = list(&argument, &item)?;
                found.by_entry.extend(own.iter().map(|alias| (row as u64, alias.to_owned())));
            }
        }
    }
    Ok(found)
}

/// Adds the aliases in a part of a column, whose first row has the number `before`.
fn push_chunk(chunk: &ArrayRef, before: u64, found: &mut Aliases) -> Result<(), String> {
    for row in 0..chunk.len() {
        let own = match chunk.data_type() {
            _ if chunk.is_null(row) => continue,
            DataType::List(_) => chunk.as_list::<i32>().value(row),
            DataType::LargeList(_) => chunk.as_list::<i64>().value(row),
            DataType::FixedSizeList(..) => chunk.as_fixed_size_list().value(row),
            _ => chunk.slice(row, 1),
        };
        let count = own.len();
        let column = StringColumn::new(vec![own])?;
        let mut push = |alias: &str| {
            found.by_entry.push((before + row as u64, alias.to_owned()));
            Ok(())
        };
        column.visit(0..count, &mut push).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The aliases in a file: pairs of a term and an alias.
#[pyfunction]
pub(super) fn read_aliases(
    py: Python,
    path: Option<PathBuf>,
    content: Option<Vec<u8>>,
) -> PyResult<Vec<(String, String)>> {
    let read = py.detach(|| Aliases::read(path.as_deref(), content));
    read.map(|aliases| aliases.by_term).map_err(|error| with_file(error, path.as_deref()))
}
