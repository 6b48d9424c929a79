//! Candidates: the runs that are forms of one term, with their documents, their spellings and their scores.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::analysis::{Options, Tokenizer, is_hyphen};
use crate::build::Build;
use crate::build::entries::List;
use crate::error::Result;
use crate::extract::occurrences::{CandidateFinder, Counted, INITIAL, WordStream};
use crate::extract::uses::WordUses;
use crate::extract::words::{DistinctWords, joined};
use crate::graph::scores::Scores;
use crate::progress::Progress;

/// A way to write a term, and how often it occurs.
pub type Form = (String, u64);

/// Candidates with what is known of them, in the order of the UTF-8 bytes of their terms.
#[derive(Debug, Default)]
pub struct Candidates {
    /// The candidates as they are written most often, their words joined by a space.
    pub terms: List,
    /// How often each occurs in any form, in longer ones too.
    pub counts: Vec<f64>,
    /// In how many documents each occurs.
    pub documents: Vec<u32>,
    /// The forms of each, the most frequent first; the term is the first of them.
    pub forms: Vec<Vec<Form>>,
    /// Whether each occurs outside of all longer candidates that are repeated.
    pub maximal: Vec<bool>,
    /// How likely each is a term, from 0 to 1, judging by its words alone.
    pub quality: Vec<f64>,
    /// The figures of containment. Candidates that are too rare or too long to be here count as super terms.
    pub scores: Scores,
    /// The words of each that are not function words, by their numbers.
    pub content: Vec<Vec<u32>>,
    /// The distinct words of the texts, by their numbers.
    pub words: List,
    /// How often each of them occurs.
    pub word_counts: Vec<u32>,
    /// The number of words in the texts.
    pub total_words: u64,
}

/// What candidates must have, and the size of the texts.
#[derive(Clone, Copy)]
pub(super) struct Counts {
    pub(super) min_frequency: u64,
    pub(super) max_words: usize,
    pub(super) total_words: u64,
}

/// Runs of words whose base forms are the same.
pub(super) struct Groups {
    /// The group of each run.
    of_run: Vec<u32>,
    /// How often the runs of each group occur together.
    totals: Vec<u64>,
    /// The run of each group that occurs most often.
    best: Vec<u32>,
}

impl Groups {
    pub(super) fn of(found: &[Counted], bases: &List, words: &DistinctWords) -> Groups {
        // Hyphens and spaces make no difference: data base, data-base, database.
        let bare: Vec<String> = (0..bases.len())
            .map(|word| bases.get(word).chars().filter(|&c| !is_hyphen(c) && c != '\'').collect())
            .collect();
        let mut numbers: HashMap<Box<str>, u32, RandomState> = HashMap::default();
        let mut groups = Groups {
            of_run: Vec::with_capacity(found.len()),
            totals: Vec::new(),
            best: Vec::new(),
        };
        let mut key = String::new();
        for (i, (run, count)) in found.iter().enumerate() {
            key.clear();
            run.iter().for_each(|&word| key.push_str(&bare[word as usize]));
            let next = groups.totals.len() as u32;
            let group = match numbers.get(&*key) {
                Some(&group) => group,
                None => {
                    numbers.insert(key.as_str().into(), next);
                    groups.totals.push(0);
                    groups.best.push(i as u32);
                    next
                }
            };
            groups.of_run.push(group);
            groups.totals[group as usize] += count;
            let best = &mut groups.best[group as usize];
            if *best == i as u32 {
                continue;
            }
            let (best_run, best_count) = &found[*best as usize];
            let texts = |run: &[u32]| joined(run.iter().map(|&word| words.text(word)));
            if count > best_count || (count == best_count && texts(run) < texts(best_run)) {
                *best = i as u32;
            }
        }
        groups
    }

