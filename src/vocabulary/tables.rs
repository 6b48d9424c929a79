//! Vocabulary files: text, TSV, CSV and JSON Lines, plain or compressed.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

use serde_json::Value;

use crate::build::entries::{Entries, List, cut_evenly};
use crate::error::{Error, Place, Result};
use crate::index::Index;
use crate::index::format::MAGIC;
use crate::threads::{run, threads_or_all};

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A term on each line; a line ends at LF or CRLF.
    Text,
    /// Columns between tabs, without quoting.
    Tsv,
    /// Columns between commas, quoted where needed (RFC 4180); or between semicolons, if the header
    /// is.
    Csv,
    /// On each line a JSON string, or an object with the term as one of its values.
    JsonLines,
}

impl Format {
    /// The format that a file name tells, its compression put aside: text where it tells none.
    pub fn of(path: &Path) -> Format {
        let name =
            path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
        match name.rsplit('.').next() {
            Some("tsv" | "tab") => Format::Tsv,
            Some("csv") => Format::Csv,
            Some("jsonl" | "ndjson" | "json") => Format::JsonLines,
            _ => Format::Text,
        }
    }

    /// The format of a text without a name: text, unless its first line is the header of a TSV file,
    /// such as our own commands print.
    fn of_unnamed(text: &str) -> Format {
        let mut cells = text.lines().next().unwrap_or_default().split('\t');
        match text.lines().next().is_some_and(|line| line.contains('\t')) && cells.any(is_term) {
            true => Format::Tsv,
            false => Format::Text,
        }
    }
}

/// A column of a table, by name or by number from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// By name: the table has a header, or its rows are JSON objects.
    Name(String),
    /// By number.
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
    /// What it holds; told by its name if not given.
    pub format: Option<Format>,
    /// The column of the terms.
    pub column: Option<Column>,
    /// The column of the weights.
    pub weight_column: Option<Column>,
    /// What to do with bytes that are not UTF-8.
    pub decoding: Decoding,
}

/// A vocabulary, read but not yet indexed.
pub struct Vocabulary {
    /// Its entries.
    pub entries: Box<dyn Entries + Send>,
    /// Their weights, if it has any.
    pub weights: Option<Vec<f64>>,
}

impl Vocabulary {
    /// Reads a file. Compression is told by its first bytes.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Vocabulary> {
        let error = |source| Error::Io { action: "read", path: path.into(), source };
        let bytes = read(path).map_err(error)?;
        let options = ReadOptions {
            format: Some(options.format.unwrap_or_else(|| Format::of(path))),
            ..options.clone()
        };
        Vocabulary::parse(bytes, &options).map_err(|e| match e {
            Error::Io { source, .. } => error(source),
            e => e,
        })
    }

    /// Reads a vocabulary from the bytes of a file.
    pub fn parse(bytes: Vec<u8>, options: &ReadOptions) -> Result<Vocabulary> {
        let bytes = decompress(bytes).map_err(|source| Error::Io {
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
        let text = decode(bytes, options.decoding)?;
        match options.format.unwrap_or_else(|| Format::of_unnamed(&text)) {
            Format::Text => {
                for (name, column) in
                    [("column", &options.column), ("weight_column", &options.weight_column)]
                {
                    if column.is_some() {
                        return Err(Error::Option {
                            name,
                            value: "given for a text file".into(),
                            expected: "only TSV, CSV and JSON Lines have columns; say which it is \
                                       with the file's name or the format option",
                        });
                    }
                }
                Ok(Vocabulary { entries: Box::new(Lines { text }), weights: None })
            }
            Format::Tsv => read_tsv(&text, options),
            Format::Csv => read_csv(&text, options),
            Format::JsonLines => read_json_lines(&text, options),
        }
    }
}

fn decompress(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        flate2::read::MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut plain)?;
    } else if bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        let mut rest = bytes.as_slice();
        // A file may hold several frames.
        while !rest.is_empty() {
            let mut decoder =
                ruzstd::decoding::StreamingDecoder::new(&mut rest).map_err(io::Error::other)?;
            decoder.read_to_end(&mut plain)?;
        }
    } else {
        return Ok(bytes);
    }
    Ok(plain)
}

