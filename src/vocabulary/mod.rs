//! Vocabulary files: text, TSV, CSV and JSON Lines, plain or compressed.
//!
//! | file | contents |
//! |---|---|
//! | `decode` | from a file to text: reading, decompressing, UTF-8 |
//! | `text` | line ends; a term on each line; text that is a table |
//! | `header` | the header rule: the names of the columns of terms and weights |
//! | `tables` | TSV and CSV |
//! | `json_lines` | JSON Lines |

mod decode;
pub(crate) mod header;
mod json_lines;
mod tables;
mod text;

use std::path::Path;

use crate::build::entries::Entries;
use crate::error::{Error, Place, Result};
use crate::index::Index;
use crate::index::format::MAGIC;

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

/// How to read a vocabulary file.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format. If not given: that of the file's name, or else text or TSV, as the lines show.
    pub format: Option<Format>,
    /// The column of the terms.
    pub column: Option<Column>,
    /// The column of the weights.
    pub weight_column: Option<Column>,
    /// What to do with bytes that are not UTF-8.
    pub decoding: Decoding,
}

impl ReadOptions {
    /// The columns asked for, with the names of their options.
    fn asked(&self) -> impl Iterator<Item = (&'static str, &Column)> {
        [("column", &self.column), ("weight_column", &self.weight_column)]
            .into_iter()
            .filter_map(|(name, column)| Some((name, column.as_ref()?)))
    }
}

/// A vocabulary, read but not yet indexed.
pub struct Vocabulary {
    /// Its entries.
    pub entries: Box<dyn Entries + Send>,
    /// Their weights, if it has any.
    pub weights: Option<Vec<f64>>,
}

impl Vocabulary {
    /// Reads a file. Its first bytes show whether it is compressed.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Vocabulary> {
        let error = |source| Error::Io { action: "read", path: path.into(), source };
        let bytes = decode::read(path).map_err(error)?;
        let options =
            ReadOptions { format: options.format.or(Format::of(path)), ..options.clone() };
        Vocabulary::parse(bytes, &options).map_err(|e| match e {
            Error::Io { source, .. } => error(source),
            e => e,
        })
    }

    /// Reads a vocabulary from the bytes of a file.
    pub fn parse(bytes: Vec<u8>, options: &ReadOptions) -> Result<Vocabulary> {
        let bytes = decode::decompress(bytes).map_err(|source| Error::Io {
            action: "decompress",
            path: "input".into(),
            source,
        })?;
        if Index::is_index(&bytes) {
            return Err(Error::IsAnIndex);
        }
        if !bytes.is_empty() && MAGIC.starts_with(&bytes) {
            return Err(Error::damaged(
                "head",
                format!("the file ends after {} bytes", bytes.len()),
            ));
        }
        let mut text = decode::decode(bytes, options.decoding)?;
        // A CSV file may have a CR inside of a quoted cell; its reader knows all line ends.
        if options.format != Some(Format::Csv) {
            text = text::with_lf_for_lone_cr(text);
        }
        let format = match options.format {
            Some(format) => format,
            None => text::text_or_tsv(&text, options)?,
        };
        match format {
            Format::Text => match options.asked().next() {
                None => Ok(Vocabulary { entries: Box::new(text::Lines { text }), weights: None }),
                Some((name, _)) => Err(Error::Option {
                    name,
                    value: "given for a text file".into(),
                    expected: "only TSV, CSV and JSON Lines have columns; say which it is with \
                               the file's name or the format option",
                }),
            },
            Format::Tsv => tables::read_tsv(&text, options),
            Format::Csv => tables::read_csv(&text, options),
            Format::JsonLines => json_lines::read(&text, options),
        }
    }
}

/// The weight in a cell or JSON value.
fn parse_weight(cell: &str, line: u64) -> Result<f64> {
    let weight =
        cell.trim().parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight >= 0.0);
    weight.ok_or_else(|| Error::Weight { place: Place::Line(line), value: format!("{cell:?}") })
}
