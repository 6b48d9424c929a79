//! The header rule for readers that are written in Python.

use std::path::PathBuf;

use pyo3::prelude::*;

use super::arguments::{Optional, column as parse_column};
use super::errors::with_file;
use crate::ReadOptions;
use crate::vocabulary::header::{Header, WeightColumn};

/// The columns of the terms and of the weights among the cells of a header, by their numbers from 0,
/// and whether the cells are a header for certain: one names the terms, or a column was asked for by
/// name. If not, they may still be one if there are weights and every other row has a number there.
///
/// `numeric` says for each column whether it has numbers, if that is known. Columns that may have
/// weights or something else (`count`, `volume`, `n`) are weights only if they have. Errors name `file`.
#[pyfunction]
#[pyo3(signature = (names, column=None, weight_column=None, *, numeric=None, file=None))]
fn find_columns(
    names: Vec<String>,
    column: Optional,
    weight_column: Optional,
    numeric: Option<Vec<bool>>,
    file: Option<PathBuf>,
) -> PyResult<(usize, Option<usize>, bool)> {
    let options = ReadOptions {
        column: parse_column("column", column)?,
        weight_column: parse_column("weight_column", weight_column)?,
        ..ReadOptions::default()
    };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let header = Header::of(&names, &options).map_err(|error| with_file(error, file.as_deref()))?;
    let has_numbers =
        |number: usize| numeric.as_ref().is_none_or(|numeric| numeric.get(number) == Some(&true));
    let weight = header.weight.and_then(|weight| match weight {
        WeightColumn::Certain(number) => Some(number),
        WeightColumn::Likely(number) => Some(number).filter(|&number| has_numbers(number)),
    });
    Ok((header.term, weight, header.certain))
}

/// Adds what this file defines to the module.
pub(super) fn add_to(module: &Bound<PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(find_columns, module)?)
}
