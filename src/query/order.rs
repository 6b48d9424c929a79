//! The order of answers, and pages of them.

use std::cmp::Ordering;
use std::ops::Range;

use crate::error::Result;
use crate::index::Index;
use crate::query::answer::Found;

impl Index {
    /// Answers from `offset` on, `limit` at most, in their order: those for which `behind` is true
    /// behind the others, then heaviest first, then by id. They are given in the order of ids.
    pub(crate) fn page(
        &self,
        mut all: Vec<Found>,
        behind: impl Fn(&Found) -> bool,
        offset: usize,
        limit: Option<usize>,
    ) -> Result<Vec<Found>> {
        let places = offset..limit.map_or(usize::MAX, |limit| offset.saturating_add(limit));
        match &self.arrays.weights {
            None => keep(&mut all, places, |a, b| {
                behind(a).cmp(&behind(b)).then(a.position.cmp(&b.position))
            }),
            Some(_) => {
                let weigh = |&found: &Found| {
                    Ok((self.weight(self.id_at(found.position as usize)?)?, found))
                };
                let mut weighed = all.iter().map(weigh).collect::<Result<Vec<_>>>()?;
                keep(&mut weighed, places, |(heavy, a), (light, b)| {
                    let by_weight = light.total_cmp(heavy);
                    behind(a).cmp(&behind(b)).then(by_weight).then(a.position.cmp(&b.position))
                });
                all = weighed.into_iter().map(|(_, found)| found).collect();
            }
        }
        Ok(all)
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

/// How many of `all` are left behind `offset`, `limit` at most.
pub(crate) fn page_length(all: usize, offset: usize, limit: Option<usize>) -> usize {
    all.saturating_sub(offset).min(limit.unwrap_or(usize::MAX))
}
