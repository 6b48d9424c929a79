//! The matches in a text.

use std::ops::Range;
use std::sync::OnceLock;

use crate::error::Result;
use crate::index::{Index, TermId};
use crate::query::find::groups::Groups;
use crate::query::find::rows::{MatchRows, SPANS_PER_SEGMENT, Segment};
use crate::query::find::spans::Spans;

/// A term in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// The term.
    pub id: TermId,
    /// Its first character.
    pub start: u64,
    /// The character after its last.
    pub end: u64,
}

/// The matches in a text, as spans with groups of terms. Each term of each span is a row.
#[derive(Default)]
pub struct Matches {
    spans: Spans,
    groups: Groups,
    rows: usize,
    /// The rows up to the end of each span, when they have been asked for.
    row_ends: OnceLock<Vec<usize>>,
}

impl Matches {
    pub(super) fn new(spans: Spans, groups: Groups) -> Matches {
        let rows = match groups.are_single() {
            true => spans.len(),
            false => spans.group.iter().map(|&group| groups.place(group).len()).sum(),
        };
        Matches { spans, groups, rows, row_ends: OnceLock::new() }
    }

    /// The spans and their groups.
    pub(super) fn parts(self) -> (Spans, Groups) {
        (self.spans, self.groups)
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Calls `each` with the terms in some of the rows, those of each span together, and with the start and
    /// the end of the span.
    pub fn each_span<E>(
        &self,
        rows: Range<usize>,
        mut each: impl FnMut(&[u32], u64, u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let rows = rows.start..rows.end.min(self.rows);
        let (mut span, mut at) = match self.groups.are_single() {
            true => (rows.start, rows.start),
            false => match rows.start {
                0 => (0, 0),
                first => {
                    let ends = self.row_ends();
                    let span = ends.partition_point(|&end| end <= first);
                    (span, span.checked_sub(1).map_or(0, |before| ends[before]))
                }
            },
        };
        while at < rows.end {
            let ids = self.groups.get(self.spans.group[span]);
            let own = rows.start.saturating_sub(at)..ids.len().min(rows.end - at);
            at += ids.len();
            each(&ids[own], self.spans.start[span], self.spans.end[span])?;
            span += 1;
        }
        Ok(())
    }

    fn row_ends(&self) -> &[usize] {
        self.row_ends.get_or_init(|| {
            let mut rows = 0;
            let ends = self.spans.group.iter().map(|&group| {
                rows += self.groups.place(group).len();
                rows
            });
            ends.collect()
        })
    }

    /// All rows as columns; with the surfaces of the terms if `named` is their index.
    pub fn rows(&self, named: Option<&Index>, threads: usize) -> Result<MatchRows> {
        let segments = (0..self.spans.len()).step_by(SPANS_PER_SEGMENT).map(|start| Segment {
            spans: &self.spans,
            range: start..self.spans.len().min(start + SPANS_PER_SEGMENT),
            first_group: 0,
            texts: None,
        });
        MatchRows::new(named, &self.groups, segments.collect(), threads)
    }
}
