//! What each node's CPUs read of each node's memory: the matrix that claims of bandwidth are held against, and the second witness of links.

use std::collections::BTreeMap;

use nearfar_infer::{InferError, NodeCosts};
use nearfar_model::NodeId;

use crate::part::place;
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
    let readings =
        samples.placed(matrix.rows.len(), matrix.columns.len(), |at| places.get(&at).copied(), Streaming::figure)?;
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

/// Where samples of reading at the knee stand, by row and column of the samples: the column of the matrix.
fn read_by_most(bandwidth: &Bandwidth) -> BTreeMap<(usize, usize), usize> {
    let treatments = &bandwidth.part.treatments;
    let at_knee = |treatment: &Streaming, threads: usize| treatment.kernel == KERNEL && treatment.threads == threads;
    let (rows, columns) = (bandwidth.part.matrix.rows.len(), bandwidth.part.matrix.columns.len());
    let knees = bandwidth.knees.iter().filter(|knee| knee.row < rows && knee.column < columns);
    knees
        .filter_map(|knee| {
            let treatment = treatments.iter().position(|treatment| at_knee(treatment, knee.threads))?;
            Some(((knee.row, place(knee.column, treatments.len(), treatment)), knee.column))
        })
        .collect()
}
