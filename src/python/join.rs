//! The containment join in Python: what `termnest.spark` calls on each machine.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use super::arguments::{Analysis, entries, numbers};
use super::arrow::import_column;
use super::errors::{arrow_error, raise, to_python};
use super::table::PyTable;
use crate::{
    Error, FilterEntries, Fingerprinter, FrequentNGrams, IdPairs, Ids, KEY_BYTES, NGramCounts,
    PairMaker, TermAnalyzer, TermFields, TermFilter, TermSender, TermTable, nested_shares,
};

/// Which columns a join has, as `termnest.spark.tasks.TermFields` says it.
#[derive(Clone, Copy, FromPyObject)]
struct Fields {
    ids: bool,
    long: bool,
    weights: bool,
    occurrences: bool,
}

impl Fields {
    fn id_kind(self) -> IdKind {
        if self.long { IdKind::Long } else { IdKind::Text }
    }
}

impl From<Fields> for TermFields {
    fn from(fields: Fields) -> TermFields {
        let Fields { ids, weights, occurrences, .. } = fields;
        TermFields { ids, weights, occurrences }
    }
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

/// Where values end in the buffer that has all of them.
fn offsets(ends: Vec<usize>) -> PyResult<OffsetBuffer<i32>> {
    let ends = std::iter::once(0).chain(ends).map(i32::try_from);
    let ends: Vec<i32> = ends.collect::<Result<_, _>>().map_err(|_| to_python(Error::Block))?;
    Ok(OffsetBuffer::new(ScalarBuffer::from(ends)))
}

fn bytes_column(values: Ids) -> PyResult<ArrayRef> {
    let column = BinaryArray::try_new(offsets(values.ends)?, Buffer::from_vec(values.bytes), None);
    Ok(Arc::new(column.map_err(arrow_error)?))
}

/// Gives the chunks of a column to `add`, which returns whether it has the right type.
fn each_chunk(column: &Bound<PyAny>, mut add: impl FnMut(&ArrayRef) -> bool) -> PyResult<()> {
    let problem = |problem: String| raise("TermTypeError", format!("a column: {problem}"));
    let chunks = import_column(column)?
        .unwrap_or_else(|| Err("it must be an Arrow column".into()))
        .map_err(problem)?;
    for chunk in chunks {
        if chunk.null_count() > 0 || !add(&chunk) {
            return Err(problem(format!("it is a column of {}", chunk.data_type())));
        }
    }
    Ok(())
}

/// A column of numbers.
fn int64s(column: &Bound<PyAny>) -> PyResult<Vec<i64>> {
    let mut numbers = Vec::new();
    each_chunk(column, |chunk| {
        let chunk = chunk.as_primitive_opt::<Int64Type>();
        numbers.extend(chunk.iter().flat_map(|chunk| chunk.values()));
        chunk.is_some()
    })?;
    Ok(numbers)
}

/// A column of byte strings.
fn byte_strings(column: &Bound<PyAny>) -> PyResult<Ids> {
    let mut values = Ids::default();
    each_chunk(column, |chunk| {
        let chunk = chunk.as_binary_opt::<i32>();
        let each = chunk.iter().flat_map(|chunk| chunk.iter().flatten());
        each.for_each(|value| values.push(value));
        chunk.is_some()
    })?;
    Ok(values)
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
                let (offsets, bytes) = (offsets(ids.ends)?, Buffer::from_vec(ids.bytes));
                let texts = StringArray::try_new(offsets, bytes, None);
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

/// The n-grams that occur in very many terms.
#[pyclass(frozen, module = "termnest._core", name = "FrequentNGrams")]
struct PyFrequentNGrams {
    ngrams: FrequentNGrams,
}

#[pymethods]
impl PyFrequentNGrams {
    /// From their fingerprints, one after the other.
    #[new]
    fn new(fingerprints: &[u8]) -> PyFrequentNGrams {
        PyFrequentNGrams { ngrams: FrequentNGrams::from_bytes(fingerprints) }
    }
}

/// The terms that one task reads, on their way to their partitions.
#[pyclass(module = "termnest._core", name = "TermSender")]
struct PyTermSender {
    sender: TermSender,
    /// The ids of terms, if these are not their surfaces.
    ids: Option<IdKind>,
}

#[pymethods]
impl PyTermSender {
    #[new]
    fn new(partitions: usize, fields: Fields) -> PyTermSender {
        PyTermSender {
            sender: TermSender::new(partitions, fields.into()),
            ids: fields.ids.then_some(fields.id_kind()),
        }
    }

    /// Whether the blocks should be taken and sent.
    #[getter]
    fn full(&self) -> bool {
        self.sender.is_full()
    }

    /// Adds the entries of a column that are terms.
    fn add(
        &mut self,
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
            self.sender.add(&analyzer.analyzer, entries.as_ref(), |row| ids.get(row), weight)
        })
        .map_err(to_python)
    }

