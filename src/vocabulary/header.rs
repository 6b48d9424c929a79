//! The header rule: which columns of a table have the terms and their weights. It is the same for TSV,
//! CSV, JSON Lines, Parquet and Spark.
//!
//! Names are compared without regard to case, surrounding white space and quotes; `_` is a space.
//!
//! - A first row with a name of [`TERM_NAMES`], or with a column asked for by name, is a header; so it is
//!   if all columns are asked for.
//! - The terms are in the column asked for, else in the one with the first of [`TERM_NAMES`] that there
//!   is, else in the first column that does not have the weights.
//! - The weights are in the column asked for, else in the one with the first of [`WEIGHT_NAMES`] that
//!   there is. If neither is there and no column of the terms was asked for, they are in the one with
//!   the first of [`COUNT_NAMES`], if every row has a number in it: `volume` may also be that of a
//!   journal. If most rows have one, the first that has none is an error; if fewer, there are no weights.
//! - A first row of two or more cells without a name of the terms, but with one of the weights, is a
//!   header if every other row has a number in that column; an error as above if most have; else it is
//!   a row of the table like any other.
//! - A table without a header has its terms in the first column. In a table of exactly two columns, the
//!   second has the weights if every row has a number in it: terms with their counts are far more
//!   common than terms with numbers that mean something else, and the same lines in a `.txt` file
//!   would otherwise have weights that they lose in a `.tsv` file. If only the first row has no number
//!   there, it must be a header with other names, and the user is asked for the columns.

use crate::error::{Error, Result};
use crate::vocabulary::options::{Column, OwnColumns, ReadOptions};

/// Names of the column of the terms, the preferred one first.
const TERM_NAMES: [&str; 2] = ["term", "keyword"];
/// Names of the column of the weights, the preferred one first.
pub(super) const WEIGHT_NAMES: [&str; 2] = ["weight", "frequency"];
/// The name of a column whose first row has the options under which the terms match.
pub(super) const MATCHING: &str = "matching";
/// The name of a column that has the forms of each term, beside one of [`MATCHING`]: they are its aliases.
pub(super) const FORMS: &str = "forms";
/// What is between two forms of a term.
const BETWEEN_FORMS: &str = " | ";

/// Names of columns that have weights or something else, the preferred one first.
const COUNT_NAMES: [&str; 4] = ["count", "search volume", "volume", "n"];

/// A column of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WeightColumn {
    /// It was asked for, or has a name of [`WEIGHT_NAMES`].
    Certain(usize),
    /// It has a name of [`COUNT_NAMES`]: the weights, if every row has a number in it.
    Likely(usize),
}

impl WeightColumn {
    /// Its number, from 0.
    pub(crate) fn number(self) -> usize {
        match self {
            WeightColumn::Certain(number) | WeightColumn::Likely(number) => number,
        }
    }
}

/// A row, read as a header.
pub(crate) struct Header {
    /// Whether it is one: it names the terms, or a column that was asked for.
    pub(crate) certain: bool,
    /// The column of the terms, if it is a header.
    pub(crate) term: usize,
    /// The column of the weights, if it has a name or was asked for.
    pub(crate) weight: Option<WeightColumn>,
}

impl Header {
    /// Reads a row as a header.
    pub(crate) fn of(names: &[&str], options: &ReadOptions) -> Result<Header> {
        let by_name = options.columns == OwnColumns::All
            || options.asked().any(|(_, column)| matches!(column, Column::Name(_)));
        let named_term = find_name(names, &TERM_NAMES);
        let named_weight = find_name(names, &WEIGHT_NAMES);
        let named_count = find_name(names, &COUNT_NAMES);
        let weight = match &options.weight_column {
            Some(column) => Some(WeightColumn::Certain(find_column(column, names)?)),
            None => named_weight.map(WeightColumn::Certain).or_else(|| {
                let count = named_count.filter(|_| options.column.is_none());
                count.map(WeightColumn::Likely)
            }),
        };
        // The number of a column was asked for, and this row has a name there, not a weight.
        let name_at_number = options.weight_column.is_some()
            && weight
                .is_some_and(|weight| [named_weight, named_count].contains(&Some(weight.number())));
        let term = match &options.column {
            Some(column) => find_column(column, names)?,
            None => named_term.unwrap_or_else(|| {
                let weight = weight.map(WeightColumn::number);
                usize::from(weight == Some(0) && names.len() > 1)
            }),
        };
        Ok(Header { certain: named_term.is_some() || by_name || name_at_number, term, weight })
    }
}

/// Whether a row has a name of the terms, or one of a column asked for.
pub(super) fn has_term_or_asked(names: &[&str], options: &ReadOptions) -> bool {
    let asked = |name: &&str| {
        options.asked().any(|(_, column)| matches!(column, Column::Name(asked) if asked == name))
    };
    find_name(names, &TERM_NAMES).is_some() || names.iter().any(asked)
}

/// The column of the terms among names that were not asked for.
pub(super) fn find_term(names: &[&str]) -> Option<usize> {
    find_name(names, &TERM_NAMES)
}

/// The first column that has the first of some names that there is.
pub(super) fn find_name(names: &[&str], wanted: &[&str]) -> Option<usize> {
    wanted.iter().find_map(|wanted| {
        let exact = names.iter().position(|name| name == wanted);
        exact.or_else(|| names.iter().position(|name| is_same_name(name, wanted)))
    })
}

/// Whether a cell has a name, which is in lower case.
fn is_same_name(cell: &str, name: &str) -> bool {
    let cell = cell.trim().trim_matches('"').trim();
    let folded = cell.bytes().map(|byte| match byte {
        b'_' => b' ',
        byte => byte.to_ascii_lowercase(),
    });
    cell.len() == name.len() && folded.eq(name.bytes())
}

/// The number of a column that was asked for, in a row that has it.
pub(super) fn find_column(column: &Column, cells: &[&str]) -> Result<usize> {
    let found = match column {
        Column::Number(number) => Some(*number).filter(|&number| number < cells.len()),
        Column::Name(name) => cells.iter().position(|cell| cell == name),
    };
    found.ok_or_else(|| Error::Column {
        wanted: match column {
            Column::Number(number) => format!("{number} (counted from 0)"),
            Column::Name(name) => format!("{name:?}"),
        },
        found: cells.iter().map(|cell| format!("{cell:?}")).collect(),
    })
}

/// The error of the first row without a number in a column in which most rows have one; `term` is the
/// name of the column of the terms.
pub(super) fn missing_number(name: &str, line: u64, found: &str, term: &str) -> Error {
    Error::UnclearColumns {
        line,
        problem: format!(
            "the column {name:?} has {found} here, and numbers in most rows: correct it"
        ),
        option: "column",
        column: term.into(),
        effect: "read the terms without weights",
    }
}

/// Calls `each` with the forms of a term in a cell, as in `wind turbine (129) | wind turbines (112)`, but for
/// the term itself.
pub(super) fn each_form<'a>(term: &str, cell: &'a str, mut each: impl FnMut(&'a str)) {
    for part in cell.split(BETWEEN_FORMS) {
        let counted = part.strip_suffix(')').and_then(|part| part.rsplit_once(" ("));
        let form = counted.filter(|(_, count)| count.bytes().all(|byte| byte.is_ascii_digit()));
        let form = form.map_or(part, |(form, _)| form).trim();
        if !form.is_empty() && form != term {
            each(form);
        }
    }
}
