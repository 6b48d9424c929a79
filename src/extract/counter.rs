//! Candidates for terms, counted in a corpus of any size: runs of words, or phrases that were found
//! by other means.

use crate::build::entries::List;
use crate::error::{Error, Result};
use crate::extract::candidates::{Candidates, Counts, Groups};
use crate::extract::lines::RepeatedLines;
use crate::extract::occurrences::{Counted, WordStream, with_occurrences_in_longer};
use crate::extract::spill::SpilledRuns;
use crate::extract::trie::{ROOT, Trie};
use crate::extract::uses::WordUses;
use crate::extract::words::{Between, DistinctWords, FunctionWords, between, each_token};
use crate::progress::{Progress, Stage};

/// The most words that a run can have.
pub const MAX_WORDS: usize = 20;
/// The most bytes of a word. A longer one (encoded data, as a rule) is not a word, and ends a run.
pub const MAX_WORD_BYTES: usize = 255;
/// The nodes of the trie, and the words of the text, that are in memory before they are written to
/// temporary files. A trie of 14 million nodes takes about 600 MB.
const MAX_NODES: usize = 14_000_000;
/// Runs of up to this many words are counted, if there are longer ones than candidates may be: they show
/// which candidates are cut off.
const MIN_REACH: usize = 12;
/// Candidates that occur once count as super terms of others as long as there are at most this many
/// candidates, so that a corpus may be larger than memory.
const MAX_RARE: usize = 5_000_000;

/// How candidates are counted.
#[derive(Clone, Debug)]
pub struct CandidateOptions {
    /// The most words of a run: 1 to [`MAX_WORDS`].
    pub max_words: usize,
    /// The function words of the language of the texts.
    pub function_words: FunctionWords,
    /// Whether words are counted however they are written.
    pub fold: bool,
    /// Whether a line that a document repeats again and again counts a few times only.
    pub skip_repeated_lines: bool,
    /// The nodes of the trie, and the words of the text, that are in memory at once.
    #[doc(hidden)]
    pub max_nodes: usize,
}

impl Default for CandidateOptions {
    fn default() -> CandidateOptions {
        CandidateOptions {
            max_words: 5,
            function_words: FunctionWords::default(),
            fold: true,
            skip_repeated_lines: false,
            max_nodes: MAX_NODES,
        }
    }
}

