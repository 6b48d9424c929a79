//! A user's Python function that normalises tokens.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use pyo3::types::PyString;

use super::errors::{half_a_character, raise, wrong_type};
use crate::{Error, Normalize};

/// A Python function as normaliser. It is called by one thread at a time, because it may keep a state. Its
/// answers are remembered, so that it is called once for each distinct token of many queries.
struct Callable {
    function: Py<PyAny>,
    /// The process and its lock, a `threading.RLock`: the function may query the index itself. The mutex
    /// is held only while Python runs, so no other thread can fork the process meanwhile.
    lock: Mutex<(u32, Py<PyAny>)>,
    answers: Mutex<HashMap<String, String>>,
}

/// The number of answers that a [`Callable`] remembers before it forgets them all: some megabytes.
const MAX_ANSWERS: usize = 1 << 16;

impl Callable {
    /// The lock of this process. That of a forked one's parent may never be released.
    fn lock<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut lock = self.lock.lock().unwrap_or_else(|error| error.into_inner());
        if lock.0 != std::process::id() {
            *lock = new_lock(py)?;
        }
        Ok(lock.1.bind(py).clone())
    }
}

fn new_lock(py: Python) -> PyResult<(u32, Py<PyAny>)> {
    let lock = py.import("threading")?.getattr("RLock")?.call0()?;
    Ok((std::process::id(), lock.unbind()))
}

impl Normalize for Callable {
    fn normalize(&self, token: &str) -> crate::Result<String> {
        // If their lock is taken, the function is called: in a forked process it may never be released.
        if let Ok(answers) = self.answers.try_lock()
            && let Some(answer) = answers.get(token)
        {
            return Ok(answer.clone());
        }
        // Not under the lock of the answers: the function may take long, or query the index itself.
        let answer = Python::attach(|py| -> PyResult<String> {
            let lock = self.lock(py)?;
            lock.call_method0("acquire")?;
            let answer = self.function.bind(py).call1((token,));
            lock.call_method0("release")?;
            let answer = answer?;
            match answer.cast::<PyString>() {
                Ok(answer) => {
                    let half = |_| half_a_character("the result of normalize");
                    Ok(answer.to_str().map_err(half)?.to_owned())
                }
                Err(_) => Err(raise(
                    "TermTypeError",
                    format!("normalize({token:?}) returned {}, not a str", answer.repr()?),
                )),
            }
        })
        .map_err(|error| Error::Normalize(Box::new(error)))?;
        if let Ok(mut answers) = self.answers.try_lock() {
            if answers.len() >= MAX_ANSWERS {
                answers.clear();
            }
            answers.insert(token.to_owned(), answer.clone());
        }
        Ok(answer)
    }
}

pub(super) fn normalizer(function: Option<Bound<PyAny>>) -> PyResult<Option<Arc<dyn Normalize>>> {
    let Some(function) = function else { return Ok(None) };
    if !function.is_callable() {
        return Err(wrong_type("normalize", "a function from str to str", &function));
    }
    let lock = Mutex::new(new_lock(function.py())?);
    Ok(Some(Arc::new(Callable { function: function.unbind(), lock, answers: Mutex::default() })))
}
