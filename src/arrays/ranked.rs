//! Which of several terms is the best, and the best term of each run.

use std::ops::Range;

use smallvec::SmallVec;

use crate::arrays::Arrays;
use crate::arrays::best::{Best, Counts, Items, RUNS_IN_RUN};
use crate::arrays::packed::Packed;
use crate::error::{Error, Result};
use crate::threads::{concat, run, threads_for};

/// How good a term is: less is better.
type Rank = (u64, usize);

impl Arrays {
    /// What [`Best`] has room for.
    pub(crate) fn counts(&self) -> Counts {
        let names = self.meta.terms + self.owners.len();
        let (slots, words) = (self.suffixes.len(), self.tokens.len());
        Counts { slots, names, words, terms: self.meta.terms }
    }

    /// How good a term is, by its weight: less is better, and what is equal is ordered by id.
    #[inline]
    pub(crate) fn lightness(&self, id: usize) -> Result<u64> {
        match &self.weights {
            None => Ok(0),
            // Weights are positive, so their bits are in their order.
            Some(weights) => match weights.get(id) {
                Some(weight) => Ok(u64::MAX - weight.to_bits()),
                None => Err(Error::out_of_range("weights")),
            },
        }
    }

    /// The best of the terms that have names or words at these positions.
    fn best_at(&self, positions: impl Iterator<Item = usize>) -> Result<Option<Rank>> {
        // Without weights, the first of the terms' own positions is the best.
        let mut first = self.meta.own_tokens;
        let mut others: SmallVec<[usize; 64]> = SmallVec::new();
        for position in positions {
            if self.weights.is_none() && position < self.meta.own_tokens {
                first = first.min(position);
            } else {
                self.borders.prefetch(position);
                others.push(position);
            }
        }
        if first < self.meta.own_tokens {
            others.push(first);
        }
        for place in &mut others {
            let name = self.borders.rank(*place + 1)?.saturating_sub(1);
            *place = match name.checked_sub(self.meta.terms) {
                None => name,
                Some(other) => self.owners.at(other, "owners")?,
            };
            if let Some(weights) = &self.weights {
                weights.prefetch(*place);
            }
        }
        let mut best: Option<Rank> = None;
        for id in others {
            let rank = (self.lightness(id)?, id);
            best = Some(best.map_or(rank, |best| best.min(rank)));
        }
        Ok(best)
    }

    /// The best terms of all runs. `suffixes` has the position of the suffix in each slot.
    pub(crate) fn best_terms(&self, suffixes: &[u32], threads: usize) -> Result<Best> {
        let counts = self.counts();
        let threads = threads_for(counts.slots, threads);
        let mut all: Vec<u32> = Vec::with_capacity(Best::runs(counts));
        for items in Items::ALL {
            let runs = counts.of(items).div_ceil(items.in_run());
            let size = runs.div_ceil(threads * 4).max(1);
            let parts = (0..runs).step_by(size).map(|first| first..(first + size).min(runs));
            let lowest = run(threads, parts.collect(), |runs| {
                let range = |run: usize| {
                    run * items.in_run()..((run + 1) * items.in_run()).min(counts.of(items))
                };
                runs.map(|run| self.best_of_run(suffixes, items, range(run)))
                    .collect::<Result<Vec<u32>>>()
            })?;
            let mut level: Vec<u32> = concat(lowest.iter());
            all.extend(&level);
            while level.len() > RUNS_IN_RUN {
                let best = |runs: &[u32]| {
                    let rank = |&id: &u32| match (id as usize) < counts.terms {
                        true => Ok((self.lightness(id as usize)?, id)),
                        false => Ok((u64::MAX, id)),
                    };
                    let ranks =
                        runs.iter().map(rank).collect::<Result<SmallVec<[_; RUNS_IN_RUN]>>>()?;
                    Ok(ranks.into_iter().min().map_or(0, |(_, id)| id))
                };
                level = level.chunks(RUNS_IN_RUN).map(best).collect::<Result<_>>()?;
                all.extend(&level);
            }
        }
        let numbers = all.iter().map(|&id| id.into());
        Ok(Best::with_ids(Packed::new(numbers, counts.terms as u64), counts))
    }

    /// The best term of a run of the lowest level.
    fn best_of_run(&self, suffixes: &[u32], items: Items, range: Range<usize>) -> Result<u32> {
        let mut best: Option<Rank> = None;
        let mut add = |rank: Option<Rank>| {
            if let Some(rank) = rank {
                best = Some(best.map_or(rank, |best| best.min(rank)));
            }
        };
        let positions = |slots: Range<usize>| {
            suffixes.get(slots).unwrap_or_default().iter().map(|&position| position as usize)
        };
        let position = |slot: usize| suffixes.get(slot).map_or(0, |&position| position as usize);
        match items {
            Items::Slots => add(self.best_at(positions(range))?),
            Items::Names => {
                let first = self.wholes.select(range.start)?;
                let slots = self.wholes.positions_from(first).take(range.len());
                add(self.best_at(slots.map(position))?);
            }
            Items::Words | Items::FirstWords => {
                for place in range {
                    let bucket = self.tokens.bucket(self.tokens.by_alphabet(place)?)?;
                    if items == Items::Words {
                        add(self.best_at(positions(bucket))?);
                    } else {
                        let slots = self.wholes.positions_from(bucket.start);
                        let slots = slots.take_while(|&slot| slot < bucket.end);
                        add(self.best_at(slots.map(position))?);
                    }
                }
            }
        }
        Ok(best.map_or(self.meta.terms, |(_, id)| id) as u32)
    }
}
