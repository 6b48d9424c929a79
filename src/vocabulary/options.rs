//! How to read a vocabulary file.

use std::path::Path;

/// The format of a vocabulary file. In all of them a line ends at LF, CRLF or a CR alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A term on each line.
    Text,
    /// Columns separated by tabs, without quoting.
    Tsv,
    /// Columns separated by commas, quoted where needed (RFC 4180); or by semicolons, where the
    /// header or the numbers of the second column show it.
    Csv,
    /// On each line a JSON string, or an object with the term as one of its values.
    JsonLines,
}

impl Format {
    /// The format that the ending of a file name says, compression aside; None if it says none.
    /// Such a file (`.txt`, for instance) is text, or TSV if its lines show it.
    pub fn of(path: &Path) -> Option<Format> {
        let name =
            path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
        match name.rsplit('.').next() {
            Some("tsv" | "tab") => Some(Format::Tsv),
            Some("csv") => Some(Format::Csv),
            Some("jsonl" | "ndjson" | "json") => Some(Format::JsonLines),
            _ => None,
        }
    }
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// By name: the table has a header, or its rows are JSON objects.
    Name(String),
    /// By number, from 0.
    Number(usize),
}

/// What to do with bytes that are not UTF-8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decoding {
    /// Refuse them.
    #[default]
    Strict,
    /// Put U+FFFD in their place.
    Replace,
}

/// The columns of a file that the index stores for its user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OwnColumns {
    /// None.
    #[default]
    None,
    /// Those of these names.
    Named(Vec<Column>),
    /// All that have neither the terms, nor the weights, nor the ids.
    All,
}

impl OwnColumns {
    /// The columns of these names.
    pub fn named(names: Vec<String>) -> OwnColumns {
        OwnColumns::Named(names.into_iter().map(Column::Name).collect())
    }
}

/// How to read a vocabulary file.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format. If not given: that of the file's name, or else text or TSV, depending on the lines.
    pub format: Option<Format>,
    /// The column of the terms.
    pub column: Option<Column>,
    /// The column of the weights.
    pub weight_column: Option<Column>,
    /// What to do with bytes that are not UTF-8.
    pub decoding: Decoding,
    /// The column of the user's own ids.
    pub id_column: Option<Column>,
    /// The user's own columns.
    pub columns: OwnColumns,
}

impl ReadOptions {
    /// The columns asked for, with the names of their options.
    pub(super) fn asked(&self) -> impl Iterator<Item = (&'static str, &Column)> {
        let columns = [
            ("column", &self.column),
            ("weight_column", &self.weight_column),
            ("id_column", &self.id_column),
        ];
        let own: &[Column] = match &self.columns {
            OwnColumns::Named(columns) => columns,
            OwnColumns::None | OwnColumns::All => &[],
        };
        let columns =
            columns.into_iter().filter_map(|(name, column)| Some((name, column.as_ref()?)));
        columns.chain(own.iter().map(|column| ("columns", column)))
    }

    /// The name of the first option that asks for a column.
    pub(super) fn first_asked(&self) -> Option<&'static str> {
        let all = (self.columns == OwnColumns::All).then_some("columns");
        self.asked().next().map(|(name, _)| name).or(all)
    }
}
