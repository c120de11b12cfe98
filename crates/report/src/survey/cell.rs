//! One cost with its interval.

use nearfar_survey::Cell;

/// "97.0 ±1.2", "330 ±3": the interval's larger half, so that it holds on both sides, in no more digits than it supports. "-" where
/// nothing was measured.
pub(super) fn cell_text<T>(cell: &Cell<T>) -> String {
    let Some(median) = cell.median else { return "-".to_owned() };
    let Some([low, high]) = cell.ci95 else { return format!("{median:.1}") };
    let half = (median - low).max(high - median);
    let decimals = match (median, half) {
        (100.0.., 1.0..) => 0,
        (_, 0.1..) => 1,
        _ => 2,
    };
    format!("{median:.decimals$} ±{half:.decimals$}")
}
