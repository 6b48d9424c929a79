//! The columns of an index: a value of the user's own for each term, in one of five types.
//!
//! Two sections of a file have them. The *directory* has an entry for each column, from which follows how
//! long each of its parts is; the *values* are all parts, one after the other (FORMAT.md has the layout).
//! A column is read in place.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use crate::arrays::array::{Array, Bytes, Number};
use crate::arrays::bits;
use crate::arrays::packed::{self, Packed};
use crate::error::{Error, Result};

/// The most columns that an index can have.
pub(crate) const MAX_COLUMNS: usize = 1024;
/// The most bytes of a column's name.
pub(crate) const MAX_NAME: usize = 255;
/// The bytes of an entry of the directory, without the name that follows it.
const ENTRY: usize = 48;

const NULLS: u8 = 1;
const CODED: u8 = 2;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Strings.
    Strings,
    /// Integers of 64 bits.
    Ints,
    /// Floating point numbers of 64 bits.
    Floats,
    /// True or false.
    Bools,
    /// Lists of strings.
    Lists,
}

impl Kind {
    const ALL: [Kind; 5] = [Kind::Strings, Kind::Ints, Kind::Floats, Kind::Bools, Kind::Lists];

    /// What the values are called.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Strings => "strings",
            Kind::Ints => "integers",
            Kind::Floats => "floats",
            Kind::Bools => "booleans",
            Kind::Lists => "lists of strings",
        }
    }
}

/// A value of a column.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// No value.
    Null,
    /// A string.
    Text(&'a str),
    /// An integer.
    Int(i64),
    /// A floating point number.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// A list of strings.
    Texts(Vec<&'a str>),
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Null => write!(f, "null"),
            Value::Text(text) => write!(f, "{text:?}"),
            Value::Int(int) => write!(f, "{int}"),
            Value::Float(float) => write!(f, "{float:?}"),
            Value::Bool(bool) => write!(f, "{bool}"),
            Value::Texts(texts) => write!(f, "{texts:?}"),
        }
    }
}

impl Value<'_> {
    /// The type of columns that have such values; none of a null, which all can have.
    pub fn kind(&self) -> Option<Kind> {
        match self {
            Value::Null => None,
            Value::Text(_) => Some(Kind::Strings),
            Value::Int(_) => Some(Kind::Ints),
            Value::Float(_) => Some(Kind::Floats),
            Value::Bool(_) => Some(Kind::Bools),
            Value::Texts(_) => Some(Kind::Lists),
        }
    }
}

/// The columns of an index.
pub(crate) struct Columns {
    pub(crate) directory: Array<u8>,
    pub(crate) values: Array<u8>,
    /// In the order in which they were given.
    pub(crate) named: Vec<Column>,
    /// The user's own ids of the terms.
    pub(crate) ids: Option<Ids>,
}

/// The user's own ids: strings or integers, all different.
pub(crate) struct Ids {
    pub(crate) column: Column,
    /// The numbers of the terms in the order of their ids.
    order: Packed,
}

/// A column, as an index has it.
pub(crate) struct Column {
    /// Its name; empty for the ids.
    pub name: String,
    /// The type of its values.
    pub kind: Kind,
    length: usize,
    /// Bit `i` is set where there is no value.
    nulls: Option<Array<u64>>,
    data: Data,
}

enum Data {
    Strings(Strings),
    Lists {
        /// The number of strings before each list, and of all.
        starts: Packed,
        strings: Strings,
    },
    /// Integers as their distance from the smallest.
    Ints {
        smallest: i64,
        distances: Packed,
    },
    /// Integers that are too far apart.
    WideInts(Array<u64>),
    Floats(Array<f64>),
    Bools(Array<u64>),
}

/// Strings, each stored where it occurs, or once and with a code wherever it occurs.
pub(crate) struct Strings {
    codes: Option<Packed>,
    /// The number of bytes before each text, and of all.
    starts: Packed,
    text: Array<u8>,
}

