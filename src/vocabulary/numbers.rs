//! Numbers in cells and JSON values.

use crate::error::{Error, Place, Result};

/// Whether a cell has a number, which need not be a weight: -1 is one, and "infinity" is a word.
pub(super) fn is_number(cell: &str) -> bool {
    let cell = cell.trim();
    cell.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+'))
        && cell.parse::<f64>().is_ok_and(f64::is_finite)
}

/// The weight in a cell or JSON value.
pub(super) fn parse_weight(cell: &str, line: u64) -> Result<f64> {
    let weight =
        cell.trim().parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight >= 0.0);
    weight.ok_or_else(|| Error::Weight { place: Place::Line(line), value: format!("{cell:?}") })
}
