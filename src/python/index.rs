//! The Python module `termnest._core`: convert, release the GIL, call, return.

#![allow(
    clippy::too_many_arguments,
    reason = "a method has one for each option of its Python face"
)]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, Float64Array, LargeStringArray, RecordBatch, UInt32Array, UInt64Array,
};
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::{PyOverflowError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyInt, PyList, PyString, PyTuple};
use smallvec::SmallVec;

use crate::build::entries::cut_evenly;
use crate::index::key::Forms;
use crate::python::arrow::{
    StringColumn, export_schema, export_stream, import_column, number_column, text_column,
};
use crate::query::answer::Found;
use crate::query::batch::Texts;
use crate::query::expand::Side;
use crate::threads::run;
use crate::{
    Ask, Build, CandidateCounter, CandidateOptions, Column, Decoding, Entries, Error, Format,
    Index, Keep, List, NestedOptions, Normalize, Options, Overlaps, Pairs, Progress, Question,
    ReadOptions, Rows, Score, Sort, SuperOptions, TermId, Tokenizer, Vocabulary, Where,
    threads_or_all,
};

/// Errors of the core as those of `termnest.errors`.
pub(crate) fn to_python(error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::Io { source, path, .. } => {
            raise_with("FileAccessError", (source.raw_os_error(), message, path))
        }
        Error::Normalize(error) => match error.downcast::<PyErr>() {
            Ok(error) => *error,
            Err(_) => raise("InvalidOptionError", message),
        },
        Error::Cancelled => pyo3::exceptions::PyKeyboardInterrupt::new_err(()),
        error => raise(class_of(&error), message),
    }
}

/// The class of `termnest.errors` that an error of the core has in Python.
fn class_of(error: &Error) -> &'static str {
    match error {
        Error::Option { .. }
        | Error::Column { .. }
        | Error::Normalizer { .. }
        | Error::IsAnIndex
        | Error::Normalize(_)
        | Error::Cancelled => "InvalidOptionError",
        Error::TermTokens { .. }
        | Error::TermBytes { .. }
        | Error::TokenBytes { .. }
        | Error::Utf8 { .. }
        | Error::Weight { .. }
        | Error::WeightCount { .. }
        | Error::WeightSum { .. }
        | Error::Row { .. } => "InvalidTermError",
        Error::Full { .. } | Error::DistinctTokens => "CapacityError",
        Error::Io { .. } => "FileAccessError",
        Error::NotAnIndex => "NotAnIndexError",
        Error::Version { .. } => "IndexVersionError",
        Error::Damaged { .. } => "DamagedIndexError",
        Error::Block => "TermnestError",
    }
}

/// An error of a class of `termnest.errors`.
pub(crate) fn raise(class: &'static str, message: String) -> PyErr {
    raise_with(class, (message,))
}

fn raise_with<A>(class: &'static str, arguments: A) -> PyErr
where
    A: for<'py> pyo3::call::PyCallArgs<'py>,
{
    Python::attach(|py| {
        let error = py
            .import("termnest.errors")
            .and_then(|errors| errors.getattr(class)?.getattr("_make")?.call1(arguments));
        match error {
            Ok(error) => PyErr::from_value(error),
            Err(error) => error,
        }
    })
}

pub(crate) fn arrow_error(error: ArrowError) -> PyErr {
    raise("DamagedIndexError", format!("the index is damaged (a term is no text: {error})"))
}

/// The text of a Python str; one that holds half a character is refused.
fn text<'a>(string: &'a Bound<PyString>) -> PyResult<&'a str> {
    string.to_str().map_err(|_| {
        raise(
            "InvalidTextError",
            "the text holds a lone surrogate (half of a UTF-16 pair), which is \
                                   no character: decode it properly, or remove it"
                .into(),
        )
    })
}

/// A Python function as normaliser. Its answers are kept, so that it is called once for each distinct
/// token of many queries.
struct Callable {
    function: Py<PyAny>,
    answers: Mutex<HashMap<String, String>>,
}

/// The answers that a [`Callable`] keeps before it forgets them all.
const MAX_ANSWERS: usize = 1 << 16;

