//! What a survey offers for choosing placements on a machine: whether it is of that machine, and
//! what memory costs from node to node.

use nearfar_machine::Topology;
use nearfar_model::{CpuSet, Instrument, NodeId};

use crate::{MiddleFigure, Survey};

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

    /// What memory of a node costs from CPUs of another, in nanoseconds, where that was measured.
    pub fn node_latency(&self, cpus: NodeId, memory: NodeId) -> Option<MiddleFigure> {
        let latencies =
            self.figures().take_while(|figure| figure.instrument == Instrument::Latency);
        MiddleFigure::new(latencies.filter(|figure| figure.nodes() == Some([cpus, memory])))
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
        assert_eq!(latency(&survey), MiddleFigure { median: 165.0, ci95: Some([163.0, 167.0]) });
        let mut again = survey.latency.cells[1].clone();
        (again.median, again.ci95) = (Some(167.0), Some([164.0, 170.0]));
        survey.latency.cells.push(again.clone());
        assert_eq!(latency(&survey), MiddleFigure { median: 166.0, ci95: Some([163.0, 170.0]) });
        (again.median, again.ci95) = (Some(190.0), None);
        survey.latency.cells.push(again);
        assert_eq!(latency(&survey), MiddleFigure { median: 167.0, ci95: None });
    }

    #[test]
    fn unmeasured_nodes_have_no_latency() {
        let mut survey = crate::sketch::survey();
        survey.latency.cells[1].median = None;
        assert_eq!(survey.node_latency(NodeId(0), NodeId(1)), None);
        assert_eq!(survey.node_latency(NodeId(0), NodeId(9)), None);
    }
}
