//! The cost matrix in ns with intervals, and as ratio to local beside what firmware claims.

use nearfar_model::{DistanceMatrix, NodeId};
use nearfar_survey::Matrix;

use super::cell::cell_text;
use super::grid::Grid;
use super::shade::shaded;
use crate::printable;
use crate::short_list::{IN_A_TABLE, short_list};
use crate::table::{Align, Entry, Table};

/// Columns side by side before the matrix continues below.
const COLUMNS_ABREAST: usize = 8;
/// Rows shown; a machine with more keeps the rest in the document.
const MOST_ROWS: usize = 64;

/// The matrix, and under it the ratios where there is more than one node.
pub(super) fn text(matrix: &Matrix, claimed: Option<&DistanceMatrix>) -> String {
    let grid = Grid::of(matrix);
    let mut text = String::new();
    let columns: Vec<usize> = (0..matrix.columns.len()).collect();
    for (index, abreast) in columns.chunks(COLUMNS_ABREAST).enumerate() {
        text.push_str(if index > 0 { "\n" } else { "" });
        text.push_str(&costs(matrix, &grid, abreast));
    }
    text.push_str(&unshown(matrix));
    text.push_str(&reasons(matrix));
    if distinct_nodes(matrix) {
        for abreast in columns.chunks(COLUMNS_ABREAST) {
            text.push('\n');
            text.push_str(&ratios(matrix, &grid, claimed, abreast));
        }
    }
    text
}

fn costs(matrix: &Matrix, grid: &Grid<'_>, columns: &[usize]) -> String {
    let mut table = Table::default();
    table.line([vec![String::new(), "CPUs".to_owned()], labels(matrix, columns)].concat());
    for (row, head) in matrix.rows.iter().enumerate().take(MOST_ROWS) {
        let cost = |&column: &usize| match grid.cell(row, column) {
            Some(cell) => shaded(&cell_text(cell), grid.ratio(row, column)),
            None => Entry::from(""),
        };
        let head = [&head.label, &short_list(&head.cpus, IN_A_TABLE)].map(Entry::from);
        table.line(head.into_iter().chain(columns.iter().map(cost)));
    }
    let unit = printable::line(&matrix.unit);
    let sets = page_sets(matrix);
    format!("latency, {unit} (median ± 95 %){sets}\n{}", table.text(&[Align::Left, Align::Left, Align::Right]))
}

/// What the columns are where they are no nodes.
fn page_sets(matrix: &Matrix) -> String {
    match matrix.columns.first() {
        Some(first) if matrix.columns.len() > 1 && !distinct_nodes(matrix) => {
            let node = first.node.map_or_else(String::new, |node| format!(" on node {node}"));
            format!(" of sets of {} pages{node}", first.pages)
        }
        _ => String::new(),
    }
}

fn ratios(matrix: &Matrix, grid: &Grid<'_>, claimed: Option<&DistanceMatrix>, columns: &[usize]) -> String {
    let title = if claimed.is_some() { "ratio to local, measured | firmware" } else { "ratio to local, measured" };
    let mut table = Table::default();
    table.line([vec![String::new()], labels(matrix, columns)].concat());
    for (row, head) in matrix.rows.iter().enumerate().take(MOST_ROWS) {
        let pair = |&column: &usize| {
            let measured = grid.ratio(row, column).map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
            let Some(distances) = claimed else { return measured };
            let claim = claim(matrix, distances, row, column);
            format!("{measured} | {}", claim.map_or_else(|| "-".to_owned(), |claim| format!("{claim:.1}")))
        };
        table.line([vec![head.label.clone()], columns.iter().map(pair).collect()].concat());
    }
    format!("{title}\n{}", table.text(&[Align::Left, Align::Right]))
}

fn labels(matrix: &Matrix, columns: &[usize]) -> Vec<String> {
    columns.iter().map(|&column| matrix.columns[column].label.clone()).collect()
}

/// Firmware's distance over 10: what it claims the ratio to local is.
fn claim(matrix: &Matrix, distances: &DistanceMatrix, row: usize, column: usize) -> Option<f64> {
    let from = matrix.rows[row].node?;
    Some(f64::from(distances.between(from, matrix.columns[column].node?)?) / 10.0)
}

fn distinct_nodes(matrix: &Matrix) -> bool {
    let mut nodes: Vec<NodeId> = matrix.columns.iter().filter_map(|column| column.node).collect();
    let all = nodes.len();
    nodes.sort_unstable();
    nodes.dedup();
    all > 1 && nodes.len() == all
}

fn unshown(matrix: &Matrix) -> String {
    match matrix.rows.len().checked_sub(MOST_ROWS) {
        Some(more @ 1..) => format!("and {more} more rows: --json and --csv have all {}\n", matrix.rows.len()),
        _ => String::new(),
    }
}

/// Why cells are empty, each reason once.
fn reasons(matrix: &Matrix) -> String {
    let mut reasons: Vec<&str> = matrix.cells.iter().filter_map(|cell| cell.why.as_deref()).collect();
    reasons.sort_unstable();
    reasons.dedup();
    reasons.into_iter().map(|why| format!("-  {}\n", printable::line(why))).collect()
}
