//! Changes that are not committed.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::arrays::columns::{Kind, Value};
use crate::build::{Aliases, Entries, UserColumns};

/// Terms to add, or to change.
pub struct Addition<'a> {
    /// The terms.
    pub terms: &'a dyn Entries,
    /// A weight for each of them.
    pub weights: Option<&'a [f64]>,
    /// Values for each of them; without ids, which the store gives.
    pub columns: Arc<UserColumns>,
    /// Other names, by the entries or their surfaces; None leaves those of terms that are there.
    pub aliases: Option<Aliases>,
}

/// A value of a column, with its text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Owned {
    #[default]
    Null,
    Text(Box<str>),
    Int(i64),
    Float(f64),
    Bool(bool),
    Texts(Vec<Box<str>>),
}

impl Owned {
    /// A value in a column of a type; None if the column cannot have it.
    pub(super) fn of(value: &Value, kind: Kind) -> Option<Owned> {
        Some(match (value, kind) {
            (Value::Null, _) => Owned::Null,
            (&Value::Text(text), Kind::Strings) => Owned::Text(text.into()),
            (&Value::Int(int), Kind::Ints) => Owned::Int(int),
            (&Value::Int(int), Kind::Floats) => Owned::Float(int as f64),
            // As pandas has integers among which some are missing.
            (&Value::Float(float), Kind::Ints)
                if float.fract() == 0.0 && float.abs() < (1_u64 << 53) as f64 =>
            {
                Owned::Int(float as i64)
            }
            (&Value::Float(float), Kind::Floats) => Owned::Float(float),
            (&Value::Bool(bool), Kind::Bools) => Owned::Bool(bool),
            (Value::Texts(texts), Kind::Lists) => {
                Owned::Texts(texts.iter().map(|&text| text.into()).collect())
            }
            _ => return None,
        })
    }

    pub(super) fn as_value(&self) -> Value<'_> {
        match self {
            Owned::Null => Value::Null,
            Owned::Text(text) => Value::Text(text),
            Owned::Int(int) => Value::Int(*int),
            Owned::Float(float) => Value::Float(*float),
            Owned::Bool(bool) => Value::Bool(*bool),
            Owned::Texts(texts) => Value::Texts(texts.iter().map(|text| &**text).collect()),
        }
    }
}

/// A row that the next commit writes: all of it, also of a term that was there.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Change {
    pub(super) surface: Box<str>,
    pub(super) weight: f64,
    pub(super) aliases: Vec<String>,
    /// By the columns of the store; nulls at the end may be missing.
    pub(super) values: Vec<Owned>,
    /// Whether the term is in no committed generation.
    pub(super) is_new: bool,
}

/// Changes that are not committed.
#[derive(Default)]
pub(super) struct Pending {
    /// Rows to write, by the ids of the terms.
    pub(super) puts: BTreeMap<u32, Change>,
    /// Committed terms to remove.
    pub(super) removed: HashSet<u32>,
    /// The ids of the surfaces that were touched; None if there is no such term any more.
    pub(super) ids: HashMap<Box<str>, Option<u32>>,
    /// Whether a term was given a weight.
    pub(super) weighted: bool,
    /// Columns that the committed terms do not have.
    pub(super) columns: Vec<(String, Kind)>,
}

impl Pending {
    pub(super) fn is_empty(&self) -> bool {
        self.puts.is_empty() && self.removed.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.puts.len() + self.removed.len()
    }

    /// Removes the term with this surface and id.
    pub(super) fn remove(&mut self, surface: &str, id: u32) {
        if !self.puts.remove(&id).is_some_and(|change| change.is_new) {
            self.removed.insert(id);
        }
        self.ids.insert(surface.into(), None);
    }
}
