//! TSV and CSV: tables whose rows are lines of text.

use std::ops::ControlFlow;

use crate::arrays::columns::{Kind, Value};
use crate::build::entries::List;
use crate::build::{Aliases, UserColumns, Values};
use crate::error::{ColumnProblem, Error, Result};
use crate::vocabulary::header::{
    FORMS, Header, MATCHING, WeightColumn, each_form, find_column, has_term_or_asked,
    missing_number,
};
use crate::vocabulary::numbers::{is_number, parse_weight};
use crate::vocabulary::options::{OwnColumns, ReadOptions};
use crate::vocabulary::rows::Rows;
use crate::vocabulary::text::{count_line_ends, lines};

/// The terms of columns separated by tabs, and their weights, if there are any. The text has no lone CR.
pub(super) fn read_tsv(text: &str, options: &ReadOptions) -> Result<Rows> {
    Table::Tsv { text }.read(options)
}

/// The terms of columns separated by commas or semicolons, and their weights, if there are any.
pub(super) fn read_csv(text: &str, options: &ReadOptions) -> Result<Rows> {
    Table::Csv { text, delimiter: delimiter(text, options) }.read(options)
}

/// What separates the columns of a CSV file. Where a comma is the decimal point, spreadsheets write
/// semicolons; they separate columns if the first line has no comma and the columns that they make
/// follow the header rule. Others are part of a term.
fn delimiter(text: &str, options: &ReadOptions) -> u8 {
    let first = text.split(['\n', '\r']).next().unwrap_or_default();
    if !first.contains(';') || first.contains(',') {
        return b',';
    }
    let cells: Vec<&str> = first.split(';').map(|cell| cell.trim_matches('"')).collect();
    if has_term_or_asked(&cells, options) {
        return b';';
    }
    match find_columns(&Table::Csv { text, delimiter: b';' }, options) {
        Ok(columns) if columns.header || columns.weight.is_some() => b';',
        // These columns leave a question to the user.
        Err(Error::Row { .. } | Error::UnclearColumns { .. }) => b';',
        _ => b',',
    }
}

/// What is done with the line and the cells of each row; a blank row has no cells.
type Visit<'a> = dyn FnMut(u64, &[&str]) -> Result<ControlFlow<()>> + 'a;

/// The rows of a text.
pub(super) enum Table<'a> {
    /// Without lone CRs.
    Tsv {
        text: &'a str,
    },
    Csv {
        text: &'a str,
        delimiter: u8,
    },
}

