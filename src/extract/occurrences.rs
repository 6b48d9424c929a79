//! Where candidates occur: in longer candidates, and in the text outside of all longer ones.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use crate::error::Result;
use crate::extract::spill::{BUFFER_BYTES, temporary};
use crate::extract::trie::{ROOT, Trie};

/// A candidate, as the numbers of its words, and how often it occurs.
pub(super) type Counted = (Vec<u32>, u64);

/// Candidates, to be found in runs of words.
pub(super) struct CandidateFinder {
    trie: Trie,
    /// The number of the candidate that ends at each node.
    ending: Vec<Option<usize>>,
}

impl CandidateFinder {
    pub(super) fn new(candidates: &[Counted]) -> CandidateFinder {
        CandidateFinder::of(candidates.iter().map(|(words, _)| &words[..]).enumerate())
    }

    /// Candidates with their numbers.
    pub(super) fn of<'a>(candidates: impl Iterator<Item = (usize, &'a [u32])>) -> CandidateFinder {
        let mut trie = Trie::default();
        let mut ending = vec![None];
        for (i, words) in candidates {
            let node = trie.node(words);
            ending.resize(trie.len(), None);
            ending[node as usize] = Some(i);
        }
        CandidateFinder { trie, ending }
    }

    /// The candidates that begin a run of words, with their lengths, shortest first.
    pub(super) fn beginning<'a>(
        &'a self,
        run: &'a [u32],
    ) -> impl Iterator<Item = (usize, usize)> + 'a {
        let mut node = ROOT;
        let nodes = run.iter().map_while(move |&word| {
            node = self.trie.find(node, word)?;
            Some(node)
        });
        (1..).zip(nodes).filter_map(|(length, node)| Some((self.ending[node as usize]?, length)))
    }
}

/// The candidates, each with the occurrences of those that contain it added to its own.
pub(super) fn with_occurrences_in_longer(candidates: Vec<Counted>) -> Vec<Counted> {
    let finder = CandidateFinder::new(&candidates);
    let mut totals = vec![0; candidates.len()];
    for (words, count) in &candidates {
        for start in 0..words.len() {
            finder.beginning(&words[start..]).for_each(|(inner, _)| totals[inner] += count);
        }
    }
    candidates.into_iter().zip(totals).map(|((words, _), total)| (words, total)).collect()
}

/// Ends a run in the stream of words.
const RUN_END: u32 = u32::MAX;
/// Ends a document.
const DOCUMENT_END: u32 = u32::MAX - 1;
/// Added to the number of a surface that begins a sentence.
pub(super) const INITIAL: u32 = 1 << 30;

/// The surfaces of the texts as numbers, with an end after each run and document: the last of them in memory,
/// those before in a temporary file if they are many.
pub(super) struct WordStream {
    recent: Vec<u32>,
    /// Whether a run has begun and not ended.
    in_run: bool,
    /// The most words in memory.
    max_recent: usize,
    file: Option<BufWriter<File>>,
}

impl WordStream {
    pub(super) fn new(max_recent: usize) -> WordStream {
        WordStream { recent: Vec::new(), in_run: false, max_recent, file: None }
    }

    pub(super) fn push(&mut self, surface: u32, begins_sentence: bool) -> Result<()> {
        self.in_run = true;
        self.add(if begins_sentence { surface | INITIAL } else { surface })
    }

    fn add(&mut self, number: u32) -> Result<()> {
        self.recent.push(number);
        if self.recent.len() >= self.max_recent {
            self.write_out().map_err(temporary)?;
        }
        Ok(())
    }

    pub(super) fn end_run(&mut self) -> Result<()> {
        if std::mem::take(&mut self.in_run) { self.add(RUN_END) } else { Ok(()) }
    }

    pub(super) fn begin_document(&mut self) -> Result<()> {
        self.end_run()?;
        self.add(DOCUMENT_END)
    }

    fn write_out(&mut self) -> io::Result<()> {
        if self.file.is_none() {
            self.file = Some(BufWriter::with_capacity(BUFFER_BYTES, tempfile::tempfile()?));
        }
        if let Some(file) = &mut self.file {
            self.recent.iter().try_for_each(|word| file.write_all(&word.to_le_bytes()))?;
            self.recent.clear();
        }
        Ok(())
    }

    /// Visits each run of words with the number of its document.
    pub(super) fn each_run(self, visit: &mut dyn FnMut(&[u32], u32) -> Result<()>) -> Result<()> {
        let mut run = Vec::new();
        let mut document = 0;
        let mut take = |number: u32| {
            match number {
                RUN_END => {
                    visit(&run, document)?;
                    run.clear();
                }
                DOCUMENT_END => document += 1,
                _ => run.push(number),
            }
            Ok(())
        };
        if let Some(file) = self.file {
            let mut file = file.into_inner().map_err(|error| temporary(error.into_error()))?;
            file.rewind().map_err(temporary)?;
            let mut file = BufReader::with_capacity(BUFFER_BYTES, file);
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
        take(RUN_END)
    }
}
