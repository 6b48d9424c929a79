//! Many queries at once, as one table.

use std::ops::Range;

use smallvec::SmallVec;

use crate::build::entries::Entries;
use crate::error::Result;
use crate::index::Index;
use crate::index::key::Keys;
use crate::query::answer::Found;
use crate::query::asked::Phrase;
use crate::query::{NestedOptions, SuperOptions};
use crate::threads::{Jobs, concat, run, threads_for};

/// The answers of many queries, one row for each; ordered by query, then as a single query's answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// The number of the query, from 0.
    pub query: Vec<u32>,
    /// The answers.
    pub id: Vec<u32>,
    /// Their surfaces.
    pub term: Texts,
    /// Their weights.
    pub weight: Vec<f64>,
    /// Where the shorter of answer and query begins in the longer, in tokens.
    pub start: Vec<u32>,
    /// The tokens of the answers.
    pub length: Vec<u32>,
}

impl Rows {
    /// Adds answers, each with the number of its query counted from `first`, but not their surfaces.
    fn push(&mut self, index: &Index, first: u32, found: &[(u32, Found)]) -> Result<()> {
        for &(query, Found { position, start, length, .. }) in found {
            let id = index.id_at(position as usize)?;
            self.query.push(first + query);
            self.id.push(id.0);
            if index.weighted() {
                self.weight.push(index.weight(id)?);
            }
            self.start.push(start);
            self.length.push(length.into());
        }
        Ok(())
    }

    /// One table of several; each comes with its number of queries.
    fn concat(parts: &[(Rows, u32)], index: &Index, threads: usize) -> Result<Rows> {
        let count = parts.iter().map(|(rows, _)| rows.id.len()).sum();
        // Each column is a job: the longest first.
        let mut jobs = Jobs::default();
        let text = jobs.add(|| concat(parts.iter().map(|(rows, _)| &rows.term.text)));
        let end = jobs.add(|| concat_ends(parts.iter().map(|(rows, _)| &rows.term.end)));
        let weight = jobs.add(|| match index.weighted() {
            false => vec![1.0; count],
            true => concat(parts.iter().map(|(rows, _)| &rows.weight)),
        });
        let id = jobs.add(|| concat(parts.iter().map(|(rows, _)| &rows.id)));
        let start = jobs.add(|| concat(parts.iter().map(|(rows, _)| &rows.start)));
        let length = jobs.add(|| concat(parts.iter().map(|(rows, _)| &rows.length)));
        let query = jobs.add(|| {
            let mut query = Vec::with_capacity(count);
            let mut before = 0;
            for (rows, queries) in parts {
                query.extend(rows.query.iter().map(|query| query + before));
                before += queries;
            }
            query
        });
        jobs.run(threads_for(count, threads))?;
        Ok(Rows {
            query: query.take(),
            id: id.take(),
            term: Texts { text: text.take(), end: end.take() },
            weight: weight.take(),
            start: start.take(),
            length: length.take(),
        })
    }
}

/// Texts, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texts {
    /// All of them.
    pub text: Vec<u8>,
    /// Where each one ends.
    pub end: Vec<i64>,
}

impl Texts {
    /// One list of several.
    pub fn concat<'a>(
        parts: impl Iterator<Item = &'a Texts> + Clone + Send,
        threads: usize,
    ) -> Result<Texts> {
        let count = parts.clone().map(|part| part.end.len()).sum();
        let (texts, ends) = (parts.clone(), parts);
        let mut jobs = Jobs::default();
        let text = jobs.add(|| concat(texts.map(|part| &part.text)));
        let end = jobs.add(|| concat_ends(ends.map(|part| &part.end)));
        jobs.run(threads_for(count, threads))?;
        Ok(Texts { text: text.take(), end: end.take() })
    }
}

/// The ends of texts in one vector, where the texts of each part follow those of the part before.
fn concat_ends<'a>(parts: impl Iterator<Item = &'a Vec<i64>> + Clone) -> Vec<i64> {
    // One more, for the column that begins with 0.
    let mut all = Vec::with_capacity(parts.clone().map(Vec::len).sum::<usize>() + 1);
    for part in parts {
        let before = all.last().copied().unwrap_or(0);
        all.extend(part.iter().map(|end| end + before));
    }
    all
}

/// Queries that a thread takes at a time.
const QUERIES_PER_TASK: usize = 4096;
/// Queries that are looked up in step, so that they wait for memory at the same time.
const QUERIES_IN_STEP: usize = 64;