impl Table<'_> {
    /// Visits each row in order, until `visit` breaks.
    pub(super) fn each_row(&self, visit: &mut Visit) -> Result<()> {
        match *self {
            Table::Tsv { text } => each_tsv_row(text, visit),
            Table::Csv { text, delimiter } => each_csv_row(text, delimiter, visit),
        }
    }

    /// What the row after the header has in the column `matching`, if there is one.
    fn matching(&self) -> Result<Option<String>> {
        let (mut column, mut found) = (None, None);
        self.each_row(&mut |_, cells| {
            match column {
                _ if cells.is_empty() => {}
                None => match cells.iter().position(|cell| cell.trim() == MATCHING) {
                    Some(place) => column = Some(place),
                    None => return Ok(ControlFlow::Break(())),
                },
                Some(column) => {
                    found = cells.get(column).map(|cell| cell.to_string());
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    /// The forms of each term, if there is a column of them.
    fn forms(&self, term: usize) -> Result<Aliases> {
        let (mut column, mut aliases) = (None, Aliases::default());
        self.each_row(&mut |_, cells| {
            match column {
                _ if cells.is_empty() => {}
                None => match cells.iter().position(|cell| cell.trim() == FORMS) {
                    Some(place) => column = Some(place),
                    None => return Ok(ControlFlow::Break(())),
                },
                Some(column) => {
                    if let (Some(term), Some(forms)) = (cells.get(term), cells.get(column)) {
                        let mut add = |form: &str| {
                            aliases.by_term.push((term.to_string(), form.to_owned()));
                        };
                        each_form(term, forms, &mut add);
                    }
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(aliases)
    }

    fn read(&self, options: &ReadOptions) -> Result<Rows> {
        let columns = find_columns(self, options)?;
        let mut own = columns.own(options)?;
        let mut header_is_next = columns.header;
        let mut entries = List::of_rows();
        let mut weights = Vec::new();
        self.each_row(&mut |line, cells| {
            if cells.is_empty() {
                // An entry without a token.
                entries.push("");
                weights.push(0.0);
                own.iter_mut().for_each(|column| push_cell("", &mut column.values));
                return Ok(ControlFlow::Continue(()));
            }
            if std::mem::take(&mut header_is_next) {
                return Ok(ControlFlow::Continue(()));
            }
            let term = cell(cells, columns.term, line)?;
            if let Some(column) = columns.weight {
                weights.push(parse_weight(cell(cells, column, line)?, line)?);
            }
            for column in &mut own {
                push_cell(cell(cells, column.number, line)?, &mut column.values);
            }
            entries.push(term);
            Ok(ControlFlow::Continue(()))
        })?;
        let weights = columns.weight.map(|_| weights);
        let ids = own.pop_if(|column| column.name.is_empty()).map(|column| column.values);
        let named = own.into_iter().map(|column| (column.name, column.values));
        let matching = if columns.header { self.matching()? } else { None };
        let aliases = match matching {
            Some(_) => self.forms(columns.term)?,
            None => Aliases::default(),
        };
        let own = UserColumns { columns: named.collect(), ids };
        Ok(Rows { entries, weights, own, matching, aliases })
    }
}

/// One of the user's own columns; that of the ids has no name.
struct OwnColumn {
    name: String,
    number: usize,
    values: Values,
}

/// Adds a cell, which is a string; an empty one is a null.
fn push_cell(cell: &str, values: &mut Values) {
    let value = if cell.is_empty() { Value::Null } else { Value::Text(cell) };
    values.push(&value).expect("a column of cells has strings");
}

pub(super) fn cell<'a>(cells: &[&'a str], column: usize, line: u64) -> Result<&'a str> {
    cells.get(column).copied().ok_or_else(|| Error::Row {
        line,
        problem: format!(
            "the row has {} column{}, and column {column} (counted from 0) was asked for",
            cells.len(),
            if cells.len() == 1 { "" } else { "s" },
        ),
    })
}

/// The cells of a row; none if all are blank.
fn unless_blank<'a, 'b>(cells: &'b [&'a str]) -> &'b [&'a str] {
    if cells.iter().all(|cell| cell.trim().is_empty()) { &[] } else { cells }
}

fn each_tsv_row(text: &str, visit: &mut Visit) -> Result<()> {
    let mut cells = Vec::new();
    for (line, row) in lines(text) {
        cells.clear();
        cells.extend(row.split('\t'));
        if visit(line, unless_blank(&cells))?.is_break() {
            break;
        }
    }
    Ok(())
}

fn each_csv_row(text: &str, delimiter: u8, visit: &mut Visit) -> Result<()> {
    // A record ends at LF, CRLF or CR, which are part of a cell inside of quotes.
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let bytes = text.as_bytes();
    let mut record = csv::StringRecord::new();
    let mut line = 1;
    loop {
        let start = reader.position().byte() as usize;
        let more = reader
            .read_record(&mut record)
            .map_err(|error| Error::Row { line, problem: error.to_string() })?;
        let end = reader.position().byte() as usize;
        // The reader passes over empty lines.
        let content = bytes[start..].iter().position(|byte| !matches!(byte, b'\n' | b'\r'));
        let blank_end = content.map_or(bytes.len(), |content| start + content);
        for _ in 0..count_line_ends(bytes, start..blank_end) {
            if visit(line, &[])?.is_break() {
                return Ok(());
            }
            line += 1;
        }
        if !more {
            return Ok(());
        }
        let cells: Vec<&str> = record.iter().collect();
        // All that follows a quote that is never closed would be one cell.
        if end == bytes.len()
            && cells.iter().any(|cell| cell.contains(['\n', '\r']))
            && memchr::memchr_iter(b'"', bytes).count() % 2 == 1
        {
            let problem = "a quote is opened here and never closed".into();
            return Err(Error::Row { line, problem });
        }
        if visit(line, unless_blank(&cells))?.is_break() {
            return Ok(());
        }
        line += count_line_ends(bytes, blank_end..end);
    }
}

/// The columns of a table.
pub(super) struct Columns {
    pub(super) term: usize,
    pub(super) weight: Option<usize>,
    /// Whether the first row that is not blank names them.
    pub(super) header: bool,
    /// The cells of that row.
    names: Vec<String>,
}

impl Columns {
    /// The user's own columns, that of the ids last.
    fn own(&self, options: &ReadOptions) -> Result<Vec<OwnColumn>> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        // A table without a row has no columns.
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let column = |name: &str, number| OwnColumn {
            name: name.trim().into(),
            number,
            values: Values::of(Kind::Strings),
        };
        let ids = options.id_column.as_ref().map(|ids| find_column(ids, &names)).transpose()?;
        let mut own = match &options.columns {
            OwnColumns::None => Vec::new(),
            OwnColumns::Named(named) => {
                let numbers = named.iter().map(|named| find_column(named, &names));
                numbers.map(|number| number.map(|i| column(names[i], i))).collect::<Result<_>>()?
            }
            OwnColumns::All => {
                let is_own =
                    |number: &usize| ![Some(self.term), self.weight, ids].contains(&Some(*number));
                (0..names.len()).filter(is_own).map(|i| column(names[i], i)).collect()
            }
        };
        if let Some(nameless) = own.iter().find(|column| column.name.is_empty()) {
            let name = names[nameless.number].into();
            return Err(Error::ColumnName { name, problem: ColumnProblem::Empty });
        }
        own.extend(ids.map(|number| column("", number)));
        Ok(own)
    }
}

/// The columns of a table by the rule of [`header`](crate::vocabulary::header).
pub(super) fn find_columns(table: &Table, options: &ReadOptions) -> Result<Columns> {
    let mut first = None;
    table.each_row(&mut |line, cells| {
        if cells.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        first = Some((line, cells.iter().map(|cell| cell.to_string()).collect::<Vec<String>>()));
        Ok(ControlFlow::Break(()))
    })?;
    let Some((line, cells)) = first else {
        return Ok(Columns { term: 0, weight: None, header: false, names: Vec::new() });
    };
    let found = |term, weight, header| Ok(Columns { term, weight, header, names: cells.clone() });
    let names: Vec<&str> = cells.iter().map(String::as_str).collect();
    let Header { certain, term, weight } = Header::of(&names, options)?;
    let column = weight.map(WeightColumn::number);
    match weight {
        // It was named or asked for: the other rows do not matter.
        None | Some(WeightColumn::Certain(_)) if certain => {
            return found(term, column, true);
        }
        Some(_) if options.weight_column.is_some() => {
            return found(term, column, false);
        }
        Some(weight) => {
            let number = weight.number();
            let Numbers { rows, with_number, exception } = Numbers::of(table, number)?;
            if let Some((line, cell)) = &exception
                && 2 * with_number > rows
            {
                return Err(missing_number(
                    names[number],
                    *line,
                    &format!("{cell:?}"),
                    names[term],
                ));
            }
            let all = exception.is_none() && (certain || rows > 0);
            if certain || all {
                return found(term, column.filter(|_| all), true);
            }
        }
        None => {}
    }
    // In a row that is not a header, no name counts.
    let term = if options.column.is_some() { term } else { 0 };
    let weight = second_of_two(table, line, &names, options)?;
    found(term, weight, false)
}

/// The second column of a table without a header that has exactly two, if every row has a number in
/// it: its weights.
fn second_of_two(
    table: &Table,
    line: u64,
    first: &[&str],
    options: &ReadOptions,
) -> Result<Option<usize>> {
    let &[term, second] = first else { return Ok(None) };
    if options.column.is_some() || second.trim().is_empty() {
        return Ok(None);
    }
    let (mut rows, mut all) = (0u64, true);
    table.each_row(&mut |_, cells| {
        rows += u64::from(!cells.is_empty());
        all &= rows < 2 || cells.is_empty() || matches!(cells, [_, cell] if is_number(cell));
        Ok(if all { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    match is_number(second) {
        _ if !all => Ok(None),
        true => Ok(Some(1)),
        false if rows < 2 => Ok(None),
        false => Err(Error::UnclearColumns {
            line,
            problem: format!(
                "{term:?} and {second:?} look like the names of columns, since every other row \
                     has a number in the second column: name them `term` and `weight`"
            ),
            option: "weight_column",
            column: second.into(),
            effect: "take these numbers as weights",
        }),
    }
}

/// How many rows after the first have a number in a column.
struct Numbers {
    rows: u64,
    with_number: u64,
    /// The line and the cell of the first that has none.
    exception: Option<(u64, String)>,
}

impl Numbers {
    fn of(table: &Table, column: usize) -> Result<Numbers> {
        let mut numbers = Numbers { rows: 0, with_number: 0, exception: None };
        let mut is_first = true;
        table.each_row(&mut |line, cells| {
            if cells.is_empty() || std::mem::take(&mut is_first) {
                return Ok(ControlFlow::Continue(()));
            }
            numbers.rows += 1;
            let cell = cells.get(column).copied().unwrap_or_default();
            if is_number(cell) {
                numbers.with_number += 1;
            } else if numbers.exception.is_none() {
                numbers.exception = Some((line, cell.into()));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(numbers)
    }
}
