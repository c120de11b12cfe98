//! The cost matrix in ns with intervals, and as ratio to local beside what firmware claims.

use nearfar_model::NodeId;
use nearfar_survey::Matrix;
use nearfar_view::terminal::table::{Align, Entry, headed};
use nearfar_view::text::{IN_A_TABLE, paragraph, short_list};

use crate::survey::MatrixIndex;
use crate::survey::Reasons;
use crate::survey::cell::cell_text;
use crate::survey::shaded;
use crate::survey::{Claimed, pair};

/// Rows shown; JSON and CSV have all.
const MAX_ROWS: usize = 64;

/// The matrix, and the ratios where there is more than one node.
pub(super) fn sections(matrix: &Matrix, claimed: &Claimed<'_>) -> [String; 2] {
    let grid = MatrixIndex::from_matrix(matrix);
    let costs = costs(matrix, &grid) + &hidden_rows(matrix);
    let costs = costs + &Reasons::from_cells(&matrix.cells).text();
    let has_ratios = distinct_nodes(matrix);
    let ratios = if has_ratios { ratios(matrix, &grid, claimed) } else { String::new() };
    [costs, ratios]
}

fn costs(matrix: &Matrix, grid: &MatrixIndex<'_>) -> String {
    let head = ["", "CPUs"].into_iter().chain(labels(matrix));
    let lines = matrix.rows.iter().enumerate().take(MAX_ROWS).map(|(row, head)| {
        let cost = move |column: usize| match grid.cell(row, column) {
            Some(cell) => shaded(&cell_text(cell), grid.ratio(row, column)),
            None => Entry::from(""),
        };
        let head = [&head.label, &short_list(&head.cpus, IN_A_TABLE)].map(Entry::from);
        head.into_iter().chain((0..matrix.columns.len()).map(cost))
    });
    let table = headed(head, lines, &[Align::Left, Align::Left, Align::Right]);
    let unit = matrix.unit;
    let sets = page_sets(matrix);
    paragraph::of(&format!("latency, {unit} (median ± 95 %){sets}"), "", "  ") + &table
}

/// What the columns are, where they are not nodes: samples of the pages of one node.
fn page_sets(matrix: &Matrix) -> String {
    match matrix.columns.first() {
        Some(first) if matrix.columns.len() > 1 && !distinct_nodes(matrix) => {
            let node = first.node.map_or_else(String::new, |node| format!(" of node {node}"));
            format!("; each set is {} pages{node}", first.pages)
        }
        _ => String::new(),
    }
}

fn ratios(matrix: &Matrix, grid: &MatrixIndex<'_>, claimed: &Claimed<'_>) -> String {
    let (by_distance, by_latency) = (claimed.has_distances(), claimed.has_far_latencies());
    let claims = match (by_distance, by_latency) {
        (true, true) => "|SLIT|HMAT",
        (true, false) => "|firmware",
        (false, true) => "|HMAT",
        (false, false) => "",
    };
    let lines = matrix.rows.iter().enumerate().take(MAX_ROWS).map(|(row, head)| {
        let ratios = |column: usize| {
            let pair = pair(matrix, row, column);
            let mut ratios = vec![ratio(grid.ratio(row, column), 2)];
            ratios.extend(by_distance.then(|| ratio(claimed.by_distance(pair), 1)));
            ratios.extend(by_latency.then(|| ratio(claimed.by_latency(pair), 2)));
            ratios.join("|")
        };
        [head.label.clone()]
            .into_iter()
            .chain((0..matrix.columns.len()).map(ratios))
            .collect::<Vec<_>>()
    });
    let head = [""].into_iter().chain(labels(matrix));
    paragraph::of(&format!("ratio to local, measured{claims}"), "", "  ")
        + &headed(head, lines, &[Align::Left, Align::Right])
}

/// "1.72"; a missing ratio has the same width, so that columns stay aligned.
fn ratio(ratio: Option<f64>, decimals: usize) -> String {
    let width = decimals + 2;
    ratio.map_or_else(|| format!("{:>width$}", "-"), |ratio| format!("{ratio:.decimals$}"))
}

fn labels(matrix: &Matrix) -> impl Iterator<Item = &str> {
    matrix.columns.iter().map(|column| column.label.as_str())
}

fn distinct_nodes(matrix: &Matrix) -> bool {
    let mut nodes: Vec<NodeId> = matrix.columns.iter().filter_map(|column| column.node).collect();
    let all = nodes.len();
    nodes.sort_unstable();
    nodes.dedup();
    all > 1 && nodes.len() == all
}

fn hidden_rows(matrix: &Matrix) -> String {
    match matrix.rows.len().checked_sub(MAX_ROWS) {
        Some(more @ 1..) => {
            let all = matrix.rows.len();
            paragraph::of(&format!("and {more} more rows: --json and --csv have all {all}"), "", "")
        }
        _ => String::new(),
    }
}
