//! The columns of a vocabulary: values of the user's own for each entry.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::arrays::array::{Bytes, Read};
use crate::arrays::columns::{Columns, Kind, MAX_COLUMNS, MAX_NAME};
use crate::build::entries::Entries;
use crate::build::stored_columns::Stored;
use crate::build::values::Values;
use crate::error::{ColumnProblem, Error, Result};
use crate::threads::Jobs;

/// Names of the columns of answers and of the attributes of a match.
const TAKEN: [&str; 31] = [
    "alias",
    "basic",
    "broader",
    "c_value",
    "c_value_jate",
    "c_value_plus_one",
    "combo_basic",
    "count",
    "depth",
    "end",
    "frequency",
    "group",
    "id",
    "independent",
    "index",
    "length",
    "nested",
    "nested_count",
    "nested_term",
    "query",
    "root",
    "row",
    "score",
    "start",
    "super",
    "super_count",
    "super_frequency",
    "super_term",
    "term",
    "terms",
    "weight",
];

/// The columns of a vocabulary.
#[derive(Clone, Debug, Default)]
pub struct UserColumns {
    /// Columns by their names.
    pub columns: Vec<(String, Values)>,
    /// The user's own ids of the entries: strings or integers, all different.
    pub ids: Option<Values>,
}

impl UserColumns {
    /// Whether there is neither a column nor an id.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty() && self.ids.is_none()
    }

    /// The columns and the ids, with the names that errors give them.
    fn all(&self) -> impl Iterator<Item = (&str, &Values)> {
        let columns = self.columns.iter().map(|(name, values)| (&**name, values));
        self.ids.iter().map(|ids| ("ids", ids)).chain(columns)
    }

    /// Refuses names that a column cannot have, and ids of a type that ids cannot have.
    pub(crate) fn check_names(&self) -> Result<()> {
        if self.columns.len() > MAX_COLUMNS {
            let problem = ColumnProblem::TooMany;
            return Err(Error::ColumnName { name: self.columns[MAX_COLUMNS].0.clone(), problem });
        }
        for (i, (name, _)) in self.columns.iter().enumerate() {
            let other = self.columns[..i].iter().any(|(other, _)| other == name);
            let problem = match name {
                _ if other => ColumnProblem::Twice,
                name => match problem_of(name) {
                    Some(problem) => problem,
                    None => continue,
                },
            };
            return Err(Error::ColumnName { name: name.clone(), problem });
        }
        match &self.ids {
            Some(ids) if !ids.is_empty() && !matches!(ids.kind(), Kind::Strings | Kind::Ints) => {
                Err(Error::IdType { found: ids.kind().name() })
            }
            _ => Ok(()),
        }
    }

    /// Refuses columns that have not a value for each of `count` entries.
    pub(super) fn check_lengths(&self, count: usize) -> Result<()> {
        match self.all().find(|(_, values)| values.len() != count) {
            None => Ok(()),
            Some((name, values)) => Err(Error::ColumnCount {
                column: name.into(),
                terms: count as u64,
                values: values.len() as u64,
            }),
        }
    }

    /// The columns of some rows.
    pub(crate) fn of_rows(&self, rows: &[usize]) -> UserColumns {
        let of = |values: &Values| values.of_rows(rows);
        UserColumns {
            columns: self.columns.iter().map(|(name, values)| (name.clone(), of(values))).collect(),
            ids: self.ids.as_ref().map(of),
        }
    }

    /// The order of two entries by all of their values.
    pub(crate) fn compare(&self, a: u32, b: u32) -> Ordering {
        let (a, b) = (a as usize, b as usize);
        let unequal =
            self.all().map(|(_, values)| values.compare(a, b)).find(|order| order.is_ne());
        unequal.unwrap_or(Ordering::Equal)
    }

    /// The terms in the order of their ids, when these are `rows` of the entries.
    fn order_of_ids(&self, rows: &[u32], entries: &dyn Entries) -> Result<Vec<u32>> {
        let Some(ids) = &self.ids else { return Ok(Vec::new()) };
        let place = |row: u32| entries.place(row.into());
        if let Some(&row) = rows.iter().find(|&&row| ids.is_null(row as usize)) {
            return Err(Error::NullId { place: place(row) });
        }
        let row = |term: u32| rows[term as usize];
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| {
            ids.compare(row(a) as usize, row(b) as usize).then(a.cmp(&b))
        });
        let same =
            |pair: &&[u32]| ids.compare(row(pair[0]) as usize, row(pair[1]) as usize).is_eq();
        // The first in the vocabulary, so that the message does not depend on the ids.
        let first = order.windows(2).filter(same).min_by_key(|pair| pair[1]);
        match first {
            None => Ok(order),
            Some(pair) => Err(Error::DuplicateId {
                id: ids.get(row(pair[0]) as usize).to_string().into(),
                places: Box::new([place(row(pair[0])), place(row(pair[1]))]),
            }),
        }
    }

    /// The columns of the terms, which are these rows of the entries.
    pub(crate) fn store(
        &self,
        rows: &[u32],
        entries: &dyn Entries,
        threads: usize,
    ) -> Result<Columns> {
        let mut jobs = Jobs::default();
        let order = jobs.add(|| self.order_of_ids(rows, entries));
        let ids = self.ids.as_ref().map(|ids| jobs.add(|| Stored::new("", ids, rows)));
        let columns = self.columns.iter();
        let columns: Vec<_> =
            columns.map(|(name, values)| jobs.add(|| Stored::new(name, values, rows))).collect();
        jobs.run(threads)?;
        let order = order.take()?;
        let ids = ids.map(|ids| {
            let mut ids = ids.take();
            ids.push_packed(order.iter().map(|&term| term.into()), rows.len() as u64);
            ids
        });
        let mut directory = Vec::new();
        let all: Vec<Stored> =
            ids.into_iter().chain(columns.into_iter().map(|column| column.take())).collect();
        all.iter().for_each(|column| column.facts.push_to(&mut directory));
        let size: usize = all.iter().map(|column| column.parts.len()).sum();
        let mut bytes = Read::new(directory.len() + size);
        let mut rest = bytes.bytes_mut();
        for part in std::iter::once(directory.clone()).chain(all.into_iter().map(|c| c.parts)) {
            let (own, after) = rest.split_at_mut(part.len());
            own.copy_from_slice(&part);
            rest = after;
        }
        let bytes: Arc<dyn Bytes> = Arc::new(bytes);
        let directory = directory.len();
        Columns::read(&bytes, (0, directory), (directory, size), rows.len(), self.ids.is_some())
    }
}