/// The facts of a column from which the lengths of its parts follow: an entry of the directory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) name: String,
    /// The number of the type, see [`Kind::ALL`].
    pub(crate) kind: u8,
    pub(crate) has_nulls: bool,
    /// Whether strings are stored once.
    pub(crate) is_coded: bool,
    /// The strings, with all repetitions: of a column of strings one for each term.
    pub(crate) items: u64,
    /// The strings that are stored.
    pub(crate) texts: u64,
    /// Their bytes.
    pub(crate) bytes: u64,
    pub(crate) smallest: i64,
    /// The distance between the smallest and the largest integer.
    pub(crate) range: u64,
}

impl Facts {
    pub(crate) fn new(name: &str, kind: Kind) -> Facts {
        let kind = Kind::ALL.iter().position(|&other| other == kind).unwrap_or(0) as u8;
        Facts { name: name.into(), kind, ..Facts::default() }
    }

    /// Appends the entry to a directory.
    pub(crate) fn push_to(&self, directory: &mut Vec<u8>) {
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        directory.push(self.kind);
        directory.push(flag(self.has_nulls, NULLS) | flag(self.is_coded, CODED));
        directory.extend_from_slice(&(self.name.len() as u16).to_le_bytes());
        directory.extend_from_slice(&[0; 4]);
        for number in [self.items, self.texts, self.bytes, self.smallest as u64, self.range] {
            directory.extend_from_slice(&number.to_le_bytes());
        }
        directory.extend_from_slice(self.name.as_bytes());
        directory.resize(directory.len().next_multiple_of(8), 0);
    }

    /// The entry at byte `at` of a directory, and the byte after it.
    fn read(directory: &[u8], at: usize) -> Result<(Facts, usize)> {
        let damaged = || Error::out_of_range("column directory");
        let entry = directory.get(at..at + ENTRY).ok_or_else(damaged)?;
        let number = |i: usize| {
            let bytes = entry[8 + 8 * i..16 + 8 * i].try_into();
            u64::from_le_bytes(bytes.unwrap_or_default())
        };
        let name = u16::from_le_bytes([entry[2], entry[3]]) as usize;
        let end = at + ENTRY + name;
        let name = directory.get(at + ENTRY..end).ok_or_else(damaged)?;
        let (items, texts, bytes, range) = (number(0), number(1), number(2), number(4));
        // So that no length computed from them overflows.
        if items.max(texts).max(bytes) >= 1 << 48 || entry[1] & !(NULLS | CODED) != 0 {
            return Err(damaged());
        }
        let facts = Facts {
            name: std::str::from_utf8(name).map_err(|_| damaged())?.into(),
            kind: entry[0],
            has_nulls: entry[1] & NULLS != 0,
            is_coded: entry[1] & CODED != 0,
            items,
            texts,
            bytes,
            smallest: number(3) as i64,
            range,
        };
        Ok((facts, end.next_multiple_of(8)))
    }
}

/// The largest number of packed numbers that must not take no space: a file that claims to have very
/// many of them must have their bits.
pub(crate) fn largest_number(largest: usize) -> u64 {
    largest.max(1) as u64
}

/// The parts of columns, read one after the other.
struct Parts<'a> {
    bytes: &'a Arc<dyn Bytes>,
    at: usize,
    end: usize,
}

