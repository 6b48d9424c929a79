//! Many queries at once, as one table.

use std::ops::Range;

use crate::builder::Entries;
use crate::error::Result;
use crate::index::Index;
use crate::query::{Found, NestedOptions, SuperOptions};
use crate::threads::run;

/// The answers of many queries, one row for each; ordered by query, then as a single query's answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// The number of the query, from 0.
    pub query: Vec<u32>,
    /// The answers.
    pub id: Vec<u32>,
    /// Their surfaces, one after the other.
    pub text: Vec<u8>,
    /// Where each surface ends in `text`.
    pub text_end: Vec<i64>,
    /// Their weights.
    pub weight: Vec<f64>,
    /// Where the shorter of answer and query stands in the longer, in tokens.
    pub start: Vec<u32>,
    /// The tokens of the answers.
    pub length: Vec<u32>,
}

impl Rows {
    /// Adds the answers of a query.
    fn push(&mut self, index: &Index, query: u32, found: &[Found]) -> Result<()> {
        for &Found { position, start, length } in found {
            let id = index.id_at(position as usize)?;
            self.query.push(query);
            self.id.push(id.0);
            self.weight.push(index.weight(id)?);
            self.start.push(start);
            self.length.push(length);
        }
        index.each_surface(found.iter().map(|found| found.key()), &mut self.text, |text| {
            self.text_end.push(text.len() as i64);
        })
    }

    fn append(&mut self, mut other: Rows, first_query: u32) {
        let text = self.text.len() as i64;
        self.query.extend(other.query.iter().map(|query| query + first_query));
        self.id.append(&mut other.id);
        self.text.append(&mut other.text);
        self.text_end.extend(other.text_end.iter().map(|end| end + text));
        self.weight.append(&mut other.weight);
        self.start.append(&mut other.start);
        self.length.append(&mut other.length);
    }
}

/// Queries that one thread takes at a time.
const PORTION: usize = 4096;

impl Index {
    /// The super terms of many phrases.
    pub fn super_terms_batch(
        &self,
        phrases: &dyn Entries,
        options: &SuperOptions,
        threads: usize,
    ) -> Result<Rows> {
        self.batch(phrases, threads, |key| self.super_found(key, options))
    }

    /// The nested terms of many phrases.
    pub fn nested_terms_batch(
        &self,
        phrases: &dyn Entries,
        options: &NestedOptions,
        threads: usize,
    ) -> Result<Rows> {
        self.batch(phrases, threads, |key| self.nested_found(key, options))
    }

    fn batch(
        &self,
        phrases: &dyn Entries,
        threads: usize,
        ask: impl Fn(&[u32]) -> Result<Vec<Found>> + Sync,
    ) -> Result<Rows> {
        let size: usize = phrases.cut(1).iter().map(Range::len).sum();
        let parts = phrases.cut(size.div_ceil(PORTION).max(1));
        let parts = run(threads, parts, |part| {
            let mut rows = Rows::default();
            let mut texts = Vec::new();
            phrases.visit(part, &mut |phrase| {
                texts.push(phrase);
                Ok(())
            })?;
            let mut query = 0;
            for texts in texts.chunks(64) {
                let (ids, ends) = self.keys_of(texts)?;
                let mut start = 0;
                for end in ends {
                    rows.push(self, query, &ask(&ids[start..end])?)?;
                    start = end;
                    query += 1;
                }
            }
            Ok((rows, query))
        })?;
        let mut all = Rows::default();
        let mut first_query = 0;
        for (rows, queries) in parts {
            match first_query {
                0 => all = rows,
                _ => all.append(rows, first_query),
            }
            first_query += queries;
        }
        Ok(all)
    }
}
