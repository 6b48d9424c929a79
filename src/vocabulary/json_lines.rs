//! JSON Lines: on each line a JSON string, or an object with the term as one of its values.

use serde_json::{Map, Value};

use crate::arrays::columns::Value as Own;
use crate::build::entries::List;
use crate::build::{Aliases, UserColumns, Values};
use crate::error::{Error, Place, Result};
use crate::vocabulary::header::{
    FORMS, Header, MATCHING, WEIGHT_NAMES, WeightColumn, each_form, find_name, find_term,
    missing_number,
};
use crate::vocabulary::numbers::parse_weight;
use crate::vocabulary::options::{Column, OwnColumns, ReadOptions};
use crate::vocabulary::rows;
use crate::vocabulary::text::lines;

/// The terms of a text without lone CRs, and their weights, if there are any.
pub(super) fn read(text: &str, options: &ReadOptions) -> Result<rows::Rows> {
    for (name, column) in options.asked() {
        if let Column::Number(number) = column {
            return Err(Error::Option {
                name,
                value: number.to_string(),
                expected: "the values of JSON objects have names, not numbers",
            });
        }
    }
    let mut rows = Rows::new(options);
    for (line, row) in lines(text) {
        rows.push(line, row)?;
    }
    let term_name = rows.term_name.clone();
    let mut rows = rows.finish()?;
    rows.matching = matching(text);
    if let (Some(_), Some(term)) = (&rows.matching, term_name) {
        rows.aliases = forms(text, &term);
    }
    Ok(rows)
}

/// The forms of the terms, if the first object has any.
fn forms(text: &str, term: &str) -> Aliases {
    let mut aliases = Aliases::default();
    for (_, line) in lines(text).filter(|(_, line)| !line.trim().is_empty()) {
        let Ok(row) = serde_json::from_str::<Value>(line) else { break };
        let Some(forms) = row.get(FORMS).and_then(Value::as_str) else { break };
        if let Some(term) = row.get(term).and_then(Value::as_str) {
            each_form(term, forms, |form| aliases.by_term.push((term.into(), form.into())));
        }
    }
    aliases
}

/// What the first object says of how the terms match, if it does.
fn matching(text: &str) -> Option<String> {
    let first = lines(text).map(|(_, line)| line).find(|line| !line.trim().is_empty())?;
    let row: Value = serde_json::from_str(first).ok()?;
    Some(row.get(MATCHING)?.as_str()?.to_owned())
}

/// The rows on their way to a vocabulary.
struct Rows<'a> {
    options: &'a ReadOptions,
    entries: List,
    /// One weight for each entry, 0 where a row has none.
    weights: Vec<f64>,
    /// The name of the terms: the one asked for, or found in the first object.
    term_name: Option<String>,
    weight: WeightName,
    /// The rows that have a term.
    terms: u64,
    /// Of these, the rows that have a number as weight.
    with_number: u64,
    /// The line of the first that has none, and what it has.
    exception: Option<(u64, String)>,
    own: OwnValues,
}

/// The name of the weights, found in the first row that has a term or asked for.
enum WeightName {
    None,
    /// Each row must have a weight of this name.
    Certain(String),
    /// The values of this name are the weights if each row has a number there.
    Likely(String),
}