/// Why a name cannot be that of a column.
pub(crate) fn problem_of(name: &str) -> Option<ColumnProblem> {
    let is_unclear = |c: char| c == ',' || c.is_control();
    match name {
        _ if name.trim().is_empty() => Some(ColumnProblem::Empty),
        _ if name.len() > MAX_NAME => Some(ColumnProblem::TooLong),
        _ if TAKEN.contains(&name) => Some(ColumnProblem::Taken),
        _ if name.starts_with('_') || name.contains(is_unclear) => Some(ColumnProblem::Unclear),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrays::columns::Value;
    use crate::build::entries::List;

    fn values(all: &[Value]) -> Values {
        let mut values = Values::default();
        all.iter().for_each(|value| values.push(value).unwrap());
        values
    }

    fn shown(value: Value) -> String {
        format!("{value:?}")
    }

    #[test]
    fn every_value_is_read_as_it_was_given() {
        use Value::{Bool, Float, Int, Null, Text, Texts};
        let rows = 200;
        let repeated = ["drug", "gene", "", "disease"];
        let own: Vec<String> = (0..rows).map(|i| format!("C{:07}", i * 7919)).collect();
        let columns: Vec<Vec<Value>> = vec![
            (0..rows).map(|_| Null).collect(),
            (0..rows).map(|i| Text(repeated[i % 4])).collect(),
            (0..rows).map(|i| if i % 3 == 0 { Null } else { Text(&own[i]) }).collect(),
            (0..rows).map(|i| Int(i as i64 - 5)).collect(),
            (0..rows).map(|i| if i % 2 == 0 { Int(i64::MIN) } else { Int(i64::MAX) }).collect(),
            (0..rows).map(|i| if i == 7 { Null } else { Int(-(i as i64) << 50) }).collect(),
            (0..rows).map(|i| Float(i as f64 / 3.0)).collect(),
            (0..rows).map(|i| if i == 0 { Null } else { Bool(i % 5 == 0) }).collect(),
            (0..rows).map(|i| Texts(repeated[..i % 4].to_vec())).collect(),
            (0..rows).map(|i| if i % 9 == 0 { Null } else { Texts(vec![&own[i]]) }).collect(),
        ];
        let given = UserColumns {
            columns: columns
                .iter()
                .enumerate()
                .map(|(i, column)| (format!("column{i}"), values(column)))
                .collect(),
            ids: Some(values(&own.iter().map(|id| Text(id)).collect::<Vec<_>>())),
        };
        let kept: Vec<u32> = (0..rows as u32).filter(|row| row % 11 != 4).collect();
        let entries: List = own.iter().map(String::as_str).collect();
        for threads in [1, 3] {
            let stored = given.store(&kept, &entries, threads).unwrap();
            for (column, expected) in stored.named.iter().zip(&columns) {
                for (term, &row) in kept.iter().enumerate() {
                    let found = shown(column.value(term).unwrap());
                    assert_eq!(found, shown(expected[row as usize].clone()), "{}", column.name);
                }
            }
            let ids = stored.ids.unwrap();
            for (term, &row) in kept.iter().enumerate() {
                assert_eq!(ids.number(&Text(&own[row as usize])).unwrap(), Some(term));
            }
            assert_eq!(ids.number(&Text("C")).unwrap(), None);
            assert_eq!(ids.number(&Text(&own[4])).unwrap(), None);
        }
    }

    #[test]
    fn repeated_strings_are_stored_once() {
        let long = "a label of some length";
        let column = values(&(0..1000).map(|_| Value::Text(long)).collect::<Vec<_>>());
        let rows = UserColumns { columns: vec![("label".into(), column)], ids: None };
        let all: Vec<u32> = (0..1000).collect();
        let stored = rows.store(&all, &List::default(), 1).unwrap();
        assert!(stored.values.len() < 200, "{} bytes", stored.values.len());
    }

    #[test]
    fn a_value_of_another_type_is_refused() {
        let mut column = values(&[Value::Null, Value::Int(1)]);
        assert_eq!(column.push(&Value::Text("x")).unwrap_err().expected, Kind::Ints);
        column.push(&Value::Float(0.5)).unwrap();
        assert_eq!(shown(column.get(1)), "Float(1.0)");
        assert!(column.is_null(0));
    }
}
