//! What the latency matrix says of nodes: distance classes, links, and whether what firmware claims holds.

mod claimed;
mod classes;
mod findings;
mod links;

use nearfar_infer::{NodeCosts, Readings};
use nearfar_model::NodeId;

use crate::Survey;
pub use claimed::{CheckedCell, CheckedClaim, ClaimsMeasured, Confirmed, Ranked};
pub use classes::{DistanceClass, DistanceClasses};
pub use links::{NodeHops, NodeLink, NodeLinks, NodeWay};

impl Survey {
    /// Derives what samples say of nodes; of fewer than two memories there is nothing to say.
    pub(crate) fn judge_nodes(&mut self, readings: &Readings, seed: u64) {
        (self.classes, self.links, self.claims_vs_measured) = (None, None, None);
        let costs = self.node_costs(readings, seed);
        if costs.memory_nodes().len() < 2 {
            return;
        }
        let classes = nearfar_infer::classes::classes(&costs);
        self.claims_vs_measured =
            ClaimsMeasured::of(&self.claims, &costs, classes.as_deref().unwrap_or_default(), seed);
        self.classes = Some(DistanceClasses::of(classes));
        self.links = Some(NodeLinks::of(nearfar_infer::links::links(&costs)));
    }

    fn node_costs(&self, readings: &Readings, seed: u64) -> NodeCosts {
        let number = |node: Option<NodeId>| node.map(|node| node.0);
        let rows: Vec<Option<u32>> = self.latency.rows.iter().map(|row| number(row.node)).collect();
        let columns: Vec<Option<u32>> = self.latency.columns.iter().map(|column| number(column.node)).collect();
        NodeCosts::of_readings(readings, &rows, &columns, seed)
    }
}

#[cfg(test)]
mod tests;
