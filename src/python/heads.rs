//! The heads of terms by the rule of a language.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::UInt32Array;
use pyo3::prelude::*;

use super::columns::optional_id_array;
use super::errors::to_python;
use super::index::PyIndex;
use super::table::{PyTable, TableColumns, term_column};
use crate::{HeadRule, TermId};

/// The tree of terms and their heads by the rule of a language, as a table like that of `taxonomy`:
/// whether the head is first, the words that it is before, all function words, the base forms of words,
/// and the least letters of a part of a compound that is a head.
#[pyfunction]
pub(super) fn heads(
    py: Python,
    index: &PyIndex,
    first: bool,
    borders: Vec<String>,
    function_words: Vec<String>,
    bases: HashMap<String, String>,
    min_part: usize,
) -> PyResult<PyTable> {
    let rule = HeadRule {
        first,
        borders: borders.into_iter().collect(),
        function_words: function_words.into_iter().collect(),
        bases,
        min_part,
    };
    py.detach(|| {
        let index = &index.index;
        let tree = index.heads(&rule).map_err(to_python)?;
        let ids: Vec<u32> = (0..index.len() as u32).collect();
        let mut table = TableColumns::default();
        table.push("term", term_column(index, &ids)?);
        let broader = tree.broader.iter().map(|head| head.map(|TermId(id)| id));
        let roots: Vec<u32> = tree.root.iter().map(|&TermId(id)| id).collect();
        table.push_ids(index, "id", &ids)?;
        table.push_nullable("broader", optional_id_array(index, broader)?);
        table.push("depth", Arc::new(UInt32Array::from(tree.depth)));
        table.push_ids(index, "root", &roots)?;
        table.table()
    })
}
