//! What terminology extraction asks of every term: how often it stands in others, and the scores that
//! are made from that.

use crate::build::entries::{List, cut_evenly};
use crate::build::pipeline::Build;
use crate::error::Result;
use crate::graph::pairs::Nested;
use crate::index::{Index, TermId};
use crate::threads::{run, threads_for, threads_or_all};

/// The figures of every term, by id. `f` is the weight of a term, as a rule its count in a corpus,
/// occurrences inside of longer terms included; `n` its tokens; `T` its super terms.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    /// `n`
    pub length: Vec<u32>,
    /// `f`
    pub frequency: Vec<f64>,
    /// `|T|`
    pub super_count: Vec<u32>,
    /// The sum of `f` over `T`.
    pub super_frequency: Vec<f64>,
    /// How many terms are nested in it.
    pub nested_count: Vec<u32>,
    /// `i = f - t`, where `t` is the sum of `i` over `T`: what it occurs outside of its super terms.
    pub independent: Vec<f64>,
    /// Frantzi's C-value: `log2(n) (f - t / |T|)`, without the fraction if `T` is empty.
    pub c_value: Vec<f64>,
    /// The same with `log2(n + 1)`, which does not make all terms of one token nothing.
    pub c_value_plus_one: Vec<f64>,
    /// C-value as JATE has it: `log2(n + 0.1) (f - s / |T|)`, with the sum `s` of `f` over `T`.
    pub c_value_jate: Vec<f64>,
    /// Basic: `n ln(f) + 0.72 |T|`; `ln(f)` for one token; 0 if `f` is 0.
    pub basic: Vec<f64>,
    /// ComboBasic: `n ln(f) + 0.75 |T| + 0.1 m`, with the number `m` of nested terms; else as Basic.
    pub combo_basic: Vec<f64>,
}

impl Index {
    /// The figures of every term.
    pub fn scores(&self, threads: Option<usize>) -> Result<Scores> {
        let threads = threads_for(self.arrays.keys.len(), threads_or_all(threads));
        let parts = self.all_nested(threads, true)?;
        let count = self.len();
        let length = self.lengths()?;
        let frequency = match &self.arrays.weights {
            Some(weights) => weights.to_vec(),
            None => vec![1.0; count],
        };

        let mut super_count = vec![0u32; count];
        let mut super_frequency = vec![0.0; count];
        let mut nested_count = vec![0u32; count];
        // The terms that others are nested in, by length.
        let longest = length.iter().max().map_or(0, |&longest| longest as usize);
        let mut by_length = vec![Vec::new(); longest + 1];
        for (term, nested) in parts.iter().flat_map(Nested::each) {
            let term = term as usize;
            nested_count[term] = nested.len() as u32;
            for &(inner, _) in nested {
                super_count[inner as usize] += 1;
                super_frequency[inner as usize] += frequency[term];
            }
            by_length[length[term] as usize].push((term, nested));
        }

        // Longer terms first: what they occur for themselves is known when it is taken from the terms
        // that are nested in them.
        let mut inside = vec![0.0; count];
        for &(term, nested) in by_length.iter().rev().flatten() {
            let own = frequency[term] - inside[term];
            for &(inner, _) in nested {
                inside[inner as usize] += own;
            }
        }

        // Lengths are few, and logarithms slow.
        let logs: Vec<[f64; 3]> =
            (0..=longest).map(|n| [0.0, 1.0, 0.1].map(|added| (n as f64 + added).log2())).collect();
        let mut columns = [(); 6].map(|()| vec![0.0; count]);
        let size = count.div_ceil(threads).max(1);
        let mut chunks = columns.each_mut().map(|column| column.chunks_mut(size));
        let stretches = cut_evenly(count, threads)
            .into_iter()
            .map(|terms| (terms, chunks.each_mut().map(|column| column.next().unwrap_or(&mut []))));
        run(threads, stretches.collect(), |(terms, columns)| {
            let [independent, c_value, c_value_plus_one, c_value_jate, basic, combo_basic] =
                columns;
            for (i, term) in terms.enumerate() {
                let (n, f, t) = (length[term], frequency[term], inside[term]);
                let [log, log_plus_one, log_jate] = logs[n as usize];
                let (outer, inner) = (f64::from(super_count[term]), f64::from(nested_count[term]));
                let (own, own_jate) = match super_count[term] {
                    0 => (f, f),
                    _ => (f - t / outer, f - super_frequency[term] / outer),
                };
                independent[i] = f - t;
                // Zero has a sign, which `+ 0.0` takes away.
                c_value[i] = log * own + 0.0;
                c_value_plus_one[i] = log_plus_one * own;
                c_value_jate[i] = log_jate * own_jate;
                (basic[i], combo_basic[i]) = match n {
                    _ if f <= 0.0 => (0.0, 0.0),
                    1 => (ln(f), ln(f)),
                    _ => {
                        let both = f64::from(n) * ln(f);
                        (both + 0.72 * outer, both + 0.75 * outer + 0.1 * inner)
                    }
                };
            }
            Ok(())
        })?;
        let [independent, c_value, c_value_plus_one, c_value_jate, basic, combo_basic] = columns;
        Ok(Scores {
            length,
            frequency,
            super_count,
            super_frequency,
            nested_count,
            independent,
            c_value,
            c_value_plus_one,
            c_value_jate,
            basic,
            combo_basic,
        })
    }
}

