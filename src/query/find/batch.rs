//! Terms in many texts.

use std::ops::Range;
use std::sync::Mutex;

use crate::build::entries::Entries;
use crate::error::Result;
use crate::index::Index;
use crate::query::batch::Texts;
use crate::query::find::matches::Matches;
use crate::query::find::options::FindOptions;
use crate::query::find::search::{Piece, Search};
use crate::query::find::surfaces::Surfaces;
use crate::query::find::text::MIN_BYTES;
use crate::threads::{Jobs, concat, run, threads_for, threads_or_all};

/// The matches in many texts, in the order of the texts; in each, as [`Index::find`] has them.
#[derive(Default)]
pub struct TextMatches {
    /// The number of the text.
    pub row: Vec<u64>,
    /// The terms.
    pub id: Vec<u32>,
    /// Their first characters.
    pub start: Vec<u64>,
    /// The characters after their last.
    pub end: Vec<u64>,
    /// Their surfaces.
    pub term: Texts,
}

/// The matches in some of the texts.
struct Part {
    found: Matches,
    /// How many there are up to the end of each text.
    ends: Vec<usize>,
    term: Texts,
}

/// What a task has done with some of the texts.
enum Done<'a> {
    Part(Part),
    /// A text that is so long that all threads search it.
    Long(&'a str),
}

/// The bytes that a task reads: enough to be worth its start, few enough that all threads end at about
/// the same time.
const BYTES_PER_TASK: usize = 1 << 17;
/// The most texts of a task.
const TEXTS_PER_TASK: usize = 4096;
/// The size of a text from which on all threads search it.
const LONG: usize = 1 << 20;

impl Index {
    /// The terms that occur in each of many texts, the first of which has number `first`.
    pub fn find_batch(
        &self,
        texts: &dyn Entries,
        first: u64,
        options: &FindOptions,
        threads: Option<usize>,
    ) -> Result<TextMatches> {
        let threads = if texts.size() < MIN_BYTES { 1 } else { threads_or_all(threads) };
        let count: usize = texts.cut(1).iter().map(Range::len).sum();
        let tasks = count.div_ceil(TEXTS_PER_TASK).max(texts.size() / BYTES_PER_TASK).max(1);
        // What a search has learnt of words is of use to the next task.
        let idle: Mutex<Vec<(Search, Surfaces)>> = Mutex::default();
        let done = run(threads, texts.cut(tasks), |part| {
            let taken = idle.lock().unwrap().pop();
            let (mut search, mut surfaces) = taken.unwrap_or_else(|| {
                let bytes = texts.size();
                (Search::new(self, *options, bytes), Surfaces::new(self, bytes / 64))
            });
            let (mut done, mut pieces) = (Vec::new(), Vec::with_capacity(part.len()));
            let mut finish = |pieces: &mut Vec<Piece>| {
                let (mut found, mut ends) = search.run(pieces)?;
                pieces.clear();
                found.keep(&mut ends, options.overlaps, options.variants);
                let term = surfaces.of(&found.id)?;
                Ok(Part { found, ends, term })
            };
            texts.visit(part, &mut |text| {
                if text.len() < LONG || threads == 1 {
                    pieces.push(Piece::whole(text));
                } else {
                    done.push(Done::Part(finish(&mut pieces)?));
                    done.push(Done::Long(text));
                }
                Ok(())
            })?;
            done.push(Done::Part(finish(&mut pieces)?));
            idle.lock().unwrap().push((search, surfaces));
            Ok(done)
        })?;
        drop(idle);
        let parts = done.into_iter().flatten().map(|done| match done {
            Done::Part(part) => Ok(part),
            Done::Long(text) => {
                let found = self.matches(text, options, Some(threads))?;
                let term = Surfaces::new(self, found.len()).of(&found.id)?;
                Ok(Part { ends: vec![found.len()], found, term })
            }
        });
        let parts = parts.collect::<Result<Vec<_>>>()?;
        TextMatches::concat(&parts, first, threads)
    }
}

impl TextMatches {
    /// Adds those of the texts that follow.
    pub fn append(&mut self, mut more: TextMatches) {
        if self.row.is_empty() {
            *self = more;
            return;
        }
        self.row.append(&mut more.row);
        self.id.append(&mut more.id);
        self.start.append(&mut more.start);
        self.end.append(&mut more.end);
        let before = self.term.text.len() as i64;
        self.term.text.append(&mut more.term.text);
        self.term.end.extend(more.term.end.into_iter().map(|end| before + end));
    }

    fn concat(parts: &[Part], first: u64, threads: usize) -> Result<TextMatches> {
        let count = parts.iter().map(|part| part.found.len()).sum();
        // Each column is a job: the longest first.
        let mut jobs = Jobs::default();
        let term = jobs.add(|| Texts::concat(parts.iter().map(|part| &part.term), 1));
        let start = jobs.add(|| concat(parts.iter().map(|part| &part.found.start)));
        let end = jobs.add(|| concat(parts.iter().map(|part| &part.found.end)));
        let row = jobs.add(|| {
            let mut rows = Vec::with_capacity(count);
            let (mut row, mut before) = (first, 0);
            for part in parts {
                for end in &part.ends {
                    rows.resize(before + end, row);
                    row += 1;
                }
                before = rows.len();
            }
            rows
        });
        let id = jobs.add(|| concat(parts.iter().map(|part| &part.found.id)));
        jobs.run(threads_for(8 * count, threads))?;
        Ok(TextMatches {
            row: row.take(),
            id: id.take(),
            start: start.take(),
            end: end.take(),
            term: term.take()?,
        })
    }
}
