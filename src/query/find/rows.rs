//! Matches as columns: a row for each term of each span.

use std::ops::Range;

use crate::build::entries::cut_evenly;
use crate::error::{Error, Result};
use crate::index::{Index, TermId};
use crate::query::find::groups::Groups;
use crate::query::find::spans::Spans;
use crate::threads::{run, threads_for};

/// The matches in texts, by text, start, end and id.
#[derive(Default)]
pub struct MatchRows {
    /// The numbers of the texts; nothing if there is only one text.
    pub row: Vec<u64>,
    /// The terms.
    pub id: Vec<u32>,
    /// Their first characters.
    pub start: Vec<u64>,
    /// The characters after their last.
    pub end: Vec<u64>,
    /// Their surfaces, one after the other, unless they were not asked for. Each of them is UTF-8.
    pub text: Vec<u8>,
    /// Where the surface of each begins in `text`; at the end, where the last ends.
    pub text_starts: Vec<i64>,
}

/// The spans found in some texts.
pub(super) struct Segment<'a> {
    pub(super) spans: &'a Spans,
    /// Which of them.
    pub(super) range: Range<usize>,
    /// The number of the first of their groups among all.
    pub(super) first_group: u32,
    /// The number of the first text, and how many of the spans there are up to the end of each.
    pub(super) texts: Option<(u64, &'a [usize])>,
}

/// Terms whose surfaces are made in one task.
const TERMS_PER_TASK: usize = 1 << 13;
/// The most spans of a segment: few enough that all threads end at about the same time.
pub(super) const SPANS_PER_SEGMENT: usize = 1 << 15;

/// The surfaces of the terms of groups.
struct Surfaces {
    text: Vec<u8>,
    /// Where the surface of each term begins; at the end, where the last ends.
    starts: Vec<usize>,
}

impl Surfaces {
    /// As if all surfaces were empty.
    fn none(groups: &Groups) -> Surfaces {
        Surfaces { text: Vec::new(), starts: vec![0; groups.ids.len() + 1] }
    }

    fn new(index: &Index, groups: &Groups, threads: usize) -> Result<Surfaces> {
        let threads = threads_for(32 * groups.ids.len(), threads);
        let parts = cut_evenly(groups.ids.len(), groups.ids.len().div_ceil(TERMS_PER_TASK));
        let parts = run(threads, parts, |part| {
            let (mut text, mut ends) = (Vec::new(), Vec::with_capacity(part.len()));
            let place = |&id: &u32| index.key_place(TermId(id));
            let keys = groups.ids[part].iter().map(place).collect::<Result<Vec<_>>>()?;
            index.each_surface(keys.into_iter(), &mut text, |text| ends.push(text.len()))?;
            // Each surface on its own, as each may be next to any other one.
            let mut start = 0;
            for &end in &ends {
                if std::str::from_utf8(&text[start..end]).is_err() {
                    return Err(Error::damaged("tokens", "a text is not UTF-8"));
                }
                start = end;
            }
            Ok((text, ends))
        })?;
        let mut all = Surfaces { text: Vec::new(), starts: vec![0] };
        for (text, ends) in parts {
            let before = all.text.len();
            all.text.extend_from_slice(&text);
            all.starts.extend(ends.into_iter().map(|end| before + end));
        }
        Ok(all)
    }

    /// The bytes of the surfaces of some terms.
    #[inline]
    fn size(&self, terms: &Range<usize>) -> usize {
        self.starts[terms.end] - self.starts[terms.start]
    }
}

/// The places of a segment in the columns.
struct Task<'a> {
    segment: Segment<'a>,
    row: &'a mut [u64],
    id: &'a mut [u32],
    start: &'a mut [u64],
    end: &'a mut [u64],
    text: &'a mut [u8],
    text_ends: &'a mut [i64],
    /// The bytes of the surfaces before them.
    bytes_before: usize,
}

