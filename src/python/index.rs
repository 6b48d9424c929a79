//! The index in Python: convert, release the GIL, call, return.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, LargeStringArray, RecordBatch, UInt32Array, UInt64Array,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

use super::aliases::aliases;
use super::arguments::{
    Analysis, HYPHENS, Optional, QuestionArguments, TOKENIZERS, choose, column, count, decoding,
    entries, flag, format, function, name_of, numbers, positive, side, text, threads,
};
use super::columns::{
    Given, array, asked, names, optional_id_array, python_id, python_value, term_mask,
    term_with_id, user_columns,
};
use super::containment::equal_terms;
use super::errors::{arrow_error, to_python, with_file, wrong_type};
use super::find::{Asked, PyTextBatches, find_batch};
use super::interrupt::interruptible;
use super::json::JsonAnswers;
use super::matches::PyMatches;
use super::normalize::normalizer;
use super::surfaces::{python_string, surfaces};
use super::table::{PyColumn, PyTable, TableColumns, term_column};
use crate::{
    Build, Case, Format, Index, Keep, Kind, Language, Options, OwnColumns, Pairs, ReadOptions,
    Score, TermId, Vocabulary, threads_or_all,
};

/// The index. `termnest.TermIndex` is its documented face.
#[pyclass(frozen, module = "termnest._core", name = "Index")]
pub(super) struct PyIndex {
    pub(super) index: Arc<Index>,
}

impl PyIndex {
    fn new(index: Index) -> PyIndex {
        PyIndex { index: Arc::new(index) }
    }
}

/// The size in bytes of a vocabulary that is indexed in some ten milliseconds, before anybody could press
/// Ctrl-C: no thread is started to watch for that.
const SMALL_VOCABULARY: usize = 1 << 20;
/// The size in bytes of a text that is searched in a few microseconds, as long as others wait for the GIL
/// at most.
const SHORT_TEXT: usize = 1 << 9;

pub(super) fn options_tuple<'py>(
    py: Python<'py>,
    options: &Options,
    normalized: bool,
) -> PyResult<Bound<'py, PyTuple>> {
    (
        name_of(&TOKENIZERS, options.tokenizer),
        &options.separator,
        options.lowercase,
        options.strip_accents,
        options.fold,
        options.language.map(Language::code),
        name_of(&HYPHENS, options.hyphens),
        (options.case == Case::Smart).then_some("smart"),
        normalized,
    )
        .into_pyobject(py)
}

/// The options that the column `matching` of a vocabulary says, as `Index.options` returns them.
#[pyfunction]
pub(super) fn options_of_matching<'py>(
    py: Python<'py>,
    text: &str,
) -> PyResult<Bound<'py, PyTuple>> {
    options_tuple(py, &Options::of_matching(text).map_err(to_python)?, false)
}

#[pymethods]
impl PyIndex {
    #[staticmethod]
    fn build(
        py: Python,
        terms: &Bound<PyAny>,
        weights: Option<&Bound<PyAny>>,
        aliases: Option<(bool, Bound<PyAny>)>,
        rows: Given,
        analysis: Analysis,
        progress: Option<&Bound<PyAny>>,
    ) -> PyResult<PyIndex> {
        let build = Build { aliases: self::aliases(aliases)?, ..analysis.build()? };
        let progress = function("progress", progress)?;
        let entries = entries("terms", terms)?;
        let weights = weights.map(|weights| numbers("weights", weights)).transpose()?;
        let build = Build { columns: user_columns(rows)?, ..build };
        let work = || build.index(entries.as_ref(), weights.as_deref());
        if entries.size() < SMALL_VOCABULARY && build.normalizer.is_none() {
            return py.detach(work).map(PyIndex::new).map_err(to_python);
        }
        interruptible(py, &build.progress, progress, None, work).map(PyIndex::new)
    }

