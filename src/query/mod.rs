//! Questions about phrases and texts.

pub(crate) mod answer;
pub(crate) mod asked;
pub(crate) mod batch;
mod best;
mod complete;
mod complete_any;
pub(crate) mod cursor;
pub(crate) mod document;
pub(crate) mod expand;
pub(crate) mod find;
mod lookup;
mod nested_terms;
pub(crate) mod order;
mod phrase;
mod super_terms;
pub(crate) mod walk;

pub use answer::{Hit, Where};
pub use complete::WordOrder;
pub use nested_terms::NestedOptions;
pub use order::Sort;
pub use super_terms::SuperOptions;
