//! Firmware's distances against the truth.

use crate::machine::{Describes, LabMachine, NodeDescription};

/// Linux's distance to another node where firmware gives none.
const REMOTE: u8 = 20;
const LOCAL: u8 = 10;

/// What firmware claims memory to cost over what it costs, each compared with the row's nearest
/// memory: 1 is honest. Nodes with CPUs × nodes with memory; absent where firmware describes one
/// node.
pub(super) fn claimed_over_true(machine: &LabMachine) -> Option<Vec<Vec<f64>>> {
    if machine.description.firmware.describes == Describes::OneNode {
        return None;
    }
    let rows = machine.cpu_nodes().zip(machine.latency_ns()).map(|(node, truth)| {
        let claims: Vec<f64> = machine
            .memory_nodes()
            .map(|memory| f64::from(distance(machine, node, memory)))
            .collect();
        let near = nearest(machine, node, &truth);
        let lie = |(claimed, cost): (&f64, &f64)| (claimed / claims[near]) / (cost / truth[near]);
        claims.iter().zip(&truth).map(lie).collect()
    });
    Some(rows.collect())
}

/// The column of a node's own memory; of the nearest, where it has none.
fn nearest(machine: &LabMachine, node: &NodeDescription, costs: &[f64]) -> usize {
    let own = machine.memory_nodes().position(|memory| memory.id == node.id);
    own.or_else(|| (0..costs.len()).min_by(|&a, &b| costs[a].total_cmp(&costs[b]))).unwrap_or(0)
}

fn distance(machine: &LabMachine, from: &NodeDescription, to: &NodeDescription) -> u8 {
    let index =
        |node: &NodeDescription| machine.nodes().iter().position(|other| other.id == node.id);
    let claimed = || Some(machine.description.firmware.slit.as_ref()?[index(from)?][index(to)?]);
    claimed().unwrap_or(if from.id == to.id { LOCAL } else { REMOTE })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lies(name: &str) -> Vec<Vec<f64>> {
        claimed_over_true(&LabMachine::load(name).unwrap()).unwrap()
    }

    #[test]
    fn distances_over_flat_memory_are_lies_and_local_memory_never_is() {
        let lies = lies("uma-claims-8-nodes");
        assert_eq!((lies[0][0], lies[0][1], lies[7][0]), (1.0, 1.6, 3.2));
    }

    #[test]
    fn cpus_without_memory_compare_with_the_nearest() {
        let lies = lies("memoryless");
        assert_eq!(lies[1][0], 1.0);
        assert!((lies[1][1] - 160.0 / 170.0).abs() < 1e-9);
    }

    #[test]
    fn where_one_node_is_described_nothing_is_claimed() {
        assert_eq!(claimed_over_true(&LabMachine::load("hidden-2n").unwrap()), None);
    }
}
