//! Terms in many texts.

use std::ops::Range;

use crate::build::entries::Entries;
use crate::error::Result;
use crate::index::Index;
use crate::query::find::options::FindOptions;
use crate::query::find::rows::{MatchRows, Segment};
use crate::query::find::search::{Found, Piece, Searches};
use crate::query::find::text::MIN_BYTES;
use crate::threads::{run, threads_or_all};

/// The bytes that a task reads: enough to be worth its start, few enough that all threads end at about
/// the same time.
const BYTES_PER_TASK: usize = 1 << 17;
/// The most texts of a task.
const TEXTS_PER_TASK: usize = 4096;
/// The size of a text from which on all threads search it.
const LONG: usize = 1 << 20;

/// What a task has done with some of the texts.
enum Done<'a> {
    Texts(Found),
    /// A text that is so long that all threads search it.
    Long(&'a str),
}

impl Index {
    /// The terms that occur in each of many texts, the first of which has number `first`: by text, and in
    /// each as [`Index::find`] has them.
    pub fn find_batch(
        &self,
        texts: &dyn Entries,
        first: u64,
        options: &FindOptions,
        threads: Option<usize>,
    ) -> Result<MatchRows> {
        let threads = if texts.size() < MIN_BYTES { 1 } else { threads_or_all(threads) };
        let count: usize = texts.cut(1).iter().map(Range::len).sum();
        let tasks = count.div_ceil(TEXTS_PER_TASK).max(texts.size() / BYTES_PER_TASK).max(1);
        let searches = Searches::new(self, *options, texts.size() / threads);
        let done = run(threads, texts.cut(tasks), |part| {
            let (mut done, mut pieces) = (Vec::new(), Vec::with_capacity(part.len()));
            let finish = |pieces: &mut Vec<Piece>| {
                let mut found = searches.run(pieces)?;
                pieces.clear();
                found.spans.keep(&mut found.ends, options.overlaps);
                Ok(Done::Texts(found))
            };
            texts.visit(part, &mut |text| {
                if text.len() < LONG || threads == 1 {
                    pieces.push(Piece::whole(text));
                } else {
                    done.push(finish(&mut pieces)?);
                    done.push(Done::Long(text));
                }
                Ok(())
            })?;
            done.push(finish(&mut pieces)?);
            Ok(done)
        })?;
        let (mut groups, mut firsts) = searches.groups()?;
        let mut parts = Vec::new();
        for done in done.into_iter().flatten() {
            parts.push(match done {
                Done::Texts(found) => found,
                Done::Long(text) => {
                    let (spans, own_groups) = self.matches(text, options, Some(threads))?.parts();
                    let search = firsts.len();
                    firsts.push(groups.append(&own_groups)?);
                    Found { search, ends: vec![spans.len()], spans }
                }
            });
        }
        let mut number = first;
        let segments = parts.iter().map(|Found { search, spans, ends }| {
            let texts = Some((number, &ends[..]));
            number += ends.len() as u64;
            Segment { spans, range: 0..spans.len(), first_group: firsts[*search], texts }
        });
        MatchRows::new(Some(self), &groups, segments.collect(), threads)
    }
}
