//! Lines that repeat within a document: the heads and feet of its pages.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};

use foldhash::fast::RandomState;

/// A line of at least this many words may be the head of a page.
const MIN_WORDS: usize = 4;
/// How often such a line may occur in a document before it is left out.
const MAX_TIMES: u32 = 3;
/// At most one line in this many is the head of a page.
const MIN_SHARE: usize = 4;
/// The different lines that are in memory; a longer document is taken for several.
const MAX_LINES: usize = 1_000_000;

/// The lines of a document, without their numbers, and how often each occurs.
#[derive(Default)]
pub(super) struct RepeatedLines {
    times: HashMap<u64, u32, RandomState>,
}

impl RepeatedLines {
    pub(super) fn begin_document(&mut self) {
        self.times.clear();
    }

    /// Calls `each` with the parts of a text that are left when the lines that repeat are left out.
    pub(super) fn each_part<'a, E>(
        &mut self,
        text: &'a str,
        mut each: impl FnMut(&'a str) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut repeated = Vec::new();
        let (mut at, mut lines) = (0, 0);
        for line in text.split_inclusive('\n') {
            let end = at + line.len();
            lines += 1;
            if self.is_repeated(line) {
                repeated.push(at..end);
            }
            at = end;
        }
        // Between the heads of two pages there is a page; where most lines repeat, they are the text.
        if repeated.len() > lines / MIN_SHARE {
            return each(text);
        }
        let mut start = 0;
        for line in repeated {
            each(&text[start..line.start])?;
            start = line.end;
        }
        each(&text[start..])
    }

    fn is_repeated(&mut self, line: &str) -> bool {
        if line.split_ascii_whitespace().nth(MIN_WORDS - 1).is_none() {
            return false;
        }
        let mut hasher = self.times.hasher().build_hasher();
        line.split(|c: char| c.is_numeric() || c.is_whitespace())
            .filter(|part| !part.is_empty())
            .for_each(|part| hasher.write(part.as_bytes()));
        if self.times.len() == MAX_LINES {
            self.times.clear();
        }
        let times = self.times.entry(hasher.finish()).or_default();
        *times += 1;
        *times > MAX_TIMES
    }
}