impl<'a> Rows<'a> {
    fn new(options: &'a ReadOptions) -> Rows<'a> {
        let name = |column: &Option<Column>| match column {
            Some(Column::Name(name)) => Some(name.clone()),
            _ => None,
        };
        Rows {
            options,
            entries: List::of_rows(),
            weights: Vec::new(),
            term_name: name(&options.column),
            weight: name(&options.weight_column).map_or(WeightName::None, WeightName::Certain),
            terms: 0,
            with_number: 0,
            exception: None,
            own: OwnValues::new(options),
        }
    }

    fn push(&mut self, line: u64, row: &str) -> Result<()> {
        if row.trim().is_empty() {
            self.push_null();
            return Ok(());
        }
        let row = parse(line, row)?;
        match &row {
            Value::Null => self.push_null(),
            Value::String(term) => {
                self.find_weight(line, None)?;
                self.push_term(line, term, None)?;
            }
            Value::Object(object) => match self.term(line, object)? {
                None => self.push_null(),
                Some(term) => {
                    self.find_weight(line, Some(object))?;
                    self.push_term(line, term, Some(object))?;
                }
            },
            Value::Array(_) => {
                let problem = "a JSON array: put each of its terms on a line of its own".into();
                return Err(Error::Row { line, problem });
            }
            _ => {
                let problem = "neither a JSON string nor a JSON object".into();
                return Err(Error::Row { line, problem });
            }
        }
        Ok(())
    }

    /// An entry without a token.
    fn push_null(&mut self) {
        self.own.push_nulls();
        self.entries.push("");
        self.weights.push(0.0);
    }

    /// The term of an object; None if it is null.
    fn term<'o>(&mut self, line: u64, object: &'o Map<String, Value>) -> Result<Option<&'o str>> {
        if self.term_name.is_none() {
            let names: Vec<&str> = object.keys().map(String::as_str).collect();
            self.term_name = find_term(&names).map(|i| names[i].to_owned());
        }
        let name = self.term_name.as_deref().unwrap_or("term");
        match object.get(name) {
            Some(Value::String(term)) => Ok(Some(term)),
            Some(Value::Null) => Ok(None),
            Some(_) => {
                Err(Error::Row { line, problem: format!("the value of {name:?} is not a string") })
            }
            None => Err(Error::Column {
                wanted: format!("{name:?}, line {line}"),
                found: object.keys().map(|key| format!("{key:?}")).collect(),
            }),
        }
    }

    /// Looks for the name of the weights in the first row that has a term. A later row cannot have a
    /// certain one that the rows before it lack.
    fn find_weight(&mut self, line: u64, object: Option<&Map<String, Value>>) -> Result<()> {
        if matches!(self.weight, WeightName::Certain(_)) {
            return Ok(());
        }
        let Some(object) = object else { return Ok(()) };
        let names: Vec<&str> = object.keys().map(String::as_str).collect();
        if self.terms == 0 {
            let name = |number: usize| names[number].to_owned();
            self.weight = match Header::of(&names, self.options)?.weight {
                None => WeightName::None,
                Some(WeightColumn::Certain(number)) => WeightName::Certain(name(number)),
                Some(WeightColumn::Likely(number)) => WeightName::Likely(name(number)),
            };
        } else if let Some(number) = find_name(&names, &WEIGHT_NAMES) {
            let problem = format!("there is a {}, and rows before it have none", names[number]);
            return Err(Error::Row { line, problem });
        }
        Ok(())
    }

    fn push_term(
        &mut self,
        line: u64,
        term: &str,
        object: Option<&Map<String, Value>>,
    ) -> Result<()> {
        let value = |name: &str| object.and_then(|object| object.get(name));
        let weight = match &self.weight {
            WeightName::None => 0.0,
            WeightName::Certain(name) => match value(name) {
                Some(Value::Number(number)) => parse_weight(&number.to_string(), line)?,
                Some(other) => {
                    let (place, value) = (Place::Line(line), other.to_string());
                    return Err(Error::Weight { place, value });
                }
                None => {
                    let problem = format!("there is no weight {name:?}");
                    return Err(Error::Row { line, problem });
                }
            },
            WeightName::Likely(name) => match value(name).and_then(Value::as_f64) {
                Some(number) => {
                    self.with_number += 1;
                    number
                }
                None => {
                    let found = value(name).map_or("nothing".into(), Value::to_string);
                    self.exception.get_or_insert((line, found));
                    0.0
                }
            },
        };
        let is_all = self.options.columns == OwnColumns::All;
        if let Some(object) = object.filter(|_| is_all) {
            let names = object.keys().filter(|name| {
                let weight = matches!(&self.weight, WeightName::Certain(weight) if weight == *name);
                self.term_name.as_ref() != Some(*name) && !weight
            });
            self.own.add(names, self.entries.len());
        }
        self.own.push(object, line)?;
        self.terms += 1;
        self.entries.push(term);
        self.weights.push(weight);
        Ok(())
    }

    fn finish(mut self) -> Result<rows::Rows> {
        let weighted = match (&self.weight, self.exception) {
            (WeightName::None, _) => false,
            (WeightName::Likely(name), Some((line, found)))
                if 2 * self.with_number > self.terms =>
            {
                let term = self.term_name.as_deref().unwrap_or("term");
                return Err(missing_number(name, line, &found, term));
            }
            (_, exception) => exception.is_none(),
        };
        if let (true, WeightName::Likely(name), OwnColumns::All) =
            (weighted, &self.weight, &self.options.columns)
        {
            self.own.columns.retain(|column| column.name != *name);
        }
        let own = self.own.finish()?;
        Ok(rows::Rows {
            entries: self.entries,
            weights: weighted.then_some(self.weights),
            own,
            matching: None,
            aliases: Aliases::default(),
        })
    }
}

