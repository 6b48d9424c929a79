//! The scores of every term for terminology extraction, computed from how often it occurs in others.

use crate::build::entries::cut_evenly;
use crate::error::Result;
use crate::graph::pairs::{Names, Nested};
use crate::index::Index;
use crate::threads::{run, threads_for, threads_or_all};

/// The figures of every term, by id. `f` is the weight of a term, usually its frequency in a corpus, with
/// the occurrences inside longer terms; `n` is the number of its tokens; `T` are its super terms.
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
    /// The number of its nested terms.
    pub nested_count: Vec<u32>,
    /// `i = f - t`, where `t` is the sum of `i` over `T`: how often it occurs outside of its super terms.
    pub independent: Vec<f64>,
    /// Frantzi's C-value: `log2(n) (f - t / |T|)`, without the fraction if `T` is empty.
    pub c_value: Vec<f64>,
    /// C-value with `log2(n + 1)`, which is not 0 for all terms of one token.
    pub c_value_plus_one: Vec<f64>,
    /// C-value as in JATE: `log2(n + 0.1) (f - s / |T|)`, with the sum `s` of `f` over `T`.
    pub c_value_jate: Vec<f64>,
    /// Basic: `n ln(f) + 0.72 |T|`; `ln(f)` for one token; 0 if `f` is 0.
    pub basic: Vec<f64>,
    /// ComboBasic: `n ln(f) + 0.75 |T| + 0.1 m`, with the number `m` of nested terms; otherwise as Basic.
    pub combo_basic: Vec<f64>,
}

/// The columns that are computed from the others: `independent` to `combo_basic`.
const COMPUTED: usize = 6;

impl Index {
    /// The figures of every term. Aliases do not count, nor do joined readings.
    pub fn scores(&self, threads: Option<usize>) -> Result<Scores> {
        let threads = threads_for(self.arrays.keys.len(), threads_or_all(threads));
        let parts = self.all_nested(Names::Own, threads, true)?;
        let frequency = match &self.arrays.weights {
            Some(weights) => weights.to_vec(),
            None => vec![1.0; self.len()],
        };
        let mut scores = Scores { length: self.lengths()?, frequency, ..Scores::default() };
        let inside = scores.count(&parts);
        scores.compute(&inside, threads)?;
        Ok(scores)
    }
}

impl Scores {
    /// Counts the super terms and the nested terms of each term. Returns for each term `t`, how often it
    /// occurs inside its super terms.
    fn count(&mut self, parts: &[Nested]) -> Vec<f64> {
        let count = self.length.len();
        self.super_count = vec![0; count];
        self.super_frequency = vec![0.0; count];
        self.nested_count = vec![0; count];
        // The terms that have nested ones, by length.
        let mut by_length = vec![Vec::new(); self.longest() + 1];
        for (term, nested) in parts.iter().flat_map(Nested::each) {
            let term = term as usize;
            self.nested_count[term] = nested.len() as u32;
            for &(inner, _) in nested {
                self.super_count[inner as usize] += 1;
                self.super_frequency[inner as usize] += self.frequency[term];
            }
            by_length[self.length[term] as usize].push((term, nested));
        }

        // Longer terms first: what a term occurs on its own must be known before it counts for the terms
        // nested in it.
        let mut inside = vec![0.0; count];
        for &(term, nested) in by_length.iter().rev().flatten() {
            let own = self.frequency[term] - inside[term];
            for &(inner, _) in nested {
                inside[inner as usize] += own;
            }
        }
        inside
    }

    /// Computes the scores from the counts. Each thread takes some of the terms.
    fn compute(&mut self, inside: &[f64], threads: usize) -> Result<()> {
        let count = self.length.len();
        // A logarithm is slow, and there are few lengths.
        let logs: Vec<[f64; 3]> = (0..=self.longest())
            .map(|n| [0.0, 1.0, 0.1].map(|added| (n as f64 + added).log2()))
            .collect();
        let mut columns = [(); COMPUTED].map(|()| vec![0.0; count]);
        let size = count.div_ceil(threads).max(1);
        let mut chunks = columns.each_mut().map(|column| column.chunks_mut(size));
        let stretches = cut_evenly(count, threads)
            .into_iter()
            .map(|terms| (terms, chunks.each_mut().map(|column| column.next().unwrap_or(&mut []))));
        run(threads, stretches.collect(), |(terms, columns)| {
            let [independent, c_value, c_value_plus_one, c_value_jate, basic, combo_basic] =
                columns;
            for (i, term) in terms.enumerate() {
                let (n, f, t) = (self.length[term], self.frequency[term], inside[term]);
                let [log, log_plus_one, log_jate] = logs[n as usize];
                let supers = f64::from(self.super_count[term]);
                let nested = f64::from(self.nested_count[term]);
                let (own, own_jate) = match self.super_count[term] {
                    0 => (f, f),
                    _ => (f - t / supers, f - self.super_frequency[term] / supers),
                };
                independent[i] = f - t;
                // `+ 0.0` makes a negative zero a positive one.
                c_value[i] = log * own + 0.0;
                c_value_plus_one[i] = log_plus_one * own;
                c_value_jate[i] = log_jate * own_jate;
                (basic[i], combo_basic[i]) = match n {
                    _ if f <= 0.0 => (0.0, 0.0),
                    1 => (ln(f), ln(f)),
                    _ => {
                        let both = f64::from(n) * ln(f);
                        (both + 0.72 * supers, both + 0.75 * supers + 0.1 * nested)
                    }
                };
            }
            Ok(())
        })?;
        [
            self.independent,
            self.c_value,
            self.c_value_plus_one,
            self.c_value_jate,
            self.basic,
            self.combo_basic,
        ] = columns;
        Ok(())
    }

    /// The number of tokens of the longest term.
    fn longest(&self) -> usize {
        self.length.iter().max().map_or(0, |&longest| longest as usize)
    }
}

/// The natural logarithm. Most frequencies are 1, for which it is not computed.
fn ln(f: f64) -> f64 {
    if f == 1.0 { 0.0 } else { f.ln() }
}
