//! The parts of a containment join in Python: what `termnest.spark` calls on each machine.

use std::sync::{Arc, Mutex, MutexGuard};

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{
    Array, ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use super::arguments::{Analysis, entries, numbers};
use super::arrow::import_column;
use super::errors::{arrow_error, raise, to_python};
use super::table::PyTable;
use crate::{
    Error, Fingerprinter, FrequentNGrams, KEY_BYTES, LabelledPairs, Labels, PairMaker, PartSurvey,
    TermAnalyzer, TermFilter, TermSender, TermTable,
};

/// The halves of fingerprints, as the numbers that data frames have.
fn halves(fingerprints: &[u128]) -> [(&'static str, ArrayRef); 2] {
    let half = |shift: u32| -> ArrayRef {
        let numbers = fingerprints.iter().map(|fingerprint| (fingerprint >> shift) as i64);
        Arc::new(Int64Array::from_iter_values(numbers))
    };
    [("high", half(64)), ("low", half(0))]
}

fn int_column(numbers: Vec<u32>) -> ArrayRef {
    // Rows, starts and lengths are far below 2^31.
    Arc::new(Int32Array::from_iter_values(numbers.into_iter().map(|number| number as i32)))
}

fn table<'a>(columns: impl IntoIterator<Item = (&'a str, ArrayRef)>) -> PyResult<PyTable> {
    Ok(PyTable { table: RecordBatch::try_from_iter(columns).map_err(arrow_error)? })
}

fn bytes_list(py: Python, stretches: Vec<Vec<u8>>) -> PyResult<Bound<PyList>> {
    PyList::new(py, stretches.iter().map(|bytes| PyBytes::new(py, bytes)))
}

/// A column of numbers.
fn int64s(column: &Bound<PyAny>) -> PyResult<Vec<i64>> {
    let problem = |problem: String| raise("TermTypeError", format!("numbers: {problem}"));
    let chunks = import_column(column)?
        .unwrap_or_else(|| Err("it must be an Arrow column".into()))
        .map_err(problem)?;
    let mut numbers = Vec::new();
    for chunk in chunks {
        match chunk.as_primitive_opt::<Int64Type>() {
            Some(column) if column.null_count() == 0 => numbers.extend(column.values()),
            _ => return Err(problem(format!("it is a column of {}", chunk.data_type()))),
        }
    }
    Ok(numbers)
}

/// What users call terms by. Labels are bytes whose order is that of what they stand for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LabelKind {
    /// The terms' surfaces, and ids that are strings.
    Text,
    /// Ids that are numbers.
    Long,
}

const SIGN: u64 = 1 << 63;

impl LabelKind {
    fn of(long: bool) -> LabelKind {
        if long { LabelKind::Long } else { LabelKind::Text }
    }

    /// The labels of a column.
    fn labels(self, column: &Bound<PyAny>) -> PyResult<Labels> {
        let mut labels = Labels::default();
        match self {
            LabelKind::Long => {
                for number in int64s(column)? {
                    labels.push(&(number as u64 ^ SIGN).to_be_bytes());
                }
            }
            LabelKind::Text => {
                let texts = entries("ids", column)?;
                for part in texts.cut(1) {
                    let each = &mut |text: &str| {
                        labels.push(text.as_bytes());
                        Ok(())
                    };
                    texts.visit(part, each).map_err(to_python)?;
                }
            }
        }
        Ok(labels)
    }

    /// The column of labels.
    fn column(self, labels: Labels) -> PyResult<ArrayRef> {
        let cut = || to_python(Error::Parcel);
        match self {
            LabelKind::Long => {
                let (numbers, _) = labels.bytes.as_chunks::<8>();
                if numbers.len() != labels.ends.len() {
                    return Err(cut());
                }
                let numbers =
                    numbers.iter().map(|bytes| (u64::from_be_bytes(*bytes) ^ SIGN) as i64);
                Ok(Arc::new(Int64Array::from_iter_values(numbers)))
            }
            LabelKind::Text => {
                let ends = std::iter::once(0).chain(labels.ends).map(i32::try_from);
                let ends = ends.collect::<Result<Vec<i32>, _>>().map_err(|_| cut())?;
                let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
                let texts = StringArray::try_new(offsets, Buffer::from_vec(labels.bytes), None);
                Ok(Arc::new(texts.map_err(|_| cut())?))
            }
        }
    }
}

