//! Matches in columns, and the policies that choose among them.

use std::ops::Range;

use crate::index::TermId;
use crate::query::find::options::{Overlaps, Variants};
use crate::threads::concat;

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

/// Many of them, a column for each property.
#[derive(Default)]
pub(crate) struct Matches {
    pub(crate) id: Vec<u32>,
    pub(crate) start: Vec<u64>,
    pub(crate) end: Vec<u64>,
}

impl Matches {
    pub(crate) fn len(&self) -> usize {
        self.id.len()
    }

    /// The matches of all parts of a text.
    pub(super) fn concat(mut parts: Vec<Matches>) -> Matches {
        match parts.len() {
            1 => parts.remove(0),
            _ => Matches {
                id: concat(parts.iter().map(|part| &part.id)),
                start: concat(parts.iter().map(|part| &part.start)),
                end: concat(parts.iter().map(|part| &part.end)),
            },
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, id: u32, start: u64, end: u64) {
        self.id.push(id);
        self.start.push(start);
        self.end.push(end);
    }

    /// Adds some of the matches of others.
    pub(super) fn extend(&mut self, others: &Matches, rows: Range<usize>) {
        self.id.extend_from_slice(&others.id[rows.clone()]);
        self.start.extend_from_slice(&others.start[rows.clone()]);
        self.end.extend_from_slice(&others.end[rows]);
    }

    /// Puts the matches from row `first` on in the order of start, end and id, and keeps one of several
    /// that are equal.
    pub(crate) fn sort_from(&mut self, first: usize) {
        let key = |row: usize| (self.start[row], self.end[row], self.id[row]);
        if (first + 1..self.len()).all(|row| key(row - 1) < key(row)) {
            return;
        }
        let mut rows: Vec<_> = (first..self.len()).map(key).collect();
        rows.sort_unstable();
        rows.dedup();
        self.truncate(first);
        rows.into_iter().for_each(|(start, end, id)| self.push(id, start, end));
    }

    fn truncate(&mut self, length: usize) {
        self.id.truncate(length);
        self.start.truncate(length);
        self.end.truncate(length);
    }

    /// Keeps what the policies ask for, of the matches of each text: they are in order, and `ends` has
    /// the number of matches up to the end of each text. With a policy for overlaps, matches with the
    /// same start that are shorter than others may be missing already.
    pub(crate) fn keep(&mut self, ends: &mut [usize], overlaps: Overlaps, variants: Variants) {
        if (overlaps, variants) == (Overlaps::All, Variants::All) {
            return;
        }
        let (mut row, mut kept) = (0, 0);
        for text_end in ends {
            let mut covered = 0;
            while row < *text_end {
                let start = self.start[row];
                // Usually it is a single match.
                let mut next = row + 1;
                while next < *text_end && self.start[next] == start {
                    next += 1;
                }
                let (longest, mut last) = (self.end[next - 1], None);
                let stays = match overlaps {
                    Overlaps::All => true,
                    Overlaps::Longest => longest > covered,
                    Overlaps::Leftmost => start >= covered,
                };
                for row in (row..next).filter(|_| stays) {
                    let end = self.end[row];
                    let is_variant = last.replace(end) == Some(end);
                    if (overlaps == Overlaps::All || end == longest)
                        && !(is_variant && variants == Variants::First)
                    {
                        self.id[kept] = self.id[row];
                        (self.start[kept], self.end[kept]) = (start, end);
                        kept += 1;
                    }
                }
                if stays {
                    covered = longest;
                }
                row = next;
            }
            *text_end = kept;
        }
        self.truncate(kept);
    }
}
