//! What a survey offers for choosing placements on a machine: whether it is of that machine, and
//! what memory costs from node to node.

use nearfar_machine::Topology;
use nearfar_model::{CpuSet, NodeId};

use crate::Survey;

/// What memory of one node costs from CPUs of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeLatency {
    /// The median, in nanoseconds; over several CPU groups or page sets of these nodes the middle
    /// of theirs.
    pub median_ns: f64,
    /// Within which all of their 95 % intervals lie; none where one of them has none.
    pub ci95_ns: Option<[f64; 2]>,
}

impl Survey {
    /// Whether it has a latency for each node's CPUs and each node's memory that may be used.
    pub fn has_all_latencies(&self, topology: &Topology) -> bool {
        let (nodes, allowed) = (&topology.nodes, &topology.allowed);
        let with_cpus = nodes.iter().filter(|node| !node.cpus.is_disjoint(&allowed.cpus));
        let with_memory =
            || nodes.iter().filter(|node| allowed.nodes.contains(node.id) && node.has_memory());
        let mut pairs =
            with_cpus.flat_map(|cpus| with_memory().map(move |memory| (cpus.id, memory.id)));
        pairs.all(|(cpus, memory)| self.node_latency(cpus, memory).is_some())
    }

    /// Whether it describes this machine as it is now: the processor's model and product, nodes,
    /// and the CPUs of each.
    pub fn is_of(&self, topology: &Topology) -> bool {
        let identity = &topology.identity;
        let (claimed, online) =
            (&self.claims.nodes, topology.nodes.iter().filter(|node| node.online));
        let now: Vec<(NodeId, &CpuSet)> = online.map(|node| (node.id, &node.cpus)).collect();
        let then: Vec<(NodeId, &CpuSet)> =
            claimed.iter().map(|node| (node.id, &node.cpus)).collect();
        identity.model.as_deref().unwrap_or("unknown") == self.machine.model
            && identity.product == self.machine.product
            && topology.online().len() == self.machine.cpus
            && now == then
    }

    /// What memory of a node costs from CPUs of another, where that was measured.
    pub fn node_latency(&self, cpus: NodeId, memory: NodeId) -> Option<NodeLatency> {
        let of_row = |row: usize| self.latency.rows.get(row).and_then(|row| row.node);
        let cells = self
            .latency
            .cells
            .iter()
            .filter(|cell| of_row(cell.row) == Some(cpus) && cell.node == Some(memory));
        let measured: Vec<(f64, Option<[f64; 2]>)> =
            cells.filter_map(|cell| Some((cell.median?, cell.ci95))).collect();
        let mut medians: Vec<f64> = measured.iter().map(|(median, _)| *median).collect();
        medians.sort_by(f64::total_cmp);
        let median_ns =
            (medians.get(medians.len().checked_sub(1)? / 2)? + medians[medians.len() / 2]) / 2.0;
        let hull = measured.into_iter().map(|(_, ci95)| ci95).reduce(|all, one| {
            let ([low, high], [one_low, one_high]) = (all?, one?);
            Some([low.min(one_low), high.max(one_high)])
        });
        Some(NodeLatency { median_ns, ci95_ns: hull.flatten() })
    }
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;

    use super::*;

    fn example(cpus_of_second: &str, model: &str) -> Topology {
        let node = "/sys/devices/system/node";
        let source = Source::from_files([
            (format!("{node}/online"), "0-1".to_owned()),
            (format!("{node}/node0/cpulist"), "0".to_owned()),
            (format!("{node}/node1/cpulist"), cpus_of_second.to_owned()),
            ("/sys/devices/system/cpu/online".to_owned(), "0-1".to_owned()),
            ("/proc/cpuinfo".to_owned(), format!("processor\t: 0\nmodel name\t: {model}\n")),
        ]);
        Topology::read(&source).unwrap()
    }

    #[test]
    fn surveys_recognise_their_machine() {
        let survey = crate::sketch::survey();
        assert!(survey.is_of(&example("1", "Example 9000")));
        assert!(!survey.is_of(&example("1", "Example 9001")));
        assert!(!survey.is_of(&example("", "Example 9000")), "CPUs stand elsewhere now");
    }

    #[test]
    fn cells_of_the_same_nodes_are_one() {
        let mut survey = crate::sketch::survey();
        let latency = |survey: &Survey| survey.node_latency(NodeId(0), NodeId(1)).unwrap();
        assert_eq!(
            latency(&survey),
            NodeLatency { median_ns: 165.0, ci95_ns: Some([163.0, 167.0]) }
        );
        let mut again = survey.latency.cells[1].clone();
        (again.median, again.ci95) = (Some(167.0), Some([164.0, 170.0]));
        survey.latency.cells.push(again.clone());
        assert_eq!(
            latency(&survey),
            NodeLatency { median_ns: 166.0, ci95_ns: Some([163.0, 170.0]) }
        );
        (again.median, again.ci95) = (Some(190.0), None);
        survey.latency.cells.push(again);
        assert_eq!(latency(&survey), NodeLatency { median_ns: 167.0, ci95_ns: None });
    }

    #[test]
    fn unmeasured_nodes_have_no_latency() {
        let mut survey = crate::sketch::survey();
        survey.latency.cells[1].median = None;
        assert_eq!(survey.node_latency(NodeId(0), NodeId(1)), None);
        assert_eq!(survey.node_latency(NodeId(0), NodeId(9)), None);
    }
}