    #[staticmethod]
    fn from_file(
        py: Python,
        path: Option<PathBuf>,
        content: Option<Vec<u8>>,
        analysis: Analysis,
        format: Option<&Bound<PyAny>>,
        column: Option<&Bound<PyAny>>,
        weight_column: Option<&Bound<PyAny>>,
        errors: &Bound<PyAny>,
        aliases: Option<(bool, Bound<PyAny>)>,
        columns: Option<Vec<String>>,
        all_columns: bool,
        id_column: Option<&Bound<PyAny>>,
        progress: Option<&Bound<PyAny>>,
    ) -> PyResult<PyIndex> {
        let build = Build { aliases: self::aliases(aliases)?, ..analysis.build()? };
        let progress = function("progress", progress)?;
        let mut options = ReadOptions {
            format: self::format(format)?,
            column: self::column("column", column)?,
            weight_column: self::column("weight_column", weight_column)?,
            decoding: decoding(errors)?,
            id_column: self::column("id_column", id_column)?,
            columns: match (columns, all_columns) {
                (Some(names), _) => OwnColumns::named(names),
                (None, true) => OwnColumns::All,
                (None, false) => OwnColumns::None,
            },
        };
        options.format = options.format.or(path.as_deref().and_then(Format::of));
        // Tabs that separate tokens do not separate columns.
        if build.options.separator.as_deref().is_some_and(|separator| separator.contains('\t')) {
            options.format.get_or_insert(Format::Text);
        }
        let name = path.clone();
        let watched = build.progress.clone();
        let work = || {
            let vocabulary = match (path, content) {
                (Some(path), None) => Vocabulary::open(&path, &options)?,
                (_, content) => Vocabulary::parse(content.unwrap_or_default(), &options)?,
            };
            let options = match vocabulary.matching {
                // Options that the caller gave count.
                Some(matching) if build.options == Options::default() => {
                    Options::of_matching(&matching)?
                }
                _ => build.options,
            };
            let build = Build { columns: Arc::new(vocabulary.columns), options, ..build };
            build.index(vocabulary.entries.as_ref(), vocabulary.weights.as_deref())
        };
        interruptible(py, &watched, progress, name.as_deref(), work).map(PyIndex::new)
    }

    #[staticmethod]
    fn open(
        py: Python,
        path: PathBuf,
        mmap: &Bound<PyAny>,
        normalize: Option<Bound<PyAny>>,
    ) -> PyResult<PyIndex> {
        let (mmap, normalizer) = (flag("mmap", Some(mmap))?, normalizer(normalize)?);
        let opened = py.detach(|| Index::open(&path, !mmap, normalizer));
        opened.map(PyIndex::new).map_err(|error| with_file(error, Some(&path)))
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
    fn checksum(&self, py: Python) -> u32 {
        py.detach(|| self.index.checksum())
    }

    #[getter]
    fn json(&self) -> JsonAnswers {
        JsonAnswers { index: self.index.clone() }
    }

    fn check_bytes(&self, py: Python) -> PyResult<()> {
        py.detach(|| self.index.check_bytes()).map_err(to_python)
    }

    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        options_tuple(py, self.index.options(), self.index.normalized())
    }

    #[getter]
    fn matching(&self) -> Option<String> {
        if self.index.normalized() { None } else { self.index.options().matching() }
    }

    #[getter]
    fn weighted(&self) -> bool {
        self.index.weighted()
    }

    #[allow(clippy::type_complexity, reason = "the fields of termnest.Stats, in order")]
    fn stats(
        &self,
        py: Python,
        pairs: &Bound<PyAny>,
    ) -> PyResult<(u64, u64, u64, u64, u64, u64, u64, u64, u64, Option<u64>)> {
        let pairs = flag("pairs", Some(pairs))?;
        let stats = self.index.stats();
        let pairs = match pairs {
            false => None,
            true => Some(
                py.detach(|| self.index.count_pairs(threads_or_all(None))).map_err(to_python)?,
            ),
        };
        Ok((
            stats.terms,
            stats.aliases,
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

    /// The number of the term with this surface.
    fn number(&self, term: &Bound<PyAny>) -> PyResult<Option<u32>> {
        Ok(self.index.id(text("term", term)?).map_err(to_python)?.map(|id| id.0))
    }

    /// The number of the term with this id.
    fn number_of_id(&self, id: &Bound<PyAny>) -> PyResult<u32> {
        Ok(term_with_id(&self.index, id)?.0)
    }

    /// The id of the term with this number.
    fn id_of_number<'py>(&self, py: Python<'py>, number: u32) -> PyResult<Bound<'py, PyAny>> {
        python_id(py, &self.index, TermId(number))
    }

    /// The ids of the terms that match a phrase under the index's own rules.
    fn lookup<'py>(
        &self,
        py: Python<'py>,
        phrase: &Bound<PyAny>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let found = self.index.lookup(text("phrase", phrase)?).map_err(to_python)?;
        found.into_iter().map(|term| python_id(py, &self.index, term)).collect()
    }

