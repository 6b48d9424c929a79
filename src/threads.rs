//! Work on several threads, and a way to watch and stop it from outside.
//!
//! Threads live for one call. A pool kept between calls would not survive a fork, and the spawning of
//! a thread (some 20 us) is paid only by calls that are much longer.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use crate::error::{Error, Result};

/// Does `work` for each task on up to `threads` threads; the results in the order of the tasks.
pub(crate) fn run<T: Send, R: Send>(
    threads: usize,
    tasks: Vec<T>,
    work: impl Fn(T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let workers = threads.min(tasks.len());
    if workers <= 1 {
        return tasks.into_iter().map(work).collect();
    }
    let results: Vec<Mutex<Option<Result<R>>>> = tasks.iter().map(|_| Mutex::new(None)).collect();
    let tasks: Vec<Mutex<Option<T>>> =
        tasks.into_iter().map(|task| Mutex::new(Some(task))).collect();
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let worker = || {
        while !failed.load(Ordering::Relaxed) {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(i) else { return };
            let task = task.lock().unwrap().take().expect("a task is taken once");
            let result = work(task);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            *results[i].lock().unwrap() = Some(result);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..workers {
            // Where the system gives no more threads, those that there are do the work.
            if std::thread::Builder::new().spawn_scoped(scope, worker).is_err() {
                break;
            }
        }
        worker();
    });
    // Tasks left undone stand behind the failed one; the first failure is the answer.
    let results = results.into_iter().filter_map(|result| result.into_inner().unwrap());
    results.collect()
}

/// The threads that pay for `steps` steps of a few nanoseconds each, of so many that may be used: less
/// work is done before a thread has started. (Tests have little, and want the threads all the same.)
pub(crate) fn threads_for(steps: usize, threads: usize) -> usize {
    if steps < 1 << 17 && !cfg!(test) { 1 } else { threads }
}

/// Work of any kind that needs nothing of the other work beside it.
pub(crate) type Job<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Does all jobs on up to `threads` threads: the first ones first.
pub(crate) fn run_all(threads: usize, jobs: Vec<Job>) -> Result<()> {
    let done = run(threads, jobs, |job| {
        job();
        Ok(())
    });
    done.map(|_| ())
}

/// Puts parts together.
pub(crate) fn fill<'a, T: Copy + 'a>(
    all: &mut Vec<T>,
    parts: impl Iterator<Item = &'a Vec<T>> + Clone,
) {
    all.reserve_exact(parts.clone().map(Vec::len).sum());
    parts.for_each(|part| all.extend_from_slice(part));
}

/// More threads than this are not used, however many are asked for.
const MAX_THREADS: usize = 256;

/// The number of threads to use: as asked for, or one for each core.
pub fn threads_or_all(threads: Option<usize>) -> usize {
    // Asked once: the system's answer comes from files, which takes some 25 us.
    static CORES: OnceLock<usize> = OnceLock::new();
    let all = || *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, |n| n.get()));
    threads.unwrap_or_else(all).clamp(1, MAX_THREADS)
}

/// How far a build is; also the way to stop it.
#[derive(Default)]
pub struct Progress {
    stage: AtomicUsize,
    done: AtomicU64,
    total: AtomicU64,
    cancelled: AtomicBool,
}

/// The stages of a build, in order, and before them the one that finds what to build from.
pub const STAGES: [&str; 5] = [
    "reading",
    "splitting into tokens",
    "sorting tokens",
    "sorting suffixes",
    "gathering candidates",
];

impl Progress {
    /// Begins stage `stage` of [`STAGES`], which has `total` steps.
    pub(crate) fn begin(&self, stage: usize, total: u64) -> Result<()> {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        self.stage.store(stage, Ordering::Relaxed);
        self.advance(0)
    }

    /// Counts steps; fails if the build is to stop.
    #[inline]
    pub(crate) fn advance(&self, steps: u64) -> Result<()> {
        self.done.fetch_add(steps, Ordering::Relaxed);
        match self.cancelled.load(Ordering::Relaxed) {
            true => Err(Error::Cancelled),
            false => Ok(()),
        }
    }

    /// Asks the build to stop; it does so soon, with [`Error::Cancelled`].
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// The stage and the share of it that is done, from 0 to 1.
    pub fn now(&self) -> (&'static str, f64) {
        let total = self.total.load(Ordering::Relaxed).max(1);
        let done = self.done.load(Ordering::Relaxed).min(total);
        (STAGES[self.stage.load(Ordering::Relaxed)], done as f64 / total as f64)
    }
}
