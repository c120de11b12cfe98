//! The figures of a survey from CPUs to the memory of nodes, with a reason for each that is not
//! determined.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_model::{Instrument, NodeId};
use nearfar_survey::{Figure, MatrixColumn, MatrixRow, MiddleFigure, Survey};

/// The kernel whose bandwidth is exported: reads alone, as latency is of loads alone.
pub(super) const KERNEL: &str = "read";

/// What memory of a node costs or delivers to a row's CPUs.
pub(super) struct RowFigure<'a> {
    pub(super) row: &'a MatrixRow,
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

pub(super) fn latency(survey: &Survey) -> Vec<RowFigure<'_>> {
    let latencies = survey.figures().filter(|figure| figure.instrument == Instrument::Latency);
    let matrix = &survey.latency;
    by_node(&matrix.rows, &matrix.columns, &latencies.collect::<Vec<_>>())
}

/// Bandwidths in bytes a second, of as many threads as it takes.
pub(super) fn bandwidth(survey: &Survey) -> Vec<RowFigure<'_>> {
    let Some(bandwidth) = &survey.bandwidth else { return Vec::new() };
    let mut reads: BTreeMap<(usize, usize), Figure<'_>> = BTreeMap::new();
    for figure in survey.figures().filter(|figure| figure.instrument == Instrument::Bandwidth) {
        let place = (figure.place.row, figure.place.column);
        let knee = bandwidth.knee(place.0, place.1);
        if !figure.is_with("kernel", KERNEL) {
            continue;
        }
        if knee.is_some_and(|threads| figure.is_with("threads", &threads.to_string())) {
            reads.insert(place, figure);
        } else {
            reads.entry(place).or_insert(figure);
        }
    }
    let matrix = &bandwidth.part.matrix;
    by_node(&matrix.rows, &matrix.columns, &reads.into_values().collect::<Vec<_>>())
}

/// A row's figures by node: where a node has several columns (page sets), the middle of theirs, and
/// the interval that contains all of theirs.
fn by_node<'a>(
    rows: &'a [MatrixRow],
    columns: &[MatrixColumn],
    figures: &[Figure<'_>],
) -> Vec<RowFigure<'a>> {
    let nodes: BTreeSet<NodeId> = columns.iter().filter_map(|column| column.node).collect();
    let figure = |row: usize, node: NodeId| {
        let own = figures.iter().filter(|figure| figure.place.row == row);
        let own = own.filter(|figure| figure.column().and_then(|column| column.node) == Some(node));
        middle(own.copied().collect())
    };
    let rows = rows
        .iter()
        .enumerate()
        .flat_map(|(index, row)| nodes.iter().map(move |&node| (index, row, node)));
    rows.map(|(index, row, node)| RowFigure { row, node, figure: figure(index, node) }).collect()
}

fn middle(figures: Vec<Figure<'_>>) -> Result<Determined, String> {
    if let Some(unmeasured) = figures.iter().find(|figure| figure.median.is_none()) {
        return Err(unmeasured.why.unwrap_or("no sample counts").to_owned());
    }
    let middle = MiddleFigure::new(figures).ok_or("it was not measured")?;
    let ci95 = middle.ci95.ok_or("too few samples for an interval")?;
    Ok(Determined { median: middle.median, ci95 })
}
