//! Whether a text is a table.

use std::ops::ControlFlow;

use crate::error::{Error, Result};
use crate::vocabulary::numbers::is_number;
use crate::vocabulary::options::{Format, ReadOptions};
use crate::vocabulary::tables::{Table, find_columns};

/// The format of a file whose name says none, or of text without a name: TSV if it has tabs and
/// - its first row is a header ([`header`](crate::vocabulary::header)),
/// - every line is a term, a tab and a number, or
/// - a column was asked for.
///
/// Where most lines, but not all, have a number after their first tab, the user must say which format
/// it is: as terms, the numbers would be parts of them. All else is text.
pub(super) fn text_or_tsv(text: &str, options: &ReadOptions) -> Result<Format> {
    if memchr::memchr(b'\t', text.as_bytes()).is_none() {
        return Ok(Format::Text);
    }
    if options.first_asked().is_some() {
        return Ok(Format::Tsv);
    }
    match find_columns(&Table::Tsv { text }, options) {
        Ok(columns) if columns.header || columns.weight.is_some() => return Ok(Format::Tsv),
        Err(Error::UnclearColumns { line, .. }) => return Err(Error::UnclearText { line }),
        _ => {}
    }
    let (mut rows, mut with_number, mut exception) = (0u64, 0u64, None);
    Table::Tsv { text }.each_row(&mut |line, cells| {
        if cells.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        rows += 1;
        let has_number = cells.get(1).is_some_and(|cell| is_number(cell));
        with_number += u64::from(has_number);
        if !has_number || cells.len() > 2 {
            exception = exception.or(Some(line));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    match exception {
        Some(line) if 2 * with_number > rows => Err(Error::UnclearText { line }),
        _ => Ok(Format::Text),
    }
}