impl Normalize for Callable {
    fn normalize(&self, token: &str) -> crate::Result<String> {
        // Where the lock is held, the function is asked: in a forked process it may be held for ever.
        if let Ok(answers) = self.answers.try_lock()
            && let Some(answer) = answers.get(token)
        {
            return Ok(answer.clone());
        }
        // Not under the lock: the function may take long, or ask the index itself.
        let answer = Python::attach(|py| -> PyResult<String> {
            let answer = self.function.bind(py).call1((token,))?;
            match answer.cast::<PyString>() {
                Ok(answer) => Ok(text(answer)?.to_owned()),
                Err(_) => Err(raise(
                    "TermTypeError",
                    format!("normalize({token:?}) gave {}, and it must give a str", answer.repr()?),
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

fn normalizer(function: Option<Bound<PyAny>>) -> PyResult<Option<Arc<dyn Normalize>>> {
    let Some(function) = function else { return Ok(None) };
    if !function.is_callable() {
        let found = function.repr()?;
        let message = format!("normalize must be a function from str to str, not {found}");
        return Err(raise("TermTypeError", message));
    }
    Ok(Some(Arc::new(Callable { function: function.unbind(), answers: Mutex::default() })))
}

/// Strings from Python: any Arrow column, or any iterable of str.
pub(crate) fn entries(strings: &Bound<PyAny>, what: &str) -> PyResult<Box<dyn Entries + Send>> {
    if let Ok(string) = strings.cast::<PyString>() {
        let message = format!(
            "{what} must be a list of str, not one str ({}); TermIndex.from_file reads a file",
            string.repr()?
        );
        return Err(raise("TermTypeError", message));
    }
    if let Some(column) = import_column(strings)? {
        let column = column.and_then(StringColumn::new);
        let column =
            column.map_err(|problem| raise("TermTypeError", format!("{what}: {problem}")))?;
        return Ok(Box::new(column));
    }
    Ok(Box::new(list(strings, what)?))
}

/// Strings from any iterable of str.
fn list(strings: &Bound<PyAny>, what: &str) -> PyResult<List> {
    let items = strings.try_iter().map_err(|_| {
        let found = strings.repr().map_or_else(|_| "?".into(), |found| found.to_string());
        raise(
            "TermTypeError",
            format!("{what} must be an iterable of str or an Arrow column, not {found}"),
        )
    })?;
    let mut list = List::default();
    for (i, item) in items.enumerate() {
        let item = item?;
        let Ok(string) = item.cast::<PyString>() else {
            let message = format!("entry {i} of {what} is {}, and it must be a str", item.repr()?);
            return Err(raise("TermTypeError", message));
        };
        let string = text(string).map_err(|_| {
            let message = format!(
                "entry {i} of {what} holds a lone surrogate (half of a UTF-16 pair), which is no \
                 character: decode it properly, or remove it"
            );
            raise("InvalidTextError", message)
        })?;
        list.push(string);
        if i % 65_536 == 0 {
            strings.py().check_signals()?;
        }
    }
    Ok(list)
}

pub(crate) fn numbers(weights: &Bound<PyAny>) -> PyResult<Vec<f64>> {
    let problem = |problem: String| raise("InvalidTermError", format!("weights: {problem}"));
    if let Some(column) = import_column(weights)? {
        return column.and_then(|chunks| number_column(&chunks)).map_err(problem);
    }
    let items = weights.try_iter().map_err(|_| {
        let found = weights.repr().map_or_else(|_| "?".into(), |found| found.to_string());
        raise("TermTypeError", format!("weights must be an iterable of numbers, not {found}"))
    })?;
    let mut numbers = Vec::new();
    for (i, item) in items.enumerate() {
        let item = item?;
        // As a rule counts, which need no float object in between.
        if let Ok(count) = item.cast_exact::<PyInt>()
            && let Ok(count) = count.extract::<i64>()
        {
            numbers.push(count as f64);
            continue;
        }
        numbers.push(item.extract::<f64>().or_else(|_| {
            Err(problem(format!("entry {i} (counted from 0) is {}, not a number", item.repr()?)))
        })?);
    }
    Ok(numbers)
}

/// A vocabulary of fewer bytes is indexed before anybody could press Ctrl-C: in some ten milliseconds.
const SOON_DONE: usize = 1 << 20;

/// Does long work on a thread of its own, while this one lets Python run, tells the progress and
/// watches for Ctrl-C.
fn interruptible<T: Send>(
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
                        let to_python = |error| name_file(error, file);
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

fn one_of<T: Copy>(
    name: &'static str,
    value: &str,
    choices: &[(&str, T)],
    expected: &'static str,
) -> PyResult<T> {
    match choices.iter().find(|(choice, _)| *choice == value) {
        Some((_, choice)) => Ok(*choice),
        None => Err(to_python(Error::Option { name, value: format!("{value:?}"), expected })),
    }
}

fn place(place: &str) -> PyResult<Where> {
    let choices = [
        ("anywhere", Where::Anywhere),
        ("start", Where::Start),
        ("end", Where::End),
        ("inside", Where::Inside),
    ];
    one_of("where", place, &choices, "it must be \"anywhere\", \"start\", \"end\" or \"inside\"")
}

/// A Python int, however large.
#[derive(Clone, Copy)]
struct Int(i64);

impl<'py> FromPyObject<'_, 'py> for Int {
    type Error = PyErr;

    fn extract(object: pyo3::Borrowed<'_, 'py, PyAny>) -> PyResult<Int> {
        match object.extract::<i64>() {
            Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => {
                Ok(Int(if object.lt(0)? { i64::MIN } else { i64::MAX }))
            }
            number => number.map(Int),
        }
    }
}

/// A number of things, which may not be negative.
fn count(name: &'static str, number: Option<Int>) -> PyResult<Option<usize>> {
    match number {
        None => Ok(None),
        Some(Int(number)) => match usize::try_from(number) {
            Ok(number) => Ok(Some(number)),
            Err(_) => {
                let (value, expected) = (number.to_string(), "it must be 0 or more");
                Err(to_python(Error::Option { name, value, expected }))
            }
        },
    }
}

fn super_options(
    r#where: &str,
    direct: bool,
    max_extra: Option<Int>,
    limit: Option<Int>,
    offset: Int,
) -> PyResult<SuperOptions> {
    Ok(SuperOptions {
        place: place(r#where)?,
        direct,
        max_extra: count("max_extra", max_extra)?,
        limit: count("limit", limit)?,
        offset: count("offset", Some(offset))?.unwrap_or(0),
    })
}

fn nested_options(
    r#where: &str,
    direct: bool,
    limit: Option<Int>,
    offset: Int,
) -> PyResult<NestedOptions> {
    let SuperOptions { place, direct, limit, offset, .. } =
        super_options(r#where, direct, None, limit, offset)?;
    Ok(NestedOptions { place, direct, limit, offset })
}

fn overlaps(overlaps: &str) -> PyResult<Overlaps> {
    let choices =
        [("all", Overlaps::All), ("longest", Overlaps::Longest), ("leftmost", Overlaps::Leftmost)];
    let expected = "it must be \"all\", \"longest\" or \"leftmost\"";
    one_of("overlaps", overlaps, &choices, expected)
}

fn side(side: &str) -> PyResult<Side> {
    let choices = [("left", Side::Left), ("right", Side::Right)];
    one_of("side", side, &choices, "it must be \"left\" or \"right\"")
}

/// A question of those who want JSON.
fn question(
    ask: &str,
    r#where: &str,
    direct: bool,
    max_extra: Option<Int>,
    min_length: Option<Int>,
    max_length: Option<Int>,
    sort: &str,
) -> PyResult<Question> {
    let asks = [("super", Ask::Super), ("nested", Ask::Nested)];
    let sorts = [
        ("weight", Sort::Weight),
        ("left", Sort::Left),
        ("right", Sort::Right),
        ("length", Sort::Length),
    ];
    let expected = "it must be \"weight\", \"left\", \"right\" or \"length\"";
    Ok(Question {
        ask: one_of("ask", ask, &asks, "it must be \"super\" or \"nested\"")?,
        place: place(r#where)?,
        direct,
        max_extra: count("max_extra", max_extra)?,
        min_length: count("min_length", min_length)?,
        max_length: count("max_length", max_length)?,
        sort: one_of("sort", sort, &sorts, expected)?,
    })
}

/// An answer that looks at more than this many suffixes or tokens is made with the GIL released.
const LONG: usize = 1 << 10;

fn decoding(errors: &str) -> PyResult<Decoding> {
    let choices = [("strict", Decoding::Strict), ("replace", Decoding::Replace)];
    one_of("errors", errors, &choices, "it must be \"strict\" or \"replace\"")
}

fn format(format: Option<&str>) -> PyResult<Option<Format>> {
    let choices = [
        ("text", Format::Text),
        ("tsv", Format::Tsv),
        ("csv", Format::Csv),
        ("jsonl", Format::JsonLines),
    ];
    let expected = "it must be \"text\", \"tsv\", \"csv\", \"jsonl\" or \"parquet\"";
    format.map(|format| one_of("format", format, &choices, expected)).transpose()
}

fn column(column: Option<Bound<PyAny>>, name: &'static str) -> PyResult<Option<Column>> {
    let Some(column) = column else { return Ok(None) };
    if let Ok(name) = column.extract::<String>() {
        return Ok(Some(Column::Name(name)));
    }
    match column.extract::<usize>() {
        Ok(number) => Ok(Some(Column::Number(number))),
        Err(_) => Err(to_python(Error::Option {
            name,
            value: column.repr()?.to_string(),
            expected: "it must be the name of a column or its number from 0",
        })),
    }
}

/// How terms become tokens, as Python says it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Analysis<'py> {
    tokenizer: String,
    separator: Option<Bound<'py, PyString>>,
    lowercase: bool,
    strip_accents: bool,
    normalize: Option<Bound<'py, PyAny>>,
    threads: Option<i64>,
}

impl Analysis<'_> {
    pub(crate) fn build(self) -> PyResult<Build> {
        let choices = [
            ("whitespace", Tokenizer::Whitespace),
            ("words", Tokenizer::Words),
            ("chars", Tokenizer::Chars),
        ];
        let expected = "it must be \"whitespace\", \"words\" or \"chars\"";
        let options = Options {
            tokenizer: one_of("tokenizer", &self.tokenizer, &choices, expected)?,
            separator: self.separator.as_ref().map(text).transpose()?.map(Into::into),
            lowercase: self.lowercase,
            strip_accents: self.strip_accents,
        };
        options.validate().map_err(to_python)?;
        if let Some(threads) = self.threads.filter(|&threads| threads < 1) {
            let expected = "it must be 1 or more, or None for one for each core";
            let value = threads.to_string();
            return Err(to_python(Error::Option { name: "threads", value, expected }));
        }
        Ok(Build {
            options,
            normalizer: normalizer(self.normalize)?,
            threads: self.threads.map(|threads| threads as usize),
            ..Build::default()
        })
    }
}

/// The index. `termnest.TermIndex` is its documented face.
#[pyclass(frozen, module = "termnest._core", name = "Index")]
struct PyIndex {
    index: Arc<Index>,
}

impl PyIndex {
    fn new(index: Index) -> PyIndex {
        PyIndex { index: Arc::new(index) }
    }
}

/// The surfaces of terms as a list of str.
#[inline]
fn surfaces<'py>(py: Python<'py>, index: &Index, found: &[Found]) -> PyResult<Bound<'py, PyList>> {
    if found.is_empty() {
        return Ok(PyList::empty(py));
    }
    let mut strings: SmallVec<[_; 8]> = SmallVec::new();
    let mut failed = None;
    let mut text = Vec::with_capacity(64);
    let each = |text: &mut Vec<u8>| {
        match python_string(py, text) {
            Ok(string) => strings.push(string),
            Err(error) => failed = Some(error),
        }
        text.clear();
    };
    let keys = found.iter().map(|found| found.key());
    index.each_surface(keys, &mut text, each).map_err(to_python)?;
    match failed {
        None => PyList::new(py, strings),
        Some(error) => Err(error),
    }
}

/// The surfaces of terms that consist of words of a query, of which `forms` are all.
#[inline]
fn surfaces_in<'py>(
    py: Python<'py>,
    index: &Index,
    forms: &Forms,
    found: &[Found],
) -> PyResult<Bound<'py, PyList>> {
    let mut text = Vec::new();
    let strings = found.iter().map(|found| {
        text.clear();
        found.push_words(forms, index.options().joiner(), &mut text);
        python_string(py, &text)
    });
    PyList::new(py, strings.collect::<PyResult<Vec<_>>>()?)
}

/// The base of `termnest.TermIndex`: the questions that are asked one at a time, without a Python frame
/// around them.
#[pyclass(frozen, subclass, module = "termnest._core", name = "Questions")]
struct Questions {
    index: OnceLock<Arc<Index>>,
}

impl Questions {
    #[inline]
    fn index(&self) -> PyResult<&Index> {
        let missing =
            || PyRuntimeError::new_err("the index was not built: call TermIndex.__init__");
        self.index.get().map(AsRef::as_ref).ok_or_else(missing)
    }
}

#[pymethods]
impl Questions {
    #[new]
    #[pyo3(signature = (*_arguments, **_options))]
    fn new(_arguments: &Bound<PyTuple>, _options: Option<&Bound<PyDict>>) -> Questions {
        Questions { index: OnceLock::new() }
    }

    /// Says which index to ask.
    fn _ask(&self, index: &PyIndex) -> PyResult<()> {
        let twice = |_| PyRuntimeError::new_err("an index is built once: make a new TermIndex");
        self.index.set(index.index.clone()).map_err(twice)
    }

    /// The terms that contain a phrase: heaviest first, then by id.
    ///
    /// The phrase need not be a term. A term does not contain itself, nor its variants.
    ///
    /// >>> index = TermIndex(["york", "new york", "new york city", "york minster"])
    /// >>> index.super_terms("york")
    /// ['new york', 'new york city', 'york minster']
    /// >>> index.super_terms("york", where="end")
    /// ['new york']
    /// >>> index.super_terms("york", direct=True)
    /// ['new york', 'york minster']
    ///
    /// Time and memory grow with the number of terms that contain the phrase, also where `limit`
    /// keeps few of them: which are the heaviest shows only when all were seen.
    ///
    /// Args:
    ///     term: The phrase.
    ///     where: Where in the answers the phrase must stand: `"start"`, `"end"`, or `"inside"`,
    ///         which touches neither end. Where it stands more than once, one place that fits is
    ///         enough.
    ///     direct: Only those with no other term in between, under the same `where`.
    ///     max_extra: Only those with at most so many tokens more than the phrase.
    ///     limit: At most so many.
    ///     offset: Without the first so many.
    #[pyo3(
        signature = (term, *, r#where = "anywhere", direct = false, max_extra = None, limit = None, offset = Int(0)),
        text_signature = "($self, term, *, where='anywhere', direct=False, max_extra=None, limit=None, offset=0)"
    )]
    fn super_terms<'py>(
        &self,
        py: Python<'py>,
        term: &Bound<PyString>,
        r#where: &str,
        direct: bool,
        max_extra: Option<Int>,
        limit: Option<Int>,
        offset: Int,
    ) -> PyResult<Bound<'py, PyList>> {
        let options = super_options(r#where, direct, max_extra, limit, offset)?;
        let index = self.index()?;
        let key = index.query(text(term)?).map_err(to_python)?;
        let found = index.super_found(&key, &options).map_err(to_python)?;
        surfaces(py, index, &found)
    }

    /// The terms that a phrase contains: heaviest first, then by id.
    ///
    /// >>> index = TermIndex(["york", "new york", "city", "new york city"])
    /// >>> index.nested_terms("new york city hall")
    /// ['york', 'new york', 'city', 'new york city']
    /// >>> index.nested_terms("new york city hall", direct=True)
    /// ['new york city']
    ///
    /// Args:
    ///     term: The phrase, of any length.
    ///     where: Where in the phrase the answers must stand: `"start"`, `"end"`, or `"inside"`.
    ///     direct: Only those with no other term in between, under the same `where`.
    ///     limit: At most so many.
    ///     offset: Without the first so many.
    #[pyo3(
        signature = (term, *, r#where = "anywhere", direct = false, limit = None, offset = Int(0)),
        text_signature = "($self, term, *, where='anywhere', direct=False, limit=None, offset=0)"
    )]
    fn nested_terms<'py>(
        &self,
        py: Python<'py>,
        term: &Bound<PyString>,
        r#where: &str,
        direct: bool,
        limit: Option<Int>,
        offset: Int,
    ) -> PyResult<Bound<'py, PyList>> {
        let options = nested_options(r#where, direct, limit, offset)?;
        let index = self.index()?;
        let mut forms = Forms::new();
        let key =
            index.key_of(text(term)?, index.arrays.meta.spaces, &mut forms).map_err(to_python)?;
        let found = index.nested_found(&key, &options).map_err(to_python)?;
        match index.options().surface_is_key(index.normalized()) {
            true => surfaces_in(py, index, &forms, &found),
            false => surfaces(py, index, &found),
        }
    }

