//! A sweep of stores in the figure it was always published in: seconds for 256 passes.

use nearfar_model::Bytes;
use nearfar_survey::Survey;
use nearfar_terminal::table::{Align, Table};

use crate::survey::grid::Grid;

/// Passes of the classical sweep.
const PASSES: f64 = 256.0;
/// One store goes to each line.
const LINE: f64 = 64.0;

/// The seconds, cell by cell.
pub(super) fn seconds(survey: &Survey) -> String {
    let (matrix, size) = (&survey.latency, survey.provenance.options.size_bytes);
    let stores = PASSES * size as f64 / LINE;
    let grid = Grid::of(matrix);
    let mut table = Table::default();
    table.line([vec![String::new()], matrix.columns.iter().map(|column| column.label.clone()).collect()].concat());
    for (row, head) in matrix.rows.iter().enumerate() {
        let seconds = (0..matrix.columns.len()).map(|column| match grid.median(row, column) {
            Some(ns) => format!("{:.3}", ns * stores / 1e9),
            None => "-".to_owned(),
        });
        table.line([vec![head.label.clone()], seconds.collect()].concat());
    }
    let title = format!("seconds for {PASSES} passes over {}", Bytes(size));
    format!("\n{title}\n{}", table.text(&[Align::Left, Align::Right]))
}
