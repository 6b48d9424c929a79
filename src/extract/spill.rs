//! Runs of words in temporary files, which are merged in the end.

use std::cmp::Ordering;
use std::collections::binary_heap::{BinaryHeap, PeekMut};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use crate::error::{Error, Result};
use crate::extract::trie::Visit;

/// The temporary files that are open at once: as many are merged into one. Systems allow a process
/// 256 open files or more.
const MAX_FILES: usize = 64;
/// The buffer of a temporary file, in bytes.
pub(super) const BUFFER_BYTES: usize = 1 << 16;

/// The error of a temporary file.
pub(super) fn temporary(source: io::Error) -> Error {
    Error::Io { action: "use a temporary file in", path: std::env::temp_dir(), source }
}

/// Temporary files of runs. In each, the runs are in the order of the numbers of their words.
#[derive(Default)]
pub(super) struct SpilledRuns {
    files: Vec<File>,
}

impl SpilledRuns {
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Writes one more file of runs.
    pub(super) fn add(&mut self, each: impl FnOnce(&mut Visit) -> Result<()>) -> Result<()> {
        self.files.push(write_runs(each)?);
        if self.files.len() == MAX_FILES {
            let files = std::mem::take(&mut self.files);
            self.files.push(write_runs(|write| merge(files, write))?);
        }
        Ok(())
    }

    /// Visits the runs of all files in order, each with the sum of its counts.
    pub(super) fn each(self, visit: &mut Visit) -> Result<()> {
        merge(self.files, visit)
    }
}

/// A temporary file of runs, which the system removes when it is closed. Of each run it has the number
/// of its words, the words, and the count.
fn write_runs(each: impl FnOnce(&mut Visit) -> Result<()>) -> Result<File> {
    let file = tempfile::tempfile().map_err(temporary)?;
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, file);
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

/// A file of runs in order, and the run that was read last.
struct RunReader {
    file: BufReader<File>,
    words: Vec<u32>,
    count: u64,
}

impl RunReader {
    /// Reads the next run, if there is one.
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
impl Ord for RunReader {
    fn cmp(&self, other: &RunReader) -> Ordering {
        other.words.cmp(&self.words)
    }
}

impl PartialOrd for RunReader {
    fn partial_cmp(&self, other: &RunReader) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for RunReader {
    fn eq(&self, other: &RunReader) -> bool {
        self.words == other.words
    }
}

impl Eq for RunReader {}

/// Visits the runs of all files in order, each with the sum of its counts.
fn merge(files: Vec<File>, visit: &mut Visit) -> Result<()> {
    let mut heap = BinaryHeap::with_capacity(files.len());
    for file in files {
        let file = BufReader::with_capacity(BUFFER_BYTES, file);
        let mut reader = RunReader { file, words: Vec::new(), count: 0 };
        if reader.advance().map_err(temporary)? {
            heap.push(reader);
        }
    }
    let mut words = Vec::new();
    while let Some(next) = heap.peek() {
        words.clone_from(&next.words);
        let mut count = 0;
        while let Some(mut equal) = heap.peek_mut().filter(|next| next.words == words) {
            count += equal.count;
            if !equal.advance().map_err(temporary)? {
                PeekMut::pop(equal);
            }
        }
        visit(&words, count)?;
    }
    Ok(())
}
