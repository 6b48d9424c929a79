//! A user's Python function that normalises tokens.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use pyo3::types::PyString;

use super::arguments::{text, wrong_type};
use super::errors::raise;
use crate::{Error, Normalize};

/// A Python function as normaliser. Its answers are remembered, so that it is called once for each
/// distinct token of many queries.
struct Callable {
    function: Py<PyAny>,
    answers: Mutex<HashMap<String, String>>,
}

/// The number of answers that a [`Callable`] remembers before it forgets them all: some megabytes.
const MAX_ANSWERS: usize = 1 << 16;

impl Normalize for Callable {
    fn normalize(&self, token: &str) -> crate::Result<String> {
        // If the lock is taken, the function is called: in a forked process it may never be released.
        if let Ok(answers) = self.answers.try_lock()
            && let Some(answer) = answers.get(token)
        {
            return Ok(answer.clone());
        }
        // Not under the lock: the function may take long, or query the index itself.
        let answer = Python::attach(|py| -> PyResult<String> {
            let answer = self.function.bind(py).call1((token,))?;
            match answer.is_instance_of::<PyString>() {
                true => Ok(text("the result of normalize", &answer)?.to_owned()),
                false => Err(raise(
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
    Ok(Some(Arc::new(Callable { function: function.unbind(), answers: Mutex::default() })))
}