    /// The number of terms that `super_terms` gives, without making them.
    ///
    /// >>> TermIndex(["llc", "google llc", "llc llc"]).count_super_terms("llc")
    /// 2
    #[pyo3(
        signature = (term, *, r#where = "anywhere", direct = false, max_extra = None, limit = None, offset = Int(0)),
        text_signature = "($self, term, *, where='anywhere', direct=False, max_extra=None, limit=None, offset=0)"
    )]
    fn count_super_terms(
        &self,
        term: &Bound<PyString>,
        r#where: &str,
        direct: bool,
        max_extra: Option<Int>,
        limit: Option<Int>,
        offset: Int,
    ) -> PyResult<usize> {
        let options = super_options(r#where, direct, max_extra, limit, offset)?;
        self.index()?.count_super_terms(text(term)?, &options).map_err(to_python)
    }

    /// The number of terms that `nested_terms` gives, without making them.
    #[pyo3(
        signature = (term, *, r#where = "anywhere", direct = false, limit = None, offset = Int(0)),
        text_signature = "($self, term, *, where='anywhere', direct=False, limit=None, offset=0)"
    )]
    fn count_nested_terms(
        &self,
        term: &Bound<PyString>,
        r#where: &str,
        direct: bool,
        limit: Option<Int>,
        offset: Int,
    ) -> PyResult<usize> {
        let options = nested_options(r#where, direct, limit, offset)?;
        self.index()?.count_nested_terms(text(term)?, &options).map_err(to_python)
    }
}

