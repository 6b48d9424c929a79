//! The parts of a containment join in Python: what `termnest.spark` calls on each machine.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, RecordBatch};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::arrow::{import_column, text_column};
use crate::py::{Analysis, PyTable, arrow_error, entries, raise, to_python};
use crate::{
    FingerprintedTerms, Fingerprinter, FrequentTerms, KEY_BYTES, NGrams, TermAnalyzer, TermFilter,
};

/// Terms to fingerprints and n-grams.
#[pyclass(frozen, module = "termnest._core", name = "TermAnalyzer")]
struct PyTermAnalyzer {
    analyzer: TermAnalyzer,
}

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

fn terms_table(terms: FingerprintedTerms) -> PyResult<PyTable> {
    let [high, low] = halves(&terms.fingerprint);
    table([
        ("row", int_column(terms.row)),
        ("term", text_column(terms.term).map_err(arrow_error)?),
        ("length", int_column(terms.length)),
        high,
        low,
    ])
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

    /// The entries that are terms: row, term, length, and the halves of their keys' fingerprints.
    fn terms(&self, py: Python, terms: &Bound<PyAny>) -> PyResult<PyTable> {
        let entries = entries(terms, "terms")?;
        let terms = py.detach(|| self.analyzer.terms(entries.as_ref()));
        terms_table(terms.map_err(to_python)?)
    }

    /// The n-grams that stand in at least so many of the terms, with their counts; and how many entries
    /// the terms have in a filter.
    fn count_ngrams(
        &self,
        py: Python,
        terms: &Bound<PyAny>,
        least: u64,
    ) -> PyResult<(PyTable, u64)> {
        let entries = entries(terms, "terms")?;
        let (counts, filter_entries) = py
            .detach(|| {
                let counts = self.analyzer.count_ngrams(entries.as_ref(), least)?;
                Ok((counts, self.analyzer.count_filter_entries(entries.as_ref())?))
            })
            .map_err(to_python)?;
        let (fingerprints, counts): (Vec<u128>, Vec<u64>) = counts.into_iter().unzip();
        let counts = Int64Array::from_iter_values(counts.into_iter().map(|count| count as i64));
        let [high, low] = halves(&fingerprints);
        Ok((table([high, low, ("count", Arc::new(counts))])?, filter_entries))
    }

    /// The entries of a filter, part by part, as eight bytes each; the terms that are frequent, as from
    /// `terms`; the number of terms.
    fn survey<'py>(
        &self,
        py: Python<'py>,
        terms: &Bound<PyAny>,
        parts: usize,
        part_words: usize,
        frequent: &PyFrequentTerms,
    ) -> PyResult<(Bound<'py, PyList>, PyTable, u64)> {
        let entries = entries(terms, "terms")?;
        let survey = py
            .detach(|| self.analyzer.survey(entries.as_ref(), parts, part_words, &frequent.terms));
        let survey = survey.map_err(to_python)?;
        let bytes = |entries: Vec<u64>| {
            let bytes: Vec<u8> = entries.into_iter().flat_map(u64::to_le_bytes).collect();
            PyBytes::new(py, &bytes)
        };
        let filter = PyList::new(py, survey.filter.into_iter().map(bytes))?;
        Ok((filter, terms_table(survey.frequent)?, survey.count))
    }

    /// N-grams of terms, given by their surfaces, from number `first` on; and the number of the term to
    /// go on with. With `resolve` those that are frequent terms, by their numbers; else the others that
    /// may be terms, by their fingerprints.
    fn ngrams(
        &self,
        py: Python,
        terms: &Bound<PyAny>,
        first: u32,
        filter: Option<&PyTermFilter>,
        frequent: &PyFrequentTerms,
        resolve: bool,
    ) -> PyResult<(PyTable, u32)> {
        let entries = entries(terms, "terms")?;
        let filter = filter.map(|filter| &filter.filter);
        let (ngrams, next) = py
            .detach(|| {
                self.analyzer.ngrams(entries.as_ref(), first, filter, &frequent.terms, resolve)
            })
            .map_err(to_python)?;
        let NGrams { row, start, fingerprint, frequent } = ngrams;
        let places = [("row", int_column(row)), ("start", int_column(start))];
        let found = match resolve {
            true => vec![("frequent", int_column(frequent))],
            false => halves(&fingerprint).into(),
        };
        Ok((table(places.into_iter().chain(found))?, next))
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

/// The terms that stand in very many others.
#[pyclass(frozen, module = "termnest._core", name = "FrequentTerms")]
struct PyFrequentTerms {
    terms: FrequentTerms,
}

#[pymethods]
impl PyFrequentTerms {
    /// The halves of their fingerprints, as Arrow columns.
    #[new]
    fn new(high: &Bound<PyAny>, low: &Bound<PyAny>) -> PyResult<PyFrequentTerms> {
        let (high, low) = (int64s(high)?, int64s(low)?);
        let pairs = high.into_iter().zip(low);
        let fingerprints: Vec<u128> = pairs
            .map(|(high, low)| u128::from(high as u64) << 64 | u128::from(low as u64))
            .collect();
        Ok(PyFrequentTerms { terms: FrequentTerms::new(&fingerprints) })
    }
}

fn int64s(column: &Bound<PyAny>) -> PyResult<Vec<i64>> {
    let problem = |problem: String| raise("TermTypeError", format!("fingerprints: {problem}"));
    let chunks = import_column(column)?
        .unwrap_or_else(|| Err("they must be an Arrow column".into()))
        .map_err(problem)?;
    let mut numbers = Vec::new();
    for chunk in chunks {
        match chunk.as_primitive_opt::<Int64Type>() {
            Some(column) if column.null_count() == 0 => numbers.extend(column.values()),
            _ => return Err(problem(format!("they are a column of {}", chunk.data_type()))),
        }
    }
    Ok(numbers)
}

pub(crate) fn add_to(module: &Bound<PyModule>) -> PyResult<()> {
    module.add_class::<PyTermAnalyzer>()?;
    module.add_class::<PyTermFilter>()?;
    module.add_class::<PyFrequentTerms>()
}
