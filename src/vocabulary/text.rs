//! Text: its lines, and a vocabulary with a term on each of them.

use std::ops::Range;

use crate::build::entries::{Entries, cut_evenly};
use crate::error::{Place, Result};

/// The text with LF for every CR that no LF follows, as files of old Macs have. Afterwards its lines
/// end at LF or CRLF. Only a text that has such a CR is written to.
pub(super) fn with_lf_for_lone_cr(text: String) -> String {
    let bytes = text.as_bytes();
    let is_lone = |&at: &usize| bytes.get(at + 1) != Some(&b'\n');
    let Some(first) = memchr::memchr_iter(b'\r', bytes).find(is_lone) else { return text };
    let mut bytes = text.into_bytes();
    for at in first..bytes.len() {
        if bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n') {
            bytes[at] = b'\n';
        }
    }
    String::from_utf8(bytes).expect("one ASCII character replaces another")
}

/// The number of line ends (LF, CRLF or a CR alone) in a range of a text. A CRLF counts where its CR
/// is, so that the numbers of adjacent ranges add up.
pub(super) fn count_line_ends(text: &[u8], range: Range<usize>) -> u64 {
    let ends = memchr::memchr2_iter(b'\n', b'\r', &text[range.clone()]);
    let of_crlf = |at: usize| text[at] == b'\n' && at > 0 && text[at - 1] == b'\r';
    ends.filter(|end| !of_crlf(range.start + end)).count() as u64
}

/// The lines of a text without lone CRs, with their numbers, from 1.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let count = if text.is_empty() { 0 } else { usize::MAX };
    (1u64..).zip(text.split('\n').take(count).map(without_cr))
}

fn without_cr(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

/// A vocabulary with a term on each line. Its parts are ranges of bytes.
pub(super) struct Lines {
    /// The lines, which end at LF or CRLF.
    pub(super) text: String,
}

impl Entries for Lines {
    fn cut(&self, parts: usize) -> Vec<Range<usize>> {
        let bytes = self.text.as_bytes();
        let line_start = |at: usize| match at {
            0 => 0,
            _ => memchr::memchr(b'\n', &bytes[at - 1..]).map_or(bytes.len(), |i| at + i),
        };
        let ranges = cut_evenly(bytes.len(), parts).into_iter();
        let ranges = ranges.map(|range| line_start(range.start)..line_start(range.end));
        ranges.filter(|range| !range.is_empty()).collect()
    }

    fn visit<'a>(
        &'a self,
        part: Range<usize>,
        each: &mut dyn FnMut(&'a str) -> Result<()>,
    ) -> Result<()> {
        let mut start = part.start;
        for end in memchr::memchr_iter(b'\n', &self.text.as_bytes()[part.clone()]) {
            let end = part.start + end;
            each(without_cr(&self.text[start..end]))?;
            start = end + 1;
        }
        if start < part.end {
            each(without_cr(&self.text[start..part.end]))?;
        }
        Ok(())
    }

    fn size(&self) -> usize {
        self.text.len()
    }

    fn place(&self, n: u64) -> Place {
        Place::Line(n + 1)
    }
}