#[inline]
fn python_string<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    // Python checks that the text is UTF-8, which a damaged file need not be.
    PyString::from_bytes(py, bytes)
        .map_err(|_| to_python(Error::damaged("tokens", "a text is not UTF-8")))
}

#[pymethods]
impl PyIndex {
    #[staticmethod]
    fn build(
        py: Python,
        terms: &Bound<PyAny>,
        weights: Option<&Bound<PyAny>>,
        analysis: Analysis,
    ) -> PyResult<PyIndex> {
        let build = analysis.build()?;
        let entries = entries(terms, "terms")?;
        let weights = weights.map(numbers).transpose()?;
        let work = || build.index(entries.as_ref(), weights.as_deref());
        if entries.size() < SOON_DONE && build.normalizer.is_none() {
            return py.detach(work).map(PyIndex::new).map_err(to_python);
        }
        interruptible(py, &build.progress, None, None, work).map(PyIndex::new)
    }

    #[staticmethod]
    fn from_file(
        py: Python,
        path: Option<PathBuf>,
        content: Option<Vec<u8>>,
        analysis: Analysis,
        format: Option<&str>,
        column: Option<Bound<PyAny>>,
        weight_column: Option<Bound<PyAny>>,
        errors: &str,
        progress: Option<&Bound<PyAny>>,
    ) -> PyResult<PyIndex> {
        let build = analysis.build()?;
        let options = ReadOptions {
            format: self::format(format)?,
            column: self::column(column, "column")?,
            weight_column: self::column(weight_column, "weight_column")?,
            decoding: decoding(errors)?,
        };
        let name = path.clone();
        let work = || {
            let vocabulary = match (path, content) {
                (Some(path), _) => Vocabulary::open(&path, &options)?,
                (None, content) => Vocabulary::parse(content.unwrap_or_default(), &options)?,
            };
            build.index(vocabulary.entries.as_ref(), vocabulary.weights.as_deref())
        };
        interruptible(py, &build.progress, progress, name.as_deref(), work).map(PyIndex::new)
    }

    #[staticmethod]
    fn open(
        py: Python,
        path: PathBuf,
        mmap: bool,
        normalize: Option<Bound<PyAny>>,
    ) -> PyResult<PyIndex> {
        let normalizer = normalizer(normalize)?;
        let opened = py.detach(|| Index::open(&path, !mmap, normalizer));
        opened.map(PyIndex::new).map_err(|error| name_file(error, Some(&path)))
    }

    #[staticmethod]
    fn from_bytes(
        py: Python,
        content: &[u8],
        normalize: Option<Bound<PyAny>>,
    ) -> PyResult<PyIndex> {
        let normalizer = normalizer(normalize)?;
        let opened = py.detach(|| Index::from_bytes(content, normalizer));
        opened.map(PyIndex::new).map_err(to_python)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut content = Vec::new();
        py.detach(|| self.index.write(&mut content))?;
        Ok(PyBytes::new(py, &content))
    }

