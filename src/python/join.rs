//! The containment join in Python: what `termnest.spark` calls on each machine.

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
    Error, Fingerprinter, FrequentNGrams, IdPairs, Ids, KEY_BYTES, PairMaker, PartitionStatistics,
    TermAnalyzer, TermFields, TermFilter, TermSender, TermTable,
};

/// Fingerprints as two columns of numbers: data frames have no integers of 128 bits.
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

fn bytes_list(py: Python, buffers: Vec<Vec<u8>>) -> PyResult<Bound<PyList>> {
    PyList::new(py, buffers.iter().map(|bytes| PyBytes::new(py, bytes)))
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

/// The type of ids.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IdKind {
    /// The terms' surfaces, or an id column of strings.
    Text,
    /// An id column of integers.
    Long,
}

impl IdKind {
    fn of(long: bool) -> IdKind {
        if long { IdKind::Long } else { IdKind::Text }
    }

    /// The ids of a column.
    fn read(self, column: &Bound<PyAny>) -> PyResult<Ids> {
        let mut ids = Ids::default();
        match self {
            IdKind::Long => int64s(column)?.into_iter().for_each(|id| ids.push_number(id)),
            IdKind::Text => {
                let texts = entries("ids", column)?;
                for part in texts.cut(1) {
                    let each = &mut |text: &str| {
                        ids.push(text.as_bytes());
                        Ok(())
                    };
                    texts.visit(part, each).map_err(to_python)?;
                }
            }
        }
        Ok(ids)
    }

    /// The column of ids.
    fn column(self, ids: Ids) -> PyResult<ArrayRef> {
        let damaged = || to_python(Error::Block);
        match self {
            IdKind::Long => {
                let numbers = ids.numbers().ok_or_else(damaged)?;
                Ok(Arc::new(Int64Array::from_iter_values(numbers)))
            }
            IdKind::Text => {
                let ends = std::iter::once(0).chain(ids.ends).map(i32::try_from);
                let ends = ends.collect::<Result<Vec<i32>, _>>().map_err(|_| damaged())?;
                let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
                let texts = StringArray::try_new(offsets, Buffer::from_vec(ids.bytes), None);
                Ok(Arc::new(texts.map_err(|_| damaged())?))
            }
        }
    }
}

/// How terms become fingerprints: the analysis of a job, and its key of 32 bytes.
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

/// A filter of all terms: which n-grams may be terms.
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

    /// The words of one slice of a filter, from the entries that the statistics have for it.
    #[staticmethod]
    fn slice<'py>(
        py: Python<'py>,
        slice: usize,
        slices: usize,
        slice_words: usize,
        bits: u32,
        entries: Vec<Bound<'py, PyBytes>>,
    ) -> Bound<'py, PyBytes> {
        let mut words = vec![0; slice_words];
        for entries in entries {
            let (entries, _) = entries.as_bytes().as_chunks::<8>();
            let entries = entries.iter().map(|entry| u64::from_le_bytes(*entry));
            TermFilter::enter(&mut words, slice * slice_words, slices * slice_words, bits, entries);
        }
        PyBytes::new(py, &words.into_iter().flat_map(u64::to_le_bytes).collect::<Vec<u8>>())
    }
}

/// The n-grams that occur in very many terms, from the halves of their fingerprints.
#[pyclass(frozen, module = "termnest._core", name = "FrequentNGrams")]
struct PyFrequentNGrams {
    ngrams: FrequentNGrams,
}

#[pymethods]
impl PyFrequentNGrams {
    /// From the halves of their fingerprints, as Arrow columns.
    #[new]
    fn new(high: &Bound<PyAny>, low: &Bound<PyAny>) -> PyResult<PyFrequentNGrams> {
        let halves = int64s(high)?.into_iter().zip(int64s(low)?);
        let whole = |(high, low)| u128::from(high as u64) << 64 | u128::from(low as u64);
        Ok(PyFrequentNGrams { ngrams: FrequentNGrams::new(halves.map(whole)) })
    }
}

/// The terms that one task reads, on their way to their partitions.
#[pyclass(frozen, module = "termnest._core", name = "TermSender")]
struct PyTermSender {
    sender: Mutex<TermSender>,
    /// The ids of terms, if these are not their surfaces.
    ids: Option<IdKind>,
}

