//! One cost with its interval.

use nearfar_survey::Cell;

/// "97.1 ±1.2"; the interval's larger half, so that it holds on both sides. "-" where nothing was measured.
pub(super) fn cell_text(cell: &Cell) -> String {
    let Some(median) = cell.median else { return "-".to_owned() };
    let digits = if median < 10.0 { 2 } else { 1 };
    match cell.ci95 {
        Some([low, high]) => format!("{median:.digits$} ±{:.digits$}", (median - low).max(high - median)),
        None => format!("{median:.digits$}"),
    }
}
