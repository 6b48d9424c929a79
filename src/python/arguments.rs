//! Arguments from Python. The error of a wrong one names it.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyIterator, PyString};

use super::arrow::{StringColumn, import_column, number_column};
use super::errors::{half_a_character, raise, refuse, to_python, wrong_type};
use super::normalize::normalizer;
use crate::query::WordOrder;
use crate::query::expand::Side;
use crate::{
    Build, Case, Column, Decoding, Entries, Format, Hyphens, Language, List, NestedOptions,
    Options, Overlaps, Sort, SuperOptions, Tokenizer, Variants, Where,
};

/// An argument that may be left out, which None does too.
pub(super) type Optional<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// The text of a str. A str with half a character in it is refused.
#[inline]
pub(crate) fn text<'a>(argument: &str, object: &'a Bound<PyAny>) -> PyResult<&'a str> {
    let string = object.cast::<PyString>().map_err(|_| wrong_type(argument, "a str", object))?;
    string.to_str().map_err(|_| half_a_character(argument))
}

/// True or False; False if it is left out.
pub(super) fn flag(argument: &str, object: Optional) -> PyResult<bool> {
    match object {
        None => Ok(false),
        // As bool or as numpy has it.
        Some(object) => {
            object.extract::<bool>().map_err(|_| wrong_type(argument, "True or False", object))
        }
    }
}

/// A function, if one is given.
pub(super) fn function<'a, 'py>(
    argument: &str,
    object: Optional<'a, 'py>,
) -> PyResult<Optional<'a, 'py>> {
    match object {
        Some(object) if !object.is_callable() => {
            Err(wrong_type(argument, "a function or None", object))
        }
        object => Ok(object),
    }
}

/// A number of things, however large, which may not be negative.
pub(super) fn count(argument: &'static str, object: Optional) -> PyResult<Option<usize>> {
    let Some(object) = object else { return Ok(None) };
    let number = match object.extract::<i64>() {
        Ok(number) => number,
        Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => {
            if object.lt(0)? {
                i64::MIN
            } else {
                i64::MAX
            }
        }
        Err(_) => return Err(wrong_type(argument, "an int", object)),
    };
    usize::try_from(number).map(Some).map_err(|_| {
        refuse("InvalidOptionError", argument, object.to_string(), "it must be 0 or more".into())
    })
}

/// The default of an argument, where that is needed.
pub(super) fn count_or(
    argument: &'static str,
    object: Optional,
    default: usize,
) -> PyResult<usize> {
    Ok(count(argument, object)?.unwrap_or(default))
}

/// One of several words; the default if it is left out.
pub(super) fn choice<T: Copy + Default>(
    argument: &str,
    object: Optional,
    choices: &[(&str, T)],
) -> PyResult<T> {
    object.map_or(Ok(T::default()), |object| choose(argument, text(argument, object)?, choices))
}

/// The choice that has this name.
pub(super) fn choose<T: Copy>(argument: &str, name: &str, choices: &[(&str, T)]) -> PyResult<T> {
    match choices.iter().find(|(choice, _)| *choice == name) {
        Some((_, choice)) => Ok(*choice),
        None => {
            let mut expected = String::from("it must be ");
            for (i, (choice, _)) in choices.iter().enumerate() {
                expected += match i {
                    0 => "",
                    _ if i + 1 == choices.len() => " or ",
                    _ => ", ",
                };
                expected += &format!("{choice:?}");
            }
            Err(refuse("InvalidOptionError", argument, format!("{name:?}"), expected))
        }
    }
}