    fn ids<'py>(&self, py: Python<'py>, terms: &Bound<PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let numbers = self.numbers(py, terms)?;
        if self.index.own_ids().is_none() {
            return Ok(numbers.into_pyobject(py)?.into_any());
        }
        let ids = numbers.into_iter().map(|number| {
            number.map(|number| python_id(py, &self.index, TermId(number))).transpose()
        });
        Ok(PyList::new(py, ids.collect::<PyResult<Vec<_>>>()?)?.into_any())
    }

    /// The names of the columns, and the types of their values.
    fn columns(&self) -> Vec<(String, &'static str)> {
        let columns = self.index.column_kinds().into_iter();
        columns.map(|(name, kind)| (name, kind.name())).collect()
    }

    /// The type of the user's own ids.
    #[getter]
    fn id_kind(&self) -> Option<&'static str> {
        self.index.id_kind().map(Kind::name)
    }

    /// A column, by the numbers of the terms; `id` is that of the ids.
    fn column(&self, py: Python, name: &str) -> PyResult<PyColumn> {
        let terms = 0..self.index.len() as u32;
        if name == "id" && self.index.own_ids().is_none() {
            return Ok(PyColumn { values: Arc::new(UInt32Array::from_iter_values(terms)) });
        }
        let column = self.index.column(name).map_err(to_python)?;
        Ok(PyColumn { values: py.detach(|| array(column, terms.map(Some)))? })
    }

    /// The value of a term in a column, by the term's id.
    fn value<'py>(
        &self,
        py: Python<'py>,
        id: &Bound<PyAny>,
        column: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let term = term_with_id(&self.index, id)?;
        python_value(py, self.index.value(term, column).map_err(to_python)?)
    }

    /// For each term whether it has one of some values in each of some columns.
    fn term_mask(&self, r#where: &Bound<PyAny>) -> PyResult<PyColumn> {
        let expected = "a mapping from names of columns to values";
        let conditions = r#where.cast().map_err(|_| wrong_type("where", expected, r#where))?;
        let mask = term_mask(&self.index, conditions)?;
        let bits = (0..self.index.len()).map(|term| Some(mask.has(term as u32)));
        Ok(PyColumn { values: Arc::new(bits.collect::<BooleanArray>()) })
    }

    fn numbers(&self, py: Python, terms: &Bound<PyAny>) -> PyResult<Vec<Option<u32>>> {
        let entries = entries("terms", terms)?;
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

    /// The aliases with their terms, as a table.
    fn aliases(&self, py: Python) -> PyResult<PyTable> {
        py.detach(|| {
            let (ids, aliases): (Vec<u32>, Vec<String>) = self
                .index
                .aliases()
                .map_err(to_python)?
                .into_iter()
                .map(|(id, a)| (id.0, a))
                .unzip();
            let mut table = TableColumns::default();
            table.push("term", term_column(&self.index, &ids)?);
            table.push_ids(&self.index, "id", &ids)?;
            table.push("alias", Arc::new(LargeStringArray::from_iter_values(aliases)));
            table.table()
        })
    }

    /// The places in the beginning of a text before which all matches are settled.
    fn settled(&self, py: Python, text: &Bound<PyAny>) -> PyResult<Vec<usize>> {
        let text = self::text("text", text)?;
        py.detach(|| self.index.settled(text)).map_err(to_python)
    }

    /// The groups of terms with equal keys, as a table.
    fn equal_terms(&self, py: Python, columns: Option<&Bound<PyAny>>) -> PyResult<PyTable> {
        let own = asked(&self.index, &names(columns)?)?;
        py.detach(|| equal_terms(&self.index, &own))
    }

    fn weight(&self, id: u32) -> PyResult<f64> {
        self.index.weight(TermId(id)).map_err(to_python)
    }

    fn super_terms_batch<'py>(
        &self,
        py: Python<'py>,
        terms: &Bound<'py, PyAny>,
        place: Optional<'_, 'py>,
        direct: Optional<'_, 'py>,
        max_extra: Optional<'_, 'py>,
        min_length: Optional<'_, 'py>,
        max_length: Optional<'_, 'py>,
        sort: Optional<'_, 'py>,
        limit: Optional<'_, 'py>,
        offset: Optional<'_, 'py>,
        columns: Optional<'_, 'py>,
        threads: Optional<'_, 'py>,
    ) -> PyResult<PyTable> {
        let columns = asked(&self.index, &names(columns)?)?;
        let threads = threads_or_all(self::threads(threads)?);
        let options = QuestionArguments {
            place,
            direct,
            max_extra,
            min_length,
            max_length,
            sort,
            limit,
            offset,
        }
        .for_super_terms()?;
        let entries = entries("terms", terms)?;
        py.detach(|| {
            let rows = self.index.super_terms_batch(entries.as_ref(), &options, threads);
            PyTable::of_rows(&self.index, rows.map_err(to_python)?, &columns)
        })
    }

    fn nested_terms_batch<'py>(
        &self,
        py: Python<'py>,
        terms: &Bound<'py, PyAny>,
        place: Optional<'_, 'py>,
        direct: Optional<'_, 'py>,
        min_length: Optional<'_, 'py>,
        max_length: Optional<'_, 'py>,
        sort: Optional<'_, 'py>,
        limit: Optional<'_, 'py>,
        offset: Optional<'_, 'py>,
        columns: Optional<'_, 'py>,
        threads: Optional<'_, 'py>,
    ) -> PyResult<PyTable> {
        let columns = asked(&self.index, &names(columns)?)?;
        let threads = threads_or_all(self::threads(threads)?);
        let max_extra = None;
        let options = QuestionArguments {
            place,
            direct,
            max_extra,
            min_length,
            max_length,
            sort,
            limit,
            offset,
        }
        .for_nested_terms()?;
        let entries = entries("terms", terms)?;
        py.detach(|| {
            let rows = self.index.nested_terms_batch(entries.as_ref(), &options, threads);
            PyTable::of_rows(&self.index, rows.map_err(to_python)?, &columns)
        })
    }

    fn find(
        &self,
        py: Python,
        text: &Bound<PyAny>,
        overlaps: Optional,
        variants: Optional,
        columns: Optional,
        r#where: Optional,
        threads: Optional,
    ) -> PyResult<PyMatches> {
        let asked = Asked::new(&self.index, overlaps, variants, columns, r#where, threads)?;
        let text = self::text("text", text)?;
        let find = || self.index.matches(text, &asked.options(), asked.threads);
        // To release the GIL takes as long as to search a short text.
        let found = if text.len() < SHORT_TEXT { find() } else { py.detach(find) };
        let (found, columns) = (found.map_err(to_python)?, asked.columns);
        Ok(PyMatches { index: self.index.clone(), found, columns })
    }

    fn find_batch(
        &self,
        py: Python,
        texts: &Bound<PyAny>,
        overlaps: Optional,
        variants: Optional,
        columns: Optional,
        r#where: Optional,
        threads: Optional,
    ) -> PyResult<PyTable> {
        let asked = Asked::new(&self.index, overlaps, variants, columns, r#where, threads)?;
        find_batch(py, &self.index, texts, &asked)
    }

    fn iter_batches(
        &self,
        texts: &Bound<PyAny>,
        rows: Optional,
        overlaps: Optional,
        variants: Optional,
        columns: Optional,
        r#where: Optional,
        threads: Optional,
    ) -> PyResult<PyTextBatches> {
        let asked = Asked::new(&self.index, overlaps, variants, columns, r#where, threads)?;
        let rows = positive("rows", rows)?.unwrap_or(usize::MAX);
        PyTextBatches::new(self.index.clone(), texts, rows, asked)
    }

    fn complete<'py>(
        &self,
        py: Python<'py>,
        prefix: &Bound<'py, PyAny>,
        limit: Optional<'_, 'py>,
    ) -> PyResult<Bound<'py, PyList>> {
        let limit = count("limit", limit)?;
        let found = self.index.complete_found(text("prefix", prefix)?, limit).map_err(to_python)?;
        surfaces(py, &self.index, &found)
    }

    /// The words beside a phrase, as a table.
    fn expansions(
        &self,
        py: Python,
        term: &Bound<PyAny>,
        side: &Bound<PyAny>,
    ) -> PyResult<PyTable> {
        let side = self::side(side)?;
        let phrase = text("term", term)?;
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
    fn scores(
        &self,
        py: Python,
        terms: &Bound<PyAny>,
        columns: Option<&Bound<PyAny>>,
    ) -> PyResult<PyTable> {
        let terms = flag("terms", Some(terms))?;
        let own = asked(&self.index, &names(columns)?)?;
        py.detach(|| {
            let scores = self.index.scores(None).map_err(to_python)?;
            let ids: Vec<u32> = (0..self.index.len() as u32).collect();
            let mut table = TableColumns::default();
            if terms {
                table.push("term", term_column(&self.index, &ids)?);
            }
            table.push_ids(&self.index, "id", &ids)?;
            let counts = |counts: Vec<u32>| Arc::new(UInt32Array::from(counts)) as ArrayRef;
            let figures = |figures: Vec<f64>| Arc::new(Float64Array::from(figures)) as ArrayRef;
            for (name, figures) in [
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
            ] {
                table.push(name, figures);
            }
            table.push_own(&own, "", &ids)?;
            table.table()
        })
    }

    /// An index of the terms that have at least this weight, and at most this many tokens.
    fn filtered(
        &self,
        py: Python,
        min_weight: f64,
        max_length: Option<&Bound<PyAny>>,
    ) -> PyResult<PyIndex> {
        let max_length = count("max_length", max_length)?;
        let filtered = py.detach(|| self.index.filtered(min_weight, max_length));
        Ok(PyIndex::new(filtered.map_err(to_python)?))
    }

    /// The best terms by a score, as a table; `marked` has a byte for each term, not 0 if it is kept.
    fn ranking(
        &self,
        py: Python,
        score: &Bound<PyAny>,
        keep: &Bound<PyAny>,
        marked: Option<Vec<u8>>,
        top: Option<&Bound<PyAny>>,
        columns: Option<&Bound<PyAny>>,
    ) -> PyResult<PyTable> {
        let own = asked(&self.index, &names(columns)?)?;
        let score = choose("score", text("score", score)?, &SCORES)?;
        let marked = marked.map(|marked| marked.iter().map(|&mark| mark != 0).collect::<Vec<_>>());
        let maximal = marked.as_deref().map_or(Keep::Independent, Keep::These);
        let choices = [("all", Keep::All), ("maximal", maximal)];
        let keep = choose("keep", text("keep", keep)?, &choices)?;
        let top = count("top", top)?;
        py.detach(|| {
            let ranking = self.index.ranking(score, keep, top, None).map_err(to_python)?;
            let mut table = TableColumns::default();
            table.push("term", term_column(&self.index, &ranking.ids)?);
            table.push("frequency", Arc::new(Float64Array::from(ranking.frequency)));
            table.push("score", Arc::new(Float64Array::from(ranking.score)));
            table.push("super_count", Arc::new(UInt32Array::from(ranking.super_count)));
            table.push("nested_count", Arc::new(UInt32Array::from(ranking.nested_count)));
            table.push_own(&own, "", &ranking.ids)?;
            table.table()
        })
    }

    /// The tree of terms and their heads, as a table; with `terms`, the surfaces as well.
    fn taxonomy(
        &self,
        py: Python,
        terms: &Bound<PyAny>,
        columns: Option<&Bound<PyAny>>,
    ) -> PyResult<PyTable> {
        let terms = flag("terms", Some(terms))?;
        let own = asked(&self.index, &names(columns)?)?;
        py.detach(|| {
            let tree = self.index.taxonomy(threads_or_all(None)).map_err(to_python)?;
            let ids: Vec<u32> = (0..self.index.len() as u32).collect();
            let mut table = TableColumns::default();
            if terms {
                table.push("term", term_column(&self.index, &ids)?);
            }
            let broader = tree.broader.iter().map(|head| head.map(|TermId(id)| id));
            let roots: Vec<u32> = tree.root.iter().map(|&TermId(id)| id).collect();
            table.push_ids(&self.index, "id", &ids)?;
            table.push_nullable("broader", optional_id_array(&self.index, broader)?);
            table.push("depth", Arc::new(UInt32Array::from(tree.depth)));
            table.push_ids(&self.index, "root", &roots)?;
            table.push_own(&own, "", &ids)?;
            table.table()
        })
    }

    /// With `terms`, the surfaces as well.
    fn pairs(
        &self,
        py: Python,
        direct: &Bound<PyAny>,
        terms: &Bound<PyAny>,
        columns: Option<&Bound<PyAny>>,
    ) -> PyResult<PyTable> {
        let (direct, terms) = (flag("direct", Some(direct))?, flag("terms", Some(terms))?);
        let own = asked(&self.index, &names(columns)?)?;
        py.detach(|| {
            let pairs = self.index.pairs(direct, threads_or_all(None)).map_err(to_python)?;
            let Pairs { nested, supers, starts } = pairs;
            let mut table = TableColumns::default();
            if terms {
                table.push("nested_term", term_column(&self.index, &nested)?);
                table.push("super_term", term_column(&self.index, &supers)?);
            }
            table.push_ids(&self.index, "nested", &nested)?;
            table.push_ids(&self.index, "super", &supers)?;
            table.push("start", Arc::new(UInt32Array::from(starts)));
            for column in own {
                table.push_own(&[column], "nested_", &nested)?;
                table.push_own(&[column], "super_", &supers)?;
            }
            table.table()
        })
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