/// The whole of a file.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileExt;

        // A large file is read in parts, on all cores: most of the time goes into fresh memory.
        const PART: usize = 1 << 22;
        let metadata = file.metadata()?;
        if metadata.is_file() && metadata.len() > PART as u64 {
            let mut bytes = vec![0; metadata.len() as usize];
            let parts: Vec<(usize, &mut [u8])> = bytes.chunks_mut(PART).enumerate().collect();
            let whole = run(threads_or_all(None), parts, |(i, part)| {
                let failed = |source| Error::Io { action: "read", path: path.into(), source };
                file.read_exact_at(part, (i * PART) as u64).map_err(failed)
            });
            // What changes while it is read, or cannot be read in parts, is read again below.
            if whole.is_ok() && file.metadata()?.len() == metadata.len() {
                return Ok(bytes);
            }
        }
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The bytes as text, without a byte order mark.
fn decode(bytes: Vec<u8>, decoding: Decoding) -> Result<String> {
    let mut text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if decoding == Decoding::Replace => {
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        }
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let bytes = error.as_bytes();
            let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
            let line = memchr::memchr_iter(b'\n', &bytes[..at]).count() as u64 + 1;
            return Err(Error::Utf8 { line, byte: bytes[at], utf16 });
        }
    };
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}

/// A text of a term a line. Its parts are ranges of bytes.
struct Lines {
    text: String,
}

impl Entries for Lines {
    fn cut(&self, parts: usize) -> Vec<Range<usize>> {
        let bytes = self.text.as_bytes();
        let line_start = |at: usize| match at {
            0 => 0,
            _ => memchr::memchr(b'\n', &bytes[at - 1..]).map_or(bytes.len(), |i| at + i),
        };
        let ranges = cut_evenly(bytes.len(), parts).into_iter();
        let ranges = ranges.map(|range| line_start(range.start)..line_start(range.end));
        ranges.filter(|range| !range.is_empty()).collect()
    }

    fn visit<'a>(
        &'a self,
        part: Range<usize>,
        each: &mut dyn FnMut(&'a str) -> Result<()>,
    ) -> Result<()> {
        let mut start = part.start;
        for end in memchr::memchr_iter(b'\n', &self.text.as_bytes()[part.clone()]) {
            let end = part.start + end;
            each(without_cr(&self.text[start..end]))?;
            start = end + 1;
        }
        if start < part.end {
            each(without_cr(&self.text[start..part.end]))?;
        }
        Ok(())
    }

    fn size(&self) -> usize {
        self.text.len()
    }

    fn place(&self, n: u64) -> Place {
        Place::Line(n + 1)
    }
}

fn without_cr(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

/// The weight that a cell holds.
fn parse_weight(cell: &str, line: u64) -> Result<f64> {
    let weight =
        cell.trim().parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight >= 0.0);
    weight.ok_or_else(|| Error::Weight { place: Place::Line(line), value: format!("{cell:?}") })
}

/// The names under which a table's weights are looked for when no column is named.
const WEIGHT_NAMES: [&str; 2] = ["weight", "frequency"];

/// The rows of a table on their way to a vocabulary.
struct Rows<'a> {
    options: &'a ReadOptions,
    entries: List,
    weights: Vec<f64>,
    /// The columns of terms and weights, known when the first row has been seen.
    columns: Option<(usize, Option<usize>)>,
}