    /// The groups that are frequent and short enough, as candidates.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn candidates(
        &self,
        found: &[Counted],
        counts: Counts,
        bases: &List,
        words: DistinctWords,
        uses: &WordUses,
        stream: WordStream,
        progress: &Progress,
    ) -> Result<Candidates> {
        let best = |group: usize| &found[self.best[group] as usize].0;
        let kept: Vec<usize> = (0..self.totals.len())
            .filter(|&group| {
                self.totals[group] >= counts.min_frequency && best(group).len() <= counts.max_words
            })
            .collect();
        let seen = self.occurrences(found, counts, &words, stream, progress)?;
        let scores = self.scores(found, bases)?;
        let mut is_kept = vec![false; self.totals.len()];
        kept.iter().for_each(|&group| is_kept[group] = true);
        let mut forms = self.forms(found, &words, &seen, &is_kept);
        let shown = |group: usize| forms[group].first().map_or("", |(form, _)| form);
        let mut order = kept;
        order.sort_unstable_by(|&a, &b| shown(a).cmp(shown(b)));
        let terms = order.iter().map(|&group| shown(group)).collect();
        let word_counts = (0..words.len() as u32).map(|word| uses.of(word).count).collect();
        let scores = selected(&scores, &order);
        let quality = order.iter().map(|&group| {
            let alone = seen.outside[group] as f64 / self.totals[group] as f64;
            uses.quality(&words, best(group), alone)
        });
        let content = |&group: &usize| {
            let content = best(group).iter().filter(|&&word| !words.kind(word).stops);
            content.copied().collect()
        };
        Ok(Candidates {
            terms,
            counts: order.iter().map(|&group| self.totals[group] as f64).collect(),
            documents: order.iter().map(|&group| seen.documents[group]).collect(),
            maximal: order.iter().map(|&group| seen.outside[group] > 0).collect(),
            quality: quality.collect(),
            scores,
            content: order.iter().map(content).collect(),
            forms: order.iter().map(|&group| std::mem::take(&mut forms[group])).collect(),
            word_counts,
            words: words.texts,
            total_words: counts.total_words,
        })
    }

    /// The figures of each group among all of them.
    fn scores(&self, found: &[Counted], bases: &List) -> Result<Scores> {
        let mut keys = List::default();
        for &best in &self.best {
            keys.push_with(|key| {
                for (i, &word) in found[best as usize].0.iter().enumerate() {
                    if i > 0 {
                        key.push(' ');
                    }
                    key.push_str(bases.get(word as usize));
                }
            });
        }
        let options = Options::of(Tokenizer::Whitespace);
        let build = Build { options, ..Build::default() };
        let weights: Vec<f64> = self.totals.iter().map(|&total| total as f64).collect();
        build.index(&keys, Some(&weights))?.scores(None)
    }

    /// Where the runs occur that are repeated or frequent enough.
    fn occurrences(
        &self,
        found: &[Counted],
        counts: Counts,
        words: &DistinctWords,
        stream: WordStream,
        progress: &Progress,
    ) -> Result<Seen> {
        let least = counts.min_frequency.min(2);
        let sought = found.iter().enumerate().filter(|(i, _)| self.total(*i) >= least);
        let finder = CandidateFinder::of(sought.map(|(i, (words, _))| (i, &words[..])));
        let longest = found.iter().map(|(words, _)| words.len()).max().unwrap_or(0);
        let mut seen = Seen {
            documents: vec![0; self.totals.len()],
            outside: vec![0; self.totals.len()],
            lower: vec![0; found.len()],
            written: HashMap::default(),
        };
        let mut last_document = vec![u32::MAX; self.totals.len()];
        let mut run = Vec::new();
        stream.each_run(&mut |surfaces, document| {
            run.clear();
            let word = |surface: &u32| words.word_of[(surface & !INITIAL) as usize];
            run.extend(surfaces.iter().map(word));
            // Where the candidates that began before end at the latest: those that are repeated, and all.
            let (mut reach, mut reach_of_all) = (0, 0);
            for start in 0..run.len() {
                let next_words = &run[start..(start + longest).min(run.len())];
                let (mut repeated, mut any) = (None, None);
                for (candidate, length) in finder.beginning(next_words) {
                    let group = self.of_run[candidate] as usize;
                    if last_document[group] != document {
                        last_document[group] = document;
                        seen.documents[group] += 1;
                    }
                    if self.totals[group] >= 2 {
                        repeated = Some((group, length));
                    }
                    any = Some((group, length));
                    if length <= counts.max_words && self.totals[group] >= counts.min_frequency {
                        seen.note_form(candidate, &surfaces[start..start + length], words);
                    }
                }
                if let Some((group, length)) = repeated
                    && start + length > reach
                {
                    seen.outside[group] += 1;
                    reach = start + length;
                }
                if let Some((group, length)) = any
                    && start + length > reach_of_all
                {
                    // A candidate that occurs once is not one beside the longer ones that do.
                    seen.outside[group] += u64::from(self.totals[group] < 2);
                    reach_of_all = start + length;
                }
            }
            progress.advance(0)
        })?;
        Ok(seen)
    }

    fn total(&self, run: usize) -> u64 {
        self.totals[self.of_run[run] as usize]
    }

    /// The forms of each group that is kept, the most frequent first.
    fn forms(
        &self,
        found: &[Counted],
        words: &DistinctWords,
        seen: &Seen,
        is_kept: &[bool],
    ) -> Vec<Vec<Form>> {
        let mut capitals: HashMap<u32, (u64, &[u32]), RandomState> = HashMap::default();
        for ((candidate, surfaces), &count) in &seen.written {
            let best = capitals.entry(*candidate).or_insert((count, surfaces));
            if (count, &**surfaces) > *best {
                *best = (count, surfaces);
            }
        }
        let mut forms = vec![Vec::new(); self.totals.len()];
        for (i, (run, count)) in found.iter().enumerate() {
            if !is_kept[self.of_run[i] as usize] {
                continue;
            }
            let form = match capitals.get(&(i as u32)) {
                Some((times, surfaces)) if *times > seen.lower[i] => {
                    joined(surfaces.iter().map(|&surface| words.surfaces.get(surface as usize)))
                }
                _ => joined(run.iter().map(|&word| words.text(word))),
            };
            forms[self.of_run[i] as usize].push((form, *count));
        }
        for forms in &mut forms {
            forms.sort_unstable_by(|(a, x), (b, y)| y.cmp(x).then(a.cmp(b)));
        }
        forms
    }
}

