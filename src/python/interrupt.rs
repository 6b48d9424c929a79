//! Ctrl-C and progress during long work.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use super::errors::with_file;
use crate::Progress;

/// Does long work on a thread of its own. The calling thread lets Python run, reports the progress and
/// watches for Ctrl-C.
pub(super) fn interruptible<T: Send>(
    py: Python,
    progress: &Progress,
    report: Option<&Bound<PyAny>>,
    file: Option<&Path>,
    work: impl FnOnce() -> crate::Result<T> + Send,
) -> PyResult<T> {
    let report = report.map(|report| report.clone().unbind());
    py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            scope.spawn(move || sender.send(work()));
            let mut interrupted = None;
            loop {
                match receiver.recv_timeout(Duration::from_millis(50)) {
                    Ok(result) => {
                        let to_python = |error| with_file(error, file);
                        return interrupted.map_or_else(|| result.map_err(to_python), Err);
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(PyRuntimeError::new_err("the work ended without a result"));
                    }
                    Err(RecvTimeoutError::Timeout) if interrupted.is_some() => {}
                    Err(RecvTimeoutError::Timeout) => {
                        interrupted = Python::attach(|py| {
                            py.check_signals()?;
                            match &report {
                                Some(report) => report.call1(py, progress.now()).map(|_| ()),
                                None => Ok(()),
                            }
                        })
                        .err();
                        if interrupted.is_some() {
                            progress.cancel();
                        }
                    }
                }
            }
        })
    })
}
