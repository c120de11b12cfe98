//! The figures of a survey from CPUs to the memory of nodes, with a reason for each that is not
//! determined.

use nearfar_model::NodeId;
use nearfar_survey::{BandwidthTreatment, MatrixCell, MatrixColumn, MatrixRow, Survey};

/// The kernel whose bandwidth is exported: reads alone, as latency is of loads alone.
pub(super) const KERNEL: &str = "read";

/// What memory of a node costs or delivers to a row's CPUs.
pub(super) struct NodeFigure<'a> {
    pub(super) row: &'a MatrixRow,
    /// The memory's node.
    pub(super) node: NodeId,
    /// The figure, or why there is none.
    pub(super) figure: Result<Determined, String>,
}

/// A median with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Determined {
    pub(super) median: f64,
    pub(super) ci95: [f64; 2],
}

/// Latencies in nanoseconds.
pub(super) fn latency(survey: &Survey) -> Vec<NodeFigure<'_>> {
    let matrix = &survey.latency;
    let cell = |row, column| matrix.cell(row, column).map(determined);
    by_node(&matrix.rows, &matrix.columns, cell)
}

/// Bandwidths in bytes a second, of as many threads as it takes.
pub(super) fn bandwidth(survey: &Survey) -> Vec<NodeFigure<'_>> {
    let Some(bandwidth) = &survey.bandwidth else { return Vec::new() };
    let matrix = &bandwidth.part.matrix;
    let cell = |row, column| {
        let knee = bandwidth.knee(row, column);
        let read = |cell: &&MatrixCell<BandwidthTreatment>| {
            (cell.row, cell.column) == (row, column) && cell.treatment.kernel == KERNEL
        };
        let mut cells = matrix.cells.iter().filter(read);
        let chosen = cells.clone().find(|cell| Some(cell.treatment.threads) == knee);
        chosen.or_else(|| cells.next()).map(determined)
    };
    by_node(&matrix.rows, &matrix.columns, cell)
}

/// A row's figures by node: where a node has several columns (page sets), the middle of theirs, and
/// the interval that contains all of theirs.
fn by_node<'a>(
    rows: &'a [MatrixRow],
    columns: &[MatrixColumn],
    cell: impl Fn(usize, usize) -> Option<Result<Determined, String>>,
) -> Vec<NodeFigure<'a>> {
    let mut nodes: Vec<NodeId> = columns.iter().filter_map(|column| column.node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let mut figures = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        for &node in &nodes {
            let same = (0..columns.len()).filter(|&column| columns[column].node == Some(node));
            let cells: Vec<_> = same.filter_map(|column| cell(index, column)).collect();
            figures.push(NodeFigure { row, node, figure: middle(cells) });
        }
    }
    figures
}

fn middle(cells: Vec<Result<Determined, String>>) -> Result<Determined, String> {
    let all: Vec<Determined> = cells.into_iter().collect::<Result<_, _>>()?;
    let mut medians: Vec<f64> = all.iter().map(|one| one.median).collect();
    medians.sort_by(f64::total_cmp);
    let Some(last) = medians.len().checked_sub(1) else {
        return Err("it was not measured".to_owned());
    };
    let ends = |end: usize| all.iter().map(move |one| one.ci95[end]);
    Ok(Determined {
        median: f64::midpoint(medians[last / 2], medians[medians.len() / 2]),
        ci95: [ends(0).fold(f64::INFINITY, f64::min), ends(1).fold(0.0, f64::max)],
    })
}

fn determined<T>(cell: &MatrixCell<T>) -> Result<Determined, String> {
    match (cell.median, cell.ci95) {
        (Some(median), Some(ci95)) => Ok(Determined { median, ci95 }),
        (Some(_), None) => Err("too few samples for an interval".to_owned()),
        (None, _) => Err(cell.why.clone().unwrap_or_else(|| "no sample counts".to_owned())),
    }
}