/// Text to fingerprints.
#[pyclass(frozen, module = "termnest._core", name = "TermAnalyzer")]
struct PyTermAnalyzer {
    analyzer: TermAnalyzer,
}

#[pymethods]
impl PyTermAnalyzer {
    #[new]
    fn new(analysis: Analysis, key: &[u8]) -> PyResult<PyTermAnalyzer> {
        let build = analysis.build()?;
        let key: &[u8; KEY_BYTES] = key
            .try_into()
            .map_err(|_| raise("InvalidOptionError", format!("a key has {KEY_BYTES} bytes")))?;
        let fingerprinter = Fingerprinter::new(key);
        let (options, normalizer) = (build.options, build.normalizer);
        Ok(PyTermAnalyzer { analyzer: TermAnalyzer { options, normalizer, fingerprinter } })
    }
}

/// Which n-grams may be terms.
#[pyclass(frozen, module = "termnest._core", name = "TermFilter")]
struct PyTermFilter {
    filter: TermFilter,
}

#[pymethods]
impl PyTermFilter {
    #[new]
    fn new(words: &[u8], bits: u32) -> PyTermFilter {
        PyTermFilter { filter: TermFilter::from_bytes(words, bits) }
    }

    /// The best number of bits for an entry to set.
    #[staticmethod]
    fn best_bits(bits_per_entry: f64) -> u32 {
        TermFilter::best_bits(bits_per_entry)
    }

    /// The words of a part of a filter, from the entries that `survey` gave for it.
    #[staticmethod]
    fn part<'py>(
        py: Python<'py>,
        part: usize,
        parts: usize,
        part_words: usize,
        bits: u32,
        entries: Vec<Bound<'py, PyBytes>>,
    ) -> Bound<'py, PyBytes> {
        let mut words = vec![0; part_words];
        for entries in entries {
            let (entries, _) = entries.as_bytes().as_chunks::<8>();
            let entries = entries.iter().map(|entry| u64::from_le_bytes(*entry));
            TermFilter::enter(&mut words, part * part_words, parts * part_words, bits, entries);
        }
        PyBytes::new(py, &words.into_iter().flat_map(u64::to_le_bytes).collect::<Vec<u8>>())
    }
}

/// The n-grams that stand in very many terms.
#[pyclass(frozen, module = "termnest._core", name = "FrequentNGrams")]
struct PyFrequentNGrams {
    ngrams: FrequentNGrams,
}

#[pymethods]
impl PyFrequentNGrams {
    /// The halves of their fingerprints, as Arrow columns.
    #[new]
    fn new(high: &Bound<PyAny>, low: &Bound<PyAny>) -> PyResult<PyFrequentNGrams> {
        let halves = int64s(high)?.into_iter().zip(int64s(low)?);
        let whole = |(high, low)| u128::from(high as u64) << 64 | u128::from(low as u64);
        Ok(PyFrequentNGrams { ngrams: FrequentNGrams::new(halves.map(whole)) })
    }
}

/// The terms of a share on their way to their parts.
#[pyclass(frozen, module = "termnest._core", name = "TermSender")]
struct PyTermSender {
    sender: Mutex<TermSender>,
    /// What terms are called by, if not by their surfaces.
    labels: Option<LabelKind>,
}

impl PyTermSender {
    fn sender(&self) -> MutexGuard<'_, TermSender> {
        self.sender.lock().unwrap_or_else(|error| error.into_inner())
    }
}

#[pymethods]
impl PyTermSender {
    #[new]
    fn new(parts: usize, labelled: bool, long: bool, weighted: bool) -> PyTermSender {
        PyTermSender {
            sender: Mutex::new(TermSender::new(parts, labelled, weighted)),
            labels: labelled.then_some(LabelKind::of(long)),
        }
    }

    /// Whether what waits to be sent is enough.
    #[getter]
    fn full(&self) -> bool {
        self.sender().is_full()
    }