impl MatchRows {
    /// The rows of some spans, whose groups are among `groups`; with their surfaces if `named` is the index.
    pub(super) fn new(
        named: Option<&Index>,
        groups: &Groups,
        segments: Vec<Segment>,
        threads: usize,
    ) -> Result<MatchRows> {
        let surfaces = match named {
            Some(index) => Surfaces::new(index, groups, threads)?,
            None => Surfaces::none(groups),
        };
        let spans: usize = segments.iter().map(|segment| segment.range.len()).sum();
        let threads = threads_for(8 * spans, threads);
        let sizes = run(threads, segments.iter().collect(), |segment: &Segment| {
            let terms = segment.groups().map(|group| groups.place(group));
            Ok(terms.fold((0, 0), |(rows, bytes), terms| {
                (rows + terms.len(), bytes + surfaces.size(&terms))
            }))
        })?;
        let rows = sizes.iter().map(|(rows, _)| rows).sum();
        let numbered = segments.iter().any(|segment| segment.texts.is_some());
        let mut all = MatchRows {
            row: vec![0; if numbered { rows } else { 0 }],
            id: vec![0; rows],
            start: vec![0; rows],
            end: vec![0; rows],
            text: vec![0; sizes.iter().map(|(_, bytes)| bytes).sum()],
            text_starts: vec![0; if named.is_some() { rows + 1 } else { 0 }],
        };
        let mut tasks = Vec::with_capacity(segments.len());
        let (mut row, mut id) = (&mut all.row[..], &mut all.id[..]);
        let (mut start, mut end) = (&mut all.start[..], &mut all.end[..]);
        let (mut text, mut text_ends) =
            (&mut all.text[..], all.text_starts.get_mut(1..).unwrap_or_default());
        let mut bytes_before = 0;
        for (segment, (rows, bytes)) in segments.into_iter().zip(sizes) {
            tasks.push(Task {
                segment,
                row: take(&mut row, if numbered { rows } else { 0 }),
                id: take(&mut id, rows),
                start: take(&mut start, rows),
                end: take(&mut end, rows),
                text: take(&mut text, bytes),
                text_ends: take(&mut text_ends, if named.is_some() { rows } else { 0 }),
                bytes_before,
            });
            bytes_before += bytes;
        }
        run(threads, tasks, |task| {
            task.write(groups, &surfaces);
            Ok(())
        })?;
        Ok(all)
    }

    /// Adds those of the texts that follow.
    pub fn append(&mut self, mut more: MatchRows) {
        if self.id.is_empty() {
            *self = more;
            return;
        }
        self.row.append(&mut more.row);
        self.id.append(&mut more.id);
        self.start.append(&mut more.start);
        self.end.append(&mut more.end);
        let before = self.text.len() as i64;
        self.text.append(&mut more.text);
        self.text_starts.extend(more.text_starts.into_iter().skip(1).map(|start| before + start));
    }
}

/// The first `count` of some places, which are taken from them.
fn take<'a, T>(places: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (first, rest) = std::mem::take(places).split_at_mut(count);
    *places = rest;
    first
}

impl Segment<'_> {
    /// The number of each span's group among all.
    fn groups(&self) -> impl Iterator<Item = u32> {
        self.spans.group[self.range.clone()].iter().map(|group| self.first_group + group)
    }
}

impl Task<'_> {
    fn write(self, groups: &Groups, surfaces: &Surfaces) {
        let Task { segment, row, id, start, end, text, text_ends, bytes_before } = self;
        let (mut at, mut byte) = (0, 0);
        let (mut number, mut text_span_ends) = segment.texts.unwrap_or_default();
        for (span, group) in segment.range.clone().zip(segment.groups()) {
            let terms = groups.place(group);
            let rows = at..at + terms.len();
            at = rows.end;
            while text_span_ends.first().is_some_and(|&end| end <= span) {
                (number, text_span_ends) = (number + 1, &text_span_ends[1..]);
            }
            if segment.texts.is_some() {
                row[rows.clone()].fill(number);
            }
            let (span_start, span_end) = (segment.spans.start[span], segment.spans.end[span]);
            match rows.len() {
                1 => {
                    (start[rows.start], end[rows.start]) = (span_start, span_end);
                    id[rows.start] = groups.ids[terms.start];
                }
                _ => {
                    start[rows.clone()].fill(span_start);
                    end[rows.clone()].fill(span_end);
                    id[rows.clone()].copy_from_slice(&groups.ids[terms.clone()]);
                }
            }
            if text_ends.is_empty() {
                continue;
            }
            let starts = &surfaces.starts[terms.start..=terms.end];
            let (first, last) = (starts[0], starts[terms.len()]);
            text[byte..byte + last - first].copy_from_slice(&surfaces.text[first..last]);
            // The distance may be negative.
            let moved = (bytes_before + byte) as i64 - first as i64;
            for (place, &end) in text_ends[rows].iter_mut().zip(&starts[1..]) {
                *place = end as i64 + moved;
            }
            byte += last - first;
        }
    }
}
