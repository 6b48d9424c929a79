//! A vocabulary in, the arrays of an index out.

pub(crate) mod entries;
pub(crate) mod intern;
pub(crate) mod pipeline;
pub(crate) mod suffixes;

pub use entries::{Entries, List};
pub use pipeline::Build;