    fn save(&self, py: Python, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.index.save(&path)).map_err(to_python)
    }

    fn check(&self, py: Python) -> PyResult<()> {
        py.detach(|| self.index.check(None)).map_err(to_python)
    }

    #[getter]
    fn checksum(&self) -> Option<u32> {
        self.index.checksum()
    }

    #[getter]
    fn fingerprint(&self) -> u32 {
        self.index.fingerprint()
    }

    fn check_bytes(&self, py: Python) -> PyResult<()> {
        py.detach(|| self.index.check_bytes()).map_err(to_python)
    }

    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let options = self.index.options();
        let tokenizer = match options.tokenizer {
            Tokenizer::Whitespace => "whitespace",
            Tokenizer::Words => "words",
            Tokenizer::Chars => "chars",
        };
        (
            tokenizer,
            &options.separator,
            options.lowercase,
            options.strip_accents,
            self.index.normalized(),
        )
            .into_pyobject(py)
    }

    #[getter]
    fn weighted(&self) -> bool {
        self.index.weighted()
    }

    #[allow(clippy::type_complexity, reason = "the fields of termnest.Stats, in order")]
    fn stats(
        &self,
        py: Python,
        pairs: bool,
    ) -> PyResult<(u64, u64, u64, u64, u64, u64, u64, u64, Option<u64>)> {
        let stats = self.index.stats();
        let pairs = match pairs {
            false => None,
            true => Some(
                py.detach(|| self.index.count_pairs(threads_or_all(None))).map_err(to_python)?,
            ),
        };
        Ok((
            stats.terms,
            stats.tokens,
            stats.distinct_tokens,
            stats.skipped,
            stats.duplicates,
            stats.longest,
            stats.memory_bytes,
            stats.file_bytes,
            pairs,
        ))
    }

    fn __len__(&self) -> usize {
        self.index.len()
    }

    fn term<'py>(&self, py: Python<'py>, id: u32) -> PyResult<Bound<'py, PyString>> {
        let mut bytes = Vec::new();
        self.index.push_surface(TermId(id), &mut bytes).map_err(to_python)?;
        python_string(py, &bytes)
    }

    fn id(&self, term: &Bound<PyString>) -> PyResult<Option<u32>> {
        Ok(self.index.id(text(term)?).map_err(to_python)?.map(|id| id.0))
    }

    /// The first term that is matched like a phrase.
    fn id_alike(&self, phrase: &Bound<PyString>) -> PyResult<Option<u32>> {
        Ok(self.index.term_alike(text(phrase)?).map_err(to_python)?.map(|id| id.0))
    }

    fn ids(&self, py: Python, terms: &Bound<PyAny>) -> PyResult<Vec<Option<u32>>> {
        let entries = entries(terms, "terms")?;
        py.detach(|| {
            let mut ids = Vec::new();
            for part in entries.cut(1) {
                entries.visit(part, &mut |term| {
                    ids.push(self.index.id(term)?.map(|id| id.0));
                    Ok(())
                })?;
            }
            Ok(ids)
        })
        .map_err(to_python)
    }

    fn weight(&self, id: u32) -> PyResult<f64> {
        self.index.weight(TermId(id)).map_err(to_python)
    }

    #[pyo3(signature = (terms, r#where, direct, max_extra, limit, offset))]
    fn super_terms_batch(
        &self,
        py: Python,
        terms: &Bound<PyAny>,
        r#where: &str,
        direct: bool,
        max_extra: Option<Int>,
        limit: Option<Int>,
        offset: Int,
    ) -> PyResult<PyTable> {
        let options = super_options(r#where, direct, max_extra, limit, offset)?;
        let entries = entries(terms, "terms")?;
        py.detach(|| {
            let threads = threads_or_all(None);
            let rows = self.index.super_terms_batch(entries.as_ref(), &options, threads);
            PyTable::of_rows(rows.map_err(to_python)?)
        })
    }

    #[pyo3(signature = (terms, r#where, direct, limit, offset))]
    fn nested_terms_batch(
        &self,
        py: Python,
        terms: &Bound<PyAny>,
        r#where: &str,
        direct: bool,
        limit: Option<Int>,
        offset: Int,
    ) -> PyResult<PyTable> {
        let options = nested_options(r#where, direct, limit, offset)?;
        let entries = entries(terms, "terms")?;
        py.detach(|| {
            let threads = threads_or_all(None);
            let rows = self.index.nested_terms_batch(entries.as_ref(), &options, threads);
            PyTable::of_rows(rows.map_err(to_python)?)
        })
    }

    fn find(&self, py: Python, text: &Bound<PyString>, overlaps: &str) -> PyResult<PyMatches> {
        let overlaps = self::overlaps(overlaps)?;
        let searched = self::text(text)?;
        let found = py.detach(|| self.index.matches(searched, overlaps)).map_err(to_python)?;
        Ok(PyMatches {
            index: self.index.clone(),
            text: text.clone().unbind(),
            id: found.id.into(),
            start: found.start.into(),
            end: found.end.into(),
        })
    }

    fn complete<'py>(
        &self,
        py: Python<'py>,
        prefix: &Bound<PyString>,
        limit: Option<Int>,
    ) -> PyResult<Bound<'py, PyList>> {
        let limit = count("limit", limit)?;
        let found = self.index.complete_found(text(prefix)?, limit).map_err(to_python)?;
        surfaces(py, &self.index, &found)
    }

    /// The words beside a phrase, as a table.
    fn expansions(&self, py: Python, term: &Bound<PyString>, side: &str) -> PyResult<PyTable> {
        let side = self::side(side)?;
        let phrase = text(term)?;
        py.detach(|| {
            let found = self.index.expansions(phrase, side).map_err(to_python)?;
            let words = LargeStringArray::from_iter_values(found.iter().map(|one| &one.word));
            let terms = UInt64Array::from_iter_values(found.iter().map(|one| one.terms));
            let weights = Float64Array::from_iter_values(found.iter().map(|one| one.weight));
            let columns: [(&str, ArrayRef); 3] = [
                ("word", Arc::new(words)),
                ("terms", Arc::new(terms)),
                ("weight", Arc::new(weights)),
            ];
            Ok(PyTable { table: RecordBatch::try_from_iter(columns).map_err(arrow_error)? })
        })
    }

    /// The figures of every term, as a table; with `terms`, the surfaces as well.
    fn scores(&self, py: Python, terms: bool) -> PyResult<PyTable> {
        py.detach(|| {
            let scores = self.index.scores(None).map_err(to_python)?;
            let ids: Vec<u32> = (0..self.index.len() as u32).collect();
            let mut columns: Vec<(&str, ArrayRef)> = Vec::new();
            if terms {
                columns.push(("term", term_column(&self.index, &ids)?));
            }
            let counts = |counts: Vec<u32>| Arc::new(UInt32Array::from(counts)) as ArrayRef;
            let figures = |figures: Vec<f64>| Arc::new(Float64Array::from(figures)) as ArrayRef;
            columns.extend([
                ("id", counts(ids)),
                ("length", counts(scores.length)),
                ("frequency", figures(scores.frequency)),
                ("super_count", counts(scores.super_count)),
                ("super_frequency", figures(scores.super_frequency)),
                ("nested_count", counts(scores.nested_count)),
                ("independent", figures(scores.independent)),
                ("c_value", figures(scores.c_value)),
                ("c_value_plus_one", figures(scores.c_value_plus_one)),
                ("c_value_jate", figures(scores.c_value_jate)),
                ("basic", figures(scores.basic)),
                ("combo_basic", figures(scores.combo_basic)),
            ]);
            Ok(PyTable { table: RecordBatch::try_from_iter(columns).map_err(arrow_error)? })
        })
    }

    /// An index of the terms that have this weight at least, and no more words.
    fn filtered(&self, py: Python, min_weight: f64, max_words: Option<Int>) -> PyResult<PyIndex> {
        let max_words = count("max_words", max_words)?;
        let filtered = py.detach(|| self.index.filtered(min_weight, max_words));
        Ok(PyIndex::new(filtered.map_err(to_python)?))
    }

    /// The best terms by a score, as a table; `marked` has a byte for each term, not 0 if it is kept.
    fn ranking(
        &self,
        py: Python,
        score: &str,
        keep: &str,
        marked: Option<Vec<u8>>,
        top: Option<Int>,
    ) -> PyResult<PyTable> {
        let score = one_of(
            "score",
            score,
            &SCORES,
            "it must be \"c-value\", \"c-value-plus-one\", \"c-value-jate\", \"basic\", \
             \"combo-basic\", \"independent\" or \"frequency\"",
        )?;
        let marked = marked.map(|marked| marked.iter().map(|&mark| mark != 0).collect::<Vec<_>>());
        let maximal = marked.as_deref().map_or(Keep::Independent, Keep::These);
        let choices = [("all", Keep::All), ("maximal", maximal)];
        let keep = one_of("keep", keep, &choices, "it must be \"all\" or \"maximal\"")?;
        let top = count("top", top)?;
        py.detach(|| {
            let ranking = self.index.ranking(score, keep, top, None).map_err(to_python)?;
            let columns: [(&str, ArrayRef); 5] = [
                ("term", term_column(&self.index, &ranking.ids)?),
                ("frequency", Arc::new(Float64Array::from(ranking.frequency))),
                ("score", Arc::new(Float64Array::from(ranking.score))),
                ("super_count", Arc::new(UInt32Array::from(ranking.super_count))),
                ("nested_count", Arc::new(UInt32Array::from(ranking.nested_count))),
            ];
            Ok(PyTable { table: RecordBatch::try_from_iter(columns).map_err(arrow_error)? })
        })
    }

    /// The tree of terms and their heads, as a table; with `terms`, the surfaces as well.
    fn taxonomy(&self, py: Python, terms: bool) -> PyResult<PyTable> {
        py.detach(|| {
            let tree = self.index.taxonomy(threads_or_all(None)).map_err(to_python)?;
            let ids: Vec<u32> = (0..self.index.len() as u32).collect();
            let mut columns: Vec<(&str, ArrayRef, bool)> = Vec::new();
            if terms {
                columns.push(("term", term_column(&self.index, &ids)?, false));
            }
            let broader = tree.broader.iter().map(|head| head.map(|TermId(id)| id));
            let roots = tree.root.iter().map(|&TermId(id)| id);
            columns.extend([
                ("id", Arc::new(UInt32Array::from(ids)) as ArrayRef, false),
                ("broader", Arc::new(broader.collect::<UInt32Array>()), true),
                ("depth", Arc::new(UInt32Array::from(tree.depth)), false),
                ("root", Arc::new(UInt32Array::from_iter_values(roots)), false),
            ]);
            let table = RecordBatch::try_from_iter_with_nullable(columns).map_err(arrow_error)?;
            Ok(PyTable { table })
        })
    }

    /// A page of answers as JSON; None if that takes long and `patient` is false.
    fn answer_json<'py>(
        &self,
        py: Python<'py>,
        term: &Bound<PyString>,
        ask: &str,
        r#where: &str,
        direct: bool,
        max_extra: Option<Int>,
        min_length: Option<Int>,
        max_length: Option<Int>,
        sort: &str,
        limit: Int,
        cursor: Option<&str>,
        patient: bool,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let question =
            self::question(ask, r#where, direct, max_extra, min_length, max_length, sort)?;
        let limit = count("limit", Some(limit))?.unwrap_or(0);
        let phrase = text(term)?;
        let answer = || self.index.answer_json(phrase, &question, limit, cursor);
        let json = match self.index.effort(phrase, &question).map_err(to_python)? > LONG {
            true if !patient => return Ok(None),
            true => py.detach(answer),
            false => answer(),
        };
        Ok(Some(PyBytes::new(py, &json.map_err(to_python)?)))
    }

    /// The first answers about many phrases as JSON.
    fn batch_json<'py>(
        &self,
        py: Python<'py>,
        terms: &Bound<PyAny>,
        ask: &str,
        r#where: &str,
        direct: bool,
        max_extra: Option<Int>,
        min_length: Option<Int>,
        max_length: Option<Int>,
        sort: &str,
        limit: Int,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let question =
            self::question(ask, r#where, direct, max_extra, min_length, max_length, sort)?;
        let limit = count("limit", Some(limit))?.unwrap_or(0);
        let phrases = list(terms, "terms")?;
        let answer = || self.index.batch_json(&phrases, &question, limit, threads_or_all(None));
        Ok(PyBytes::new(py, &py.detach(answer).map_err(to_python)?))
    }

    /// What there is to say about a phrase, as JSON.
    fn term_json<'py>(
        &self,
        py: Python<'py>,
        term: &Bound<PyString>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let phrase = text(term)?;
        let json = py.detach(|| self.index.term_json(phrase)).map_err(to_python)?;
        Ok(PyBytes::new(py, &json))
    }

    fn complete_json<'py>(
        &self,
        py: Python<'py>,
        prefix: &Bound<PyString>,
        limit: Int,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let limit = count("limit", Some(limit))?.unwrap_or(0);
        let prefix = text(prefix)?;
        let json = py.detach(|| self.index.complete_json(prefix, limit)).map_err(to_python)?;
        Ok(PyBytes::new(py, &json))
    }

    fn expansions_json<'py>(
        &self,
        py: Python<'py>,
        term: &Bound<PyString>,
        side: &str,
        limit: Int,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let side = self::side(side)?;
        let limit = count("limit", Some(limit))?.unwrap_or(0);
        let phrase = text(term)?;
        let json =
            py.detach(|| self.index.expansions_json(phrase, side, limit)).map_err(to_python)?;
        Ok(PyBytes::new(py, &json))
    }

    /// A page of the terms that stand in a text, as JSON.
    fn find_json<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<PyString>,
        overlaps: &str,
        limit: Int,
        cursor: Option<&str>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let overlaps = self::overlaps(overlaps)?;
        let limit = count("limit", Some(limit))?.unwrap_or(0);
        let searched = self::text(text)?;
        let answer = || self.index.find_json(searched, overlaps, limit, cursor);
        Ok(PyBytes::new(py, &py.detach(answer).map_err(to_python)?))
    }

    /// With `terms`, the surfaces as well.
    fn pairs(&self, py: Python, direct: bool, terms: bool) -> PyResult<PyTable> {
        let table = py.detach(|| -> PyResult<RecordBatch> {
            let pairs = self.index.pairs(direct, threads_or_all(None)).map_err(to_python)?;
            let mut columns: Vec<(&str, ArrayRef)> = Vec::new();
            if terms {
                columns.push(("nested_term", term_column(&self.index, &pairs.nested)?));
                columns.push(("super_term", term_column(&self.index, &pairs.supers)?));
            }
            let Pairs { nested, supers, starts } = pairs;
            columns.push(("nested", Arc::new(UInt32Array::from(nested))));
            columns.push(("super", Arc::new(UInt32Array::from(supers))));
            columns.push(("start", Arc::new(UInt32Array::from(starts))));
            RecordBatch::try_from_iter(columns).map_err(arrow_error)
        })?;
        Ok(PyTable { table })
    }
}