/// The user's own columns on their way to a vocabulary.
struct OwnValues {
    columns: Vec<OwnColumn>,
    ids: Option<OwnColumn>,
    /// The names in the first object.
    names: Vec<String>,
}

struct OwnColumn {
    name: String,
    values: Values,
    /// Whether an object has a value of this name.
    is_there: bool,
}

impl OwnValues {
    fn new(options: &ReadOptions) -> OwnValues {
        let column = |column: &Column| match column {
            Column::Name(name) => {
                Some(OwnColumn { name: name.clone(), values: Values::default(), is_there: false })
            }
            Column::Number(_) => None,
        };
        let columns = match &options.columns {
            OwnColumns::Named(named) => named.iter().filter_map(column).collect(),
            OwnColumns::None | OwnColumns::All => Vec::new(),
        };
        let ids = options.id_column.as_ref().and_then(column);
        OwnValues { columns, ids, names: Vec::new() }
    }

    /// Adds the columns that are not there yet, when there are already some rows.
    fn add<'a>(&mut self, names: impl Iterator<Item = &'a String>, rows: usize) {
        for name in names {
            let is_known = |column: &OwnColumn| column.name == *name;
            if !self.columns.iter().chain(&self.ids).any(is_known) {
                let mut values = Values::default();
                (0..rows).for_each(|_| push_null(&mut values));
                self.columns.push(OwnColumn { name: name.clone(), values, is_there: true });
            }
        }
    }

    fn push_nulls(&mut self) {
        self.columns
            .iter_mut()
            .chain(&mut self.ids)
            .for_each(|column| push_null(&mut column.values));
    }

    /// Adds the values of an object.
    fn push(&mut self, object: Option<&Map<String, Value>>, line: u64) -> Result<()> {
        if let Some(object) = object.filter(|_| self.names.is_empty()) {
            self.names = object.keys().cloned().collect();
        }
        for column in self.columns.iter_mut().chain(&mut self.ids) {
            let found = object.and_then(|object| object.get(&column.name));
            column.is_there |= found.is_some();
            let found = found.unwrap_or(&Value::Null);
            let refused = |expected| Error::ColumnValue {
                column: (&*column.name).into(),
                place: Box::new(Place::Line(line)),
                value: found.to_string().into(),
                expected,
            };
            let value = value_of(found);
            let value = value.ok_or_else(|| {
                refused("strings, integers of 64 bits, floats, booleans or lists of strings")
            })?;
            column.values.push(&value).map_err(|error| refused(error.expected.name()))?;
        }
        Ok(())
    }

    fn finish(self) -> Result<UserColumns> {
        let missing = self.columns.iter().chain(&self.ids).find(|column| !column.is_there);
        // A file without an object has no names.
        if let Some(column) = missing.filter(|_| !self.names.is_empty()) {
            return Err(Error::Column {
                wanted: format!("{:?}", column.name),
                found: self.names.iter().map(|name| format!("{name:?}")).collect(),
            });
        }
        let columns = self.columns.into_iter().map(|column| (column.name, column.values));
        Ok(UserColumns { columns: columns.collect(), ids: self.ids.map(|ids| ids.values) })
    }
}

fn push_null(values: &mut Values) {
    values.push(&Own::Null).expect("every column can have nulls");
}

/// A JSON value as one of a column, if it can be one.
fn value_of(json: &Value) -> Option<Own<'_>> {
    match json {
        Value::Null => Some(Own::Null),
        Value::Bool(bool) => Some(Own::Bool(*bool)),
        Value::String(text) => Some(Own::Text(text)),
        Value::Number(number) if number.is_u64() || number.is_i64() => {
            number.as_i64().map(Own::Int)
        }
        Value::Number(number) => number.as_f64().map(Own::Float),
        Value::Array(items) => {
            Some(Own::Texts(items.iter().map(Value::as_str).collect::<Option<_>>()?))
        }
        Value::Object(_) => None,
    }
}

pub(super) fn parse(line: u64, row: &str) -> Result<Value> {
    serde_json::from_str(row).map_err(|error| {
        // Its own message has a line too, which is always 1.
        let message = error.to_string();
        let message = message.split(" at line").next().unwrap_or_default();
        let problem = format!("not JSON: {message} at column {}", error.column());
        Error::Row { line, problem }
    })
}
