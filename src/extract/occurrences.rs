//! Where candidates occur: in longer candidates, and in the text outside of all longer ones.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use crate::error::Result;
use crate::extract::spill::{BUFFER_BYTES, temporary};
use crate::extract::trie::{ROOT, Trie};
use crate::progress::Progress;

/// A candidate, as the numbers of its words, and how often it occurs.
pub(super) type Counted = (Vec<u32>, u64);

/// Candidates, to be found in runs of words.
struct CandidateFinder {
    trie: Trie,
    /// The number of the candidate that ends at each node.
    ending: Vec<Option<usize>>,
}

impl CandidateFinder {
    fn new(candidates: &[Counted]) -> CandidateFinder {
        let mut trie = Trie::default();
        let mut ending = vec![None];
        for (i, (words, _)) in candidates.iter().enumerate() {
            let node = trie.node(words);
            ending.resize(trie.len(), None);
            ending[node as usize] = Some(i);
        }
        CandidateFinder { trie, ending }
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

/// The words of the text as numbers, with an end after each run: the last of them in memory, those
/// before in a temporary file if they are many.
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

    pub(super) fn push(&mut self, word: u32) -> Result<()> {
        self.recent.push(word);
        self.in_run = word != RUN_END;
        if self.recent.len() >= self.max_recent {
            self.write_out().map_err(temporary)?;
        }
        Ok(())
    }

    pub(super) fn end_run(&mut self) -> Result<()> {
        if self.in_run { self.push(RUN_END) } else { Ok(()) }
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

    /// Visits each run of words.
    fn each_run(self, visit: &mut dyn FnMut(&[u32]) -> Result<()>) -> Result<()> {
        let mut run = Vec::new();
        let mut take = |word: u32| {
            if word == RUN_END {
                visit(&run)?;
                run.clear();
            } else {
                run.push(word);
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

    /// Which of the candidates, of at most `max_words` words, occur outside of all longer ones. Of those
    /// that begin at a word only the longest can, and only if none that began before reaches as far.
    pub(super) fn outside_longer(
        self,
        candidates: &[Counted],
        max_words: usize,
        progress: &Progress,
    ) -> Result<Vec<bool>> {
        let finder = CandidateFinder::new(candidates);
        let mut outside = vec![false; candidates.len()];
        self.each_run(&mut |run| {
            // Where the candidates that began before end at the latest.
            let mut reach = 0;
            for start in 0..run.len() {
                let next_words = &run[start..(start + max_words).min(run.len())];
                if let Some((candidate, length)) = finder.beginning(next_words).last()
                    && start + length > reach
                {
                    outside[candidate] = true;
                    reach = start + length;
                }
            }
            progress.advance(0)
        })?;
        Ok(outside)
    }
}
