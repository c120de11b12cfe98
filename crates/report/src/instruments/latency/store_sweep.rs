//! A sweep of stores in the figure it was always published in: seconds for 256 passes.

use nearfar_model::Bytes;
use nearfar_survey::Survey;
use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::or_dash;

use crate::survey::grid::MatrixIndex;

/// Passes of the classical sweep.
const PASSES: f64 = 256.0;
/// One store goes to each line.
const LINE: f64 = 64.0;

/// The seconds, cell by cell.
pub(super) fn seconds(survey: &Survey) -> String {
    let (matrix, size) = (&survey.latency, survey.provenance.options.size_bytes);
    let stores = PASSES * size as f64 / LINE;
    let grid = MatrixIndex::from_matrix(matrix);
    let head = [""].into_iter().chain(matrix.columns.iter().map(|column| column.label.as_str()));
    let lines = matrix.rows.iter().enumerate().map(|(row, head)| {
        let second = |column| {
            or_dash(grid.median(row, column).map(|ns| format!("{:.3}", ns * stores / 1e9)))
        };
        [head.label.clone()]
            .into_iter()
            .chain((0..matrix.columns.len()).map(second))
            .collect::<Vec<_>>()
    });
    let table = headed(head, lines, &[Align::Left, Align::Right]);
    format!("\nseconds for {PASSES} passes over {}\n{table}", Bytes(size))
}
