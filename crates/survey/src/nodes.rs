//! What the latency matrix shows of nodes: distance classes, links, and whether what firmware
//! claims holds.

mod claimed;
mod found;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use nearfar_infer::classes::classes;
use nearfar_infer::links::{compare_bandwidth, links};
use nearfar_infer::{InferError, NodeCosts, Numa, SampleMatrix};
use nearfar_model::{CellIndex, MatrixShape, NodeId};

use crate::{Bandwidth, BandwidthTreatment, MatrixRow, Survey, Treatment};

pub use claimed::ClaimsMeasured;
pub use found::{DistanceClasses, NodeLinks};

impl Survey {
    /// Derives results on nodes from samples, of latency where it was measured. Fewer than two
    /// memories give none.
    pub(crate) fn judge_nodes(
        &mut self,
        latency: Option<&SampleMatrix>,
        seed: u64,
    ) -> Result<(), InferError> {
        (self.classes, self.links, self.claims_vs_measured) = (None, None, None);
        self.advice = Vec::new();
        let mut checks = Vec::new();
        if let Some(costs) =
            latency.map(|readings| self.node_costs(readings, seed)).filter(several_memories)
        {
            let (classes, refused) = optional(classes(&costs));
            checks.extend(claimed::latency(&self.claims, &costs, &classes, seed));
            if self.verdict.numa == Numa::Yes {
                self.advice = nearfar_infer::advice(&costs, &classes, &self.claims.machine_nodes());
            }
            self.classes = Some(DistanceClasses { classes, refused });
            let (mut links, refused) = optional(links(&costs));
            if let Some(widths) = self.widths(|_| true, seed)? {
                compare_bandwidth(&mut links, &widths);
            }
            self.links = Some(NodeLinks { links, refused });
        }
        let whole = self.widths(|row| self.is_whole_node(row), seed)?;
        checks.extend(whole.and_then(|costs| claimed::bandwidth(&self.claims, &costs, seed)));
        self.claims_vs_measured = (!checks.is_empty()).then_some(ClaimsMeasured { checks });
        Ok(())
    }

    fn node_costs(&self, readings: &SampleMatrix, seed: u64) -> NodeCosts {
        let rows: Vec<Option<u32>> = self.latency.rows.iter().map(|row| number(row.node)).collect();
        let columns: Vec<Option<u32>> =
            self.latency.columns.iter().map(|column| number(column.node)).collect();
        NodeCosts::from_samples(readings, &rows, &columns, seed)
            .with_cpu_counts(|node| self.claims.cpus_of(node))
    }

    /// Whether a row is all of its node's CPUs: a node's bandwidth is what all of them move
    /// together.
    fn is_whole_node(&self, row: &MatrixRow) -> bool {
        self.claims.nodes.iter().any(|node| Some(node.id) == row.node && node.cpus == row.cpus)
    }

    /// Bandwidth by node from the rows that are meant, where it was measured, and between several.
    fn widths(
        &self,
        is_meant: impl Fn(&MatrixRow) -> bool,
        seed: u64,
    ) -> Result<Option<NodeCosts>, InferError> {
        let Some(bandwidth) = &self.bandwidth else { return Ok(None) };
        Ok(costs(bandwidth, is_meant, seed)?.filter(several_memories))
    }
}

/// What was found, or why nothing was.
fn optional<T: Default, R>(found: Result<T, R>) -> (T, Option<R>) {
    found.map_or_else(|refused| (T::default(), Some(refused)), |found| (found, None))
}

fn number(node: Option<NodeId>) -> Option<u32> {
    node.map(|node| node.0)
}

fn several_memories(costs: &NodeCosts) -> bool {
    costs.memory_nodes().len() > 1
}

/// What tables claim of bandwidth is of reading.
const KERNEL: &str = "read";

/// Reading from the rows that are meant and have a node, with as many threads as suffice, in bytes
/// a second. None without samples.
fn costs(
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
