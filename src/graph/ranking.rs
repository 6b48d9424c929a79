//! The best terms by a score.

use crate::error::Result;
use crate::graph::scores::Scores;
use crate::index::Index;

/// What terms are ranked by: a column of [`Scores`].
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

/// Which terms a ranking contains.
#[derive(Clone, Copy, Debug)]
pub enum Keep<'a> {
    /// All of them.
    All,
    /// Those that also occur outside of their super terms, judging by the frequencies:
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
    /// The number of super terms of each.
    pub super_count: Vec<u32>,
    /// The number of nested terms of each.
    pub nested_count: Vec<u32>,
}

impl Scores {
    /// The column of a score.
    pub(crate) fn column(&self, score: Score) -> &[f64] {
        match score {
            Score::CValue => &self.c_value,
            Score::CValuePlusOne => &self.c_value_plus_one,
            Score::CValueJate => &self.c_value_jate,
            Score::Basic => &self.basic,
            Score::ComboBasic => &self.combo_basic,
            Score::Independent => &self.independent,
            Score::Frequency => &self.frequency,
        }
    }
}

impl Index {
    /// The best terms by a score; at most `top` of them.
    pub fn ranking(
        &self,
        score: Score,
        keep: Keep,
        top: Option<usize>,
        threads: Option<usize>,
    ) -> Result<Ranking> {
        let scores = self.scores(threads)?;
        let by = scores.column(score);
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
        Ok(Ranking {
            frequency: of(&scores.frequency, &ids),
            score: of(by, &ids),
            super_count: of(&scores.super_count, &ids),
            nested_count: of(&scores.nested_count, &ids),
            ids,
        })
    }
}

/// The figures of these terms.
fn of<T: Copy>(column: &[T], ids: &[u32]) -> Vec<T> {
    ids.iter().map(|&id| column[id as usize]).collect()
}