/// The name of a choice.
pub(super) fn name_of<T: PartialEq>(choices: &[(&'static str, T)], chosen: T) -> &'static str {
    choices.iter().find(|(_, choice)| *choice == chosen).map_or("", |(name, _)| name)
}

const WHERE: [(&str, Where); 4] = [
    ("anywhere", Where::Anywhere),
    ("start", Where::Start),
    ("end", Where::End),
    ("inside", Where::Inside),
];
const SORT: [(&str, Sort); 4] = [
    ("weight", Sort::Weight),
    ("left", Sort::Left),
    ("right", Sort::Right),
    ("length", Sort::Length),
];
const OVERLAPS: [(&str, Overlaps); 3] =
    [("all", Overlaps::All), ("longest", Overlaps::Longest), ("leftmost", Overlaps::Leftmost)];
/// The tokenizers by their names.
pub(super) const TOKENIZERS: [(&str, Tokenizer); 4] = Tokenizer::NAMES;

/// The treatments of hyphens by their names.
pub(super) const HYPHENS: [(&str, Hyphens); 3] = Hyphens::NAMES;

/// The options of a question, as Python gives them.
pub(super) struct QuestionArguments<'a, 'py> {
    pub(super) place: Optional<'a, 'py>,
    pub(super) direct: Optional<'a, 'py>,
    pub(super) max_extra: Optional<'a, 'py>,
    pub(super) min_length: Optional<'a, 'py>,
    pub(super) max_length: Optional<'a, 'py>,
    pub(super) sort: Optional<'a, 'py>,
    pub(super) limit: Optional<'a, 'py>,
    pub(super) offset: Optional<'a, 'py>,
}

impl QuestionArguments<'_, '_> {
    #[inline]
    pub(super) fn for_super_terms(&self) -> PyResult<SuperOptions> {
        Ok(SuperOptions {
            place: choice("where", self.place, &WHERE)?,
            direct: flag("direct", self.direct)?,
            max_extra: count("max_extra", self.max_extra)?,
            min_length: count("min_length", self.min_length)?,
            max_length: count("max_length", self.max_length)?,
            sort: choice("sort", self.sort, &SORT)?,
            limit: count("limit", self.limit)?,
            offset: count_or("offset", self.offset, 0)?,
        })
    }

    #[inline]
    pub(super) fn for_nested_terms(&self) -> PyResult<NestedOptions> {
        let SuperOptions { place, direct, min_length, max_length, sort, limit, offset, .. } =
            self.for_super_terms()?;
        Ok(NestedOptions { place, direct, min_length, max_length, sort, limit, offset })
    }
}

pub(super) fn overlaps(object: Optional) -> PyResult<Overlaps> {
    choice("overlaps", object, &OVERLAPS)
}

pub(super) fn variants(object: Optional) -> PyResult<Variants> {
    choice("variants", object, &[("all", Variants::All), ("first", Variants::First)])
}

pub(super) fn side(object: &Bound<PyAny>) -> PyResult<Side> {
    choose("side", text("side", object)?, &[("left", Side::Left), ("right", Side::Right)])
}

pub(super) fn word_order(order: Optional) -> PyResult<WordOrder> {
    choice("order", order, &[("given", WordOrder::Given), ("any", WordOrder::Any)])
}

pub(super) fn decoding(errors: &Bound<PyAny>) -> PyResult<Decoding> {
    choice("errors", Some(errors), &[("strict", Decoding::Strict), ("replace", Decoding::Replace)])
}

pub(super) fn format(format: Optional) -> PyResult<Option<Format>> {
    let choices = [
        ("text", Some(Format::Text)),
        ("tsv", Some(Format::Tsv)),
        ("csv", Some(Format::Csv)),
        ("jsonl", Some(Format::JsonLines)),
        // Read by pyarrow, before the core is asked.
        ("parquet", None),
    ];
    choice("format", format, &choices)
}

pub(super) fn column(argument: &str, column: Optional) -> PyResult<Option<Column>> {
    let Some(column) = column else { return Ok(None) };
    if let Ok(name) = column.extract::<String>() {
        return Ok(Some(Column::Name(name)));
    }
    match column.extract::<usize>() {
        Ok(number) => Ok(Some(Column::Number(number))),
        Err(_) => {
            let expected = "it must be the name of a column or its number from 0";
            let value = column.repr()?.to_string();
            Err(refuse("InvalidOptionError", argument, value, expected.into()))
        }
    }
}

/// How terms become tokens, as Python gives it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Analysis<'py> {
    tokenizer: Option<Bound<'py, PyAny>>,
    separator: Option<Bound<'py, PyString>>,
    lowercase: bool,
    strip_accents: bool,
    fold: bool,
    language: Option<Bound<'py, PyAny>>,
    hyphens: Option<Bound<'py, PyAny>>,
    case: Option<Bound<'py, PyAny>>,
    normalize: Option<Bound<'py, PyAny>>,
    threads: Option<Bound<'py, PyAny>>,
}

impl Analysis<'_> {
    pub(crate) fn build(self) -> PyResult<Build> {
        let separator = self.separator.as_ref().map(|separator| text("separator", separator));
        let tokenizer = match &self.tokenizer {
            None => Tokenizer::unnamed(self.separator.is_some()),
            Some(name) => choose("tokenizer", text("tokenizer", name)?, &TOKENIZERS)?,
        };
        let options = Options {
            tokenizer,
            separator: separator.transpose()?.map(Into::into),
            lowercase: self.lowercase,
            strip_accents: self.strip_accents,
            fold: self.fold || self.language.is_some(),
            language: self.language.as_ref().map(language).transpose()?,
            hyphens: match &self.hyphens {
                None => Hyphens::unnamed(tokenizer),
                Some(name) => choose("hyphens", text("hyphens", name)?, &HYPHENS)?,
            },
            case: match &self.case {
                None => Case::Same,
                Some(case) => choose("case", text("case", case)?, &[("smart", Case::Smart)])?,
            },
        };
        options.validate().map_err(to_python)?;
        let threads = threads(self.threads.as_ref())?;
        Ok(Build { options, normalizer: normalizer(self.normalize)?, threads, ..Build::default() })
    }
}

/// A number of threads, however large.
pub(super) fn threads(object: Optional) -> PyResult<Option<usize>> {
    at_least_one("threads", object, "it must be 1 or more, or None for one for each core")
}

/// A number of things, at least one.
pub(super) fn positive(argument: &'static str, object: Optional) -> PyResult<Option<usize>> {
    at_least_one(argument, object, "it must be 1 or more")
}

fn at_least_one(
    argument: &'static str,
    object: Optional,
    expected: &str,
) -> PyResult<Option<usize>> {
    match object {
        Some(number) if number.lt(1).unwrap_or(false) => {
            Err(refuse("InvalidOptionError", argument, number.to_string(), expected.into()))
        }
        object => count(argument, object),
    }
}

fn language(name: &Bound<PyAny>) -> PyResult<Language> {
    let name = text("language", name)?;
    Language::of(name).ok_or_else(|| {
        let codes: Vec<&str> = Language::codes().collect();
        let expected = format!("the languages are {}", codes.join(", "));
        refuse("InvalidOptionError", "language", format!("{name:?}"), expected)
    })
}

/// Strings from Python: any Arrow column, or any iterable of str.
pub(crate) fn entries(argument: &str, strings: &Bound<PyAny>) -> PyResult<Box<dyn Entries + Send>> {
    if let Some(column) = import_column(strings)? {
        let column = column.and_then(StringColumn::new);
        let problem = |problem| raise("TermTypeError", format!("{argument}: {problem}"));
        return Ok(Box::new(column.map_err(problem)?));
    }
    Ok(Box::new(list(argument, strings)?))
}

/// Strings from any iterable of str. None is an entry without a token.
pub(super) fn list(argument: &str, strings: &Bound<PyAny>) -> PyResult<List> {
    let mut list = List::default();
    extend(&mut list, argument, &mut items(argument, strings)?, 0, usize::MAX, usize::MAX)?;
    Ok(list)
}

/// The items of an iterable of strings.
pub(super) fn items<'py>(
    argument: &str,
    strings: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyIterator>> {
    if strings.is_instance_of::<PyString>() {
        let found = format!("the one str {}", strings.repr()?);
        return Err(refuse("TermTypeError", argument, found, "a list of str".into()));
    }
    let expected = "an iterable of str or an Arrow column";
    strings.try_iter().map_err(|_| wrong_type(argument, expected, strings))
}

/// Adds strings, the first of which has number `first`, until the list has at least this many entries
/// or bytes. Returns whether there are none left.
pub(super) fn extend(
    list: &mut List,
    argument: &str,
    strings: &mut Bound<PyIterator>,
    first: u64,
    entries: usize,
    bytes: usize,
) -> PyResult<bool> {
    while list.len() < entries && list.text().len() < bytes {
        let Some(item) = strings.next() else { return Ok(true) };
        let item = item?;
        let i = first + list.len() as u64;
        match item.cast::<PyString>() {
            Ok(string) => list.push(
                string
                    .to_str()
                    .map_err(|_| half_a_character(&format!("entry {i} of {argument}")))?,
            ),
            Err(_) if item.is_none() => list.push(""),
            Err(_) => return Err(wrong_type(&format!("entry {i} of {argument}"), "a str", &item)),
        }
        if i.is_multiple_of(65_536) {
            strings.py().check_signals()?;
        }
    }
    Ok(false)
}

/// Numbers from Python: any Arrow column, or any iterable.
pub(crate) fn numbers(argument: &str, weights: &Bound<PyAny>) -> PyResult<Vec<f64>> {
    let problem = |problem: String| raise("InvalidTermError", format!("{argument}: {problem}"));
    if let Some(column) = import_column(weights)? {
        return column.and_then(|chunks| number_column(&chunks)).map_err(problem);
    }
    let expected = "an iterable of numbers or an Arrow column";
    let items = weights.try_iter().map_err(|_| wrong_type(argument, expected, weights))?;
    let mut numbers = Vec::new();
    for (i, item) in items.enumerate() {
        let item = item?;
        // Usually counts: they need no float object in between.
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
