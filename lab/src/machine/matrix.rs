//! Numbers by row and column.

/// Rows × columns.
pub(crate) type Matrix = Vec<Vec<f64>>;
