//! Vocabulary files: text, TSV, CSV and JSON Lines, plain or compressed.
//!
//! | file | contents |
//! |---|---|
//! | `aliases` | files of aliases: tables and JSON Lines |
//! | `decode` | from a file to text: reading, decompressing, UTF-8 |
//! | `options` | the format, the columns, what to do with other bytes than UTF-8 |
//! | `text` | line ends; a term on each line |
//! | `text_or_tsv` | whether a text is a table |
//! | `header` | the header rule: the names of the columns of terms and weights |
//! | `rows` | what is read from a table |
//! | `numbers` | numbers in cells, weights |
//! | `tables` | TSV and CSV |
//! | `json_lines` | JSON Lines |

mod aliases;
mod decode;
pub(crate) mod header;
mod json_lines;
mod numbers;
mod options;
mod rows;
mod tables;
mod text;
mod text_or_tsv;

use std::path::Path;

use crate::build::entries::Entries;
use crate::build::{Aliases, UserColumns};
use crate::error::{Error, Result};
use crate::index::Index;
use crate::index::format::MAGIC;
pub use options::{Column, Decoding, Format, OwnColumns, ReadOptions};
use rows::Rows;

/// A vocabulary, read but not yet indexed.
pub struct Vocabulary {
    /// Its entries.
    pub entries: Box<dyn Entries + Send>,
    /// Their weights, if it has any.
    pub weights: Option<Vec<f64>>,
    /// The user's own columns of these entries.
    pub columns: UserColumns,
    /// The options under which its terms match, if it has a column that says so: see
    /// [`Options::of_matching`](crate::Options::of_matching).
    pub matching: Option<String>,
    /// Other forms of its terms, if it has a column of them.
    pub aliases: Aliases,
}

impl Vocabulary {
    /// Reads a file. Its first bytes show whether it is compressed.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Vocabulary> {
        let options =
            ReadOptions { format: options.format.or(Format::of(path)), ..options.clone() };
        Vocabulary::parse(content_of(path)?, &options).map_err(|e| match e {
            Error::Io { source, .. } => unreadable(path, source),
            e => e,
        })
    }

    /// Reads a vocabulary from the bytes of a file.
    pub fn parse(bytes: Vec<u8>, options: &ReadOptions) -> Result<Vocabulary> {
        let mut text = text_of(bytes, options.decoding)?;
        // A CSV file may have a CR inside of a quoted cell; its reader knows all line ends.
        if options.format != Some(Format::Csv) {
            text = text::with_lf_for_lone_cr(text);
        }
        let format = match options.format {
            Some(format) => format,
            None => text_or_tsv::text_or_tsv(&text, options)?,
        };
        let Rows { entries, weights, own: columns, matching, aliases } = match format {
            Format::Text => match options.first_asked() {
                None => {
                    let entries = Box::new(text::Lines { text });
                    let columns = UserColumns::default();
                    let aliases = Aliases::default();
                    return Ok(Vocabulary {
                        entries,
                        weights: None,
                        columns,
                        matching: None,
                        aliases,
                    });
                }
                Some(name) => {
                    return Err(Error::Option {
                        name,
                        value: "given for a text file".into(),
                        expected: "only TSV, CSV and JSON Lines have columns; say which it is \
                                   with the file's name or the format option",
                    });
                }
            },
            Format::Tsv => tables::read_tsv(&text, options)?,
            Format::Csv => tables::read_csv(&text, options)?,
            Format::JsonLines => json_lines::read(&text, options)?,
        };
        Ok(Vocabulary { entries: Box::new(entries), weights, columns, matching, aliases })
    }
}

/// The bytes of a file.
fn content_of(path: &Path) -> Result<Vec<u8>> {
    decode::read(path).map_err(|source| unreadable(path, source))
}

fn unreadable(path: &Path, source: std::io::Error) -> Error {
    Error::Io { action: "read", path: path.into(), source }
}

/// The text in the bytes of a file, which may be compressed, but not an index.
fn text_of(bytes: Vec<u8>, decoding: Decoding) -> Result<String> {
    let bytes = decode::decompress(bytes).map_err(|source| Error::Io {
        action: "decompress",
        path: "input".into(),
        source,
    })?;
    if Index::is_index(&bytes) {
        return Err(Error::IsAnIndex);
    }
    if !bytes.is_empty() && MAGIC.starts_with(&bytes) {
        let problem = format!("the file ends after {} bytes", bytes.len());
        return Err(Error::damaged("head", problem));
    }
    decode::decode(bytes, decoding)
}