impl<'a> Rows<'a> {
    fn new(options: &'a ReadOptions) -> Rows<'a> {
        Rows { options, entries: List::of_rows(), weights: Vec::new(), columns: None }
    }

    /// A line without anything: an entry without a token.
    fn push_blank(&mut self) {
        self.push("", Some(0.0));
    }

    fn push(&mut self, term: &str, weight: Option<f64>) {
        self.entries.push(term);
        self.weights.extend(weight);
    }

    fn push_row(&mut self, cells: &[&str], line: u64) -> Result<()> {
        if let [cell] = cells
            && cell.trim().is_empty()
        {
            self.push_blank();
            return Ok(());
        }
        let (term, weight) = match self.columns {
            Some(columns) => columns,
            None => {
                let (columns, header) = find_columns(cells, self.options)?;
                self.columns = Some(columns);
                if header {
                    return Ok(());
                }
                columns
            }
        };
        let cell = |column: usize| {
            cells.get(column).ok_or_else(|| Error::Row {
                line,
                problem: format!(
                    "the row has {} column{}, and column {column} (counted from 0) was asked for",
                    cells.len(),
                    if cells.len() == 1 { "" } else { "s" },
                ),
            })
        };
        let weight = weight.map(|weight| parse_weight(cell(weight)?, line)).transpose()?;
        self.push(cell(term)?, weight);
        Ok(())
    }

    fn finish(self) -> Vocabulary {
        let weighted = self.columns.is_some_and(|(_, weight)| weight.is_some());
        Vocabulary { entries: Box::new(self.entries), weights: weighted.then_some(self.weights) }
    }
}

/// Whether a column of this name holds the terms.
fn is_term(name: &str) -> bool {
    name.eq_ignore_ascii_case("term")
}

/// The columns of terms and weights that the first row of a table tells, and whether it is a header.
fn find_columns(cells: &[&str], options: &ReadOptions) -> Result<((usize, Option<usize>), bool)> {
    let named = |column: &Option<Column>| matches!(column, Some(Column::Name(_)));
    let is_weight = |cell: &&str| WEIGHT_NAMES.iter().any(|name| cell.eq_ignore_ascii_case(name));
    let header = cells.iter().any(|cell| is_term(cell))
        || named(&options.column)
        || named(&options.weight_column);
    let term = match &options.column {
        Some(column) => find_column(column, cells)?,
        None if header => cells.iter().position(|cell| is_term(cell)).unwrap_or(0),
        None => 0,
    };
    let weight = match &options.weight_column {
        Some(column) => Some(find_column(column, cells)?),
        None if header => cells.iter().position(is_weight),
        None => None,
    };
    Ok(((term, weight), header))
}

fn read_tsv(text: &str, options: &ReadOptions) -> Result<Vocabulary> {
    let mut rows = Rows::new(options);
    for (line, row) in lines(text) {
        rows.push_row(&row.split('\t').collect::<Vec<&str>>(), line)?;
    }
    Ok(rows.finish())
}

/// What stands between the columns of a CSV file. Where a comma is the decimal point, spreadsheets
/// write semicolons; a header tells them from those that stand in terms.
fn delimiter(text: &str, options: &ReadOptions) -> u8 {
    let header = text.lines().next().unwrap_or_default();
    let asked = |cell: &str| {
        let columns = [&options.column, &options.weight_column];
        columns.into_iter().flatten().any(|column| *column == Column::Name(cell.into()))
    };
    let mut cells = header.split(';').map(|cell| cell.trim_matches('"'));
    let semicolons = header.contains(';')
        && !header.contains(',')
        && cells.any(|cell| is_term(cell) || asked(cell));
    if semicolons { b';' } else { b',' }
}

fn read_csv(text: &str, options: &ReadOptions) -> Result<Vocabulary> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter(text, options))
        .has_headers(false)
        .flexible(true)
        .terminator(csv::Terminator::Any(b'\n'))
        .from_reader(text.as_bytes());
    let mut rows = Rows::new(options);
    let mut record = csv::StringRecord::new();
    loop {
        let before = reader.position().line();
        let more = reader
            .read_record(&mut record)
            .map_err(|error| Error::Row { line: before, problem: error.to_string() })?;
        if !more {
            (before..reader.position().line()).for_each(|_| rows.push_blank());
            break;
        }
        // The lines that the record takes, and those that the reader passed over before it.
        let breaks: usize = record.iter().map(|cell| cell.matches('\n').count()).sum();
        let after = reader.position().line();
        let blanks = (after - before).saturating_sub(1 + breaks as u64);
        (0..blanks).for_each(|_| rows.push_blank());
        let mut cells: Vec<&str> = record.iter().collect();
        if let Some(last) = cells.last_mut() {
            *last = without_cr(last);
        }
        // What stands behind a quote that is not closed would all be one cell.
        if breaks > 0
            && reader.position().byte() == text.len() as u64
            && text.matches('"').count() % 2 == 1
        {
            let problem = "a quote is opened here and never closed".into();
            return Err(Error::Row { line: before + blanks, problem });
        }
        rows.push_row(&cells, before + blanks)?;
    }
    Ok(rows.finish())
}