impl Parts<'_> {
    fn array<T: Number>(&mut self, length: usize) -> Result<Array<T>> {
        let size = length * size_of::<T>();
        let start = self.at;
        self.at += size.next_multiple_of(8);
        let padding = self.bytes.bytes().get(start + size..self.at);
        if self.at > self.end || padding.is_none_or(|bytes| bytes.iter().any(|&byte| byte != 0)) {
            return Err(Error::damaged(
                "columns",
                "their length does not agree with the directory",
            ));
        }
        Array::shared(self.bytes, start, length).ok_or_else(|| Error::out_of_range("columns"))
    }

    fn packed(&mut self, length: usize, largest: u64) -> Result<Packed> {
        let bytes = self.array(packed::bytes_for(length, packed::width_for(largest)))?;
        Packed::from_bytes(bytes, length, largest).ok_or_else(|| Error::out_of_range("columns"))
    }

    fn strings(&mut self, facts: &Facts, items: usize) -> Result<Strings> {
        let texts = facts.texts as usize;
        let codes = match facts.is_coded {
            true => Some(self.packed(items, largest_number(texts.saturating_sub(1)))?),
            false if texts == items => None,
            false => return Err(Error::out_of_range("column directory")),
        };
        let starts = self.packed(texts + 1, largest_number(facts.bytes as usize))?;
        Ok(Strings { codes, starts, text: self.array(facts.bytes as usize)? })
    }

    fn column(&mut self, facts: Facts, length: usize) -> Result<Column> {
        let kind = Kind::ALL.get(facts.kind as usize).copied();
        let kind = kind.ok_or_else(|| Error::damaged("column directory", "an unknown type"))?;
        let nulls = match facts.has_nulls {
            true => Some(self.array(bits::words_for(length))?),
            false => None,
        };
        let items = facts.items as usize;
        let data = match kind {
            Kind::Strings => Data::Strings(self.strings(&facts, length)?),
            Kind::Lists => Data::Lists {
                starts: self.packed(length + 1, facts.items)?,
                strings: self.strings(&facts, items)?,
            },
            Kind::Ints if packed::width_for(facts.range) > packed::MAX_WIDTH => {
                Data::WideInts(self.array(length)?)
            }
            Kind::Ints => Data::Ints {
                smallest: facts.smallest,
                distances: self.packed(length, facts.range)?,
            },
            Kind::Floats => Data::Floats(self.array(length)?),
            Kind::Bools => Data::Bools(self.array(bits::words_for(length))?),
        };
        Ok(Column { name: facts.name, kind, length, nulls, data })
    }
}

impl Columns {
    /// The columns of `terms` terms, whose two sections are at these places. The first entry is that of
    /// the ids if `has_ids`.
    pub(crate) fn read(
        bytes: &Arc<dyn Bytes>,
        directory: (usize, usize),
        values: (usize, usize),
        terms: usize,
        has_ids: bool,
    ) -> Result<Columns> {
        let part = |(start, length), name| {
            Array::<u8>::shared(bytes, start, length).ok_or_else(|| Error::out_of_range(name))
        };
        let directory = part(directory, "column directory")?;
        let mut parts = Parts { bytes, at: values.0, end: values.0 + values.1 };
        let values = part(values, "columns")?;
        let mut at = 0;
        let mut ids = None;
        let mut named = Vec::new();
        while at < directory.len() {
            let (facts, next) = Facts::read(&directory, at)?;
            let is_ids = has_ids && at == 0;
            at = next;
            if is_ids != facts.name.is_empty() || named.len() == MAX_COLUMNS {
                return Err(Error::out_of_range("column directory"));
            }
            let column = parts.column(facts, terms)?;
            match is_ids {
                true if matches!(column.kind, Kind::Strings | Kind::Ints) => {
                    ids = Some(Ids { column, order: parts.packed(terms, terms as u64)? });
                }
                true => return Err(Error::damaged("column directory", "ids of another type")),
                false => named.push(column),
            }
        }
        if at != directory.len() || parts.at != parts.end || has_ids != ids.is_some() {
            return Err(Error::damaged(
                "columns",
                "their length does not agree with the directory",
            ));
        }
        Ok(Columns { directory, values, named, ids })
    }

    /// The memory that the columns hold for themselves.
    pub(crate) fn own_bytes(&self) -> usize {
        self.directory.own_bytes() + self.values.own_bytes()
    }
}

