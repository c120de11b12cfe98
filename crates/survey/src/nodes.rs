//! What the latency matrix says of nodes: distance classes, links, and whether what firmware claims holds.

mod bandwidths;
mod claimed;
mod classes;
mod links;

use nearfar_infer::classes::classes;
use nearfar_infer::links::{compare_bandwidth, links};
use nearfar_infer::{InferError, NodeCosts, Readings};
use nearfar_model::NodeId;

use crate::{Bandwidth, Survey};
pub use claimed::ClaimsMeasured;
pub use classes::DistanceClasses;
pub use links::NodeLinks;

impl Survey {
    /// Derives what samples say of nodes, those of latency where they were taken; of fewer than two memories there is nothing to say.
    pub(crate) fn judge_nodes(&mut self, latency: Option<&Readings>, seed: u64) -> Result<(), InferError> {
        (self.classes, self.links, self.claims_vs_measured) = (None, None, None);
        let mut checks = Vec::new();
        if let Some(costs) = latency.map(|readings| self.node_costs(readings, seed)).filter(several_memories) {
            let classes = DistanceClasses::from(classes(&costs));
            checks.extend(claimed::latency(&self.claims, &costs, &classes.classes, seed));
            let mut links = NodeLinks::from(links(&costs));
            if let Some(widths) = self.widths(bandwidths::row_nodes, seed)? {
                compare_bandwidth(&mut links.links, &widths);
            }
            (self.links, self.classes) = (Some(links), Some(classes));
        }
        let whole = self.widths(|bandwidth| bandwidths::whole_nodes(bandwidth, &self.claims), seed)?;
        checks.extend(whole.and_then(|costs| claimed::bandwidth(&self.claims, &costs, seed)));
        self.claims_vs_measured = (!checks.is_empty()).then_some(ClaimsMeasured { checks });
        Ok(())
    }

    fn node_costs(&self, readings: &Readings, seed: u64) -> NodeCosts {
        let number = |node: Option<NodeId>| node.map(|node| node.0);
        let rows: Vec<Option<u32>> = self.latency.rows.iter().map(|row| number(row.node)).collect();
        let columns: Vec<Option<u32>> = self.latency.columns.iter().map(|column| number(column.node)).collect();
        NodeCosts::of_readings(readings, &rows, &columns, seed)
    }

    /// Bandwidth by node, where it was measured, and between several.
    fn widths(
        &self,
        row_nodes: impl Fn(&Bandwidth) -> Vec<Option<u32>>,
        seed: u64,
    ) -> Result<Option<NodeCosts>, InferError> {
        let Some(bandwidth) = &self.bandwidth else { return Ok(None) };
        Ok(bandwidths::costs(bandwidth, &row_nodes(bandwidth), seed)?.filter(several_memories))
    }
}

fn several_memories(costs: &NodeCosts) -> bool {
    costs.memory_nodes().len() > 1
}

#[cfg(test)]
mod tests;
