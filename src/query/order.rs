//! The order of answers, and pages of them.

use std::cmp::Ordering;
use std::ops::Range;

use crate::error::Result;
use crate::index::Index;
use crate::query::answer::Found;

/// The order of answers. What is equal is ordered by id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Heaviest first.
    #[default]
    Weight,
    /// By the words before the phrase, nearest first; then by those after it.
    Left,
    /// By the words after the phrase, nearest first; then by those before it.
    Right,
    /// Fewest tokens first, then heaviest first.
    Length,
}

impl Index {
    /// A page of answers: those for which `last` is true after all others, then heaviest first, then by
    /// id. They are given in id order.
    pub(crate) fn page(
        &self,
        mut all: Vec<Found>,
        last: impl Fn(&Found) -> bool,
        offset: usize,
        limit: Option<usize>,
    ) -> Result<Vec<Found>> {
        let places = places(offset, limit);
        match &self.arrays.weights {
            None => keep(&mut all, places, |a, b| {
                last(a).cmp(&last(b)).then(a.position.cmp(&b.position))
            }),
            Some(_) => {
                let weigh = |&found: &Found| {
                    Ok((self.weight(self.id_at(found.position as usize)?)?, found))
                };
                let mut weighed = all.iter().map(weigh).collect::<Result<Vec<_>>>()?;
                keep(&mut weighed, places, |(heavy, a), (light, b)| {
                    let by_weight = light.total_cmp(heavy);
                    last(a).cmp(&last(b)).then(by_weight).then(a.position.cmp(&b.position))
                });
                all = weighed.into_iter().map(|(_, found)| found).collect();
            }
        }
        Ok(all)
    }

    /// A page of answers in the order of `sort`: `limit` of them at most, after the first
    /// `offset`. The answers are given in id order.
    pub(crate) fn sorted_page(
        &self,
        found: Vec<Found>,
        sort: Sort,
        offset: usize,
        limit: Option<usize>,
    ) -> Result<Vec<Found>> {
        let places = places(offset, limit);
        match sort {
            Sort::Weight => self.page(found, |_| false, offset, limit),
            Sort::Length => {
                let weigh = |found: Found| {
                    let weight = self.weight(self.id_at(found.position as usize)?)?;
                    Ok((weight, found))
                };
                let mut weighed = found.into_iter().map(weigh).collect::<Result<Vec<_>>>()?;
                keep(&mut weighed, places, |(heavy, a), (light, b)| {
                    let by_length = a.length.cmp(&b.length);
                    by_length.then(light.total_cmp(heavy)).then(a.position.cmp(&b.position))
                });
                Ok(weighed.into_iter().map(|(_, found)| found).collect())
            }
            Sort::Left | Sort::Right => {
                let nearest = |found: Found| {
                    let beside = match sort {
                        Sort::Left => before(&found).next(),
                        _ => after(&found).next(),
                    };
                    (beside.map_or(0, |place| first_letters(self.word(place))), found)
                };
                for found in &found {
                    self.arrays.keys.prefetch(found.name as usize);
                }
                let mut lettered: Vec<(u64, Found)> = found.into_iter().map(nearest).collect();
                keep(&mut lettered, places, |(letters, a), (others, b)| {
                    letters
                        .cmp(others)
                        .then_with(|| {
                            let left = || self.compare(before(a), before(b));
                            let right = || self.compare(after(a), after(b));
                            match sort {
                                Sort::Left => left().then_with(right),
                                _ => right().then_with(left),
                            }
                        })
                        .then(a.position.cmp(&b.position))
                });
                Ok(lettered.into_iter().map(|(_, found)| found).collect())
            }
        }
    }

    /// The token at a place of the keys; empty where a damaged index has none, so that there is an order
    /// all the same.
    fn word(&self, place: usize) -> &[u8] {
        let token = self.arrays.keys.at(place, "keys");
        token.and_then(|token| self.arrays.tokens.text(token as u32)).unwrap_or_default()
    }

    /// The order of two runs of words; the shorter first, if the longer one begins with it.
    fn compare(
        &self,
        mut one: impl Iterator<Item = usize>,
        mut other: impl Iterator<Item = usize>,
    ) -> Ordering {
        loop {
            let (a, b) = match (one.next(), other.next()) {
                (Some(a), Some(b)) => (a, b),
                (a, b) => return a.is_some().cmp(&b.is_some()),
            };
            if self.arrays.keys.get(a) != self.arrays.keys.get(b) {
                let order = self.word(a).cmp(self.word(b));
                if order != Ordering::Equal {
                    return order;
                }
            }
        }
    }
}

/// The places of the words before the phrase in a super term, nearest first.
fn before(found: &Found) -> impl Iterator<Item = usize> + use<> {
    let name = found.name as usize;
    (name..name + found.start as usize).rev()
}

/// The places of the words after the phrase in a super term.
fn after(found: &Found) -> impl Iterator<Item = usize> + use<> {
    found.name_key().skip(found.start as usize + found.inner as usize)
}

/// The first bytes of a word as a number that is ordered as they are.
fn first_letters(word: &[u8]) -> u64 {
    let mut letters = [0; 8];
    let length = word.len().min(8);
    letters[..length].copy_from_slice(&word[..length]);
    u64::from_be_bytes(letters)
}

/// What the order of answers by weight or length compares.
pub(crate) struct Rank {
    pub(crate) weight: f64,
    pub(crate) length: u32,
    /// A number that is ordered as ids are.
    pub(crate) id: u64,
}

impl Rank {
    /// The order of two answers by weight, or by length.
    #[inline]
    pub(crate) fn compare(&self, other: &Rank, sort: Sort) -> Ordering {
        let by_weight = other.weight.total_cmp(&self.weight).then(self.id.cmp(&other.id));
        match sort {
            Sort::Length => self.length.cmp(&other.length).then(by_weight),
            _ => by_weight,
        }
    }
}

/// The places of a page in the whole answer.
pub(crate) fn places(offset: usize, limit: Option<usize>) -> Range<usize> {
    offset..limit.map_or(usize::MAX, |limit| offset.saturating_add(limit))
}

/// Keeps the answers whose number of tokens is within the limits.
#[inline]
pub(crate) fn keep_lengths(found: &mut Vec<Found>, min: Option<usize>, max: Option<usize>) {
    if min.is_some() || max.is_some() {
        let lengths = min.unwrap_or(0)..=max.unwrap_or(usize::MAX);
        found.retain(|found| lengths.contains(&(found.length as usize)));
    }
}

/// Keeps the items that have these places in the order given, and puts them in that order.
pub(crate) fn keep<T>(
    items: &mut Vec<T>,
    places: Range<usize>,
    order: impl Fn(&T, &T) -> Ordering,
) {
    let end = places.end.min(items.len());
    let start = places.start.min(end);
    if end < items.len() {
        items.select_nth_unstable_by(end, &order);
        items.truncate(end);
    }
    if start > 0 {
        if start < end {
            items.select_nth_unstable_by(start, &order);
        }
        items.drain(..start);
    }
    items.sort_unstable_by(order);
}

/// How many of `all` are left last `offset`, `limit` at most.
pub(crate) fn page_length(all: usize, offset: usize, limit: Option<usize>) -> usize {
    all.saturating_sub(offset).min(limit.unwrap_or(usize::MAX))
}
