//! Errors of the core as those of `termnest.errors`: the class, the sentence and the facts.

use std::path::Path;

use arrow_schema::ArrowError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::{Error, StoreProblem};

/// Errors of the core as those of `termnest.errors`.
pub(crate) fn to_python(error: Error) -> PyErr {
    with_file(error, None)
}

/// The same for an error in a file, which it names unless the core does so already.
pub(super) fn with_file(error: Error, file: Option<&Path>) -> PyErr {
    let file = file.map(|file| file.display().to_string());
    let class = class_of(&error);
    let sentence = error.to_string();
    match error {
        Error::Cancelled => pyo3::exceptions::PyKeyboardInterrupt::new_err(()),
        Error::Normalize(error) => match error.downcast::<PyErr>() {
            Ok(error) => *error,
            Err(_) => raise(class, sentence),
        },
        Error::Io { source, path, .. } => make("file_error", |facts| {
            facts.set_item("problem", sentence)?;
            facts.set_item("errno", source.raw_os_error())?;
            facts.set_item("filename", path)
        }),
        Error::Option { name, value, expected } => make(class, |facts| {
            facts.set_item("option", name)?;
            facts.set_item("value", value)?;
            facts.set_item("expected", expected)?;
            facts.set_item("file", file)
        }),
        Error::Normalizer { needed } => make(class, |facts| {
            facts.set_item("option", "normalize")?;
            facts.set_item("value", if needed { "left out" } else { "given" })?;
            facts.set_item("expected", sentence)?;
            facts.set_item("file", file)
        }),
        error => make(class, |facts| {
            facts.set_item("problem", sentence)?;
            facts.set_item("remedy", remedy(&error))?;
            facts.set_item("file", file)
        }),
    }
}

/// An option that avoids the error, its value and its effect.
fn remedy(error: &Error) -> Option<(&str, &str, &str)> {
    match error {
        Error::Utf8 { utf16: false, .. } => {
            Some(("errors", "replace", "replace what is not UTF-8 by U+FFFD"))
        }
        Error::UnclearColumns { option, column, effect, .. } => Some((option, column, effect)),
        Error::UnclearText { .. } => Some(("format", "text", "take each line as a term")),
        _ => None,
    }
}

/// The class of `termnest.errors` that an error of the core has in Python.
fn class_of(error: &Error) -> &'static str {
    match error {
        Error::Option { .. }
        | Error::Column { .. }
        | Error::ColumnName { .. }
        | Error::ColumnCount { .. }
        | Error::ConditionType { .. }
        | Error::UnknownColumn { .. }
        | Error::Normalizer { .. }
        | Error::IsAnIndex
        | Error::Normalize(_)
        | Error::Cancelled => "InvalidOptionError",
        Error::TermTokens { .. }
        | Error::TermBytes { .. }
        | Error::TokenBytes { .. }
        | Error::Alias { .. }
        | Error::AliasRow { .. }
        | Error::AliasOfNoToken { .. }
        | Error::Utf8 { .. }
        | Error::Weight { .. }
        | Error::WeightCount { .. }
        | Error::WeightSum { .. }
        | Error::ColumnValue { .. }
        | Error::IdType { .. }
        | Error::NullId { .. }
        | Error::DuplicateId { .. }
        | Error::Row { .. }
        | Error::UnclearColumns { .. }
        | Error::Matching { .. }
        | Error::UnclearText { .. } => "InvalidTermError",
        Error::Full { .. } | Error::DistinctTokens => "CapacityError",
        Error::Io { .. } => "FileAccessError",
        Error::NotAnIndex => "NotAnIndexError",
        Error::Version { .. } => "IndexVersionError",
        Error::Damaged { .. } => "DamagedIndexError",
        Error::Store { problem, .. } => match problem {
            StoreProblem::Missing => "MissingFileError",
            StoreProblem::NotAFolder | StoreProblem::NotAStore => "NotAStoreError",
            StoreProblem::Version { .. } => "IndexVersionError",
            StoreProblem::Damaged { .. } => "DamagedIndexError",
            StoreProblem::Locked { .. } => "LockedStoreError",
            StoreProblem::NoIds => "CapacityError",
            _ => "ClosedStoreError",
        },
        Error::Block => "TermnestError",
    }
}

/// An error of a class of `termnest.errors`.
pub(crate) fn raise(class: &str, problem: String) -> PyErr {
    make(class, |facts| facts.set_item("problem", problem))
}

/// The error for a str with half a character in it; `place` is what has it.
pub(super) fn half_a_character(place: &str) -> PyErr {
    make("InvalidTextError", |facts| facts.set_item("option", place))
}

/// An error about an option or argument.
pub(super) fn refuse(class: &str, option: &str, value: String, expected: String) -> PyErr {
    make(class, |facts| {
        facts.set_item("option", option)?;
        facts.set_item("value", value)?;
        facts.set_item("expected", expected)
    })
}

/// The error for an argument of the wrong type.
pub(super) fn wrong_type(argument: &str, expected: &str, found: &Bound<PyAny>) -> PyErr {
    let found = found.repr().map_or_else(|_| "?".into(), |found| found.to_string());
    refuse("TermTypeError", argument, found, expected.into())
}

/// Calls a class or function of `termnest.errors` with facts by name.
fn make(name: &str, facts: impl FnOnce(&Bound<PyDict>) -> PyResult<()>) -> PyErr {
    Python::attach(|py| {
        let error = py.import("termnest.errors").and_then(|errors| {
            let keywords = PyDict::new(py);
            facts(&keywords)?;
            errors.getattr(name)?.call((), Some(&keywords))
        });
        match error {
            Ok(error) => PyErr::from_value(error),
            Err(error) => error,
        }
    })
}

pub(crate) fn arrow_error(error: ArrowError) -> PyErr {
    raise("DamagedIndexError", format!("the index is damaged (a term is not UTF-8: {error})"))
}
