//! The values of a column on their way into an index.

use std::cmp::Ordering;

use crate::arrays::columns::{Column, Kind, Value, as_text};
use crate::build::entries::List;
use crate::error::{Error, Result};

/// The values of a column, one for each entry, all of one type.
#[derive(Clone, Debug, Default)]
pub struct Values {
    length: usize,
    /// Where there is no value; empty if there is one everywhere.
    nulls: Vec<bool>,
    pub(super) data: Data,
}

#[derive(Clone, Debug, Default)]
pub(super) enum Data {
    /// Nulls only, so far.
    #[default]
    Unknown,
    Strings(Strings),
    Ints(Vec<i64>),
    Floats(Vec<f64>),
    Bools(Vec<bool>),
    /// The strings of all lists, and how many there are before the end of each list.
    Lists(Strings, Vec<usize>),
}

/// Strings, which may be numbers of texts.
#[derive(Clone, Debug, Default)]
pub(super) struct Strings {
    pub(super) texts: List,
    /// For each string the number of its text; not if that is its own number.
    codes: Option<Vec<u32>>,
}

impl Strings {
    /// The number of strings.
    fn count(&self) -> usize {
        self.codes.as_ref().map_or(self.texts.len(), Vec::len)
    }

    /// The number of the text of string `i`.
    #[inline]
    pub(super) fn code(&self, i: usize) -> usize {
        self.codes.as_ref().map_or(i, |codes| codes[i] as usize)
    }

    #[inline]
    fn get(&self, i: usize) -> &str {
        self.texts.get(self.code(i))
    }

    fn push(&mut self, text: &str) {
        if let Some(codes) = &mut self.codes {
            codes.push(self.texts.len() as u32);
        }
        self.texts.push(text);
    }
}

impl Values {
    /// No values, of a type that is known.
    pub fn of(kind: Kind) -> Values {
        let data = match kind {
            Kind::Strings => Data::Strings(Strings::default()),
            Kind::Ints => Data::Ints(Vec::new()),
            Kind::Floats => Data::Floats(Vec::new()),
            Kind::Bools => Data::Bools(Vec::new()),
            Kind::Lists => Data::Lists(Strings::default(), Vec::new()),
        };
        Values { data, ..Values::default() }
    }

    /// Strings that are numbers of `texts`, each in the range of these.
    pub(crate) fn of_codes(texts: List, codes: Vec<u32>, nulls: Vec<bool>) -> Values {
        let length = codes.len();
        Values { length, nulls, data: Data::Strings(Strings { texts, codes: Some(codes) }) }
    }

