//! The best answers first, without a look at all of them.
//!
//! A heap has runs of slots, each as good as its best term, and answers. What comes out is the next answer,
//! or a run that may have it, which is replaced by its parts. So the effort goes by the answers that are
//! asked for, as long as most terms are answers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use smallvec::SmallVec;

use crate::arrays::best::{Items, RUNS_IN_RUN, Run};
use crate::error::Result;
use crate::index::Index;
use crate::query::answer::Found;

/// Up to as many slots are looked at one by one, not by their runs.
pub(crate) const FEW_SLOTS: usize = 256;

/// How many slots the search for the best answers may look at for each, and still take less time than to
/// look at all.
pub(crate) const SLOTS_OF_ANSWER: usize = 128;

/// What orders the occurrences of one term: the first one is its answer.
#[derive(Clone, Copy)]
pub(crate) enum First {
    /// That in the first name.
    Name,
    /// That nearest to the start of a name.
    Start,
}

impl First {
    fn order(self, found: &Found) -> u64 {
        let (name, start) = (u64::from(found.name), u64::from(found.start));
        match self {
            First::Name => name << 32 | start,
            First::Start => start << 32 | name,
        }
    }
}

/// What the heap has, the best first. A run comes before the answers that are as good: these may be in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    /// How good the term is: its weight, then its id.
    lightness: u64,
    id: u32,
    /// 0 for a run, else more than [`First::order`].
    order: u64,
    /// The number of the run, or of the answer.
    place: u32,
}

/// Answers, the best first.
pub(crate) struct BestFirst<'a, F> {
    index: &'a Index,
    first: First,
    /// The answer that a slot is, given the position of its suffix.
    answer: F,
    heap: BinaryHeap<Reverse<Entry>>,
    runs: Vec<(Run, Range<usize>)>,
    answers: Vec<Found>,
    /// How many slots were looked at.
    looked_at: usize,
}

impl<'a, F: FnMut(usize) -> Result<Option<Found>>> BestFirst<'a, F> {
    pub(crate) fn new(index: &'a Index, first: First, answer: F) -> BestFirst<'a, F> {
        let (heap, runs, answers) = (BinaryHeap::new(), Vec::new(), Vec::new());
        BestFirst { index, first, answer, heap, runs, answers, looked_at: 0 }
    }

    /// Whether so much was looked at that to look at all of `slots` slots takes less time from here.
    pub(crate) fn takes_long(&self, slots: usize) -> bool {
        self.looked_at > slots / 4
    }

    /// Adds what is at these items.
    pub(crate) fn add(&mut self, items: Items, range: Range<usize>) -> Result<()> {
        match range.len() <= items.in_run() {
            true => self.look_at(items, range),
            false => {
                for run in self.index.arrays.best.cover(items, range.clone()) {
                    self.add_run(run, range.clone())?;
                }
                Ok(())
            }
        }
    }

    /// Adds what is at the items of a run that are in the range.
    fn add_run(&mut self, run: Run, range: Range<usize>) -> Result<()> {
        let id = self.index.arrays.best.id(run)?;
        // No term begins with one of these words.
        if id < self.index.len() {
            let lightness = self.index.arrays.lightness(id)?;
            let place = self.runs.len() as u32;
            self.runs.push((run, range));
            self.heap.push(Reverse(Entry { lightness, id: id as u32, order: 0, place }));
        }
        Ok(())
    }

    /// Adds the answers that are at these items.
    fn look_at(&mut self, items: Items, range: Range<usize>) -> Result<()> {
        let arrays = &self.index.arrays;
        match items {
            Items::Slots => self.look_at_slots(range),
            Items::Names => {
                if !range.is_empty() {
                    let first = arrays.wholes.select(range.start)?;
                    self.look_at_slots(arrays.wholes.positions_from(first).take(range.len()))?;
                }
                Ok(())
            }
            Items::Words | Items::FirstWords => {
                let ids = range.map(|place| arrays.tokens.by_alphabet(place));
                let ids = ids.collect::<Result<SmallVec<[u32; Items::Words.in_run()]>>>()?;
                ids.iter().for_each(|&id| arrays.tokens.prefetch(id));
                for id in ids {
                    let bucket = self.index.bucket(id)?;
                    match items {
                        Items::Words => self.add(Items::Slots, bucket)?,
                        _ => self.add(Items::Names, self.index.names_of(bucket)?)?,
                    }
                }
                Ok(())
            }
        }
    }

    fn look_at_slots(&mut self, slots: impl Iterator<Item = usize>) -> Result<()> {
        let arrays = &self.index.arrays;
        let mut positions: SmallVec<[usize; Items::Slots.in_run()]> = SmallVec::new();
        for slot in slots {
            let position = self.index.suffix(slot)?;
            arrays.borders.prefetch(position);
            positions.push(position);
        }
        self.looked_at += positions.len();
        let mut found: SmallVec<[(usize, Found); Items::Slots.in_run()]> = SmallVec::new();
        for position in positions {
            if let Some(answer) = (self.answer)(position)? {
                let id = self.index.id_at(answer.position as usize)?.0 as usize;
                if let Some(weights) = &arrays.weights {
                    weights.prefetch(id);
                }
                found.push((id, answer));
            }
        }
        for (id, answer) in found {
            let lightness = arrays.lightness(id)?;
            let order = self.first.order(&answer) + 1;
            let place = self.answers.len() as u32;
            self.answers.push(answer);
            self.heap.push(Reverse(Entry { lightness, id: id as u32, order, place }));
        }
        Ok(())
    }

    /// Replaces a run by its parts.
    fn open(&mut self, (run, range): (Run, Range<usize>)) -> Result<()> {
        let own = run.range();
        let Some(below) = run.level.checked_sub(1) else {
            let inside = own.start.max(range.start)..own.end.min(range.end);
            return self.look_at(run.items, inside);
        };
        for number in run.number * RUNS_IN_RUN as u32..(run.number + 1) * RUNS_IN_RUN as u32 {
            let part = Run { items: run.items, level: below, number };
            let own = part.range();
            if own.start < range.end && range.start < own.end {
                self.add_run(part, range.clone())?;
            }
        }
        Ok(())
    }

    /// The occurrences in the best of the terms that are left; false if none is.
    pub(crate) fn next_term(&mut self, occurrences: &mut Vec<Found>) -> Result<bool> {
        occurrences.clear();
        let mut term = None;
        while let Some(&Reverse(entry)) = self.heap.peek() {
            if term.is_some_and(|id| id != entry.id) {
                break;
            }
            self.heap.pop();
            if entry.order == 0 {
                self.open(self.runs[entry.place as usize].clone())?;
            } else {
                term = Some(entry.id);
                occurrences.push(self.answers[entry.place as usize]);
            }
        }
        Ok(term.is_some())
    }
}

impl Index {
    /// The names that are whole in these slots, by their order in the slots.
    pub(crate) fn names_of(&self, slots: Range<usize>) -> Result<Range<usize>> {
        Ok(self.arrays.wholes.rank(slots.start)?..self.arrays.wholes.rank(slots.end)?)
    }
}