    /// Adds the entries of a column that are terms.
    fn add(
        &self,
        py: Python,
        analyzer: &PyTermAnalyzer,
        terms: &Bound<PyAny>,
        labels: Option<&Bound<PyAny>>,
        weights: Option<&Bound<PyAny>>,
    ) -> PyResult<()> {
        let entries = entries("terms", terms)?;
        let labels = match (self.labels, labels) {
            (Some(kind), Some(labels)) => kind.labels(labels)?,
            _ => Labels::default(),
        };
        let weights =
            weights.map(|weights| numbers("weights", weights)).transpose()?.unwrap_or_default();
        py.detach(|| {
            let weight = |row: usize| weights.get(row).copied().unwrap_or(0.0);
            self.sender().add(&analyzer.analyzer, entries.as_ref(), |row| labels.get(row), weight)
        })
        .map_err(to_python)
    }

    /// The parcels, one for each part.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        bytes_list(py, py.detach(|| self.sender().take()))
    }
}

/// What all machines should know of the terms of a part.
#[pyclass(frozen, module = "termnest._core", name = "PartSurvey")]
struct PyPartSurvey {
    survey: Mutex<PartSurvey>,
}

impl PyPartSurvey {
    fn survey(&self) -> MutexGuard<'_, PartSurvey> {
        self.survey.lock().unwrap_or_else(|error| error.into_inner())
    }
}

#[pymethods]
impl PyPartSurvey {
    #[new]
    fn new(labelled: bool, weighted: bool, filter_parts: usize, sample: usize) -> PyPartSurvey {
        let survey = PartSurvey::new(labelled, weighted, filter_parts, sample);
        PyPartSurvey { survey: Mutex::new(survey) }
    }

    /// Adds the terms of a parcel.
    fn add_parcel(&self, py: Python, analyzer: &PyTermAnalyzer, parcel: &[u8]) -> PyResult<()> {
        py.detach(|| self.survey().add_parcel(&analyzer.analyzer, parcel)).map_err(to_python)
    }

    /// The number of entries that the terms stand for.
    #[getter]
    fn entries(&self) -> u64 {
        self.survey().entries()
    }

    /// The entries of a filter, by its parts, as eight bytes each.
    fn filter<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let bytes = |entries: &Vec<u64>| entries.iter().flat_map(|n| n.to_le_bytes()).collect();
        let parts = py.detach(|| self.survey().filter().iter().map(bytes).collect());
        bytes_list(py, parts)
    }

    /// N-grams of a sample of the terms, with how many of them they stand in; if they are more than
    /// `most`, only those that stand in several.
    fn counts(&self, py: Python, most: usize) -> PyResult<PyTable> {
        let (fingerprints, counts): (Vec<u128>, Vec<u64>) =
            py.detach(|| self.survey().counts(most)).into_iter().unzip();
        let counts = Int64Array::from_iter_values(counts.into_iter().map(|count| count as i64));
        let [high, low] = halves(&fingerprints);
        table([high, low, ("count", Arc::new(counts))])
    }
}

/// The terms of a part, each once.
#[pyclass(frozen, module = "termnest._core", name = "TermTable")]
struct PyTermTable {
    table: Mutex<TermTable>,
    /// What terms are called by, if not by their surfaces.
    labels: Option<LabelKind>,
    weighted: bool,
}

impl PyTermTable {
    fn table(&self) -> MutexGuard<'_, TermTable> {
        self.table.lock().unwrap_or_else(|error| error.into_inner())
    }
}

#[pymethods]
impl PyTermTable {
    #[new]
    fn new(labelled: bool, long: bool, weighted: bool) -> PyTermTable {
        PyTermTable {
            table: Mutex::new(TermTable::new(labelled, weighted)),
            labels: labelled.then_some(LabelKind::of(long)),
            weighted,
        }
    }

    fn __len__(&self) -> usize {
        self.table().len()
    }

    /// Adds the terms of a parcel.
    fn add_parcel(&self, py: Python, parcel: &[u8]) -> PyResult<()> {
        py.detach(|| self.table().add_parcel(parcel)).map_err(to_python)
    }

