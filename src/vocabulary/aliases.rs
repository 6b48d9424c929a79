//! Files of aliases: a table with the columns `term` and `alias`, or JSON objects with these values.

use std::ops::ControlFlow;
use std::path::Path;

use serde_json::Value;

use crate::build::Aliases;
use crate::error::{Error, Result};
use crate::vocabulary::header::{find_name, find_term};
use crate::vocabulary::json_lines::parse;
use crate::vocabulary::options::{Decoding, Format};
use crate::vocabulary::tables::{Table, cell};
use crate::vocabulary::text::{lines, with_lf_for_lone_cr};
use crate::vocabulary::{content_of, text_of};

/// The names of the column of the aliases, the preferred one first.
const ALIAS_NAMES: [&str; 2] = ["alias", "aliases"];

impl Aliases {
    /// Reads the aliases in a file: TSV, CSV or JSON Lines, plain or compressed. The name of the file shows
    /// its format; if it does not, or without a name, its first line does. A row has a term and an alias,
    /// or in JSON Lines a list of aliases.
    pub fn read(path: Option<&Path>, content: Option<Vec<u8>>) -> Result<Aliases> {
        let bytes = match (path, content) {
            (Some(path), None) => content_of(path)?,
            (_, content) => content.unwrap_or_default(),
        };
        let text = with_lf_for_lone_cr(text_of(bytes, Decoding::Strict)?);
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let format = path.and_then(Format::of).unwrap_or(match first {
            line if line.starts_with('{') => Format::JsonLines,
            line if line.contains('\t') => Format::Tsv,
            _ => Format::Csv,
        });
        let mut aliases = Aliases::default();
        match format {
            Format::JsonLines => aliases.read_json(&text)?,
            Format::Csv => {
                let delimiter =
                    if first.contains(';') && !first.contains(',') { b';' } else { b',' };
                aliases.read_table(&Table::Csv { text: &text, delimiter })?;
            }
            Format::Tsv | Format::Text => aliases.read_table(&Table::Tsv { text: &text })?,
        }
        Ok(aliases)
    }

    fn push(&mut self, term: &str, alias: &str) {
        if !alias.trim().is_empty() {
            self.by_term.push((term.to_owned(), alias.to_owned()));
        }
    }

    fn read_table(&mut self, table: &Table) -> Result<()> {
        let mut columns = None;
        table.each_row(&mut |line, cells| {
            match columns {
                _ if cells.is_empty() => {}
                Some((term, alias)) => {
                    self.push(cell(cells, term, line)?, cell(cells, alias, line)?);
                }
                None => {
                    let column = |wanted: &str, found: Option<usize>| {
                        found.ok_or_else(|| Error::Column {
                            wanted: format!("{wanted:?}"),
                            found: cells.iter().map(|cell| format!("{cell:?}")).collect(),
                        })
                    };
                    let term = column("term", find_term(cells))?;
                    columns = Some((term, column("alias", find_name(cells, &ALIAS_NAMES))?));
                }
            }
            Ok(ControlFlow::Continue(()))
        })
    }

    fn read_json(&mut self, text: &str) -> Result<()> {
        for (line, row) in lines(text).filter(|(_, row)| !row.trim().is_empty()) {
            let row = parse(line, row)?;
            let error = |problem: &str| Error::Row { line, problem: problem.into() };
            let Value::Object(object) = row else {
                return Err(error("not a JSON object with the values \"term\" and \"alias\""));
            };
            let names: Vec<&str> = object.keys().map(String::as_str).collect();
            let value = |place: Option<usize>| place.and_then(|place| object.get(names[place]));
            let Some(Value::String(term)) = value(find_term(&names)) else {
                return Err(error("there is no \"term\" that is a string"));
            };
            match value(find_name(&names, &ALIAS_NAMES)) {
                Some(Value::Null) => {}
                Some(Value::String(alias)) => self.push(term, alias),
                Some(Value::Array(all)) => {
                    for alias in all {
                        let alias = alias.as_str();
                        let alias = alias.ok_or_else(|| error("an alias is not a string"))?;
                        self.push(term, alias);
                    }
                }
                _ => return Err(error("there is no \"alias\" that is a string or a list of them")),
            }
        }
        Ok(())
    }
}
