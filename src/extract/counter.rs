//! Candidates for terms, counted in a corpus of any size: runs of words, or phrases that were found
//! elsewhere.

use std::cmp::Ordering;
use std::collections::binary_heap::{BinaryHeap, PeekMut};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use foldhash::fast::RandomState;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use crate::analysis::Options;
use crate::build::entries::List;
use crate::error::{Error, Result};
use crate::progress::{Progress, Stage};

/// The most words that a run can have.
pub const MAX_WORDS: usize = 20;
/// The most bytes of a word; what is longer (encoded data, as a rule) is none, and ends a run.
pub const MAX_WORD_BYTES: usize = 255;
/// What is counted in memory before it is written to a temporary file: some 600 MB.
const MAX_NODES: usize = 14_000_000;
/// The words of the text that are held in memory before they are written to a temporary file: 64 MB.
const MAX_STREAM: usize = 1 << 24;
/// Temporary files that are open at once; so many are merged into one.
const MAX_FILES: usize = 64;
/// What stands between two runs in the stream of words.
const BREAK: u32 = u32::MAX;

/// How candidates are counted.
#[derive(Clone, Debug)]
pub struct CandidateOptions {
    /// The most words of a run: 1 to [`MAX_WORDS`].
    pub max_words: usize,
    /// The words that a run neither starts nor ends with, in lower case. They are cut as texts are.
    pub stop_words: HashSet<String>,
    /// Whether words are counted in lower case.
    pub lowercase: bool,
    /// Whether to tell which candidates stand outside of longer ones.
    pub maximal: bool,
    /// What is counted in memory before it is written to a temporary file.
    #[doc(hidden)]
    pub max_nodes: usize,
}

impl Default for CandidateOptions {
    fn default() -> CandidateOptions {
        CandidateOptions {
            max_words: 5,
            stop_words: HashSet::new(),
            lowercase: true,
            maximal: false,
            max_nodes: MAX_NODES,
        }
    }
}

/// Candidates with their counts, by the alphabet.
#[derive(Debug, Default)]
pub struct Candidates {
    /// The candidates, their words joined by a space.
    pub terms: List,
    /// How often each occurs, inside of longer ones too.
    pub counts: Vec<f64>,
    /// Whether each occurs outside of all longer candidates, if that was asked for.
    pub maximal: Option<Vec<bool>>,
    /// The words of the text.
    pub words: u64,
}

/// Counts candidates in texts. Memory grows with the distinct words, and with what is in the end found.
pub struct CandidateCounter {
    options: CandidateOptions,
    words: Words,
    runs: Trie,
    /// The runs that end at the last word, longest first.
    open: Vec<Open>,
    stream: Option<Stream>,
    spilled: Vec<File>,
    /// Whether phrases are counted, not runs of words.
    phrases: bool,
    word_count: u64,
}

/// A run that ends at the last word.
#[derive(Clone, Copy)]
struct Open {
    node: u32,
    length: usize,
    letters: bool,
}

impl CandidateCounter {
    /// A counter that has seen nothing.
    pub fn new(mut options: CandidateOptions) -> Result<CandidateCounter> {
        if !(1..=MAX_WORDS).contains(&options.max_words) {
            return Err(Error::Option {
                name: "max_words",
                value: options.max_words.to_string(),
                expected: "it must be 1 to 20",
            });
        }
        // "e.g." stands in a text as the word "e.g".
        options.stop_words =
            options.stop_words.iter().flat_map(|text| words(text)).map(str::to_owned).collect();
        Ok(CandidateCounter {
            words: Words::default(),
            runs: Trie::default(),
            open: Vec::new(),
            stream: options.maximal.then(Stream::default),
            spilled: Vec::new(),
            phrases: false,
            word_count: 0,
            options,
        })
    }

    /// Counts the runs of words of a text; punctuation, empty lines and its end end them.
    pub fn add(&mut self, text: &str) -> Result<()> {
        let mut at = 0;
        let mut line_ends = 0;
        while at < text.len() {
            let end = word_end(text, at);
            if end > at + MAX_WORD_BYTES {
                self.end_run()?;
            } else if end > at {
                self.push(&text[at..end])?;
            }
            if end > at {
                at = end;
                line_ends = 0;
                continue;
            }
            let between = text[at..].chars().next().unwrap_or(' ');
            at += between.len_utf8();
            match between {
                '\n' => {
                    line_ends += 1;
                    if line_ends == 2 {
                        self.end_run()?;
                    }
                }
                '\x0b' | '\x0c' | '\u{2029}' => self.end_run()?,
                _ if between.is_whitespace() => {}
                _ => self.end_run()?,
            }
        }
        self.end_run()
    }