    /// The parcels of the second exchange, as four lists: terms, terms that are frequent n-grams,
    /// n-grams, and terms with the frequent n-grams in them. Each list has a parcel for each part; the
    /// second has one for all. They are those of the terms from number `first` on; the last answer is
    /// the number of the term to go on with.
    fn outgoing<'py>(
        &self,
        py: Python<'py>,
        analyzer: &PyTermAnalyzer,
        first: usize,
        parts: usize,
        filter: Option<&PyTermFilter>,
        frequent: &PyFrequentNGrams,
    ) -> PyResult<(Vec<Bound<'py, PyList>>, usize)> {
        let filter = filter.map(|filter| &filter.filter);
        let (out, next) = py
            .detach(|| {
                let analyzer = &analyzer.analyzer;
                self.table().outgoing(analyzer, first, parts, filter, &frequent.ngrams)
            })
            .map_err(to_python)?;
        let lists = [out.terms, vec![out.frequent_terms], out.ngrams, out.frequent_ngrams];
        let lists = lists.into_iter().map(|list| bytes_list(py, list)).collect::<PyResult<_>>()?;
        Ok((lists, next))
    }

    /// The terms from number `first` on, and the number of the term to go on with.
    fn rows(&self, py: Python, first: usize) -> PyResult<(PyTable, usize)> {
        let (labels, lengths, weights, next) = py.detach(|| self.table().rows(first));
        let kind = self.labels.unwrap_or(LabelKind::Text);
        let mut columns = vec![("term", kind.column(labels)?), ("length", int_column(lengths))];
        if self.weighted {
            columns.push(("weight", Arc::new(Float64Array::from(weights))));
        }
        Ok((table(columns)?, next))
    }
}

/// The terms of a part, and the n-grams that may be one of them.
#[pyclass(frozen, module = "termnest._core", name = "PairMaker")]
struct PyPairMaker {
    maker: Mutex<PairMaker>,
    labels: LabelKind,
    weighted: bool,
}

impl PyPairMaker {
    fn maker(&self) -> MutexGuard<'_, PairMaker> {
        self.maker.lock().unwrap_or_else(|error| error.into_inner())
    }

    fn table(&self, pairs: LabelledPairs) -> PyResult<PyTable> {
        let mut columns = vec![
            ("nested", self.labels.column(pairs.nested)?),
            ("super", self.labels.column(pairs.supers)?),
            ("start", int_column(pairs.start)),
        ];
        if self.weighted {
            columns.push(("weight", Arc::new(Float64Array::from(pairs.weight))));
        }
        table(columns)
    }
}

#[pymethods]
impl PyPairMaker {
    #[new]
    fn new(long: bool, weighted: bool) -> PyPairMaker {
        let maker = Mutex::new(PairMaker::new(weighted));
        PyPairMaker { maker, labels: LabelKind::of(long), weighted }
    }

    /// Adds the terms of a parcel. All of a part must be there before the n-grams are.
    fn add_terms(&self, py: Python, parcel: &[u8]) -> PyResult<()> {
        py.detach(|| self.maker().add_terms(parcel)).map_err(to_python)
    }

    /// Adds the terms of a parcel that are frequent n-grams.
    fn add_frequent_terms(&self, py: Python, parcel: &[u8]) -> PyResult<()> {
        py.detach(|| self.maker().add_frequent_terms(parcel)).map_err(to_python)
    }

    /// Pairs of a parcel of n-grams from byte `at` on, and where to go on.
    fn pairs(&self, py: Python, parcel: &[u8], at: usize) -> PyResult<(PyTable, usize)> {
        let (pairs, next) = py.detach(|| self.maker().pairs(parcel, at)).map_err(to_python)?;
        Ok((self.table(pairs)?, next))
    }

    /// The same of a parcel of terms with the frequent n-grams in them.
    fn frequent_pairs(&self, py: Python, parcel: &[u8], at: usize) -> PyResult<(PyTable, usize)> {
        let (pairs, next) =
            py.detach(|| self.maker().frequent_pairs(parcel, at)).map_err(to_python)?;
        Ok((self.table(pairs)?, next))
    }
}

pub(crate) fn add_to(module: &Bound<PyModule>) -> PyResult<()> {
    module.add_class::<PyTermAnalyzer>()?;
    module.add_class::<PyTermFilter>()?;
    module.add_class::<PyFrequentNGrams>()?;
    module.add_class::<PyTermSender>()?;
    module.add_class::<PyPartSurvey>()?;
    module.add_class::<PyTermTable>()?;
    module.add_class::<PyPairMaker>()
}
