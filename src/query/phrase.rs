//! A phrase as a range of slots.
//!
//! A phrase is a range of slots: those of the suffixes that begin with it. One token is looked up, each
//! further one narrows the range by a search inside of it. Whether the phrase is a term makes no
//! difference.

use std::ops::Range;

use crate::arrays::SECOND_TOKEN_STEPS;
use crate::error::{Error, Result};
use crate::index::Index;
use crate::index::key::{Keys, UNKNOWN};

/// Ranges of at most this many slots are read whole, not searched.
const SMALL_RANGE: usize = 8;

impl Index {
    /// The slots of the suffixes that begin with a token.
    #[inline]
    pub(crate) fn bucket(&self, token: u32) -> Result<Range<usize>> {
        if token == UNKNOWN {
            return Ok(0..0);
        }
        let slots = self.arrays.tokens.bucket(token)?;
        match slots.end <= self.arrays.suffixes.len() {
            true => Ok(slots),
            false => Err(Error::out_of_range("tokens")),
        }
    }

    /// Of slots whose suffixes agree on `depth` tokens, those in which `token` follows.
    #[inline]
    pub(crate) fn narrow(
        &self,
        slots: Range<usize>,
        depth: usize,
        token: u32,
    ) -> Result<Range<usize>> {
        let start = self.window(slots.clone(), depth, token, false)?;
        self.narrow_from(start, slots, depth, token)
    }

    /// [`Index::narrow`], when the window of the start is known.
    #[inline]
    fn narrow_from(
        &self,
        start: Range<usize>,
        slots: Range<usize>,
        depth: usize,
        token: u32,
    ) -> Result<Range<usize>> {
        // Usually few slots are left: their end is searched from their start on.
        let end = self.window(start.start..slots.end, depth, token + 1, true)?;
        let (less, equal) = self.count(start.clone(), depth, token)?;
        let first = start.start + less;
        match start == end {
            true => Ok(first..first + equal),
            false => Ok(first..end.start + self.count(end, depth, token + 1)?.0),
        }
    }

    /// A few slots in a row: among them or next to them is the first of the slots in which the next
    /// token is `token` or a greater one. Suffixes that have ended come before. With `near` it is
    /// looked for close to the start.
    #[inline]
    fn window(
        &self,
        slots: Range<usize>,
        depth: usize,
        token: u32,
        near: bool,
    ) -> Result<Range<usize>> {
        let Range { start: mut low, end: mut high } = slots;
        if depth == 1 {
            // The second tokens of some slots are in arrays that are small enough for the cache.
            for (seconds, step) in self.arrays.seconds.iter().zip(SECOND_TOKEN_STEPS) {
                if high - low > step {
                    if !near && high - low <= SECOND_TOKEN_STEPS[0] {
                        // A few lines of memory, one of which is needed next.
                        (low..high)
                            .step_by(16)
                            .for_each(|slot| self.arrays.suffixes.prefetch(slot));
                    }
                    let samples = low.div_ceil(step)..high.div_ceil(step);
                    let before = |i| Ok(seconds.at(i, "second tokens")? <= token as usize);
                    let sample = partition_point(samples, near, before)?;
                    high = high.min(sample * step);
                    low = low.max((sample * step + 1).saturating_sub(step));
                }
            }
        }
        if high - low > SMALL_RANGE {
            let before = |slot| Ok(self.count(slot..slot + 1, depth, token)?.0 == 1);
            low = partition_point(low..high, near, before)?;
            high = low;
        }
        Ok(low..high)
    }

    /// In how many of a few slots the next token is less than `token`, or there is none; and in how
    /// many it is `token`. All are read, which takes no longer than to wait for one.
    #[inline]
    fn count(&self, slots: Range<usize>, depth: usize, token: u32) -> Result<(usize, usize)> {
        let (mut less, mut equal) = (0, 0);
        for slot in slots {
            let p = self.suffix(slot)? + depth;
            let ended = self.arrays.borders.get(p)?;
            // After the last token of all, where the last suffix has ended, there is no key.
            let key = self.arrays.keys.get(p).unwrap_or(u64::MAX);
            less += usize::from(ended | (key < u64::from(token)));
            equal += usize::from(!ended & (key == u64::from(token)));
        }
        Ok((less, equal))
    }

