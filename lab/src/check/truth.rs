//! What a cell was charged: from the ledger where the kernel knows which memory is whose, else from
//! the description.

use nearfar_lab_cost::{Charged, Ledger};
use nearfar_model::{CpuSet, NodeId};

use crate::machine::LabMachine;

/// What an access of a cell costs, in the guest's nanoseconds. From `low` to `high` where the
/// kernel does not report the node of memory: then each page costs one or the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Charge {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Charge {
    fn exactly(ns: f64) -> Self {
        Self { low: ns, high: ns }
    }

    /// How far a figure lies outside, as a fraction.
    pub(crate) fn error(self, measured: f64) -> f64 {
        measured / measured.clamp(self.low, self.high) - 1.0
    }
}

/// What these CPUs are charged for memory that the kernel calls this node's.
pub(crate) fn charge(
    machine: &LabMachine,
    ledger: &Ledger,
    cpus: &CpuSet,
    node: Option<NodeId>,
) -> Option<Charge> {
    match machine.shows_nodes() {
        true => ledgered(machine, ledger, cpus, node?).map(Charge::exactly),
        false => described(machine, cpus),
    }
}

/// The median charge of these CPUs for a node's memory, over everything that ran.
fn ledgered(machine: &LabMachine, ledger: &Ledger, cpus: &CpuSet, node: NodeId) -> Option<f64> {
    let home = machine.memory_nodes().position(|other| other.id == node)?;
    let ours = |charged: &&Charged| {
        charged.home == home && cpus.iter().any(|cpu| cpu.0 as usize == charged.cpu)
    };
    let mut histogram: Vec<(f64, u64)> = ledger
        .fetched
        .iter()
        .filter(ours)
        .flat_map(|charged| charged.histogram.iter().copied())
        .collect();
    histogram.sort_by(|a, b| a.0.total_cmp(&b.0));
    let lines = histogram.iter().map(|(_, lines)| lines).sum();
    Charged { cpu: 0, home, lines, total_ns: 0, histogram }.median_ns()
}

/// Of any memory: interleaved lines cost their mean, whole pages one node's price or another's.
fn described(machine: &LabMachine, cpus: &CpuSet) -> Option<Charge> {
    let nodes = machine.cpu_nodes().zip(machine.slowed(&machine.latency_ns()));
    let rows = nodes.filter(|(node, _)| cpus.iter().any(|cpu| node.cpus.contains(cpu)));
    let costs: Vec<f64> = rows.flat_map(|(_, row)| row).collect();
    if machine.description.interleave.is_some() {
        return Some(Charge::exactly(costs.iter().sum::<f64>() / costs.len().max(1) as f64));
    }
    let low = costs.iter().copied().reduce(f64::min)?;
    Some(Charge { low, high: costs.iter().copied().fold(low, f64::max) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(fetched: &[(usize, usize, f64)]) -> Ledger {
        let charged = |&(cpu, home, ns): &(usize, usize, f64)| Charged {
            cpu,
            home,
            lines: 10,
            total_ns: (10.0 * ns) as u64,
            histogram: vec![(ns, 10)],
        };
        let fetched = fetched.iter().map(charged).collect();
        Ledger {
            plugin_api: 1,
            reached: Vec::new(),
            fetched,
            transferred: Vec::new(),
            streamed: Vec::new(),
            written: Vec::new(),
        }
    }

    fn charge(machine: &str, ledger: &Ledger, cpus: &str, node: u32) -> Option<Charge> {
        super::charge(
            &LabMachine::load(machine).unwrap(),
            ledger,
            &cpus.parse().unwrap(),
            Some(NodeId(node)),
        )
    }

    #[test]
    fn described_nodes_have_the_ledgers_costs() {
        let ledger = ledger(&[(0, 1, 1000.0), (1, 1, 1100.0), (1, 0, 500.0)]);
        assert_eq!(charge("xeon-2s", &ledger, "0", 1), Some(Charge::exactly(1000.0)));
        assert_eq!(charge("xeon-2s", &ledger, "1", 0), Some(Charge::exactly(500.0)));
        assert_eq!(charge("xeon-2s", &ledger, "0", 0), None);
    }

    #[test]
    fn homes_are_numbered_by_nodes_with_memory() {
        let ledger = ledger(&[(0, 1, 900.0)]);
        assert_eq!(charge("memoryless", &ledger, "0", 2), Some(Charge::exactly(900.0)));
        assert_eq!(charge("memoryless", &ledger, "0", 1), None);
    }

    #[test]
    fn where_it_hides_them_a_page_costs_one_or_the_other_and_interleaved_lines_the_mean() {
        let nothing = ledger(&[]);
        let hidden = charge("hidden-2n", &nothing, "0-1", 0).unwrap();
        assert!(hidden.low < hidden.high);
        assert_eq!(hidden.error((hidden.low + hidden.high) / 2.0), 0.0);
        assert!((hidden.error(hidden.high * 1.1) - 0.1).abs() < 1e-9);
        let interleaved = charge("firmware-interleaved", &nothing, "0-1", 0).unwrap();
        assert!(
            (interleaved.low - (hidden.low + hidden.high) / 2.0).abs() < 1.0,
            "{interleaved:?}"
        );
        assert_eq!(interleaved.low, interleaved.high);
    }
}
