//! A small survey to test on: two rows, two columns, one sample of each cell.

use crate::Survey;

pub(crate) const TEXT: &str = include_str!("sketch.json");

/// As this version reads it.
pub(crate) fn survey() -> Survey {
    serde_json::from_str(TEXT).unwrap()
}
