//! Candidates for terms, counted in a corpus of any size: runs of words, or phrases that were found
//! by other means.

use std::collections::HashSet;

use crate::build::entries::List;
use crate::error::{Error, Result};
use crate::extract::occurrences::{Counted, WordStream, with_occurrences_in_longer};
use crate::extract::spill::SpilledRuns;
use crate::extract::trie::{ROOT, Trie};
use crate::extract::words::{DistinctWords, each_token, ends_run, folded_words};
use crate::progress::{Progress, Stage};

/// The most words that a run can have.
pub const MAX_WORDS: usize = 20;
/// The most bytes of a word. A longer one (encoded data, as a rule) is not a word, and ends a run.
pub const MAX_WORD_BYTES: usize = 255;
/// The nodes of the trie, and the words of the text, that are in memory before they are written to
/// temporary files. A trie of 14 million nodes takes about 600 MB.
const MAX_NODES: usize = 14_000_000;

/// How candidates are counted.
#[derive(Clone, Debug)]
pub struct CandidateOptions {
    /// The most words of a run: 1 to [`MAX_WORDS`].
    pub max_words: usize,
    /// The words that a run neither starts nor ends with. They are split as texts are, and folded.
    pub stop_words: HashSet<String>,
    /// Whether words are counted however they are written, and shown in lower case.
    pub fold: bool,
    /// Whether to find out which candidates occur outside of longer ones.
    pub maximal: bool,
    /// The nodes of the trie, and the words of the text, that are in memory at once.
    #[doc(hidden)]
    pub max_nodes: usize,
}

impl Default for CandidateOptions {
    fn default() -> CandidateOptions {
        CandidateOptions {
            max_words: 5,
            stop_words: HashSet::new(),
            fold: true,
            maximal: false,
            max_nodes: MAX_NODES,
        }
    }
}

/// Candidates with their counts, in the order of their UTF-8 bytes.
#[derive(Debug, Default)]
pub struct Candidates {
    /// The candidates, their words joined by a space.
    pub terms: List,
    /// How often each occurs, in longer ones too.
    pub counts: Vec<f64>,
    /// Whether each occurs outside of all longer candidates, if that was asked for.
    pub maximal: Option<Vec<bool>>,
    /// The number of words in the texts.
    pub words: u64,
}

/// Counts candidates in texts. What does not fit in memory goes to temporary files; only the distinct
/// words and the resulting candidates must fit.
pub struct CandidateCounter {
    options: CandidateOptions,
    words: DistinctWords,
    runs: Trie,
    /// The runs that end at the last word, longest first.
    open: Vec<OpenRun>,
    /// The words of the text, if it is asked which candidates occur outside of longer ones.
    stream: Option<WordStream>,
    spilled: SpilledRuns,
    /// Whether phrases are counted, not runs of words.
    phrases: bool,
    word_count: u64,
}

/// A run that ends at the last word.
#[derive(Clone, Copy)]
struct OpenRun {
    node: u32,
    length: usize,
    letters: bool,
}

impl CandidateCounter {
    /// A counter without any text.
    pub fn new(mut options: CandidateOptions) -> Result<CandidateCounter> {
        if !(1..=MAX_WORDS).contains(&options.max_words) {
            return Err(Error::Option {
                name: "max_words",
                value: options.max_words.to_string(),
                expected: "it must be 1 to 20",
            });
        }
        options.stop_words = folded_words(&options.stop_words);
        Ok(CandidateCounter {
            words: DistinctWords::default(),
            runs: Trie::default(),
            open: Vec::new(),
            stream: options.maximal.then(|| WordStream::new(options.max_nodes)),
            spilled: SpilledRuns::default(),
            phrases: false,
            word_count: 0,
            options,
        })
    }

    /// Counts the runs of words of a text, which is split as by the tokenizer `text`. A run ends at
    /// punctuation, at a possessive 's or an elided article, at an empty line and at the end of the text.
    pub fn add(&mut self, text: &str) -> Result<()> {
        let mut last_end = 0;
        each_token(text, |token| {
            if ends_run(&text[last_end..token.start]) {
                self.end_run()?;
            }
            last_end = token.end;
            self.push(&text[token])
        })?;
        self.end_run()
    }

    /// Counts one occurrence of a phrase, whose words are separated by spaces. The phrases that it
    /// contains occur there too.
    pub fn add_phrase(&mut self, phrase: &str) -> Result<()> {
        self.phrases = true;
        let mut node = ROOT;
        let CandidateOptions { stop_words, fold, .. } = &self.options;
        for word in phrase.split(' ') {
            let Some((id, _)) = self.words.id(word, stop_words, *fold) else { continue };
            node = self.runs.child(node, id);
            self.word_count += 1;
        }
        if node != ROOT {
            self.runs.counts[node as usize] += 1;
        }
        if self.is_full() { self.spill() } else { Ok(()) }
    }

