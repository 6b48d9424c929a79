//! A vocabulary in, the arrays of an index out. `pipeline` has the steps in their order.

pub(crate) mod columns;
pub(crate) mod entries;
pub(crate) mod intern;
mod merge;
pub(crate) mod names;
mod normal_forms;
mod number;
pub(crate) mod pipeline;
mod removed;
mod settings;
mod split;
mod stored_columns;
pub(crate) mod suffixes;
mod terms;
pub(crate) mod values;

pub use columns::UserColumns;
pub use entries::{Entries, List};
pub use names::Aliases;
pub use settings::Build;
pub use values::{Refused, Values};