    /// The number of entries that are terms since the last call.
    fn take_entries(&mut self) -> u64 {
        self.sender.take_entries()
    }

    /// The blocks, one for each partition.
    fn take<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        bytes_list(py, py.detach(|| self.sender.take()))
    }
}

/// In how many terms of a sample the n-grams occur.
#[pyclass(module = "termnest._core", name = "NGramCounts")]
struct PyNGramCounts {
    counts: NGramCounts,
}

#[pymethods]
impl PyNGramCounts {
    #[new]
    fn new() -> PyNGramCounts {
        PyNGramCounts { counts: NGramCounts::default() }
    }

    /// Adds the entries of a column that are terms.
    fn add(&mut self, py: Python, analyzer: &PyTermAnalyzer, terms: &Bound<PyAny>) -> PyResult<()> {
        let entries = entries("terms", terms)?;
        py.detach(|| self.counts.add(&analyzer.analyzer, entries.as_ref())).map_err(to_python)
    }

    /// The number of terms.
    #[getter]
    fn terms(&self) -> u64 {
        self.counts.terms
    }

    /// The number of their n-grams.
    #[getter]
    fn ngrams(&self) -> u64 {
        self.counts.ngrams
    }

    /// N-grams, as fingerprints, with the number of terms in which each occurs.
    ///
    /// If there are more than `most`, those of one term are left out.
    fn counts(&self, py: Python, most: usize) -> PyResult<PyTable> {
        let counts = py.detach(|| self.counts.counts(most));
        let ngrams = counts.iter().map(|(fingerprint, _)| fingerprint.to_le_bytes());
        let ngrams = BinaryArray::from_iter_values(ngrams);
        let counts = Int64Array::from_iter_values(counts.iter().map(|&(_, count)| count as i64));
        table([("ngram", Arc::new(ngrams) as ArrayRef), ("count", Arc::new(counts))])
    }
}

/// The entries of a filter, and the checksums of the partitions to be.
#[pyclass(module = "termnest._core", name = "FilterEntries")]
struct PyFilterEntries {
    entries: FilterEntries,
}

#[pymethods]
impl PyFilterEntries {
    #[new]
    fn new(slices: usize, partitions: usize) -> PyFilterEntries {
        PyFilterEntries { entries: FilterEntries::new(slices, partitions) }
    }

    /// Adds the entries of a column that are terms.
    fn add(&mut self, py: Python, analyzer: &PyTermAnalyzer, terms: &Bound<PyAny>) -> PyResult<()> {
        let entries = entries("terms", terms)?;
        py.detach(|| self.entries.add(&analyzer.analyzer, entries.as_ref())).map_err(to_python)
    }

    /// Whether the entries should be taken and sent.
    #[getter]
    fn full(&self) -> bool {
        self.entries.is_full()
    }

    /// The entries since the last call, by the slices of the filter, as eight bytes each.
    fn take<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let bytes = |entries: &Vec<u64>| entries.iter().flat_map(|n| n.to_le_bytes()).collect();
        let slices = py.detach(|| self.entries.take().iter().map(bytes).collect());
        bytes_list(py, slices)
    }

    /// The checksums of the vocabulary's entries by partition, as 16 bytes each.
    #[getter]
    fn checksums<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let sums = self.entries.checksums().to_vec();
        PyBytes::new(py, &sums.into_iter().flat_map(u128::to_le_bytes).collect::<Vec<u8>>())
    }
}

/// The terms of a partition, each once.
#[pyclass(module = "termnest._core", name = "TermTable")]
struct PyTermTable {
    table: TermTable,
    fields: Fields,
}

#[pymethods]
impl PyTermTable {
    #[new]
    fn new(fields: Fields) -> PyTermTable {
        PyTermTable { table: TermTable::new(fields.into()), fields }
    }

    fn __len__(&self) -> usize {
        self.table.len()
    }

    /// Adds the terms of a block.
    fn add_block(&mut self, py: Python, block: &[u8]) -> PyResult<()> {
        py.detach(|| self.table.add_block(block)).map_err(to_python)
    }