/// The scores by the names that users give them.
const SCORES: [(&str, Score); 7] = [
    ("c-value", Score::CValue),
    ("c-value-plus-one", Score::CValuePlusOne),
    ("c-value-jate", Score::CValueJate),
    ("basic", Score::Basic),
    ("combo-basic", Score::ComboBasic),
    ("independent", Score::Independent),
    ("frequency", Score::Frequency),
];

/// Counts the candidates for terms in texts.
#[pyclass(frozen, module = "termnest._core", name = "CandidateCounter")]
struct PyCandidateCounter {
    /// None when it has finished.
    counter: Mutex<Option<CandidateCounter>>,
}

impl PyCandidateCounter {
    fn with<T: Send>(
        &self,
        py: Python,
        work: impl FnOnce(&mut CandidateCounter) -> crate::Result<T> + Send,
    ) -> PyResult<T> {
        py.detach(|| {
            let mut counter = self.counter.lock().unwrap_or_else(|error| error.into_inner());
            counter
                .as_mut()
                .ok_or_else(finished)
                .and_then(|counter| work(counter).map_err(to_python))
        })
    }
}

fn finished() -> PyErr {
    PyRuntimeError::new_err("the candidates were counted already")
}

#[pymethods]
impl PyCandidateCounter {
    #[new]
    fn new(
        max_words: Int,
        stop_words: Vec<String>,
        lowercase: bool,
        maximal: bool,
        max_nodes: Option<usize>,
    ) -> PyResult<PyCandidateCounter> {
        let defaults = CandidateOptions::default();
        let options = CandidateOptions {
            max_words: count("max_words", Some(max_words))?.unwrap_or_default(),
            stop_words: stop_words.into_iter().collect(),
            lowercase,
            maximal,
            max_nodes: max_nodes.unwrap_or(defaults.max_nodes),
        };
        let counter = CandidateCounter::new(options).map_err(to_python)?;
        Ok(PyCandidateCounter { counter: Mutex::new(Some(counter)) })
    }

