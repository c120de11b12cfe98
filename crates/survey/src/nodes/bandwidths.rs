//! What each node's CPUs read of each node's memory: the matrix that claims of bandwidth are held against, and the second witness of links.

use std::collections::BTreeSet;

use nearfar_infer::{InferError, NodeCosts};
use nearfar_model::{NodeId, Place, Shape};

use crate::{Bandwidth, Claims, Streaming, Treatment};

/// What tables claim of bandwidth is of reading.
const KERNEL: &str = "read";

/// Reading, with as many threads as suffice, in bytes a second. `row_nodes` tells the node of each row's CPUs; rows without one are left
/// out. None without samples.
pub(super) fn costs(
    bandwidth: &Bandwidth,
    row_nodes: &[Option<u32>],
    seed: u64,
) -> Result<Option<NodeCosts>, InferError> {
    let Some(samples) = &bandwidth.part.samples else { return Ok(None) };
    let matrix = &bandwidth.part.matrix;
    let places = read_by_most(bandwidth);
    let at_knee = |place: Place| places.contains(&place).then_some(place.with_treatment(0));
    let shape = Shape::new(matrix.rows.len(), matrix.columns.len());
    let readings = samples.figures(shape, at_knee, Streaming::figure)?;
    let column_nodes: Vec<Option<u32>> = matrix.columns.iter().map(|column| number(column.node)).collect();
    Ok(Some(NodeCosts::of_readings(&readings, row_nodes, &column_nodes, seed)))
}

/// The node of each row's CPUs.
pub(super) fn row_nodes(bandwidth: &Bandwidth) -> Vec<Option<u32>> {
    bandwidth.part.matrix.rows.iter().map(|row| number(row.node)).collect()
}

/// The same of rows that are all of their node's CPUs: a node's bandwidth is what all of them move together.
pub(super) fn whole_nodes(bandwidth: &Bandwidth, claims: &Claims) -> Vec<Option<u32>> {
    let cpus = |id: NodeId| claims.nodes.iter().find(|node| node.id == id).map(|node| &node.cpus);
    let rows = bandwidth.part.matrix.rows.iter();
    rows.map(|row| row.node.filter(|&id| cpus(id) == Some(&row.cpus))).map(number).collect()
}

fn number(node: Option<NodeId>) -> Option<u32> {
    node.map(|node| node.0)
}

/// Where samples of reading at the knee stand.
fn read_by_most(bandwidth: &Bandwidth) -> BTreeSet<Place> {
    let treatments = &bandwidth.part.treatments;
    let at_knee = |treatment: &Streaming, threads: usize| treatment.kernel == KERNEL && treatment.threads == threads;
    let (rows, columns) = (bandwidth.part.matrix.rows.len(), bandwidth.part.matrix.columns.len());
    let knees = bandwidth.knees.iter().filter(|knee| knee.row < rows && knee.column < columns);
    knees
        .filter_map(|knee| {
            let treatment = treatments.iter().position(|treatment| at_knee(treatment, knee.threads))?;
            Some(Place::new(knee.row, knee.column).with_treatment(treatment))
        })
        .collect()
}
