//! What is read from a table.

use crate::build::UserColumns;
use crate::build::entries::List;

/// The entries of a table, their weights, if there are any, the user's own columns, and how its terms match,
/// if it says so.
pub(super) type Rows = (List, Option<Vec<f64>>, UserColumns, Option<String>);
