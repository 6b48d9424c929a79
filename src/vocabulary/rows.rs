//! What is read from a table.

use crate::build::entries::List;
use crate::build::{Aliases, UserColumns};

/// The rows of a table.
pub(super) struct Rows {
    pub(super) entries: List,
    /// The weights of the entries, if there are any.
    pub(super) weights: Option<Vec<f64>>,
    /// The user's own columns.
    pub(super) own: UserColumns,
    /// How the terms match, if the table says so.
    pub(super) matching: Option<String>,
    /// The other forms of terms, if the table has them.
    pub(super) aliases: Aliases,
}