/// What a second look at the texts shows.
struct Seen {
    /// In how many documents each group occurs.
    documents: Vec<u32>,
    /// How often each group occurs outside of longer ones.
    outside: Vec<u64>,
    /// How often each run is written in lower case, or as the start of a sentence makes it.
    lower: Vec<u64>,
    /// How often runs are written in other ways: the run, its surfaces.
    written: HashMap<(u32, Box<[u32]>), u64, RandomState>,
}

impl Seen {
    fn note_form(&mut self, run: usize, surfaces: &[u32], words: &DistinctWords) {
        let is_lower = |&surface: &u32| {
            let word = words.word_of[(surface & !INITIAL) as usize];
            match surface & INITIAL != 0 {
                true => words.is_plain_inside(word),
                false => words.lower[word as usize] == Some(surface),
            }
        };
        if surfaces.iter().all(is_lower) {
            self.lower[run] += 1;
            return;
        }
        let plain = surfaces.iter().map(|&surface| {
            let word = words.word_of[(surface & !INITIAL) as usize];
            match words.lower[word as usize] {
                Some(lower) if is_lower(&surface) => lower,
                _ => surface & !INITIAL,
            }
        });
        *self.written.entry((run as u32, plain.collect())).or_default() += 1;
    }
}

/// The figures of these terms, by id.
fn selected(scores: &Scores, ids: &[usize]) -> Scores {
    fn of<T: Copy>(column: &[T], ids: &[usize]) -> Vec<T> {
        ids.iter().map(|&id| column[id]).collect()
    }
    Scores {
        length: of(&scores.length, ids),
        frequency: of(&scores.frequency, ids),
        super_count: of(&scores.super_count, ids),
        super_frequency: of(&scores.super_frequency, ids),
        nested_count: of(&scores.nested_count, ids),
        independent: of(&scores.independent, ids),
        c_value: of(&scores.c_value, ids),
        c_value_plus_one: of(&scores.c_value_plus_one, ids),
        c_value_jate: of(&scores.c_value_jate, ids),
        basic: of(&scores.basic, ids),
        combo_basic: of(&scores.combo_basic, ids),
    }
}