/// The lines of a text with their numbers, from 1.
fn lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let count = if text.is_empty() { 0 } else { usize::MAX };
    (1u64..).zip(text.split('\n').take(count).map(without_cr))
}

fn find_column(column: &Column, cells: &[&str]) -> Result<usize> {
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

fn read_json_lines(text: &str, options: &ReadOptions) -> Result<Vocabulary> {
    let key = |column: &Option<Column>, name: &'static str| match column {
        None => Ok(None),
        Some(Column::Name(key)) => Ok(Some(key.clone())),
        Some(Column::Number(number)) => Err(Error::Option {
            name,
            value: number.to_string(),
            expected: "the values of JSON objects have names, not numbers",
        }),
    };
    let term_key = key(&options.column, "column")?.unwrap_or_else(|| "term".into());
    let mut weight_key = key(&options.weight_column, "weight_column")?;
    let mut rows = Rows::new(options);
    let mut first = true;
    for (line, row) in lines(text) {
        if row.trim().is_empty() {
            rows.push_blank();
            continue;
        }
        let problem = |problem: String| Error::Row { line, problem };
        let row: Value = serde_json::from_str(row).map_err(|error| {
            // Its own message tells a line too, which is always 1.
            let message = error.to_string();
            let message = message.split(" at line").next().unwrap_or_default();
            problem(format!("no JSON: {message} at column {}", error.column()))
        })?;
        let (term, object): (Cow<str>, _) = match &row {
            Value::String(term) => (term.into(), None),
            Value::Object(object) => match object.get(&term_key) {
                Some(Value::String(term)) => (term.into(), Some(object)),
                Some(_) => return Err(problem(format!("the value of {term_key:?} is no string"))),
                None => {
                    let found = object.keys().map(|key| format!("{key:?}")).collect();
                    return Err(Error::Column {
                        wanted: format!("{term_key:?}, line {line}"),
                        found,
                    });
                }
            },
            Value::Array(_) => {
                return Err(problem(
                    "a JSON array: put each of its terms on a line of its own".into(),
                ));
            }
            _ => return Err(problem("neither a JSON string nor a JSON object".into())),
        };
        if weight_key.is_none() {
            let has = |name: &&&str| object.is_some_and(|object| object.contains_key(**name));
            let name = WEIGHT_NAMES.iter().find(has);
            if let (Some(name), false) = (name, first) {
                return Err(problem(format!("there is a {name}, and rows before it have none")));
            }
            weight_key = name.map(|name| name.to_string());
        }
        first = false;
        let mut weight = None;
        if let Some(weight_key) = &weight_key {
            weight = match object.and_then(|object| object.get(weight_key)) {
                Some(Value::Number(number)) => Some(parse_weight(&number.to_string(), line)?),
                Some(other) => {
                    return Err(Error::Weight {
                        place: Place::Line(line),
                        value: other.to_string(),
                    });
                }
                None => return Err(problem(format!("there is no weight {weight_key:?}"))),
            };
        }
        rows.push(&term, weight);
    }
    rows.columns = Some((0, weight_key.map(|_| 1)));
    Ok(rows.finish())
}