    /// The checksum of the entries of all blocks, as 16 bytes.
    #[getter]
    fn checksum<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.table.checksum().to_le_bytes())
    }

    /// The blocks of the second exchange, as two lists: terms and n-grams.
    ///
    /// Each list has one block for each partition. A call packs some of the terms, from number
    /// `first` on; the last value is the number of the next term.
    fn outgoing<'py>(
        &self,
        py: Python<'py>,
        analyzer: &PyTermAnalyzer,
        first: usize,
        partitions: usize,
        filter: Option<&PyTermFilter>,
        frequent: &PyFrequentNGrams,
    ) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyList>, usize)> {
        let filter = filter.map(|filter| &filter.filter);
        let (out, next) = py
            .detach(|| {
                let analyzer = &analyzer.analyzer;
                self.table.outgoing(analyzer, first, partitions, filter, &frequent.ngrams)
            })
            .map_err(to_python)?;
        Ok((bytes_list(py, out.terms)?, bytes_list(py, out.ngrams)?, next))
    }

    /// Some of the terms, from number `first` on, and the number of the next term.
    fn rows(&self, py: Python, first: usize) -> PyResult<(PyTable, usize)> {
        let (ids, lengths, weights, next) = py.detach(|| self.table.rows(first));
        let ids = self.fields.id_kind().column(ids)?;
        let mut columns = vec![("term", ids), ("length", int_column(lengths))];
        if self.fields.weights {
            columns.push(("weight", Arc::new(Float64Array::from(weights))));
        }
        Ok((table(columns)?, next))
    }
}

/// The terms of a partition, which it joins with n-grams.
#[pyclass(module = "termnest._core", name = "PairMaker")]
struct PyPairMaker {
    maker: PairMaker,
    fields: Fields,
}

#[pymethods]
impl PyPairMaker {
    #[new]
    fn new(fields: Fields) -> PyPairMaker {
        PyPairMaker { maker: PairMaker::new(fields.into()), fields }
    }

    /// Adds a block of terms. All terms of a partition must be added before pairs are made.
    fn add_terms(&mut self, py: Python, block: &[u8]) -> PyResult<()> {
        py.detach(|| self.maker.add_terms(block)).map_err(to_python)
    }

    /// Some pairs of a block of n-grams, from byte `at` on, and the byte at which to go on.
    fn pairs(&self, py: Python, block: &[u8], at: usize) -> PyResult<(PyTable, usize)> {
        let (pairs, next) = py.detach(|| self.maker.pairs(block, at)).map_err(to_python)?;
        let IdPairs { nested, supers, start, weight, length, repeats } = pairs;
        let ids = self.fields.id_kind();
        let mut columns = vec![("nested", ids.column(nested)?), ("super", ids.column(supers)?)];
        columns.push(("start", int_column(start)));
        if self.fields.weights {
            columns.push(("weight", Arc::new(Float64Array::from(weight))));
        }
        if self.fields.occurrences {
            columns.push(("length", int_column(length)));
            columns.push(("repeats", bytes_column(repeats)?));
        }
        Ok((table(columns)?, next))
    }
}

/// The shares of pairs: what part of the weight of the super term counts as inside of it.
///
/// The pairs of a super term follow one another; `ends` has the number of the pair after the last
/// of each. The other columns are those of `PairMaker.pairs`.
#[pyfunction(name = "nested_shares")]
fn py_nested_shares(
    py: Python,
    ends: &Bound<PyAny>,
    start: &Bound<PyAny>,
    length: &Bound<PyAny>,
    repeats: &Bound<PyAny>,
) -> PyResult<PyTable> {
    let ends: Vec<usize> = int64s(ends)?.into_iter().map(|end| end as usize).collect();
    let small = |column| -> PyResult<Vec<u32>> {
        Ok(int64s(column)?.into_iter().map(|number| number as u32).collect())
    };
    let (start, length, repeats) = (small(start)?, small(length)?, byte_strings(repeats)?);
    let shares = py.detach(|| nested_shares(&ends, &start, &length, &repeats));
    let shares = Float64Array::from(shares.map_err(to_python)?);
    table([("share", Arc::new(shares) as ArrayRef)])
}

pub(crate) fn add_to(module: &Bound<PyModule>) -> PyResult<()> {
    module.add_class::<PyTermAnalyzer>()?;
    module.add_class::<PyTermFilter>()?;
    module.add_class::<PyFrequentNGrams>()?;
    module.add_class::<PyTermSender>()?;
    module.add_class::<PyNGramCounts>()?;
    module.add_class::<PyFilterEntries>()?;
    module.add_class::<PyTermTable>()?;
    module.add_class::<PyPairMaker>()?;
    module.add_function(wrap_pyfunction!(py_nested_shares, module)?)
}
