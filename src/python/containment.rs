//! The join of two data frames by containment, and terms with equal keys.

use std::sync::Arc;

use arrow_array::{Float64Array, UInt32Array};
use pyo3::prelude::*;

use super::arguments::{Analysis, choose, flag, text};
use super::errors::{raise, to_python};
use super::frames::{PyFrame, are_equal};
use super::interrupt::interruptible;
use super::table::{PyTable, TableColumns, term_column};
use super::take::{NO_ROW, take};
use crate::arrays::columns::Column;
use crate::build::entries::Entries;
use crate::{Containment, EqualTerms, Index, TermId, threads_or_all};

/// Which rows of the left frame the answer has.
#[derive(Clone, Copy, PartialEq)]
enum How {
    Inner,
    Left,
    Anti,
}

const HOW: [(&str, How); 3] = [("inner", How::Inner), ("left", How::Left), ("anti", How::Anti)];

/// The rows of two frames of which one has a phrase that occurs in the text of the other.
///
/// `on` are the columns of the two, `phrases` is the side that has the phrases. `left_columns` and
/// `right_columns` are pairs of a column and its name in the answer.
#[pyfunction]
pub(super) fn containment_join(
    py: Python,
    left: &PyFrame,
    right: &PyFrame,
    on: (String, String),
    how: &Bound<PyAny>,
    phrases: &Bound<PyAny>,
    proper: &Bound<PyAny>,
    left_columns: Vec<(String, String)>,
    right_columns: Vec<(String, String)>,
    analysis: Analysis,
) -> PyResult<PyTable> {
    let how = choose("how", text("how", how)?, &HOW)?;
    let in_left =
        choose("phrases", text("phrases", phrases)?, &[("left", true), ("right", false)])?;
    let proper = flag("proper", Some(proper))?;
    let build = analysis.build()?;
    let threads = threads_or_all(build.threads);
    let (left_strings, right_strings) = (left.strings(&on.0)?, right.strings(&on.1)?);
    let (left_on, right_on) = (left.column("on", &on.0)?, right.column("on", &on.1)?);
    let (phrases, texts): (&dyn Entries, &dyn Entries) = match in_left {
        true => (&left_strings, &right_strings),
        false => (&right_strings, &left_strings),
    };
    let join = || {
        let texts = (!are_equal(left_on, right_on)).then_some(texts);
        let found = build.containment(phrases, texts, proper)?;
        let (left_rows, right_rows) = match in_left {
            true => (found.phrases, found.texts),
            false => by_text(found, left.rows),
        };
        Ok(chosen(how, left_rows, right_rows, left.rows))
    };
    let (left_rows, right_rows) = interruptible(py, &build.progress, None, None, join)?;
    py.detach(|| {
        let mut table = TableColumns::default();
        let add = |table: &mut TableColumns,
                   frame: &PyFrame,
                   names: Vec<(String, String)>,
                   rows: &[u32],
                   option: &str| {
            for (name, shown) in names {
                let column = frame.column(option, &name)?;
                let taken = take(column, rows, threads)?;
                table.push_nullable(&shown, taken);
            }
            PyResult::Ok(())
        };
        table.push("left_row", Arc::new(UInt32Array::from(left_rows.clone())));
        if how != How::Anti {
            let rows = right_rows.iter().map(|&row| (row != NO_ROW).then_some(row));
            match how {
                How::Left => {
                    table.push_nullable("right_row", Arc::new(rows.collect::<UInt32Array>()))
                }
                _ => table.push("right_row", Arc::new(UInt32Array::from(right_rows.clone()))),
            }
        }
        add(&mut table, left, left_columns, &left_rows, "left_columns")?;
        if how != How::Anti {
            add(&mut table, right, right_columns, &right_rows, "right_columns")?;
        }
        table.table().map_err(|error| raise("TermTypeError", error.to_string()))
    })
}

/// The groups of terms with equal keys, as a table.
pub(super) fn equal_terms(index: &Index, columns: &[&Column]) -> PyResult<PyTable> {
    let EqualTerms { terms, ends } = index.equal_terms().map_err(to_python)?;
    let mut groups = Vec::with_capacity(terms.len());
    for (group, end) in (0u32..).zip(ends) {
        groups.resize(end, group);
    }
    let weights = terms.iter().map(|&term| index.weight(TermId(term)));
    let weights = weights.collect::<crate::Result<Vec<f64>>>().map_err(to_python)?;
    let mut table = TableColumns::default();
    table.push("group", Arc::new(UInt32Array::from(groups)));
    table.push_ids(index, "id", &terms)?;
    table.push("term", term_column(index, &terms)?);
    table.push("weight", Arc::new(Float64Array::from(weights)));
    table.push_own(columns, "", &terms)?;
    table.table()
}

/// The texts and the phrases of pairs, by text, then by phrase.
fn by_text(found: Containment, rows: usize) -> (Vec<u32>, Vec<u32>) {
    let mut places = vec![0usize; rows + 1];
    found.texts.iter().for_each(|&text| places[text as usize + 1] += 1);
    for row in 1..places.len() {
        places[row] += places[row - 1];
    }
    let (mut texts, mut phrases) = (vec![0; found.texts.len()], vec![0; found.texts.len()]);
    for (&text, &phrase) in found.texts.iter().zip(&found.phrases) {
        let place = &mut places[text as usize];
        (texts[*place], phrases[*place]) = (text, phrase);
        *place += 1;
    }
    (texts, phrases)
}

/// The rows of the answer, from those that belong together; the left ones are in order.
fn chosen(how: How, left: Vec<u32>, right: Vec<u32>, rows: usize) -> (Vec<u32>, Vec<u32>) {
    if how == How::Inner {
        return (left, right);
    }
    let (mut all_left, mut all_right) = (Vec::new(), Vec::new());
    let mut at = 0;
    for row in 0..rows as u32 {
        let first = at;
        while left.get(at) == Some(&row) {
            at += 1;
        }
        if how == How::Left {
            all_left.extend_from_slice(&left[first..at]);
            all_right.extend_from_slice(&right[first..at]);
        }
        if first == at {
            all_left.push(row);
            all_right.push(NO_ROW);
        }
    }
    (all_left, all_right)
}