    /// The slots of the suffixes that begin with a phrase.
    #[inline]
    pub(crate) fn phrase(&self, key: &[u32]) -> Result<Range<usize>> {
        match key.first() {
            None => Ok(0..0),
            Some(&first) => self.rest_of_phrase(key, 1, self.bucket(first)?),
        }
    }

    /// [`Index::phrase`], when its first `length` tokens have these slots.
    #[inline]
    fn rest_of_phrase(
        &self,
        key: &[u32],
        length: usize,
        mut slots: Range<usize>,
    ) -> Result<Range<usize>> {
        for (i, &token) in key.iter().enumerate().skip(length) {
            if slots.is_empty() || token == UNKNOWN {
                return Ok(0..0);
            }
            slots = self.narrow(slots, i, token)?;
        }
        Ok(slots)
    }

    /// The slots of a phrase, or none where it is clear at once that no longer term has it.
    #[inline]
    pub(crate) fn super_slots(&self, key: &[u32]) -> Result<Range<usize>> {
        if self.stands_alone(key) { Ok(0..0) } else { self.phrase(key) }
    }

    /// Whether the filter rules out that a phrase occurs in longer terms, as it does for most terms of
    /// several words.
    #[inline]
    fn stands_alone(&self, key: &[u32]) -> bool {
        matches!(key.len(), 2 | 3) && !self.arrays.enclosed.may_have(key)
    }

    /// [`Index::super_slots`] of many phrases. Each step is done for all of them before the next, and its
    /// memory is requested before, so that all wait for it at the same time.
    pub(crate) fn super_slots_of_many(&self, keys: &Keys) -> Result<Vec<Range<usize>>> {
        keys.iter().for_each(|(key, _)| self.arrays.enclosed.prefetch(key));
        let first_two = |(key, _): (&[u32], _)| match key.first() {
            Some(&first) if !self.stands_alone(key) => (first, key.get(1).copied()),
            _ => (UNKNOWN, None),
        };
        let steps = self.first_steps(keys.iter().map(first_two))?;
        let mut phrases = Vec::with_capacity(steps.len());
        for ((key, _), (bucket, window)) in keys.iter().zip(steps) {
            phrases.push(match key.get(1) {
                None => bucket,
                Some(&UNKNOWN) => 0..0,
                Some(_) if bucket.is_empty() => bucket,
                Some(&second) => {
                    let slots = self.narrow_from(window, bucket, 1, second)?;
                    self.rest_of_phrase(key, 2, slots)?
                }
            });
        }
        Ok(phrases)
    }

    /// The first step into each of many phrases, of which the first token is given, and the second if
    /// the phrase has one: the bucket of the first, and the window of the second in it. The memory that
    /// the next step reads is requested.
    pub(crate) fn first_steps(
        &self,
        phrases: impl Iterator<Item = (u32, Option<u32>)>,
    ) -> Result<Vec<(Range<usize>, Range<usize>)>> {
        let mut steps = Vec::new();
        for (first, second) in phrases {
            let bucket = self.bucket(first)?;
            let window = match second {
                None | Some(UNKNOWN) => bucket.start..bucket.start,
                Some(second) => self.window(bucket.clone(), 1, second, false)?,
            };
            self.arrays.suffixes.prefetch(window.start);
            steps.push((bucket, window));
        }
        for (_, window) in &steps {
            for slot in window.clone() {
                self.arrays.keys.prefetch(self.suffix(slot)? + 1);
            }
        }
        Ok(steps)
    }
}

/// The first of the numbers for which `before` is false; with `near` it is looked for in steps that
/// double, else by halving.
#[inline]
fn partition_point(
    numbers: Range<usize>,
    near: bool,
    before: impl Fn(usize) -> Result<bool>,
) -> Result<usize> {
    let Range { start: mut low, end: mut high } = numbers;
    if near {
        let mut step = 1;
        while low + step <= high && before(low + step - 1)? {
            low += step;
            step *= 2;
        }
        high = high.min(low + step - 1);
    }
    while low < high {
        let middle = low + (high - low) / 2;
        // Without a branch, whose outcome the processor could only guess.
        let before = before(middle)?;
        low = if before { middle + 1 } else { low };
        high = if before { high } else { middle };
    }
    Ok(low)
}
