//! Cursors: where the next page of an answer begins.

use std::fmt::Debug;

use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, Result};
use crate::index::Index;

/// The cursors of the pages of one answer. A cursor is where its page begins, with a hash of that, of
/// the question and of the index, so that it is refused for any other answer.
pub(crate) struct Cursors<'a> {
    pub(crate) index: &'a Index,
    pub(crate) question: &'a dyn Debug,
    pub(crate) phrase: &'a str,
}

impl Cursors<'_> {
    fn cursor(&self, offset: usize) -> String {
        let Cursors { index, question, phrase } = self;
        let index = index.checksum();
        let hash = xxh3_64(format!("{index} {question:?} {offset} {phrase}").as_bytes());
        format!("{hash:016x}{offset:x}")
    }

    /// Where the page of a cursor begins.
    pub(crate) fn offset(&self, cursor: Option<&str>) -> Result<usize> {
        let Some(cursor) = cursor else { return Ok(0) };
        let offset = cursor.get(16..).and_then(|offset| usize::from_str_radix(offset, 16).ok());
        match offset {
            Some(offset) if self.cursor(offset) == cursor => Ok(offset),
            _ => Err(Error::Option {
                name: "cursor",
                value: format!("{cursor:?}"),
                expected: "it must be the `next` of a page of the same answer, from the index as it \
                           is now; start again without a cursor",
            }),
        }
    }

    /// The cursor of the page that begins at `offset`, unless the answer ends there.
    pub(crate) fn next(&self, offset: usize, total: usize) -> Option<String> {
        (offset < total).then(|| self.cursor(offset))
    }
}