/// The natural logarithm; most frequencies are 1.
fn ln(f: f64) -> f64 {
    if f == 1.0 { 0.0 } else { f.ln() }
}

/// What terms are ranked by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// [`Scores::c_value`]
    CValue,
    /// [`Scores::c_value_plus_one`]
    CValuePlusOne,
    /// [`Scores::c_value_jate`]
    CValueJate,
    /// [`Scores::basic`]
    Basic,
    /// [`Scores::combo_basic`]
    ComboBasic,
    /// [`Scores::independent`]
    Independent,
    /// [`Scores::frequency`]
    Frequency,
}

/// Which terms a ranking holds.
#[derive(Clone, Copy, Debug)]
pub enum Keep<'a> {
    /// All of them.
    All,
    /// Those that occur outside of their super terms, as far as the frequencies tell:
    /// [`Scores::independent`] is more than 0.
    Independent,
    /// Those that are marked, by id.
    These(&'a [bool]),
}

/// Terms with the figures that an extraction prints, best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    /// The terms: by score, then by frequency, then by id.
    pub ids: Vec<u32>,
    /// Their frequencies.
    pub frequency: Vec<f64>,
    /// Their scores.
    pub score: Vec<f64>,
    /// How many super terms each has.
    pub super_count: Vec<u32>,
    /// How many terms are nested in each.
    pub nested_count: Vec<u32>,
}

impl Index {
    /// An index of the terms that have this weight at least, and no more tokens.
    pub fn filtered(&self, min_weight: f64, max_tokens: Option<usize>) -> Result<Index> {
        let lengths = self.lengths()?;
        let mut terms = List::default();
        let mut weights = Vec::new();
        for id in (0..self.len() as u32).map(TermId) {
            let weight = self.weight(id)?;
            let length = lengths[id.0 as usize] as usize;
            if weight >= min_weight && max_tokens.is_none_or(|most| length <= most) {
                terms.push(&self.surface(id)?);
                weights.push(weight);
            }
        }
        let build = Build {
            options: self.options().clone(),
            normalizer: self.normalizer.clone(),
            ..Build::default()
        };
        build.index(&terms, self.weighted().then_some(&weights[..]))
    }

    /// The best terms by a score.
    pub fn ranking(
        &self,
        score: Score,
        keep: Keep,
        top: Option<usize>,
        threads: Option<usize>,
    ) -> Result<Ranking> {
        let scores = self.scores(threads)?;
        let by = match score {
            Score::CValue => &scores.c_value,
            Score::CValuePlusOne => &scores.c_value_plus_one,
            Score::CValueJate => &scores.c_value_jate,
            Score::Basic => &scores.basic,
            Score::ComboBasic => &scores.combo_basic,
            Score::Independent => &scores.independent,
            Score::Frequency => &scores.frequency,
        };
        let kept = |&term: &u32| match keep {
            Keep::All => true,
            Keep::Independent => scores.independent[term as usize] > 0.0,
            Keep::These(marked) => marked.get(term as usize).copied().unwrap_or(false),
        };
        let mut ids: Vec<u32> = (0..self.len() as u32).filter(kept).collect();
        let better = |&a: &u32, &b: &u32| {
            let by_score = by[b as usize].total_cmp(&by[a as usize]);
            let by_frequency =
                || scores.frequency[b as usize].total_cmp(&scores.frequency[a as usize]);
            by_score.then_with(by_frequency).then(a.cmp(&b))
        };
        if let Some(top) = top.filter(|&top| top < ids.len()) {
            if top > 0 {
                ids.select_nth_unstable_by(top - 1, better);
            }
            ids.truncate(top);
        }
        ids.sort_unstable_by(better);
        fn of<T: Copy>(column: &[T], ids: &[u32]) -> Vec<T> {
            ids.iter().map(|&id| column[id as usize]).collect()
        }
        Ok(Ranking {
            frequency: of(&scores.frequency, &ids),
            score: of(by, &ids),
            super_count: of(&scores.super_count, &ids),
            nested_count: of(&scores.nested_count, &ids),
            ids,
        })
    }
}
