//! Answers as JSON.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::arguments::{
    Optional, QuestionArguments, count_or, flag, list, overlaps, side, text, variants, word_order,
};
use super::columns::{Conditions, names};
use super::errors::{to_python, wrong_type};
use crate::{Index, Question, threads_or_all};

/// The most rows of a page, unless `limit` is given.
const DEFAULT_LIMIT: usize = 50;

/// The answers of an index as bytes of JSON, which the server sends.
///
/// Long answers come in pages: an answer has the `total` number of its rows, its first `results`,
/// and as `next` the cursor of the next page, or null.
///
/// >>> index = TermIndex(["llc", "google llc"])
/// >>> index.json.complete("goog")
/// b'{"prefix":"goog","results":[{"id":1,"term":"google llc","weight":1.0}]}'
#[pyclass(frozen, module = "termnest._core", name = "JsonAnswers")]
pub(super) struct JsonAnswers {
    pub(super) index: Arc<Index>,
}

impl JsonAnswers {
    fn page<'py>(
        &self,
        py: Python<'py>,
        phrase: &Bound<'py, PyAny>,
        question: Question,
        limit: Optional<'_, 'py>,
        cursor: Optional<'_, 'py>,
        patient: Optional<'_, 'py>,
        columns: Optional<'_, 'py>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let columns = names(columns)?;
        let patient = patient.is_none() || flag("patient", patient)?;
        let limit = count_or("limit", limit, DEFAULT_LIMIT)?;
        let cursor = cursor.map(|cursor| text("cursor", cursor)).transpose()?;
        let phrase = text("term", phrase)?;
        // What takes long is made with the GIL released.
        let json = match self.index.answer_json(phrase, &question, limit, cursor, true, &columns) {
            Ok(None) if patient => py.detach(|| {
                self.index.answer_json(phrase, &question, limit, cursor, false, &columns)
            }),
            json => json,
        };
        Ok(json.map_err(to_python)?.map(|json| PyBytes::new(py, &json)))
    }
}

