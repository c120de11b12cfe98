//! A core walk: each CPU's cost, and beside it the control's.

use nearfar_survey::Matrix;

use super::cell::cell_text;
use crate::table::{Align, Table};

/// The table; the second half of the rows is the control.
pub(super) fn text(matrix: &Matrix) -> String {
    let half = matrix.rows.len() / 2;
    let mut table = Table::default();
    let title = format!("stores to the {}, {} (median ± 95 %)", matrix.columns[0].label, matrix.unit);
    table.line(vec![title, "walk".to_owned(), "control".to_owned()]);
    for row in 0..half {
        let cost = |row| matrix.cell(row, 0).map_or_else(String::new, cell_text);
        table.line(vec![matrix.rows[row].label.clone(), cost(row), cost(row + half)]);
    }
    table.text(&[Align::Left, Align::Right])
}
