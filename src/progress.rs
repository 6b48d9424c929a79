//! The progress of a build: its stages, how far the current one is, and a way to cancel it.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::error::{Error, Result};

/// The stages of a build, in order; the last one comes before a build from counted candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Finding and reading the entries; no steps are counted.
    Reading,
    /// Splitting the entries into tokens; a step is a byte.
    Splitting,
    /// Finding and sorting the distinct tokens; a step is a token.
    SortingTokens,
    /// Sorting the suffixes of all terms; a step is a suffix.
    SortingSuffixes,
    /// Gathering the candidates that were counted; a step is a run of words.
    GatheringCandidates,
}

/// The names of the stages, in the order of [`Stage`].
const NAMES: [&str; 5] = [
    "reading",
    "splitting into tokens",
    "sorting tokens",
    "sorting suffixes",
    "gathering candidates",
];

/// How far a build is; also the way to cancel it from another thread.
pub struct Progress {
    /// The number of the current [`Stage`].
    stage: AtomicUsize,
    /// Steps of the current stage, done and in total.
    done: AtomicU64,
    total: AtomicU64,
    cancelled: AtomicBool,
}

impl Default for Progress {
    fn default() -> Progress {
        Progress {
            stage: AtomicUsize::new(Stage::Reading as usize),
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
            cancelled: AtomicBool::new(false),
        }
    }
}

impl Progress {
    /// Begins a stage of `total` steps.
    pub(crate) fn begin(&self, stage: Stage, total: u64) -> Result<()> {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        self.stage.store(stage as usize, Ordering::Relaxed);
        self.check()
    }

    /// Counts steps that are done; fails if the build was cancelled.
    #[inline]
    pub(crate) fn advance(&self, steps: u64) -> Result<()> {
        self.done.fetch_add(steps, Ordering::Relaxed);
        self.check()
    }

    /// Fails if the build was cancelled.
    #[inline]
    pub(crate) fn check(&self) -> Result<()> {
        match self.cancelled.load(Ordering::Relaxed) {
            true => Err(Error::Cancelled),
            false => Ok(()),
        }
    }

    /// Cancels the build, which soon fails with [`Error::Cancelled`].
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// The name of the current stage, and the fraction of it that is done, from 0 to 1.
    pub fn now(&self) -> (&'static str, f64) {
        let total = self.total.load(Ordering::Relaxed).max(1);
        let done = self.done.load(Ordering::Relaxed).min(total);
        (NAMES[self.stage.load(Ordering::Relaxed)], done as f64 / total as f64)
    }
}