#[pymethods]
impl JsonAnswers {
    /// A page of the terms that contain a phrase; options as in `TermIndex.super_terms`.
    ///
    /// Args:
    ///     limit: The most rows of the page.
    ///     cursor: The `next` of the page before.
    ///     columns: The columns of the index whose values each result has, as its `columns`.
    ///     patient: If false, None is returned at once if the answer would take more than some
    ///         microseconds.
    #[pyo3(
        signature = (term, *, r#where = None, direct = None, max_extra = None, min_length = None, max_length = None, sort = None, limit = None, cursor = None, patient = None, columns = None),
        text_signature = "($self, term, *, where='anywhere', direct=False, max_extra=None, min_length=None, max_length=None, sort='weight', limit=50, cursor=None, patient=True, columns=())"
    )]
    fn super_terms<'py>(
        &self,
        py: Python<'py>,
        term: &Bound<'py, PyAny>,
        r#where: Optional<'_, 'py>,
        direct: Optional<'_, 'py>,
        max_extra: Optional<'_, 'py>,
        min_length: Optional<'_, 'py>,
        max_length: Optional<'_, 'py>,
        sort: Optional<'_, 'py>,
        limit: Optional<'_, 'py>,
        cursor: Optional<'_, 'py>,
        patient: Optional<'_, 'py>,
        columns: Optional<'_, 'py>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let place = r#where;
        let options = QuestionArguments {
            place,
            direct,
            max_extra,
            min_length,
            max_length,
            sort,
            limit: None,
            offset: None,
        }
        .for_super_terms()?;
        self.page(py, term, Question::Super(options), limit, cursor, patient, columns)
    }

    /// A page of the terms that a phrase contains; the options are those of
    /// `TermIndex.nested_terms`, the others are as in `super_terms`.
    #[pyo3(
        signature = (term, *, r#where = None, direct = None, min_length = None, max_length = None, sort = None, limit = None, cursor = None, patient = None, columns = None),
        text_signature = "($self, term, *, where='anywhere', direct=False, min_length=None, max_length=None, sort='weight', limit=50, cursor=None, patient=True, columns=())"
    )]
    fn nested_terms<'py>(
        &self,
        py: Python<'py>,
        term: &Bound<'py, PyAny>,
        r#where: Optional<'_, 'py>,
        direct: Optional<'_, 'py>,
        min_length: Optional<'_, 'py>,
        max_length: Optional<'_, 'py>,
        sort: Optional<'_, 'py>,
        limit: Optional<'_, 'py>,
        cursor: Optional<'_, 'py>,
        patient: Optional<'_, 'py>,
        columns: Optional<'_, 'py>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let (place, max_extra) = (r#where, None);
        let options = QuestionArguments {
            place,
            direct,
            max_extra,
            min_length,
            max_length,
            sort,
            limit: None,
            offset: None,
        }
        .for_nested_terms()?;
        self.page(py, term, Question::Nested(options), limit, cursor, patient, columns)
    }

    /// The first answers to one question about many phrases.
    ///
    /// Args:
    ///     ask: `"super"` or `"nested"`.
    ///     terms: The phrases.
    ///     limit: The most rows for each phrase.
    #[pyo3(
        signature = (ask, terms, *, r#where = None, direct = None, max_extra = None, min_length = None, max_length = None, sort = None, limit = None, columns = None),
        text_signature = "($self, ask, terms, *, where='anywhere', direct=False, max_extra=None, min_length=None, max_length=None, sort='weight', limit=50, columns=())"
    )]
    fn batch<'py>(
        &self,
        py: Python<'py>,
        ask: &Bound<'py, PyAny>,
        terms: &Bound<'py, PyAny>,
        r#where: Optional<'_, 'py>,
        direct: Optional<'_, 'py>,
        max_extra: Optional<'_, 'py>,
        min_length: Optional<'_, 'py>,
        max_length: Optional<'_, 'py>,
        sort: Optional<'_, 'py>,
        limit: Optional<'_, 'py>,
        columns: Optional<'_, 'py>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let place = r#where;
        let arguments = QuestionArguments {
            place,
            direct,
            max_extra,
            min_length,
            max_length,
            sort,
            limit: None,
            offset: None,
        };
        let question = match super::arguments::choose(
            "ask",
            text("ask", ask)?,
            &[("super", true), ("nested", false)],
        )? {
            true => Question::Super(arguments.for_super_terms()?),
            false => Question::Nested(arguments.for_nested_terms()?),
        };
        let limit = count_or("limit", limit, DEFAULT_LIMIT)?;
        let (phrases, columns) = (list("terms", terms)?, names(columns)?);
        let answer =
            || self.index.batch_json(&phrases, &question, limit, threads_or_all(None), &columns);
        Ok(PyBytes::new(py, &py.detach(answer).map_err(to_python)?))
    }

    /// The facts of a phrase: whether it is a term, its tokens, how many answers it has. With
    /// `columns`, also the values of the term, and as `terms` all terms that match the phrase.
    #[pyo3(
        signature = (term, *, columns = None),
        text_signature = "($self, term, *, columns=())"
    )]
    fn term<'py>(
        &self,
        py: Python<'py>,
        term: &Bound<'py, PyAny>,
        columns: Optional<'_, 'py>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (phrase, columns) = (text("term", term)?, names(columns)?);
        let json = py.detach(|| self.index.term_json(phrase, &columns)).map_err(to_python)?;
        Ok(PyBytes::new(py, &json))
    }

    /// The terms that complete a phrase, as in `TermIndex.complete`.
    #[pyo3(
        signature = (prefix, *, limit = None, order = None, columns = None),
        text_signature = "($self, prefix, *, limit=50, order='given', columns=())"
    )]
    fn complete<'py>(
        &self,
        py: Python<'py>,
        prefix: &Bound<'py, PyAny>,
        limit: Optional<'_, 'py>,
        order: Optional<'_, 'py>,
        columns: Optional<'_, 'py>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let limit = count_or("limit", limit, DEFAULT_LIMIT)?;
        let (prefix, columns) = (text("prefix", prefix)?, names(columns)?);
        let order = word_order(order)?;
        let json = py.detach(|| self.index.complete_json(prefix, limit, order, &columns));
        Ok(PyBytes::new(py, &json.map_err(to_python)?))
    }

    /// The words that terms add to a phrase, as in `TermIndex.expansions`.
    #[pyo3(
        signature = (term, *, side, limit = None),
        text_signature = "($self, term, *, side, limit=50)"
    )]
    fn expansions<'py>(
        &self,
        py: Python<'py>,
        term: &Bound<'py, PyAny>,
        side: &Bound<'py, PyAny>,
        limit: Optional<'_, 'py>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let side = self::side(side)?;
        let limit = count_or("limit", limit, DEFAULT_LIMIT)?;
        let phrase = text("term", term)?;
        let json =
            py.detach(|| self.index.expansions_json(phrase, side, limit)).map_err(to_python)?;
        Ok(PyBytes::new(py, &json))
    }

    /// A page of the terms in a text, as in `TermIndex.find`.
    #[pyo3(
        signature = (text, *, overlaps = None, variants = None, limit = None, cursor = None, columns = None, r#where = None),
        text_signature = "($self, text, *, overlaps='all', variants='all', limit=50, cursor=None, columns=(), where=None)"
    )]
    fn find<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        overlaps: Optional<'_, 'py>,
        variants: Optional<'_, 'py>,
        limit: Optional<'_, 'py>,
        cursor: Optional<'_, 'py>,
        columns: Optional<'_, 'py>,
        r#where: Optional<'_, 'py>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let chosen = (self::overlaps(overlaps)?, self::variants(variants)?);
        let conditions = match r#where {
            None => None,
            Some(given) => {
                let expected = "a mapping from names of columns to values";
                let given = given.cast().map_err(|_| wrong_type("where", expected, given))?;
                Some(Conditions::new(given)?)
            }
        };
        let conditions = conditions.as_ref().map_or(Ok(Vec::new()), Conditions::values)?;
        let limit = count_or("limit", limit, DEFAULT_LIMIT)?;
        let cursor = cursor.map(|cursor| self::text("cursor", cursor)).transpose()?;
        let (searched, columns) = (self::text("text", text)?, names(columns)?);
        let answer =
            || self.index.find_json(searched, chosen, &conditions, limit, cursor, &columns);
        Ok(PyBytes::new(py, &py.detach(answer).map_err(to_python)?))
    }
}