    fn add(&self, py: Python, text: &Bound<PyString>) -> PyResult<()> {
        let text = self::text(text)?;
        self.with(py, |counter| counter.add(text))
    }

    fn add_phrase(&self, py: Python, phrase: &Bound<PyString>) -> PyResult<()> {
        let phrase = text(phrase)?;
        self.with(py, |counter| counter.add_phrase(phrase))
    }

    /// The index of the candidates that occur at least so often (of phrases, those that have no more
    /// words), a byte for each that tells if it is maximal, and the number of words seen.
    fn finish<'py>(
        &self,
        py: Python<'py>,
        min_frequency: Int,
        max_words: Option<Int>,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(PyIndex, Option<Bound<'py, PyBytes>>, u64)> {
        let least = count("min_frequency", Some(min_frequency))?.unwrap_or_default();
        let max_words = count("max_words", max_words)?;
        let counter = self.counter.lock().unwrap_or_else(|error| error.into_inner()).take();
        let counter = counter.ok_or_else(finished)?;
        let build = Build::default();
        let watched = build.progress.clone();
        let (index, maximal, words) = interruptible(py, &watched, progress.as_ref(), None, || {
            let candidates = counter.finish(least as u64, max_words, &build.progress)?;
            let index = build.index(&candidates.terms, Some(&candidates.counts))?;
            Ok((index, candidates.maximal, candidates.words))
        })?;
        let maximal = maximal
            .map(|marks| PyBytes::new(py, &marks.into_iter().map(u8::from).collect::<Vec<u8>>()));
        Ok((PyIndex::new(index), maximal, words))
    }
}

/// The surfaces of terms as a column.
fn term_column(index: &Index, ids: &[u32]) -> PyResult<ArrayRef> {
    let parts = cut_evenly(ids.len(), ids.len().div_ceil(1 << 16));
    let parts = run(threads_or_all(None), parts, |part| {
        let mut texts = Texts::default();
        let key = |&id: &u32| index.key_place(TermId(id));
        let keys = ids[part].iter().map(key).collect::<crate::Result<Vec<_>>>()?.into_iter();
        let Texts { text, end } = &mut texts;
        index.each_surface(keys, text, |text| end.push(text.len() as i64))?;
        Ok(texts)
    });
    let texts = parts.and_then(|parts| Texts::concat(&parts, threads_or_all(None)));
    text_column(texts.map_err(to_python)?).map_err(arrow_error)
}

/// What went wrong with a file, with its name in front where the core does not tell it.
fn name_file(error: Error, file: Option<&Path>) -> PyErr {
    match (error, file) {
        (error @ (Error::Io { .. } | Error::Normalize(_) | Error::Cancelled), _) => {
            to_python(error)
        }
        (error, None) => to_python(error),
        (error, Some(file)) => {
            let message = format!("{}: {error}", file.display());
            raise(class_of(&error), message)
        }
    }
}