    /// Counts one occurrence of a phrase, whose words stand between spaces. Phrases that stand in others
    /// occur there too.
    pub fn add_phrase(&mut self, phrase: &str) -> Result<()> {
        self.phrases = true;
        let mut node = ROOT;
        for word in phrase.split(' ').filter(|word| !word.is_empty()) {
            let (id, _) = self.words.id(word, &self.options);
            node = self.runs.child(node, id);
            self.word_count += 1;
        }
        if node != ROOT {
            self.runs.counts[node as usize] += 1;
        }
        self.spill_if_full()
    }

    fn push(&mut self, word: &str) -> Result<()> {
        let (id, kind) = self.words.id(word, &self.options);
        self.word_count += 1;
        if self.open.first().is_some_and(|longest| longest.length == self.options.max_words) {
            self.open.remove(0);
        }
        for open in &mut self.open {
            open.node = self.runs.child(open.node, id);
            open.length += 1;
            open.letters |= kind.letters;
        }
        if !kind.stops {
            let node = self.runs.child(ROOT, id);
            self.open.push(Open { node, length: 1, letters: kind.letters });
            for open in self.open.iter().filter(|open| open.letters) {
                self.runs.counts[open.node as usize] += 1;
            }
        }
        if let Some(stream) = &mut self.stream {
            stream.push(id)?;
        }
        if self.runs.len() >= self.options.max_nodes {
            // The runs that are open begin anew in the next trie, with the words that they have.
            let words: Vec<Vec<u32>> =
                self.open.iter().map(|open| self.runs.words_of(open.node)).collect();
            self.spill_if_full()?;
            for (open, words) in self.open.iter_mut().zip(words) {
                open.node = words.iter().fold(ROOT, |node, &word| self.runs.child(node, word));
            }
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

    fn spill_if_full(&mut self) -> Result<()> {
        if self.runs.len() < self.options.max_nodes { Ok(()) } else { self.spill() }
    }

    /// Writes the runs to a temporary file, and begins anew.
    fn spill(&mut self) -> Result<()> {
        let runs = std::mem::take(&mut self.runs);
        self.spilled.push(write_runs(|write| runs.each(write))?);
        if self.spilled.len() == MAX_FILES {
            let files = std::mem::take(&mut self.spilled);
            self.spilled.push(write_runs(|write| merge(files, write))?);
        }
        Ok(())
    }

    /// The candidates that occur at least so often; of phrases, those that have no more words.
    pub fn finish(
        mut self,
        min_frequency: u64,
        max_words: Option<usize>,
        progress: &Progress,
    ) -> Result<Candidates> {
        // Phrases that occur seldom count where they stand in others.
        let least = if self.phrases { 0 } else { min_frequency };
        progress.begin(Stage::GatheringCandidates, self.runs.len() as u64)?;
        let mut found: Vec<(Vec<u32>, u64)> = Vec::new();
        let mut keep = |words: &[u32], count: u64| {
            if count >= least {
                found.push((words.to_vec(), count));
            }
            progress.advance(1)
        };
        if self.spilled.is_empty() {
            std::mem::take(&mut self.runs).each(&mut keep)?;
        } else {
            self.spill()?;
            merge(std::mem::take(&mut self.spilled), &mut keep)?;
        }
        let mut maximal = None;
        if self.phrases {
            found = Phrases::new(&found).with_occurrences_in_others(&found);
            let fits = |words: &[u32]| max_words.is_none_or(|most| words.len() <= most);
            found.retain(|(words, count)| *count >= min_frequency && fits(words));
            // Each of them is a phrase somewhere, and so stands for itself.
            maximal = Some(vec![true; found.len()]);
        } else if let Some(stream) = self.stream.take() {
            maximal = Some(stream.outside(&found, self.options.max_words, progress)?);
        }

        let mut texts = Vec::with_capacity(found.len());
        for (words, _) in &found {
            progress.advance(0)?;
            let words: Vec<&str> =
                words.iter().map(|&word| self.words.texts.get(word as usize)).collect();
            texts.push(words.join(" "));
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

fn temporary(source: io::Error) -> Error {
    Error::Io { action: "use a temporary file in", path: std::env::temp_dir(), source }
}

/// The words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        let (word, behind) = rest.split_at(word_end(rest, 0));
        rest = behind;
        (!word.is_empty()).then_some(word)
    })
}

/// Where the word that begins at byte `at` ends; `at` if none does. A word is a run of letters, digits
/// and marks; some signs join two parts of it.
fn word_end(text: &str, at: usize) -> usize {
    let mut end = at;
    let mut rest = text[at..].chars();
    let mut last = ' ';
    while let Some(c) = rest.next() {
        if is_part(c) && (end > at || c.is_alphanumeric()) {
            end = text.len() - rest.as_str().len();
        } else if end == at || !joins(last, c, rest.as_str().chars().next()) {
            break;
        }
        last = c;
    }
    end
}

/// Whether a character is part of a word.
fn is_part(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    c.is_alphanumeric() || c.general_category_group() == GeneralCategoryGroup::Mark
}

/// Whether a character joins the parts of a word before and behind it: co-operation, don't, R&D, U.S,
/// 1,000, snake_case; soft hyphens and the joiners of Persian and Indic scripts.
fn joins(before: char, c: char, behind: Option<char>) -> bool {
    let Some(behind) = behind.filter(|&behind| behind.is_alphanumeric()) else { return false };
    match c {
        '-' | '\'' | '’' | '.' | '&' | '_' => is_part(before),
        '\u{2010}' | '\u{2011}' | '\u{ad}' | '·' | '\u{200c}' | '\u{200d}' => is_part(before),
        ',' => before.is_ascii_digit() && behind.is_ascii_digit(),
        _ => false,
    }
}

/// What a run asks of a word.
#[derive(Clone, Copy)]
struct Kind {
    /// No run starts or ends with it.
    stops: bool,
    /// A run without any letter is no candidate.
    letters: bool,
}

/// The distinct words, numbered as they appear.
#[derive(Default)]
struct Words {
    /// The number of each word as it stands in the text.
    ids: HashMap<Box<str>, u32, RandomState>,
    texts: List,
    kinds: Vec<Kind>,
}

impl Words {
    fn id(&mut self, word: &str, options: &CandidateOptions) -> (u32, Kind) {
        if let Some(&id) = self.ids.get(word) {
            return (id, self.kinds[id as usize]);
        }
        let lower = Options { lowercase: true, ..Options::default() }.normal_form(word);
        let shown = if options.lowercase { &*lower } else { word };
        let known = (shown != word).then(|| self.ids.get(shown).copied()).flatten();
        let id = known.unwrap_or_else(|| {
            let id = self.texts.len() as u32;
            self.texts.push(shown);
            self.kinds.push(Kind {
                stops: options.stop_words.contains(&*lower),
                letters: shown.chars().any(char::is_alphabetic),
            });
            if shown != word {
                self.ids.insert(shown.into(), id);
            }
            id
        });
        self.ids.insert(word.into(), id);
        (id, self.kinds[id as usize])
    }
}

/// The node of no word.
const ROOT: u32 = 0;

/// Runs of words as a trie, all of whose edges are in one table.
struct Trie {
    /// The child of a node by a word: the node in the high half of the key, the word in the low one.
    children: HashMap<u64, u32, RandomState>,
    /// The key that leads to each node.
    keys: Vec<u64>,
    /// How often the run of each node occurs as a candidate.
    counts: Vec<u64>,
}

impl Default for Trie {
    fn default() -> Trie {
        Trie { children: HashMap::default(), keys: vec![0], counts: vec![0] }
    }
}

impl Trie {
    fn len(&self) -> usize {
        self.keys.len()
    }

    #[inline]
    fn child(&mut self, node: u32, word: u32) -> u32 {
        let key = u64::from(node) << 32 | u64::from(word);
        *self.children.entry(key).or_insert_with(|| {
            self.keys.push(key);
            self.counts.push(0);
            self.keys.len() as u32 - 1
        })
    }

    fn find(&self, node: u32, word: u32) -> Option<u32> {
        self.children.get(&(u64::from(node) << 32 | u64::from(word))).copied()
    }

    fn words_of(&self, mut node: u32) -> Vec<u32> {
        let mut words = Vec::new();
        while node != ROOT {
            let key = self.keys[node as usize];
            words.push(key as u32);
            node = (key >> 32) as u32;
        }
        words.reverse();
        words
    }

    /// The runs with their counts, in the order of their words' numbers.
    fn each(self, visit: &mut Visit) -> Result<()> {
        let Trie { children, keys, counts } = self;
        drop(children);
        let mut edges: Vec<(u64, u32)> = keys.iter().copied().zip(0..).skip(1).collect();
        edges.sort_unstable();
        // Where the children of each node begin.
        let mut starts = vec![0u32; keys.len() + 1];
        for &(key, _) in &edges {
            starts[(key >> 32) as usize + 1] += 1;
        }
        for node in 1..starts.len() {
            starts[node] += starts[node - 1];
        }
        let children_of = |node: u32| starts[node as usize]..starts[node as usize + 1];
        let mut words = Vec::new();
        // The children that are still to be visited, of each node on the way.
        let mut way = vec![children_of(ROOT)];
        while let Some(children) = way.last_mut() {
            let Some(edge) = children.next() else {
                way.pop();
                words.pop();
                continue;
            };
            let (key, node) = edges[edge as usize];
            words.push(key as u32);
            if counts[node as usize] > 0 {
                visit(&words, counts[node as usize])?;
            }
            way.push(children_of(node));
        }
        Ok(())
    }
}

/// What is done with each run of words and its count.
type Visit<'a> = dyn FnMut(&[u32], u64) -> Result<()> + 'a;

/// Runs in a temporary file, which is gone when it is closed.
fn write_runs(each: impl FnOnce(&mut Visit) -> Result<()>) -> Result<File> {
    let file = tempfile::tempfile().map_err(temporary)?;
    let mut out = BufWriter::with_capacity(1 << 16, file);
    each(&mut |words, count| {
        let mut write = |number: &[u8]| out.write_all(number).map_err(temporary);
        write(&(words.len() as u32).to_le_bytes())?;
        words.iter().try_for_each(|word| write(&word.to_le_bytes()))?;
        write(&count.to_le_bytes())
    })?;
    let mut file = out.into_inner().map_err(|error| temporary(error.into_error()))?;
    file.rewind().map_err(temporary)?;
    Ok(file)
}

/// A file of runs in order, and the run at which its reader stands.
struct Spilled {
    file: BufReader<File>,
    words: Vec<u32>,
    count: u64,
}

impl Spilled {
    /// Goes on to the next run, if there is one.
    fn advance(&mut self) -> io::Result<bool> {
        let mut number = [0; 4];
        match self.file.read_exact(&mut number) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            other => other?,
        }
        self.words.clear();
        for _ in 0..u32::from_le_bytes(number) {
            self.file.read_exact(&mut number)?;
            self.words.push(u32::from_le_bytes(number));
        }
        let mut count = [0; 8];
        self.file.read_exact(&mut count)?;
        self.count = u64::from_le_bytes(count);
        Ok(true)
    }
}

// The heap has the largest on top, and the smallest run is wanted.
impl Ord for Spilled {
    fn cmp(&self, other: &Spilled) -> Ordering {
        other.words.cmp(&self.words)
    }
}

impl PartialOrd for Spilled {
    fn partial_cmp(&self, other: &Spilled) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Spilled {
    fn eq(&self, other: &Spilled) -> bool {
        self.words == other.words
    }
}

impl Eq for Spilled {}

/// The runs of all files with the sums of their counts.
fn merge(files: Vec<File>, visit: &mut Visit) -> Result<()> {
    let mut heap = BinaryHeap::with_capacity(files.len());
    for file in files {
        let file = BufReader::with_capacity(1 << 16, file);
        let mut spilled = Spilled { file, words: Vec::new(), count: 0 };
        if spilled.advance().map_err(temporary)? {
            heap.push(spilled);
        }
    }
    let mut words = Vec::new();
    while let Some(next) = heap.peek() {
        words.clone_from(&next.words);
        let mut count = 0;
        while let Some(mut alike) = heap.peek_mut().filter(|next| next.words == words) {
            count += alike.count;
            if !alike.advance().map_err(temporary)? {
                PeekMut::pop(alike);
            }
        }
        visit(&words, count)?;
    }
    Ok(())
}

/// Candidates, to be found where they stand in others.
struct Phrases {
    trie: Trie,
    /// The number of the candidate that ends at each node.
    ending: Vec<Option<usize>>,
}

impl Phrases {
    fn new(candidates: &[(Vec<u32>, u64)]) -> Phrases {
        let mut trie = Trie::default();
        let mut ending = vec![None];
        for (i, (words, _)) in candidates.iter().enumerate() {
            let node = words.iter().fold(ROOT, |node, &word| trie.child(node, word));
            ending.resize(trie.len(), None);
            ending[node as usize] = Some(i);
        }
        Phrases { trie, ending }
    }

