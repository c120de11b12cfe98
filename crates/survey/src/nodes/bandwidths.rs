//! What each node's CPUs read of each node's memory: the matrix that claims of bandwidth are held
//! against, and the second witness of links.

use std::collections::BTreeSet;

use nearfar_infer::{InferError, NodeCosts};
use nearfar_model::{CellIndex, MatrixShape};

use super::number;
use crate::{Bandwidth, BandwidthTreatment, MatrixRow, Treatment};

/// What tables claim of bandwidth is of reading.
const KERNEL: &str = "read";

/// Reading from the rows that are meant and have a node, with as many threads as suffice, in bytes
/// a second. None without samples.
pub(super) fn costs(
    bandwidth: &Bandwidth,
    is_meant: impl Fn(&MatrixRow) -> bool,
    seed: u64,
) -> Result<Option<NodeCosts>, InferError> {
    let Some(samples) = &bandwidth.part.samples else { return Ok(None) };
    let matrix = &bandwidth.part.matrix;
    let places = read_by_most(bandwidth);
    let at_knee = |place: CellIndex| places.contains(&place).then_some(place.with_treatment(0));
    let shape = MatrixShape::new(matrix.rows.len(), matrix.columns.len());
    let readings = samples.figures(shape, at_knee, BandwidthTreatment::UNIT)?;
    let row_nodes: Vec<_> =
        matrix.rows.iter().map(|row| number(row.node.filter(|_| is_meant(row)))).collect();
    let column_nodes: Vec<_> = matrix.columns.iter().map(|column| number(column.node)).collect();
    Ok(Some(NodeCosts::from_samples(&readings, &row_nodes, &column_nodes, seed)))
}

/// Where samples of reading at the knee stand.
fn read_by_most(bandwidth: &Bandwidth) -> BTreeSet<CellIndex> {
    let treatments = &bandwidth.part.treatments;
    let at_knee = |treatment: &BandwidthTreatment, threads: usize| {
        treatment.kernel == KERNEL && treatment.threads == threads
    };
    let (rows, columns) = (bandwidth.part.matrix.rows.len(), bandwidth.part.matrix.columns.len());
    let knees = bandwidth.knees.iter().filter(|knee| knee.row < rows && knee.column < columns);
    knees
        .filter_map(|knee| {
            let treatment =
                treatments.iter().position(|treatment| at_knee(treatment, knee.threads))?;
            Some(CellIndex::new(knee.row, knee.column).with_treatment(treatment))
        })
        .collect()
}