impl PyTermSender {
    fn sender(&self) -> MutexGuard<'_, TermSender> {
        self.sender.lock().unwrap_or_else(|error| error.into_inner())
    }
}

#[pymethods]
impl PyTermSender {
    #[new]
    fn new(partitions: usize, with_ids: bool, long: bool, weighted: bool) -> PyTermSender {
        let fields = TermFields { ids: with_ids, weights: weighted };
        PyTermSender {
            sender: Mutex::new(TermSender::new(partitions, fields)),
            ids: with_ids.then_some(IdKind::of(long)),
        }
    }

    /// Whether the blocks should be taken and sent.
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
        ids: Option<&Bound<PyAny>>,
        weights: Option<&Bound<PyAny>>,
    ) -> PyResult<()> {
        let entries = entries("terms", terms)?;
        let ids = match (self.ids, ids) {
            (Some(kind), Some(ids)) => kind.read(ids)?,
            _ => Ids::default(),
        };
        let weights =
            weights.map(|weights| numbers("weights", weights)).transpose()?.unwrap_or_default();
        py.detach(|| {
            let weight = |row: usize| weights.get(row).copied().unwrap_or(0.0);
            self.sender().add(&analyzer.analyzer, entries.as_ref(), |row| ids.get(row), weight)
        })
        .map_err(to_python)
    }

    /// The blocks, one for each partition.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        bytes_list(py, py.detach(|| self.sender().take()))
    }
}

/// What all machines must know of the terms of a partition.
#[pyclass(frozen, module = "termnest._core", name = "PartitionStatistics")]
struct PyPartitionStatistics {
    statistics: Mutex<PartitionStatistics>,
}

impl PyPartitionStatistics {
    fn statistics(&self) -> MutexGuard<'_, PartitionStatistics> {
        self.statistics.lock().unwrap_or_else(|error| error.into_inner())
    }
}

#[pymethods]
impl PyPartitionStatistics {
    #[new]
    fn new(
        with_ids: bool,
        weighted: bool,
        filter_slices: usize,
        sample: usize,
    ) -> PyPartitionStatistics {
        let fields = TermFields { ids: with_ids, weights: weighted };
        let statistics = PartitionStatistics::new(fields, filter_slices, sample);
        PyPartitionStatistics { statistics: Mutex::new(statistics) }
    }

    /// Adds the terms of a block.
    fn add_block(&self, py: Python, analyzer: &PyTermAnalyzer, block: &[u8]) -> PyResult<()> {
        py.detach(|| self.statistics().add_block(&analyzer.analyzer, block)).map_err(to_python)
    }

    /// The number of entries, equal ones included.
    #[getter]
    fn entries(&self) -> u64 {
        self.statistics().entries()
    }

    /// The entries of the filter, by its slices, as eight bytes each.
    fn filter<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let bytes = |entries: &Vec<u64>| entries.iter().flat_map(|n| n.to_le_bytes()).collect();
        let slices = py.detach(|| self.statistics().filter().iter().map(bytes).collect());
        bytes_list(py, slices)
    }

    /// N-grams, with the number of sampled terms in which each occurs.
    ///
    /// If there are more than `most`, those of one term are left out.
    fn counts(&self, py: Python, most: usize) -> PyResult<PyTable> {
        let (fingerprints, counts): (Vec<u128>, Vec<u64>) =
            py.detach(|| self.statistics().counts(most)).into_iter().unzip();
        let counts = Int64Array::from_iter_values(counts.into_iter().map(|count| count as i64));
        let [high, low] = halves(&fingerprints);
        table([high, low, ("count", Arc::new(counts))])
    }
}

/// The terms of a partition, each once.
#[pyclass(frozen, module = "termnest._core", name = "TermTable")]
struct PyTermTable {
    table: Mutex<TermTable>,
    /// The ids of terms, if these are not their surfaces.
    ids: Option<IdKind>,
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
    fn new(with_ids: bool, long: bool, weighted: bool) -> PyTermTable {
        let fields = TermFields { ids: with_ids, weights: weighted };
        PyTermTable {
            table: Mutex::new(TermTable::new(fields)),
            ids: with_ids.then_some(IdKind::of(long)),
            weighted,
        }
    }

    fn __len__(&self) -> usize {
        self.table().len()
    }

