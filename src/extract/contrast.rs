//! Candidates by a score, and what other texts say of them.

use crate::extract::candidates::Candidates;
use crate::graph::ranking::Score;

/// What candidates are ranked by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CandidateScore {
    /// `ln(1 + c) q`, with the C-value plus one `c` and [`Candidates::quality`] `q`; with other texts
    /// `ln(1 + c) q ln(w)`, with the weirdness `w`, and 0 if `w` is below 1.
    Termhood,
    /// `(f + 10) / (r + 10)`: how often a candidate occurs among a million words, here and elsewhere.
    Keyness,
    /// Dunning's log-likelihood of the difference between both; below 0 if it is more frequent elsewhere.
    LogLikelihood,
    /// The mean ratio of the frequencies of its words, here and elsewhere: the geometric mean.
    Weirdness,
    /// A figure of containment.
    Figure(Score),
}

impl CandidateScore {
    /// Whether other texts are needed.
    pub fn compares(self) -> bool {
        use CandidateScore::*;
        matches!(self, Keyness | LogLikelihood | Weirdness)
    }
}

/// How often words and candidates occur in other texts, as shares of all words there.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The share of each of the distinct words.
    pub words: Vec<f64>,
    /// The share of each candidate, if it is known; else it is taken to be what chance makes of its words.
    pub terms: Option<Vec<f64>>,
    /// The number of words of the other texts.
    pub size: f64,
}

/// Added to the frequencies in a million words that keyness compares, so that rare words do not win.
const SMOOTHING: f64 = 10.0;
/// The least share of a word that is distinguished from 0, in texts of any size.
const LEAST_SHARE: f64 = 1e-7;

impl Candidates {
    /// The score of each candidate. `reference` must be there for scores that compare.
    pub fn scored(&self, score: CandidateScore, reference: Option<&Reference>) -> Vec<f64> {
        let total = (self.total_words as f64).max(1.0);
        let each = |score: &dyn Fn(usize) -> f64| (0..self.terms.len()).map(score).collect();
        let unusual = |reference: &Reference| {
            let floor = LEAST_SHARE.max(0.5 / reference.size.max(1.0));
            // Each word's own, as candidates share their words.
            let ratios: Vec<f64> = (self.word_counts.iter().zip(&reference.words))
                .enumerate()
                .map(|(word, (&count, &other))| {
                    let has_letter = self.words.get(word).contains(char::is_alphabetic);
                    let here = f64::from(count) / total;
                    if has_letter { ((here + floor) / (other + floor)).ln() } else { 0.0 }
                })
                .collect();
            move |i: usize| {
                let content = &self.content[i];
                let sum: f64 = content.iter().map(|&word| ratios[word as usize]).sum();
                sum / content.len().max(1) as f64
            }
        };
        let share = |reference: &Reference, i: usize| match &reference.terms {
            Some(terms) => terms[i],
            None => self.content[i].iter().map(|&word| reference.words[word as usize]).product(),
        };
        let termhood =
            |i: usize| (1.0 + self.scores.c_value_plus_one[i].max(0.0)).ln() * self.quality[i];
        match (score, reference) {
            (CandidateScore::Termhood, None) => each(&termhood),
            (CandidateScore::Termhood, Some(reference)) => {
                let unusual = unusual(reference);
                each(&|i| termhood(i) * unusual(i).max(0.0))
            }
            (CandidateScore::Weirdness, Some(reference)) => {
                let unusual = unusual(reference);
                each(&|i| unusual(i).exp())
            }
            (CandidateScore::Keyness, Some(reference)) => each(&|i| {
                let million = 1e6;
                let here = self.counts[i] / total * million;
                (here + SMOOTHING) / (share(reference, i) * million + SMOOTHING)
            }),
            (CandidateScore::LogLikelihood, Some(reference)) => each(&|i| {
                log_likelihood(self.counts[i], total, share(reference, i), reference.size.max(1.0))
            }),
            (CandidateScore::Figure(score), _) => self.scores.column(score).to_vec(),
            (_, None) => vec![0.0; self.terms.len()],
        }
    }

    /// The best candidates by a score, with their scores: by score, then by frequency, then by term.
    pub fn ranked(
        &self,
        score: CandidateScore,
        reference: Option<&Reference>,
        only_maximal: bool,
        top: Option<usize>,
    ) -> (Vec<usize>, Vec<f64>) {
        let scores = self.scored(score, reference);
        let mut order: Vec<usize> =
            (0..scores.len()).filter(|&i| !only_maximal || self.maximal[i]).collect();
        order.sort_unstable_by(|&a, &b| {
            let by_score = scores[b].total_cmp(&scores[a]);
            by_score.then(self.counts[b].total_cmp(&self.counts[a])).then(a.cmp(&b))
        });
        order.truncate(top.unwrap_or(usize::MAX));
        let scores = order.iter().map(|&i| scores[i]).collect();
        (order, scores)
    }
}

/// The log-likelihood ratio of `count` among `total` words here and a share of `size` words elsewhere.
fn log_likelihood(count: f64, total: f64, share: f64, size: f64) -> f64 {
    let other = share * size;
    let expected = (count + other) / (total + size);
    let part = |found: f64, of: f64| match found > 0.0 {
        true => found * (found / (of * expected)).ln(),
        false => 0.0,
    };
    let value = 2.0 * (part(count, total) + part(other, size));
    if count / total < share { -value } else { value }
}

#[cfg(test)]
mod tests {
    use super::log_likelihood;

    #[test]
    fn log_likelihood_is_that_of_the_textbook() {
        // Rayson and Garside (2000): 2 (a ln(a/E1) + b ln(b/E2)), with E1 = c (a+b)/(c+d).
        let (a, b, c, d): (f64, f64, f64, f64) = (40.0, 10.0, 10_000.0, 20_000.0);
        let (e1, e2) = (c * (a + b) / (c + d), d * (a + b) / (c + d));
        let expected = 2.0 * (a * (a / e1).ln() + b * (b / e2).ln());
        assert!((log_likelihood(a, c, b / d, d) - expected).abs() < 1e-9);
        assert!(log_likelihood(1.0, 10_000.0, 0.01, d) < 0.0);
        assert!(log_likelihood(10.0, 1_000.0, 0.01, 1_000.0).abs() < 1e-9);
    }
}
