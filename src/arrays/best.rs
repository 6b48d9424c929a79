//! The best term of each run of slots: what finds the best answers of a range without looking at all of it.
//!
//! One term is better than another if it is heavier or, of two that weigh the same, if its id is smaller.

use std::ops::Range;

use smallvec::SmallVec;

use crate::arrays::packed::Packed;
use crate::error::{Error, Result};

/// What a run consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Items {
    /// Slots.
    Slots,
    /// Names, in the order of the slots of whole names.
    Names,
    /// Words, in the order of their texts; a term belongs to each word that it has.
    Words,
    /// Words, in the order of their texts; a term belongs to the word that a name of it begins with.
    FirstWords,
}

impl Items {
    pub(crate) const ALL: [Items; 4] =
        [Items::Slots, Items::Names, Items::Words, Items::FirstWords];

    /// The items of a run of the lowest level. A run of words has some 200 slots.
    pub(crate) const fn in_run(self) -> usize {
        match self {
            Items::Slots | Items::Names => 64,
            Items::Words | Items::FirstWords => 32,
        }
    }
}

/// How many runs of a level make one of the next.
pub(crate) const RUNS_IN_RUN: usize = 16;

/// The numbers of runs of each level: the last level has at most [`RUNS_IN_RUN`].
fn level_sizes(items: usize, in_run: usize) -> SmallVec<[usize; 8]> {
    let mut sizes = SmallVec::new();
    let mut size = items.div_ceil(in_run);
    loop {
        sizes.push(size);
        if size <= RUNS_IN_RUN {
            return sizes;
        }
        size = size.div_ceil(RUNS_IN_RUN);
    }
}

/// A run: of `items`, in a level counted from the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) items: Items,
    pub(crate) level: u8,
    pub(crate) number: u32,
}

impl Run {
    /// The items of the run, if there are enough.
    pub(crate) fn range(self) -> Range<usize> {
        let size = self.items.in_run() * RUNS_IN_RUN.pow(self.level.into());
        self.number as usize * size..(self.number as usize + 1) * size
    }
}

/// How many of each kind of items there are.
#[derive(Clone, Copy)]
pub(crate) struct Counts {
    pub(crate) slots: usize,
    pub(crate) names: usize,
    pub(crate) words: usize,
    pub(crate) terms: usize,
}

impl Counts {
    pub(crate) fn of(self, items: Items) -> usize {
        match items {
            Items::Slots => self.slots,
            Items::Names => self.names,
            Items::Words | Items::FirstWords => self.words,
        }
    }
}

/// The best term of each run.
pub(crate) struct Best {
    /// The ids of the terms: for each kind of items, for each level from the lowest on, for each run. A run
    /// of words of which no term begins with one has the number of terms instead.
    pub(crate) ids: Packed,
    /// Where the levels of each kind begin in `ids`, and where the last one ends.
    levels: [SmallVec<[usize; 8]>; Items::ALL.len()],
}

impl Best {
    /// Where the levels begin, and the number of all runs.
    fn levels(counts: Counts) -> ([SmallVec<[usize; 8]>; Items::ALL.len()], usize) {
        let mut at = 0;
        let levels = Items::ALL.map(|items| {
            let mut starts: SmallVec<[usize; 8]> = SmallVec::new();
            for size in level_sizes(counts.of(items), items.in_run()) {
                starts.push(at);
                at += size;
            }
            starts.push(at);
            starts
        });
        (levels, at)
    }

    /// The number of runs.
    pub(crate) fn runs(counts: Counts) -> usize {
        Self::levels(counts).1
    }

    /// With these ids, of which there are [`Best::runs`].
    pub(crate) fn with_ids(ids: Packed, counts: Counts) -> Best {
        Best { ids, levels: Self::levels(counts).0 }
    }

    /// The best term of a run.
    #[inline]
    pub(crate) fn id(&self, run: Run) -> Result<usize> {
        let levels = &self.levels[run.items as usize];
        match levels.get(run.level as usize) {
            Some(start) => self.ids.at(start + run.number as usize, "best terms"),
            None => Err(Error::out_of_range("best terms")),
        }
    }

    /// The runs of the lowest level of which a few cover these items.
    pub(crate) fn cover(&self, items: Items, range: Range<usize>) -> impl Iterator<Item = Run> {
        let levels = self.levels[items as usize].len() - 1;
        let mut size = items.in_run();
        let mut level = 0;
        while level + 1 < levels && range.len() > RUNS_IN_RUN * size {
            size *= RUNS_IN_RUN;
            level += 1;
        }
        let runs = match range.is_empty() {
            true => 0..0,
            false => range.start / size..(range.end - 1) / size + 1,
        };
        runs.map(move |number| Run { items, level: level as u8, number: number as u32 })
    }
}

impl Default for Best {
    /// Of no items.
    fn default() -> Best {
        let counts = Counts { slots: 0, names: 0, words: 0, terms: 0 };
        Best::with_ids(Packed::new([].into_iter(), 0), counts)
    }
}