    /// The candidates that begin a run of words, with their lengths, shortest first.
    fn beginning<'a>(&'a self, run: &'a [u32]) -> impl Iterator<Item = (usize, usize)> + 'a {
        let mut node = ROOT;
        let nodes = run.iter().map_while(move |&word| {
            node = self.trie.find(node, word)?;
            Some(node)
        });
        (1..).zip(nodes).filter_map(|(length, node)| Some((self.ending[node as usize]?, length)))
    }

    /// The candidates, each counted wherever it stands in one of them.
    fn with_occurrences_in_others(&self, candidates: &[(Vec<u32>, u64)]) -> Vec<(Vec<u32>, u64)> {
        let mut totals = vec![0; candidates.len()];
        for (words, count) in candidates {
            for start in 0..words.len() {
                self.beginning(&words[start..]).for_each(|(inner, _)| totals[inner] += count);
            }
        }
        let words = candidates.iter().map(|(words, _)| words.clone());
        words.zip(totals).collect()
    }
}

/// The words of the text as numbers, with breaks between runs: in memory, and what does not fit there in
/// a temporary file.
#[derive(Default)]
struct Stream {
    recent: Vec<u32>,
    /// Whether the last word is followed by others of its run.
    open: bool,
    file: Option<BufWriter<File>>,
}

impl Stream {
    fn push(&mut self, word: u32) -> Result<()> {
        self.recent.push(word);
        self.open = word != BREAK;
        if self.recent.len() >= MAX_STREAM {
            self.write_out().map_err(temporary)?;
        }
        Ok(())
    }

