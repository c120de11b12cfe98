//! A core walk: each CPU's cost, and beside it the control's.

use nearfar_survey::Matrix;
use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::or_empty;

use crate::survey::MatrixIndex;
use crate::survey::cell::cell_text;

/// The table; the second half of the rows is the control.
pub(super) fn text(matrix: &Matrix) -> String {
    let (grid, half) = (MatrixIndex::from_matrix(matrix), matrix.rows.len() / 2);
    let buffer = matrix.columns.first().map_or("buffer", |column| &column.label);
    let head =
        [&format!("stores to the {buffer}, {} (median ± 95 %)", matrix.unit), "walk", "control"];
    let lines = matrix.rows.iter().enumerate().take(half).map(|(row, head)| {
        let cost = |row| or_empty(grid.cell(row, 0).map(cell_text));
        [head.label.clone(), cost(row), cost(row + half)]
    });
    headed(head, lines, &[Align::Left, Align::Right])
}