/// Counts candidates in texts. What does not fit in memory goes to temporary files; only the distinct
/// words and the resulting candidates must fit.
pub struct CandidateCounter {
    options: CandidateOptions,
    words: DistinctWords,
    uses: WordUses,
    lines: RepeatedLines,
    runs: Trie,
    /// The runs that end at the last word, longest first.
    open: Vec<OpenRun>,
    /// Whether the last word connects.
    after_connector: bool,
    /// Whether a sentence ended after the last word.
    sentence_begins: bool,
    /// The words of the texts, from which it is found where candidates occur.
    stream: WordStream,
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
        options.function_words = options.function_words.folded();
        Ok(CandidateCounter {
            words: DistinctWords::default(),
            uses: WordUses::default(),
            lines: RepeatedLines::default(),
            runs: Trie::default(),
            open: Vec::new(),
            after_connector: false,
            sentence_begins: true,
            stream: WordStream::new(options.max_nodes),
            spilled: SpilledRuns::default(),
            phrases: false,
            word_count: 0,
            options,
        })
    }

    /// The texts that follow are of another document.
    pub fn begin_document(&mut self) -> Result<()> {
        self.lines.begin_document();
        self.stream.begin_document()
    }

    /// Counts the runs of words of a text, which is split as by the tokenizer `text`. A run ends at a stop
    /// word that does not connect, at punctuation, at a possessive 's, at an empty line and at the end of the
    /// text.
    pub fn add(&mut self, text: &str) -> Result<()> {
        if !self.options.skip_repeated_lines {
            return self.add_part(text);
        }
        let mut lines = std::mem::take(&mut self.lines);
        let added = lines.each_part(text, |part| self.add_part(part));
        self.lines = lines;
        added
    }

    fn add_part(&mut self, text: &str) -> Result<()> {
        let mut last_end = 0;
        self.sentence_begins = true;
        each_token(text, |token| {
            match between(&text[last_end..token.start]) {
                Between::Space => {}
                Between::Sign => self.end_run()?,
                Between::SentenceEnd => {
                    self.end_run()?;
                    self.sentence_begins = true;
                }
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
        let CandidateOptions { function_words, fold, .. } = &self.options;
        for word in phrase.split(' ') {
            let Some(surface) = self.words.surface(word, function_words, *fold) else { continue };
            let id = self.words.word_of[surface as usize];
            self.uses.push(id, self.words.kind(id));
            node = self.runs.child(node, id);
            self.stream.push(surface, false)?;
            self.word_count += 1;
        }
        if node != ROOT {
            self.runs.counts[node as usize] += 1;
        }
        self.uses.end_run();
        self.stream.end_run()?;
        if self.is_full() { self.spill() } else { Ok(()) }
    }

    /// Extends the open runs by a word, begins one with it, and counts those that it may end. What is not
    /// a word ends them.
    fn push(&mut self, word: &str) -> Result<()> {
        if word.len() > MAX_WORD_BYTES {
            return self.end_run();
        }
        let CandidateOptions { function_words, fold, .. } = &self.options;
        let Some(surface) = self.words.surface(word, function_words, *fold) else {
            return self.end_run();
        };
        let id = self.words.word_of[surface as usize];
        let kind = self.words.kind(id);
        self.word_count += 1;
        self.uses.push(id, kind);
        // Of the capitals of the first word of a sentence only one may be there for that.
        let begins = std::mem::take(&mut self.sentence_begins)
            && !word.chars().skip(1).any(char::is_uppercase);
        if !begins {
            self.words.note_inside(surface);
        }
        if kind.stops && (!kind.connects || self.after_connector || self.open.is_empty()) {
            return self.end_candidates();
        }
        self.after_connector = kind.stops;
        if self.open.first().is_some_and(|longest| longest.length == self.reach()) {
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
        self.stream.push(surface, begins)?;
        if self.is_full() {
            self.spill_between_words()?;
        }
        Ok(())
    }

    /// The most words of a run that is counted.
    fn reach(&self) -> usize {
        self.options.max_words.max(MIN_REACH)
    }

    fn end_candidates(&mut self) -> Result<()> {
        self.open.clear();
        self.after_connector = false;
        self.stream.end_run()
    }

    fn end_run(&mut self) -> Result<()> {
        self.uses.end_run();
        self.end_candidates()
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

    /// The distinct words, in lower case if case makes no difference, and how often each occurs.
    pub fn distinct_words(&self) -> (&List, Vec<u32>) {
        (&self.words.texts, (0..self.words.len() as u32).map(|id| self.uses.of(id).count).collect())
    }

    /// The candidates that occur at least `min_frequency` times; of phrases, those of at most
    /// `max_words` words. `bases` has the base form of each distinct word: candidates whose words have the
    /// same base forms are one.
    pub fn finish(
        mut self,
        min_frequency: u64,
        max_words: Option<usize>,
        bases: Option<&List>,
        progress: &Progress,
    ) -> Result<Candidates> {
        let mut found = self.gather(min_frequency.max(2), progress)?;
        if self.phrases {
            found = with_occurrences_in_longer(found);
        }
        let most = match self.phrases {
            true => max_words.unwrap_or(usize::MAX),
            false => self.options.max_words,
        };
        let own = self.words.texts.clone();
        let bases = bases.unwrap_or(&own);
        let groups = Groups::of(&found, bases, &self.words);
        let counts = Counts { min_frequency, max_words: most, total_words: self.word_count };
        groups.candidates(&found, counts, bases, self.words, &self.uses, self.stream, progress)
    }

    /// The runs that were counted; the rarest only as far as there are not too many.
    fn gather(&mut self, least_of_many: u64, progress: &Progress) -> Result<Vec<Counted>> {
        progress.begin(Stage::GatheringCandidates, self.runs.len() as u64)?;
        let mut found: Vec<Counted> = Vec::new();
        let mut least = 1;
        let mut visit = |words: &[u32], count: u64| {
            if count >= least {
                found.push((words.to_vec(), count));
                if found.len() > MAX_RARE && least < least_of_many {
                    least = least_of_many;
                    found.retain(|(_, count)| *count >= least);
                }
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
}