    /// Extends the open runs by a word, begins one with it, and counts those that it may end. What is not
    /// a word ends them.
    fn push(&mut self, word: &str) -> Result<()> {
        if word.len() > MAX_WORD_BYTES {
            return self.end_run();
        }
        let CandidateOptions { stop_words, fold, max_words, .. } = &self.options;
        let Some((id, kind)) = self.words.id(word, stop_words, *fold) else {
            return self.end_run();
        };
        self.word_count += 1;
        if self.open.first().is_some_and(|longest| longest.length == *max_words) {
            self.open.remove(0);
        }
        for open in &mut self.open {
            open.node = self.runs.child(open.node, id);
            open.length += 1;
            open.letters |= kind.letters;
        }
        if !kind.stops {
            let node = self.runs.child(ROOT, id);
            self.open.push(OpenRun { node, length: 1, letters: kind.letters });
            for open in self.open.iter().filter(|open| open.letters) {
                self.runs.counts[open.node as usize] += 1;
            }
        }
        if let Some(stream) = &mut self.stream {
            stream.push(id)?;
        }
        if self.is_full() {
            self.spill_between_words()?;
        }
        Ok(())
    }

    fn end_run(&mut self) -> Result<()> {
        self.open.clear();
        match &mut self.stream {
            Some(stream) => stream.end_run(),
            None => Ok(()),
        }
    }

    fn is_full(&self) -> bool {
        self.runs.len() >= self.options.max_nodes
    }

    /// Writes the runs to a temporary file and begins an empty trie.
    fn spill(&mut self) -> Result<()> {
        let runs = std::mem::take(&mut self.runs);
        self.spilled.add(|write| runs.each(write))
    }

    /// Spills, and puts the open runs into the new trie.
    fn spill_between_words(&mut self) -> Result<()> {
        let open: Vec<Vec<u32>> = self.open.iter().map(|open| self.runs.words(open.node)).collect();
        self.spill()?;
        for (open, words) in self.open.iter_mut().zip(open) {
            open.node = self.runs.node(&words);
        }
        Ok(())
    }

    /// The candidates that occur at least `min_frequency` times; of phrases, those of at most
    /// `max_words` words.
    pub fn finish(
        mut self,
        min_frequency: u64,
        max_words: Option<usize>,
        progress: &Progress,
    ) -> Result<Candidates> {
        let (found, maximal) = if self.phrases {
            // Rare phrases count where they contain others.
            let mut found = with_occurrences_in_longer(self.gather(0, progress)?);
            let fits = |words: &[u32]| max_words.is_none_or(|most| words.len() <= most);
            found.retain(|(words, count)| *count >= min_frequency && fits(words));
            // Each of them was added on its own, outside of longer ones.
            let maximal = vec![true; found.len()];
            (found, Some(maximal))
        } else {
            let found = self.gather(min_frequency, progress)?;
            let maximal = match self.stream.take() {
                Some(stream) => {
                    Some(stream.outside_longer(&found, self.options.max_words, progress)?)
                }
                None => None,
            };
            (found, maximal)
        };
        self.in_order(&found, maximal, progress)
    }

    /// The runs that were counted at least `min_frequency` times.
    fn gather(&mut self, min_frequency: u64, progress: &Progress) -> Result<Vec<Counted>> {
        progress.begin(Stage::GatheringCandidates, self.runs.len() as u64)?;
        let mut found = Vec::new();
        let mut visit = |words: &[u32], count: u64| {
            if count >= min_frequency {
                found.push((words.to_vec(), count));
            }
            progress.advance(1)
        };
        if self.spilled.is_empty() {
            std::mem::take(&mut self.runs).each(&mut visit)?;
        } else {
            self.spill()?;
            std::mem::take(&mut self.spilled).each(&mut visit)?;
        }
        Ok(found)
    }

    /// The candidates as text, sorted.
    fn in_order(
        &self,
        found: &[Counted],
        maximal: Option<Vec<bool>>,
        progress: &Progress,
    ) -> Result<Candidates> {
        let mut texts = Vec::with_capacity(found.len());
        for (words, _) in found {
            progress.advance(0)?;
            texts.push(self.words.join(words));
        }
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_unstable_by(|&a, &b| texts[a].cmp(&texts[b]));
        Ok(Candidates {
            terms: order.iter().map(|&i| texts[i].as_str()).collect(),
            counts: order.iter().map(|&i| found[i].1 as f64).collect(),
            maximal: maximal.map(|marks| order.iter().map(|&i| marks[i]).collect()),
            words: self.word_count,
        })
    }
}