impl Index {
    /// The super terms of many phrases.
    pub fn super_terms_batch(
        &self,
        phrases: &dyn Entries,
        options: &SuperOptions,
        threads: usize,
    ) -> Result<Rows> {
        if !self.is_plain() {
            return self.one_by_one(phrases, threads, |phrase| self.super_found(phrase, options));
        }
        self.batch(phrases, threads, false, |keys, found| {
            let phrases = self.super_slots_of_many(keys)?;
            for (query, (slots, (key, _))) in (0..).zip(phrases.into_iter().zip(keys.iter())) {
                let all = self.super_set(Phrase::plain(key), slots, options, &[])?;
                let answers = self.sorted_page(all, options.sort, options.offset, options.limit)?;
                found.extend(answers.into_iter().map(|answer| (query, answer)));
            }
            Ok(())
        })
    }

    /// The nested terms of many phrases.
    pub fn nested_terms_batch(
        &self,
        phrases: &dyn Entries,
        options: &NestedOptions,
        threads: usize,
    ) -> Result<Rows> {
        if !self.is_plain() {
            return self.one_by_one(phrases, threads, |phrase| self.nested_found(phrase, options));
        }
        // Every token begins a phrase; one of two tokens is shorter than the whole if there are three.
        let starts = |key: &'_ [u32]| {
            let goes_on = key.len() > 2;
            let next = key.iter().skip(1).map(move |&next| Some(next).filter(|_| goes_on));
            key.iter().copied().zip(next.chain([None])).collect::<SmallVec<[_; 8]>>()
        };
        self.batch(phrases, threads, self.surfaces_are_keys(), |keys, found| {
            // The walks take these steps again; by then their memory is there.
            self.first_steps(keys.iter().flat_map(|(key, _)| starts(key)))?;
            for (query, (key, _)) in (0..).zip(keys.iter()) {
                let answers = self.nested_found_of_key(key, options)?;
                found.extend(answers.into_iter().map(|answer| (query, answer)));
            }
            Ok(())
        })
    }

    /// The answers of many queries, each of which `ask` answers on its own.
    fn one_by_one(
        &self,
        phrases: &dyn Entries,
        threads: usize,
        ask: impl Fn(&str) -> Result<Vec<Found>> + Sync,
    ) -> Result<Rows> {
        let size: usize = phrases.cut(1).iter().map(Range::len).sum();
        let parts = phrases.cut(size.div_ceil(QUERIES_PER_TASK).max(1));
        let parts = run(threads, parts, |part| {
            let mut rows = Rows::default();
            let mut query = 0;
            phrases.visit(part, &mut |phrase| {
                let found = ask(phrase)?;
                let Texts { text, end } = &mut rows.term;
                self.each_surface(self.own_keys(&found)?.into_iter(), text, |text| {
                    end.push(text.len() as i64);
                })?;
                let found: Vec<(u32, Found)> = found.into_iter().map(|found| (0, found)).collect();
                rows.push(self, query, &found)?;
                query += 1;
                Ok(())
            })?;
            Ok((rows, query))
        })?;
        Rows::concat(&parts, self, threads)
    }

    /// `ask` adds the answers of some queries, each with the number of its query among them. With
    /// `own_words`, answers consist of words of the query, which need not be looked up.
    fn batch(
        &self,
        phrases: &dyn Entries,
        threads: usize,
        own_words: bool,
        ask: impl Fn(&Keys, &mut Vec<(u32, Found)>) -> Result<()> + Sync,
    ) -> Result<Rows> {
        let size: usize = phrases.cut(1).iter().map(Range::len).sum();
        let parts = phrases.cut(size.div_ceil(QUERIES_PER_TASK).max(1));
        let parts = run(threads, parts, |part| {
            let mut rows = Rows::default();
            let mut texts = Vec::new();
            phrases.visit(part, &mut |phrase| {
                texts.push(phrase);
                Ok(())
            })?;
            let mut found = Vec::new();
            let mut first = 0;
            for texts in texts.chunks(QUERIES_IN_STEP) {
                let keys = self.keys_of(texts)?;
                found.clear();
                ask(&keys, &mut found)?;
                rows.push(self, first, &found)?;
                let Texts { text, end } = &mut rows.term;
                if own_words {
                    for &(query, answer) in &found {
                        let forms = keys.forms(query as usize);
                        answer.push_words(forms, self.arrays.meta.options.joiner(), text);
                        end.push(text.len() as i64);
                    }
                } else {
                    // In an index without other names, as this one is.
                    let keys = found.iter().map(|(_, found)| found.name_key());
                    self.each_surface(keys, text, |text| end.push(text.len() as i64))?;
                }
                first += texts.len() as u32;
            }
            Ok((rows, first))
        })?;
        Rows::concat(&parts, self, threads)
    }
}
