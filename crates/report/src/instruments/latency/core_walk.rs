//! A core walk: each CPU's cost, and beside it the control's.

use nearfar_survey::Matrix;
use nearfar_terminal::table::{Align, Table};

use crate::survey::cell::cell_text;
use crate::survey::grid::Grid;

/// The table; the second half of the rows is the control.
pub(super) fn text(matrix: &Matrix) -> String {
    let (grid, half) = (Grid::of(matrix), matrix.rows.len() / 2);
    let buffer = matrix.columns.first().map_or("buffer", |column| &column.label);
    let mut table = Table::default();
    table.line([&format!("stores to the {buffer}, {} (median ± 95 %)", matrix.unit), "walk", "control"]);
    for (row, head) in matrix.rows.iter().enumerate().take(half) {
        let cost = |row| grid.cell(row, 0).map_or_else(String::new, cell_text);
        table.line([head.label.clone(), cost(row), cost(row + half)]);
    }
    table.text(&[Align::Left, Align::Right])
}
