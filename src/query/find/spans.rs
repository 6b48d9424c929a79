//! Where terms are in texts, and the policies for spans that overlap.

use std::ops::Range;

use crate::error::Result;
use crate::query::find::options::Overlaps;

/// Spans in texts, each with the group of its terms; a column for each property.
#[derive(Default)]
pub(crate) struct Spans {
    /// Their first characters.
    pub(crate) start: Vec<u64>,
    /// The characters after their last.
    pub(crate) end: Vec<u64>,
    pub(crate) group: Vec<u32>,
}

impl Spans {
    pub(crate) fn len(&self) -> usize {
        self.group.len()
    }

    #[inline]
    pub(super) fn push(&mut self, start: u64, end: u64, group: u32) {
        self.start.push(start);
        self.end.push(end);
        self.group.push(group);
    }

    /// Adds some spans of two lists, which are in order; where both have a span, with the group that `unite`
    /// makes of its two.
    pub(super) fn merge(
        &mut self,
        (one, mut rows): (&Spans, Range<usize>),
        (other, mut other_rows): (&Spans, Range<usize>),
        mut unite: impl FnMut(u32, u32) -> Result<u32>,
    ) -> Result<()> {
        loop {
            let place = |spans: &Spans, rows: &Range<usize>| {
                let row = rows.start;
                (!rows.is_empty()).then(|| ((spans.start[row], spans.end[row]), spans.group[row]))
            };
            let ((start, end), group) = match (place(one, &rows), place(other, &other_rows)) {
                (Some((span, a)), Some((other, b))) if span == other => {
                    (rows.start, other_rows.start) = (rows.start + 1, other_rows.start + 1);
                    (span, unite(a, b)?)
                }
                (Some(a), b) if b.is_none_or(|b| a.0 < b.0) => {
                    rows.start += 1;
                    a
                }
                (_, Some(b)) => {
                    other_rows.start += 1;
                    b
                }
                _ => return Ok(()),
            };
            self.push(start, end, group);
        }
    }

    /// Keeps what a policy asks for, of the spans of each text: they are in order, and `ends` has the number
    /// of spans up to the end of each text. With a policy, spans with the same start that are shorter than
    /// others may be missing already.
    pub(super) fn keep(&mut self, ends: &mut [usize], overlaps: Overlaps) {
        if overlaps == Overlaps::All {
            return;
        }
        let (mut row, mut kept) = (0, 0);
        for text_end in ends {
            let mut covered = 0;
            while row < *text_end {
                let start = self.start[row];
                // Usually it is a single span. The last is the longest.
                while row + 1 < *text_end && self.start[row + 1] == start {
                    row += 1;
                }
                let end = self.end[row];
                let stays = match overlaps {
                    Overlaps::All => true,
                    Overlaps::Longest => end > covered,
                    Overlaps::Leftmost => start >= covered,
                };
                if stays {
                    self.group[kept] = self.group[row];
                    (self.start[kept], self.end[kept]) = (start, end);
                    kept += 1;
                    covered = end;
                }
                row += 1;
            }
            *text_end = kept;
        }
        self.start.truncate(kept);
        self.end.truncate(kept);
        self.group.truncate(kept);
    }
}