impl Strings {
    /// The bytes of string `item`.
    #[inline]
    pub(crate) fn get(&self, item: usize) -> Result<&[u8]> {
        self.text(self.code(item)?)
    }

    /// The number of texts.
    pub(crate) fn texts(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether each text is stored once.
    pub(crate) fn is_coded(&self) -> bool {
        self.codes.is_some()
    }

    /// The number of the text of string `item`.
    #[inline]
    pub(crate) fn code(&self, item: usize) -> Result<usize> {
        self.codes.as_ref().map_or(Ok(item), |codes| codes.at(item, "columns"))
    }

    /// The bytes of a text by its number.
    #[inline]
    pub(crate) fn text(&self, text: usize) -> Result<&[u8]> {
        let range = self.starts.at(text, "columns")?..self.starts.at(text + 1, "columns")?;
        self.text.get(range).ok_or_else(|| Error::out_of_range("columns"))
    }

    /// The number of a text, when texts are stored once and in order.
    fn code_of(&self, wanted: &[u8]) -> Result<Option<usize>> {
        let (mut low, mut high) = (0, self.texts());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.text(middle)?.cmp(wanted) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Ok(Some(middle)),
                Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }
}

pub(crate) fn as_text(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|_| Error::damaged("columns", "a text is not UTF-8"))
}

fn bit(words: &[u64], i: usize) -> Result<bool> {
    let word = words.get(i / 64).ok_or_else(|| Error::out_of_range("columns"))?;
    Ok(word >> (i % 64) & 1 == 1)
}

impl Column {
    /// The number of values: one for each term.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Whether a term has no value.
    #[inline]
    pub(crate) fn is_null(&self, row: usize) -> Result<bool> {
        self.nulls.as_ref().map_or(Ok(false), |nulls| bit(nulls, row))
    }

    /// Whether any term has no value.
    pub(crate) fn has_nulls(&self) -> bool {
        self.nulls.is_some()
    }

    /// The value of a term, by its number.
    pub(crate) fn value(&self, row: usize) -> Result<Value<'_>> {
        if self.is_null(row)? {
            return Ok(Value::Null);
        }
        let range = || Error::out_of_range("columns");
        Ok(match &self.data {
            Data::Strings(strings) => Value::Text(as_text(strings.get(row)?)?),
            Data::Lists { starts, strings } => {
                let items = starts.at(row, "columns")?..starts.at(row + 1, "columns")?;
                if items.end >= 1 << 48 || items.start > items.end {
                    return Err(range());
                }
                Value::Texts(items.map(|i| as_text(strings.get(i)?)).collect::<Result<_>>()?)
            }
            Data::Ints { smallest, distances } => {
                Value::Int(smallest.wrapping_add_unsigned(distances.get(row).ok_or_else(range)?))
            }
            Data::WideInts(all) => Value::Int(*all.get(row).ok_or_else(range)? as i64),
            Data::Floats(all) => Value::Float(*all.get(row).ok_or_else(range)?),
            Data::Bools(words) => Value::Bool(bit(words, row)?),
        })
    }

    /// The strings of a column that has some, and of lists how many there are before each.
    pub(crate) fn strings(&self) -> Option<(Option<&Packed>, &Strings)> {
        match &self.data {
            Data::Strings(strings) => Some((None, strings)),
            Data::Lists { starts, strings } => Some((Some(starts), strings)),
            _ => None,
        }
    }

    /// Calls `each` with every term that has one of these values, or a list with one of them.
    pub(crate) fn each_with(&self, values: &[Value], mut each: impl FnMut(usize)) -> Result<()> {
        let with_null = values.iter().any(|value| value.kind().is_none());
        let texts: Vec<&[u8]> = values
            .iter()
            .filter_map(
                |value| if let Value::Text(text) = value { Some(text.as_bytes()) } else { None },
            )
            .collect();
        let wanted = |strings: &Strings| Wanted::new(strings, &texts);
        match &self.data {
            Data::Strings(strings) => {
                let wanted = wanted(strings)?;
                self.each_fitting(with_null, &mut each, |row| wanted.has(strings, row))
            }
            Data::Lists { starts, strings } => {
                let wanted = wanted(strings)?;
                self.each_fitting(with_null, &mut each, |row| {
                    for item in starts.at(row, "columns")?..starts.at(row + 1, "columns")? {
                        if wanted.has(strings, item)? {
                            return Ok(true);
                        }
                    }
                    Ok(false)
                })
            }
            _ => {
                let wanted: HashSet<Comparable> =
                    values.iter().filter_map(Comparable::of).collect();
                self.each_fitting(with_null, &mut each, |row| {
                    Ok(Comparable::of(&self.value(row)?).is_some_and(|own| wanted.contains(&own)))
                })
            }
        }
    }

    fn each_fitting(
        &self,
        with_null: bool,
        each: &mut impl FnMut(usize),
        fits: impl Fn(usize) -> Result<bool>,
    ) -> Result<()> {
        for row in 0..self.length {
            let fits = if self.is_null(row)? { with_null } else { fits(row)? };
            if fits {
                each(row);
            }
        }
        Ok(())
    }
}

