//! Work on several threads.
//!
//! Threads live for one call. A pool kept between calls would not survive a fork, and only calls that
//! take much longer than the start of a thread (some 20 us) use more than one.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use crate::error::Result;

/// Does `work` for each task on up to `threads` threads. Returns the results in the order of the tasks.
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
            // If the system refuses more threads, those that have started do the work.
            if std::thread::Builder::new().spawn_scoped(scope, worker).is_err() {
                break;
            }
        }
        worker();
    });
    // Tasks are only left undone after one that failed, so the first result that is an error decides.
    let results = results.into_iter().filter_map(|result| result.into_inner().unwrap());
    results.collect()
}

/// Steps of a few nanoseconds each for which starting threads pays off: they take a few hundred us.
const MIN_STEPS: usize = 1 << 17;

/// The threads to use for `steps` steps of a few nanoseconds each: one if they are few, else `threads`.
/// (Unit tests have few steps and test the threads all the same.)
pub(crate) fn threads_for(steps: usize, threads: usize) -> usize {
    if steps < MIN_STEPS && !cfg!(test) { 1 } else { threads }
}

/// Jobs of any kind that do not depend on each other, to be done at the same time.
///
/// ```text
/// let mut jobs = Jobs::default();
/// let sum = jobs.add(|| numbers.iter().sum());
/// let text = jobs.add(|| words.concat());
/// jobs.run(threads)?;
/// (sum.take(), text.take())
/// ```
#[derive(Default)]
pub(crate) struct Jobs<'a> {
    jobs: Vec<Box<dyn FnOnce() + Send + 'a>>,
}

/// What a job of [`Jobs`] returns.
pub(crate) struct Output<R>(Arc<Mutex<Option<R>>>);

impl<'a> Jobs<'a> {
    /// Adds a job. Add the longest ones first: jobs start in this order.
    pub(crate) fn add<R: Send + 'a>(&mut self, job: impl FnOnce() -> R + Send + 'a) -> Output<R> {
        let output = Arc::new(Mutex::new(None));
        let place = output.clone();
        self.jobs.push(Box::new(move || {
            let result = job();
            *place.lock().unwrap() = Some(result);
        }));
        Output(output)
    }

    /// Does all jobs on up to `threads` threads.
    pub(crate) fn run(self, threads: usize) -> Result<()> {
        run(threads, self.jobs, |job| {
            job();
            Ok(())
        })?;
        Ok(())
    }
}

impl<R> Output<R> {
    /// The result of the job, after [`Jobs::run`].
    pub(crate) fn take(self) -> R {
        self.0.lock().unwrap().take().expect("Jobs::run did all jobs")
    }
}

/// The vectors of several parts as one.
pub(crate) fn concat<'a, T: Copy + 'a>(parts: impl Iterator<Item = &'a Vec<T>> + Clone) -> Vec<T> {
    let mut all = Vec::with_capacity(parts.clone().map(Vec::len).sum());
    parts.for_each(|part| all.extend_from_slice(part));
    all
}

/// The most threads that are used: more than the cores of most machines, and far from the limits of
/// an operating system.
const MAX_THREADS: usize = 256;

/// The number of threads to use: `threads`, or one for each core.
pub fn threads_or_all(threads: Option<usize>) -> usize {
    // The system reads the number from files, which takes some 25 us: once is enough.
    static CORES: OnceLock<usize> = OnceLock::new();
    let all = || *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, |n| n.get()));
    threads.unwrap_or_else(all).clamp(1, MAX_THREADS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn results_come_in_the_order_of_the_tasks() {
        for threads in [1, 2, 8] {
            let squares = run(threads, (0..100).collect(), |n: u32| Ok(n * n)).unwrap();
            assert!(squares.iter().copied().eq((0..100).map(|n| n * n)));
        }
    }

    #[test]
    fn a_failed_task_fails_the_run() {
        for threads in [1, 3] {
            let tried = run(threads, (0..100).collect(), |n: u32| match n {
                50 => Err(Error::Cancelled),
                _ => Ok(n),
            });
            assert!(matches!(tried, Err(Error::Cancelled)));
        }
    }

    #[test]
    fn jobs_of_different_types_return_their_results() {
        let numbers = vec![1, 2, 3];
        for threads in [1, 2] {
            let mut jobs = Jobs::default();
            let sum = jobs.add(|| numbers.iter().sum::<i32>());
            let text = jobs.add(|| format!("{numbers:?}"));
            jobs.run(threads).unwrap();
            assert_eq!((sum.take(), text.take().as_str()), (6, "[1, 2, 3]"));
        }
    }
}
