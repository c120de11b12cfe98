//! What to do about a wrong claim: the placement that beats the others, if the finding names it.

use serde::{Deserialize, Serialize};

use super::{ClaimFinding, ClaimKind};
use crate::evidence::AS_GOOD;
use crate::node_costs::NodeCosts;

/// CPUs, and the memory to use from there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ClaimPlacement {
    /// The node of the CPUs.
    pub cpus: u32,
    /// The node whose memory is used first.
    pub first: u32,
    /// The node of what does not fit there. Null where one node is meant.
    pub overflow: Option<u32>,
}

impl ClaimPlacement {
    /// All memory that it uses, ascending.
    pub fn memory(&self) -> Vec<u32> {
        let mut memory: Vec<u32> = [self.first].into_iter().chain(self.overflow).collect();
        memory.sort_unstable();
        memory
    }
}

/// The placement that follows from a finding. None where the memory that it names is not the
/// nearest, or where own memory, which the kernel uses first, is not.
pub(super) fn of(
    finding: &ClaimFinding,
    kind: ClaimKind,
    costs: &NodeCosts,
) -> Option<ClaimPlacement> {
    use ClaimFinding::*;
    let more_is_better = kind == ClaimKind::HmatBandwidth;
    let ranked = Ranked { costs, more_is_better };
    match finding {
        LocalNotNearest { node, nearer, .. } => ranked.alone(*node, *nearer),
        // The kernel's order of overflow does not follow bandwidths.
        _ if more_is_better => None,
        Placeholder { nearer: Some([cpus, memory]), .. }
        | ClassesMerged { nearer: Some([cpus, memory]), .. }
        | OrderInverted { cpus, nearer: memory, .. }
        | EqualDiffers { cpus, nearer: memory, .. } => match cpus == memory {
            true => ranked.alone(*cpus, *memory),
            false => ranked.beside_own(*cpus, *memory),
        },
        Off { claimed, measured, cells, .. } => {
            let &[cpus, memory] = cells.first()?;
            match (cpus == memory, measured < claimed) {
                (true, _) => None,
                (false, true) => ranked.beside_own(cpus, memory),
                (false, false) => ranked.alone(cpus, cpus),
            }
        }
        _ => None,
    }
}

/// A node's memories by what they cost its CPUs.
struct Ranked<'c> {
    costs: &'c NodeCosts,
    more_is_better: bool,
}

impl Ranked<'_> {
    fn cost(&self, cpus: u32, memory: u32) -> Option<f64> {
        let cost = self.costs.cost(cpus, memory)?;
        Some(if self.more_is_better { 1.0 / cost } else { cost })
    }

    /// Whether no memory but the excluded one is cheaper.
    fn is_best(&self, cpus: u32, memory: u32, excluded: Option<u32>) -> bool {
        let others = self.costs.memory_nodes().iter().filter(|&&node| Some(node) != excluded);
        let least = others.filter_map(|&node| self.cost(cpus, node)).reduce(f64::min);
        let cost = self.cost(cpus, memory).zip(least);
        cost.is_some_and(|(cost, least)| cost <= AS_GOOD * least)
    }

    fn alone(&self, cpus: u32, memory: u32) -> Option<ClaimPlacement> {
        let placement = ClaimPlacement { cpus, first: memory, overflow: None };
        self.is_best(cpus, memory, None).then_some(placement)
    }

    fn beside_own(&self, cpus: u32, memory: u32) -> Option<ClaimPlacement> {
        let placement = ClaimPlacement { cpus, first: cpus, overflow: Some(memory) };
        (self.is_best(cpus, cpus, None) && self.is_best(cpus, memory, Some(cpus)))
            .then_some(placement)
    }
}
