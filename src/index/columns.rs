//! The user's own columns of an index.

use std::sync::{Arc, PoisonError};

use crate::arrays::columns::{Column, Ids, Kind, Value};
use crate::build::{UserColumns, Values};
use crate::error::{Error, Result};
use crate::index::mask::TermMask;
use crate::index::{Index, TermId};

/// What the ids are called where columns are asked for.
const ID: &str = "id";

/// The most masks that are remembered, each of a bit for each term.
const MAX_MASKS: usize = 4;
/// The most bytes of conditions whose mask is remembered.
const MAX_KEY: usize = 1 << 12;

impl Index {
    /// The columns, in the order in which they were given.
    pub(crate) fn columns(&self) -> &[Column] {
        self.arrays.columns.as_ref().map_or(&[], |columns| &columns.named)
    }

    /// The names of the columns and the types of their values.
    pub fn column_kinds(&self) -> Vec<(String, Kind)> {
        self.columns().iter().map(|column| (column.name.clone(), column.kind)).collect()
    }

    /// The user's own ids.
    pub(crate) fn own_ids(&self) -> Option<&Ids> {
        self.arrays.columns.as_ref()?.ids.as_ref()
    }

    /// The type of the user's own ids, if there are any.
    pub fn id_kind(&self) -> Option<Kind> {
        self.own_ids().map(|ids| ids.column.kind)
    }

    /// The column of this name; `id` is that of the user's own ids.
    pub(crate) fn column(&self, name: &str) -> Result<&Column> {
        if let Some(ids) = self.own_ids().filter(|_| name == ID) {
            return Ok(&ids.column);
        }
        let found = self.columns().iter().find(|column| column.name == name);
        found.ok_or_else(|| Error::UnknownColumn {
            name: name.into(),
            found: self.columns().iter().map(|column| column.name.clone()).collect(),
        })
    }

    /// The columns of these names, each once. That of the ids is left out, as ids are shown in any case.
    pub(crate) fn asked_columns(&self, names: &[String]) -> Result<Vec<&Column>> {
        let mut asked: Vec<&Column> = Vec::with_capacity(names.len());
        for name in names {
            let column = self.column(name)?;
            if !column.name.is_empty() && asked.iter().all(|other| other.name != column.name) {
                asked.push(column);
            }
        }
        Ok(asked)
    }

    /// The value that a term has in a column.
    pub fn value(&self, id: TermId, column: &str) -> Result<Value<'_>> {
        self.column(column)?.value(id.0 as usize)
    }

    /// The term that has one of the user's own ids; without these, the term of a number.
    pub fn term_with_id(&self, id: &Value) -> Result<Option<TermId>> {
        match (self.own_ids(), id) {
            (Some(ids), id) => Ok(ids.number(id)?.map(|number| TermId(number as u32))),
            (None, &Value::Int(id)) if (0..self.len() as i64).contains(&id) => {
                Ok(Some(TermId(id as u32)))
            }
            (None, _) => Ok(None),
        }
    }

    /// The terms that have one of some values in each of some columns. A term with a list fits if one of its
    /// strings is among the values.
    ///
    /// The last ones are remembered, as the same conditions are asked about many texts.
    pub fn term_mask(&self, conditions: &[(&str, Vec<Value>)]) -> Result<Arc<TermMask>> {
        let key = format!("{conditions:?}");
        // Nothing is left half-done by a thread that panics.
        let masks = || self.masks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, mask)) = masks().iter().find(|(other, _)| *other == key) {
            return Ok(mask.clone());
        }
        let mask = Arc::new(self.made_mask(conditions)?);
        if key.len() <= MAX_KEY {
            let mut masks = masks();
            masks.truncate(MAX_MASKS - 1);
            masks.insert(0, (key, mask.clone()));
        }
        Ok(mask)
    }

    fn made_mask(&self, conditions: &[(&str, Vec<Value>)]) -> Result<TermMask> {
        let mut mask: Option<TermMask> = None;
        for (name, values) in conditions {
            let column = self.column(name)?;
            check_kinds(name, column.kind, values)?;
            let mut fitting = TermMask::none_of(self.len());
            column.each_with(values, |term| fitting.add(term))?;
            match &mut mask {
                None => mask = Some(fitting),
                Some(mask) => mask.keep_those_of(&fitting),
            }
        }
        Ok(mask.unwrap_or_else(|| (0..self.len()).map(|_| true).collect()))
    }

    /// The columns as a build takes them, with a row for each term.
    pub(crate) fn user_columns(&self) -> Result<UserColumns> {
        let columns = self.columns().iter();
        Ok(UserColumns {
            columns: columns
                .map(|column| Ok((column.name.clone(), Values::of_column(column)?)))
                .collect::<Result<_>>()?,
            ids: self.own_ids().map(|ids| Values::of_column(&ids.column)).transpose()?,
        })
    }
}

/// Refuses values that no term can have in a column of this type.
fn check_kinds(name: &str, kind: Kind, values: &[Value]) -> Result<()> {
    let fits = |other| match kind {
        Kind::Lists => other == Kind::Strings,
        Kind::Floats | Kind::Ints => matches!(other, Kind::Floats | Kind::Ints),
        kind => other == kind,
    };
    match values.iter().find(|value| value.kind().is_some_and(|kind| !fits(kind))) {
        None => Ok(()),
        Some(value) => Err(Error::ConditionType {
            column: name.into(),
            value: format!("{value}"),
            kind: kind.name(),
        }),
    }
}