    /// The values of a column of an index.
    pub(crate) fn of_column(column: &Column) -> Result<Values> {
        let Some((starts, stored)) = column.strings() else {
            let mut values = Values::of(column.kind);
            for row in 0..column.len() {
                let refused = |_| Error::damaged("columns", "values of different types");
                values.push(&column.value(row)?).map_err(refused)?;
            }
            return Ok(values);
        };
        let damaged = || Error::damaged("columns", "they are not in order");
        let mut ends = Vec::new();
        let items = match starts {
            None => column.len(),
            Some(starts) => {
                let mut last = 0;
                for row in 0..=column.len() {
                    let start = starts.at(row, "columns")?;
                    if start < last || row == 0 && start > 0 {
                        return Err(damaged());
                    }
                    last = start;
                    ends.push(start);
                }
                ends.remove(0);
                last
            }
        };
        let mut texts = List::default();
        for text in 0..stored.texts() {
            texts.push(as_text(stored.text(text)?)?);
        }
        let codes = match stored.is_coded() {
            false if items == texts.len() => None,
            false => return Err(damaged()),
            true => {
                let mut codes = Vec::new();
                for item in 0..items {
                    let code = stored.code(item)?;
                    if code >= texts.len() {
                        return Err(damaged());
                    }
                    codes.push(code as u32);
                }
                Some(codes)
            }
        };
        let mut nulls = Vec::new();
        if column.has_nulls() {
            for row in 0..column.len() {
                nulls.push(column.is_null(row)?);
            }
        }
        let strings = Strings { texts, codes };
        let data = match starts {
            None => Data::Strings(strings),
            Some(_) => Data::Lists(strings, ends),
        };
        Ok(Values { length: column.len(), nulls, data })
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The type of the values; that of strings if all are null.
    pub fn kind(&self) -> Kind {
        match self.data {
            Data::Unknown | Data::Strings(_) => Kind::Strings,
            Data::Ints(_) => Kind::Ints,
            Data::Floats(_) => Kind::Floats,
            Data::Bools(_) => Kind::Bools,
            Data::Lists(..) => Kind::Lists,
        }
    }

    /// Adds a value. The first that is not null decides about the type; integers become floating point
    /// numbers when the first of these comes. A value of another type is refused.
    pub fn push(&mut self, value: &Value) -> std::result::Result<(), Refused> {
        if let Some(kind) = value.kind() {
            if let Data::Unknown = self.data {
                self.data = Values::of(kind).data;
                (0..self.length).for_each(|_| self.push_nothing());
            }
            if let (Data::Ints(all), Kind::Floats) = (&self.data, kind) {
                self.data = Data::Floats(all.iter().map(|&int| int as f64).collect());
            }
        }
        match (&mut self.data, value) {
            (_, Value::Null) => {
                self.nulls.resize(self.length, false);
                self.nulls.push(true);
                self.push_nothing();
            }
            (Data::Strings(all), Value::Text(text)) => all.push(text),
            (Data::Ints(all), Value::Int(int)) => all.push(*int),
            (Data::Floats(all), Value::Float(float)) => all.push(*float),
            (Data::Floats(all), Value::Int(int)) => all.push(*int as f64),
            (Data::Bools(all), Value::Bool(bool)) => all.push(*bool),
            (Data::Lists(all, ends), Value::Texts(texts)) => {
                texts.iter().for_each(|text| all.push(text));
                ends.push(all.count());
            }
            _ => return Err(Refused { expected: self.kind() }),
        }
        self.length += 1;
        if !self.nulls.is_empty() {
            self.nulls.resize(self.length, false);
        }
        Ok(())
    }

    /// Adds what stands for a null.
    fn push_nothing(&mut self) {
        match &mut self.data {
            Data::Unknown => {}
            Data::Strings(all) => all.push(""),
            Data::Ints(all) => all.push(0),
            Data::Floats(all) => all.push(0.0),
            Data::Bools(all) => all.push(false),
            Data::Lists(all, ends) => ends.push(all.count()),
        }
    }

    /// Whether a row has no value.
    pub fn is_null(&self, row: usize) -> bool {
        matches!(self.data, Data::Unknown) || self.nulls.get(row) == Some(&true)
    }

    /// The value in a row.
    pub fn get(&self, row: usize) -> Value<'_> {
        match &self.data {
            _ if self.is_null(row) => Value::Null,
            Data::Unknown => Value::Null,
            Data::Strings(all) => Value::Text(all.get(row)),
            Data::Ints(all) => Value::Int(all[row]),
            Data::Floats(all) => Value::Float(all[row]),
            Data::Bools(all) => Value::Bool(all[row]),
            Data::Lists(all, ends) => {
                Value::Texts(list_at(ends, row).map(|i| all.get(i)).collect())
            }
        }
    }

    /// The values of some rows.
    pub(super) fn of_rows(&self, rows: &[usize]) -> Values {
        if let Data::Strings(Strings { texts, codes: Some(codes) }) = &self.data {
            let nulls = match self.nulls.is_empty() {
                true => Vec::new(),
                false => rows.iter().map(|&row| self.is_null(row)).collect(),
            };
            let codes = rows.iter().map(|&row| codes[row]).collect();
            return Values::of_codes(texts.clone(), codes, nulls);
        }
        let mut values = Values::of(self.kind());
        for &row in rows {
            values.push(&self.get(row)).expect("a column has values of one type");
        }
        values
    }

    /// The order of two rows; nulls come first.
    pub(crate) fn compare(&self, a: usize, b: usize) -> Ordering {
        let nulls = self.is_null(b).cmp(&self.is_null(a));
        if nulls.is_ne() || self.is_null(a) {
            return nulls;
        }
        match &self.data {
            Data::Unknown => Ordering::Equal,
            Data::Strings(all) if all.code(a) == all.code(b) => Ordering::Equal,
            Data::Strings(all) => all.get(a).cmp(all.get(b)),
            Data::Ints(all) => all[a].cmp(&all[b]),
            Data::Floats(all) => all[a].total_cmp(&all[b]),
            Data::Bools(all) => all[a].cmp(&all[b]),
            Data::Lists(all, ends) => {
                let list = |row| list_at(ends, row).map(|i| all.get(i));
                list(a).cmp(list(b))
            }
        }
    }
}

/// The strings of the list in a row, when the lists end there.
pub(super) fn list_at(ends: &[usize], row: usize) -> std::ops::Range<usize> {
    row.checked_sub(1).map_or(0, |before| ends[before])..ends[row]
}

/// A value that is not of the type of its column.
#[derive(Clone, Copy, Debug)]
pub struct Refused {
    /// The type of the column.
    pub expected: Kind,
}
