//! The entries of a vocabulary: any source that can be cut into parts and read by several threads.

use std::ops::Range;

use crate::error::{Place, Result};

/// The entries of a vocabulary, in order.
pub trait Entries: Sync {
    /// Cuts the entries into about `parts` consecutive parts of about equal size.
    fn cut(&self, parts: usize) -> Vec<Range<usize>>;

    /// Calls `each` with every entry of a part.
    fn visit<'a>(
        &'a self,
        part: Range<usize>,
        each: &mut dyn FnMut(&'a str) -> Result<()>,
    ) -> Result<()>;

    /// The number of bytes of all entries, approximately.
    fn size(&self) -> usize;

    /// Where entry `n`, counted from 0, is in the input.
    fn place(&self, n: u64) -> Place;
}

/// A list of strings, stored one after the other in one string.
#[derive(Clone, Debug, Default)]
pub struct List {
    text: String,
    /// Where in `text` each entry ends.
    ends: Vec<usize>,
    /// Whether they are the rows of a table, for messages.
    rows: bool,
}

impl List {
    /// A list for the rows of a table.
    pub(crate) fn of_rows() -> List {
        List { rows: true, ..List::default() }
    }

    /// Adds an entry.
    #[inline]
    pub fn push(&mut self, entry: &str) {
        self.push_with(|text| text.push_str(entry));
    }

    /// Adds the entry that `write` appends to the text.
    #[inline]
    pub(crate) fn push_with(&mut self, write: impl FnOnce(&mut String)) {
        write(&mut self.text);
        self.ends.push(self.text.len());
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Entry `i`.
    pub fn get(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start..self.ends[i]]
    }

    /// The entries, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// All entries, one after the other.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl<'a> FromIterator<&'a str> for List {
    fn from_iter<I: IntoIterator<Item = &'a str>>(entries: I) -> List {
        let mut list = List::default();
        entries.into_iter().for_each(|entry| list.push(entry));
        list
    }
}

impl Entries for List {
    fn cut(&self, parts: usize) -> Vec<Range<usize>> {
        cut_evenly(self.len(), parts)
    }

    fn visit<'a>(
        &'a self,
        part: Range<usize>,
        each: &mut dyn FnMut(&'a str) -> Result<()>,
    ) -> Result<()> {
        part.into_iter().try_for_each(|i| each(self.get(i)))
    }

    fn size(&self) -> usize {
        self.text.len()
    }

    fn place(&self, n: u64) -> Place {
        if self.rows { Place::Row(n + 1) } else { Place::Entry(n) }
    }
}

/// Cuts 0 to `count` into at most `parts` ranges of about equal size.
pub(crate) fn cut_evenly(count: usize, parts: usize) -> Vec<Range<usize>> {
    let size = count.div_ceil(parts.max(1)).max(1);
    (0..count).step_by(size).map(|start| start..(start + size).min(count)).collect()
}
