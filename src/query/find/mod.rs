//! Terms in running text.

pub(crate) mod batch;
pub(crate) mod matches;
pub(crate) mod options;
mod search;
mod settled;
pub(crate) mod surfaces;
mod text;
mod words;