    /// Adds the terms of a block.
    fn add_block(&self, py: Python, block: &[u8]) -> PyResult<()> {
        py.detach(|| self.table().add_block(block)).map_err(to_python)
    }

    /// The blocks of the second exchange, as four lists: terms, terms that are frequent n-grams,
    /// n-grams, and terms with the frequent n-grams in them. Each list has one block for each
    /// partition, but the second has one block for all. A call packs some of the terms, from number
    /// `first` on; the last value is the number of the next term.
    fn outgoing<'py>(
        &self,
        py: Python<'py>,
        analyzer: &PyTermAnalyzer,
        first: usize,
        partitions: usize,
        filter: Option<&PyTermFilter>,
        frequent: &PyFrequentNGrams,
    ) -> PyResult<(Vec<Bound<'py, PyList>>, usize)> {
        let filter = filter.map(|filter| &filter.filter);
        let (out, next) = py
            .detach(|| {
                let analyzer = &analyzer.analyzer;
                self.table().outgoing(analyzer, first, partitions, filter, &frequent.ngrams)
            })
            .map_err(to_python)?;
        let lists = [out.terms, vec![out.frequent_terms], out.ngrams, out.frequent_ngrams];
        let lists = lists.into_iter().map(|list| bytes_list(py, list)).collect::<PyResult<_>>()?;
        Ok((lists, next))
    }

    /// Some of the terms, from number `first` on, and the number of the next term.
    fn rows(&self, py: Python, first: usize) -> PyResult<(PyTable, usize)> {
        let (ids, lengths, weights, next) = py.detach(|| self.table().rows(first));
        let kind = self.ids.unwrap_or(IdKind::Text);
        let mut columns = vec![("term", kind.column(ids)?), ("length", int_column(lengths))];
        if self.weighted {
            columns.push(("weight", Arc::new(Float64Array::from(weights))));
        }
        Ok((table(columns)?, next))
    }
}

/// The terms of a partition, which it joins with n-grams.
#[pyclass(frozen, module = "termnest._core", name = "PairMaker")]
struct PyPairMaker {
    maker: Mutex<PairMaker>,
    ids: IdKind,
    weighted: bool,
}

impl PyPairMaker {
    fn maker(&self) -> MutexGuard<'_, PairMaker> {
        self.maker.lock().unwrap_or_else(|error| error.into_inner())
    }

    fn table(&self, pairs: IdPairs) -> PyResult<PyTable> {
        let mut columns = vec![
            ("nested", self.ids.column(pairs.nested)?),
            ("super", self.ids.column(pairs.supers)?),
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
        PyPairMaker { maker, ids: IdKind::of(long), weighted }
    }

    /// Adds a block of terms. All terms of a partition must be added before pairs are made.
    fn add_terms(&self, py: Python, block: &[u8]) -> PyResult<()> {
        py.detach(|| self.maker().add_terms(block)).map_err(to_python)
    }

    /// Adds a block of terms that are frequent n-grams.
    fn add_frequent_terms(&self, py: Python, block: &[u8]) -> PyResult<()> {
        py.detach(|| self.maker().add_frequent_terms(block)).map_err(to_python)
    }

    /// Some pairs of a block of n-grams, from byte `at` on, and the byte at which to go on.
    fn pairs(&self, py: Python, block: &[u8], at: usize) -> PyResult<(PyTable, usize)> {
        let (pairs, next) = py.detach(|| self.maker().pairs(block, at)).map_err(to_python)?;
        Ok((self.table(pairs)?, next))
    }

    /// The same of a block of terms with the frequent n-grams in them.
    fn frequent_pairs(&self, py: Python, block: &[u8], at: usize) -> PyResult<(PyTable, usize)> {
        let (pairs, next) =
            py.detach(|| self.maker().frequent_pairs(block, at)).map_err(to_python)?;
        Ok((self.table(pairs)?, next))
    }
}

pub(crate) fn add_to(module: &Bound<PyModule>) -> PyResult<()> {
    module.add_class::<PyTermAnalyzer>()?;
    module.add_class::<PyTermFilter>()?;
    module.add_class::<PyFrequentNGrams>()?;
    module.add_class::<PyTermSender>()?;
    module.add_class::<PyPartitionStatistics>()?;
    module.add_class::<PyTermTable>()?;
    module.add_class::<PyPairMaker>()
}