/// Strings that are looked for in a column.
enum Wanted<'a> {
    /// As codes: whether each is wanted.
    Codes(Vec<bool>),
    /// As they are, in order.
    Texts(Vec<&'a [u8]>),
}

impl<'a> Wanted<'a> {
    fn new(strings: &Strings, texts: &[&'a [u8]]) -> Result<Wanted<'a>> {
        if strings.codes.is_none() {
            let mut texts = texts.to_vec();
            texts.sort_unstable();
            return Ok(Wanted::Texts(texts));
        }
        let mut codes = vec![false; strings.starts.len()];
        for text in texts {
            if let Some(code) = strings.code_of(text)? {
                codes[code] = true;
            }
        }
        Ok(Wanted::Codes(codes))
    }

    #[inline]
    fn has(&self, strings: &Strings, item: usize) -> Result<bool> {
        match (self, &strings.codes) {
            (Wanted::Codes(wanted), Some(codes)) => {
                Ok(wanted.get(codes.at(item, "columns")?) == Some(&true))
            }
            (Wanted::Texts(wanted), _) => Ok(wanted.binary_search(&strings.get(item)?).is_ok()),
            _ => Ok(false),
        }
    }
}

/// A number or a truth value that is compared: an integer can be the same as a floating point number.
#[derive(PartialEq, Eq, Hash)]
enum Comparable {
    Whole(i128),
    /// The bits of a number that is not whole.
    Fraction(u64),
    Bool(bool),
}

impl Comparable {
    /// What is compared of a value; nothing of one that equals none, such as what is not a number.
    fn of(value: &Value) -> Option<Comparable> {
        match *value {
            Value::Int(int) => Some(Comparable::Whole(int.into())),
            // Within the range of i128 every whole number is exact.
            Value::Float(float) if float.trunc() == float && float.abs() < 1e30 => {
                Some(Comparable::Whole(float as i128))
            }
            Value::Float(float) if !float.is_nan() => Some(Comparable::Fraction(float.to_bits())),
            Value::Bool(bool) => Some(Comparable::Bool(bool)),
            _ => None,
        }
    }
}

impl Ids {
    /// The number of the term that has this id.
    pub(crate) fn number(&self, id: &Value) -> Result<Option<usize>> {
        let (mut low, mut high) = (0, self.order.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let number = self.order.at(middle, "columns")?;
            let order = match (self.column.value(number)?, id) {
                (Value::Int(own), Value::Int(id)) => own.cmp(id),
                (Value::Text(own), Value::Text(id)) => own.cmp(id),
                _ => return Ok(None),
            };
            match order {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Ok(Some(number)),
                Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }
}