/// The matches in a text; made into Python objects when looked at.
#[pyclass(frozen, module = "termnest._core", name = "Matches")]
struct PyMatches {
    index: Arc<Index>,
    text: Py<PyString>,
    id: UInt32Array,
    start: UInt64Array,
    end: UInt64Array,
}

#[pymethods]
impl PyMatches {
    fn __len__(&self) -> usize {
        self.id.len()
    }

    /// The term, its id, its start and its end.
    fn row<'py>(&self, py: Python<'py>, i: usize) -> PyResult<Bound<'py, PyTuple>> {
        if i >= self.id.len() {
            return Err(pyo3::exceptions::PyIndexError::new_err("there are not so many matches"));
        }
        let (id, start, end) = (self.id.value(i), self.start.value(i), self.end.value(i));
        let mut surface = Vec::new();
        self.index.push_surface(TermId(id), &mut surface).map_err(to_python)?;
        (python_string(py, &surface)?, id, start, end).into_pyobject(py)
    }

    fn table(&self, py: Python) -> PyResult<PyTable> {
        let text = text(self.text.bind(py))?;
        let (starts, ends) = (self.start.values(), self.end.values());
        let terms = py.detach(|| match self.index.arrays.surfaces {
            Some(_) => term_column(&self.index, self.id.values()),
            None => {
                let terms = self.index.surfaces_in(text, starts, ends).map_err(to_python)?;
                text_column(terms).map_err(arrow_error)
            }
        });
        let columns: [(&str, ArrayRef); 4] = [
            ("term", terms?),
            ("id", Arc::new(self.id.clone())),
            ("start", Arc::new(self.start.clone())),
            ("end", Arc::new(self.end.clone())),
        ];
        Ok(PyTable { table: RecordBatch::try_from_iter(columns).map_err(arrow_error)? })
    }
}

/// A table of answers. `termnest.Table` is its documented face.
#[pyclass(frozen, module = "termnest._core", name = "Table")]
pub(crate) struct PyTable {
    pub(crate) table: RecordBatch,
}

impl PyTable {
    fn of_rows(rows: Rows) -> PyResult<PyTable> {
        let columns: [(&str, ArrayRef); 6] = [
            ("query", Arc::new(UInt32Array::from(rows.query))),
            ("id", Arc::new(UInt32Array::from(rows.id))),
            ("term", text_column(rows.term).map_err(arrow_error)?),
            ("weight", Arc::new(Float64Array::from(rows.weight))),
            ("start", Arc::new(UInt32Array::from(rows.start))),
            ("length", Arc::new(UInt32Array::from(rows.length))),
        ];
        Ok(PyTable { table: RecordBatch::try_from_iter(columns).map_err(arrow_error)? })
    }

    /// The rows from `start` to `stop`, as far as there are any.
    fn slice(&self, start: usize, stop: usize) -> RecordBatch {
        let start = start.min(self.table.num_rows());
        let stop = stop.clamp(start, self.table.num_rows());
        self.table.slice(start, stop - start)
    }
}

#[pymethods]
impl PyTable {
    fn __len__(&self) -> usize {
        self.table.num_rows()
    }

    #[getter]
    fn columns(&self) -> Vec<String> {
        self.table.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The values of a column, from row `start` to row `stop`.
    fn values<'py>(
        &self,
        py: Python<'py>,
        column: &str,
        start: usize,
        stop: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let table = self.slice(start, stop);
        let Some(values) = table.column_by_name(column) else {
            return Err(pyo3::exceptions::PyKeyError::new_err(column.to_owned()));
        };
        match values.data_type() {
            DataType::Int32 => PyList::new(py, values.as_primitive::<Int32Type>().values().iter()),
            DataType::Int64 => PyList::new(py, values.as_primitive::<Int64Type>().values().iter()),
            // The only type that a column with gaps has.
            DataType::UInt32 => PyList::new(py, values.as_primitive::<UInt32Type>().iter()),
            DataType::UInt64 => {
                PyList::new(py, values.as_primitive::<UInt64Type>().values().iter())
            }
            DataType::Float64 => {
                PyList::new(py, values.as_primitive::<Float64Type>().values().iter())
            }
            _ => {
                let texts = values.as_string::<i64>();
                PyList::new(py, (0..texts.len()).map(|i| texts.value(i)))
            }
        }
    }

    /// The rows from `start` to `stop` as lines of the named columns, between tabs.
    fn lines<'py>(
        &self,
        py: Python<'py>,
        columns: Vec<String>,
        start: usize,
        stop: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let lines =
            py.detach(|| crate::python::lines::tab_separated(&self.slice(start, stop), &columns));
        Ok(PyBytes::new(py, &lines))
    }

    /// The rows from `start` to `stop` as lines of CSV.
    fn csv_lines<'py>(&self, py: Python<'py>, start: usize, stop: usize) -> Bound<'py, PyBytes> {
        let lines = py.detach(|| crate::python::lines::comma_separated(&self.slice(start, stop)));
        PyBytes::new(py, &lines)
    }

    /// The rows from `start` to `stop` as lines of JSON objects.
    fn json_lines<'py>(&self, py: Python<'py>, start: usize, stop: usize) -> Bound<'py, PyBytes> {
        let lines = py.detach(|| crate::python::lines::json(&self.slice(start, stop)));
        PyBytes::new(py, &lines)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface allows to pass over the schema that is asked for.
        let _ = requested_schema;
        export_stream(py, &self.table)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        export_schema(py, &self.table)
    }
}

/// Whether a file that begins with these bytes is an index.
#[pyfunction]
fn is_index(first_bytes: &[u8]) -> bool {
    Index::is_index(first_bytes)
}

#[pymodule]
fn _core(module: &Bound<PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("MAX_TERM_TOKENS", crate::MAX_TERM_TOKENS)?;
    module.add("MAX_TERM_BYTES", crate::MAX_TERM_BYTES)?;
    module.add("MAX_TOKENS", crate::MAX_TOKENS)?;
    module.add("MAX_WORDS", crate::MAX_WORDS)?;
    module.add("MAX_WORD_BYTES", crate::MAX_WORD_BYTES)?;
    module.add_class::<PyIndex>()?;
    module.add_class::<Questions>()?;
    module.add_class::<PyMatches>()?;
    module.add_class::<PyTable>()?;
    module.add_class::<PyCandidateCounter>()?;
    crate::python::join::add_to(module)?;
    module.add_function(wrap_pyfunction!(is_index, module)?)
}