    fn end_run(&mut self) -> Result<()> {
        if self.open { self.push(BREAK) } else { Ok(()) }
    }

    fn write_out(&mut self) -> io::Result<()> {
        if self.file.is_none() {
            self.file = Some(BufWriter::with_capacity(1 << 16, tempfile::tempfile()?));
        }
        if let Some(file) = &mut self.file {
            self.recent.iter().try_for_each(|word| file.write_all(&word.to_le_bytes()))?;
            self.recent.clear();
        }
        Ok(())
    }

    /// Which of the candidates occur outside of all longer ones. Only the longest that begins at each word
    /// can, and only if none that began before reaches as far.
    fn outside(
        self,
        candidates: &[(Vec<u32>, u64)],
        max_words: usize,
        progress: &Progress,
    ) -> Result<Vec<bool>> {
        let phrases = Phrases::new(candidates);
        let mut outside = vec![false; candidates.len()];
        let mut mark = |run: &[u32]| {
            let mut reach = 0;
            for start in 0..run.len() {
                let ahead = &run[start..(start + max_words).min(run.len())];
                let longest = phrases.beginning(ahead).last();
                if let Some((candidate, length)) = longest
                    && start + length > reach
                {
                    outside[candidate] = true;
                    reach = start + length;
                }
            }
            progress.advance(0)
        };
        let mut run = Vec::new();
        let mut take = |word: u32| {
            if word == BREAK {
                mark(&run)?;
                run.clear();
            } else {
                run.push(word);
            }
            Ok(())
        };
        if let Some(file) = self.file {
            let mut file = file.into_inner().map_err(|error| temporary(error.into_error()))?;
            file.rewind().map_err(temporary)?;
            let mut file = BufReader::with_capacity(1 << 16, file);
            let mut word = [0; 4];
            loop {
                match file.read_exact(&mut word) {
                    Ok(()) => take(u32::from_le_bytes(word))?,
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
                    Err(error) => return Err(temporary(error)),
                }
            }
        }
        self.recent.iter().try_for_each(|&word| take(word))?;
        take(BREAK)?;
        Ok(outside)
    }
}
