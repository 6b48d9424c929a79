//! The Python module `termnest._core`. Only this folder knows that Python exists; it has no algorithms:
//! a method converts its arguments, releases the GIL, calls the core and converts the result.

#![allow(
    clippy::too_many_arguments,
    reason = "a method has one for each argument that it has in Python"
)]

mod aliases;
mod arguments;
mod arrow;
mod candidates;
mod columns;
mod containment;
mod errors;
mod find;
mod frames;
mod index;
mod interrupt;
mod join;
mod json;
mod matches;
mod normalize;
mod queries;
mod store;
mod surfaces;
mod table;
mod take;
mod texts;
mod token_finder;
mod tsv_csv_json;
mod vocabulary;

use pyo3::prelude::*;

use crate::Index;

/// Whether a file that begins with these bytes is an index.
#[pyfunction]
fn is_index(first_bytes: &[u8]) -> bool {
    Index::is_index(first_bytes)
}

/// Whether a folder is a store.
#[pyfunction]
fn is_store(path: std::path::PathBuf) -> bool {
    crate::Store::is_store(&path)
}

#[pymodule]
fn _core(module: &Bound<PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("MAX_TERM_TOKENS", crate::MAX_TERM_TOKENS)?;
    module.add("MAX_TERM_BYTES", crate::MAX_TERM_BYTES)?;
    module.add("MAX_TOKENS", crate::MAX_TOKENS)?;
    module.add("MAX_WORDS", crate::MAX_WORDS)?;
    module.add("MAX_WORD_BYTES", crate::MAX_WORD_BYTES)?;
    module.add_class::<index::PyIndex>()?;
    module.add_class::<queries::Questions>()?;
    module.add_class::<store::PyStore>()?;
    module.add_class::<store::PySnapshot>()?;
    module.add_class::<json::JsonAnswers>()?;
    module.add_class::<matches::PyMatches>()?;
    module.add_class::<token_finder::PyTokenFinder>()?;
    module.add_class::<find::PyTextBatches>()?;
    module.add_class::<table::PyTable>()?;
    module.add_class::<table::PyColumn>()?;
    module.add_class::<candidates::PyCandidateCounter>()?;
    module.add_class::<frames::PyFrame>()?;
    module.add_function(wrap_pyfunction!(containment::containment_join, module)?)?;
    join::add_to(module)?;
    vocabulary::add_to(module)?;
    module.add_function(wrap_pyfunction!(aliases::read_aliases, module)?)?;
    module.add_function(wrap_pyfunction!(index::options_of_matching, module)?)?;
    module.add_function(wrap_pyfunction!(is_store, module)?)?;
    module.add_function(wrap_pyfunction!(is_index, module)?)
}
