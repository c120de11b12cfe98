//! What accesses truly cost on a described machine, in its own nanoseconds and GB/s.

use nearfar_model::NodeSet;

use super::description::{LatencyDescription, LinkDescription};
use super::per_node::PerNode;
use super::{LabMachine, NodeDescription, NumberMatrix};

/// A direction of a link: the (group, home) pairs whose lines pass when they are read, those whose
/// lines pass when they are written back, and how fast.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LinkLane {
    pub(super) carries: Vec<(usize, usize)>,
    pub(super) carries_back: Vec<(usize, usize)>,
    pub(super) gb_s: f64,
}

impl LabMachine {
    /// Uncontended latencies: nodes with CPUs × nodes with memory.
    pub(crate) fn latency_ns(&self) -> NumberMatrix {
        let LatencyDescription { ns, flat_ns } = &self.description.latency;
        let flat_row = || vec![flat_ns.unwrap_or_default(); self.memory_nodes().count()];
        ns.clone().unwrap_or_else(|| vec![flat_row(); self.cpu_nodes().count()])
    }

    /// How fast each node's memory hands lines out; absent where nothing limits it.
    pub(super) fn home_gb_s(&self) -> Vec<Option<f64>> {
        let homes = self.memory_nodes().count();
        match &self.description.bandwidth.node_gb_s {
            None => vec![None; homes],
            Some(PerNode::All(gb_s)) => vec![Some(*gb_s); homes],
            Some(PerNode::Each(each)) => each.iter().copied().map(Some).collect(),
        }
    }

    /// All links, each direction by itself.
    pub(super) fn lanes(&self) -> Vec<LinkLane> {
        let mut lanes = Vec::new();
        for link in &self.description.bandwidth.links {
            for (from, to) in directions(link) {
                let (carries, carries_back) = (self.pairs(from, to), self.pairs(to, from));
                lanes.push(LinkLane { carries, carries_back, gb_s: link.gb_s });
            }
        }
        lanes.retain(|lane| !lane.carries.is_empty() || !lane.carries_back.is_empty());
        lanes
    }

    fn pairs(&self, from: &NodeSet, to: &NodeSet) -> Vec<(usize, usize)> {
        let groups = || from.iter().filter_map(|id| self.group_of(id));
        let homes = || to.iter().filter_map(|id| self.home_of(id));
        groups().flat_map(|group| homes().map(move |home| (group, home))).collect()
    }

    /// What CPUs of a node can get from a node's memory: the slowest of the memory and the links on
    /// the way. Absent where nothing limits any of them.
    pub(crate) fn bandwidth_gb_s(&self) -> Option<Vec<Vec<Option<f64>>>> {
        let bandwidth = &self.description.bandwidth;
        if bandwidth.node_gb_s.is_none() && bandwidth.links.is_empty() {
            return None;
        }
        let (homes, lanes) = (self.home_gb_s(), self.lanes());
        let cell = |group, home: usize| {
            let on_the_way = lanes
                .iter()
                .filter(|lane| lane.carries.contains(&(group, home)))
                .map(|lane| lane.gb_s);
            on_the_way.chain(homes[home]).reduce(f64::min)
        };
        Some(
            (0..self.cpu_nodes().count())
                .map(|group| (0..homes.len()).map(|home| cell(group, home)).collect())
                .collect(),
        )
    }

    /// The largest ratio of two memories as one node's CPUs see them.
    pub(crate) fn largest_ratio(&self) -> f64 {
        let ratio = |row: &Vec<f64>| {
            let nearest = row.iter().copied().fold(f64::INFINITY, f64::min);
            row.iter().copied().fold(0.0, f64::max) / nearest
        };
        self.latency_ns().iter().map(ratio).fold(1.0, f64::max)
    }

    /// The node with CPUs that is nearest to a node's memory; itself where it has CPUs.
    pub(crate) fn nearest_cpus(&self, node: &NodeDescription) -> Option<&NodeDescription> {
        if node.has_cpus() {
            return self.nodes().iter().find(|other| other.id == node.id);
        }
        let home = self.home_of(node.id)?;
        let latency = self.latency_ns();
        let costs = self.cpu_nodes().zip(&latency).map(|(cpus, row)| (cpus, row[home]));
        costs.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(cpus, _)| cpus)
    }
}

/// A link's directions, as (nodes of CPUs, nodes of memory).
pub(super) fn directions(link: &LinkDescription) -> Vec<(&NodeSet, &NodeSet)> {
    match (&link.between, &link.from, &link.to) {
        (Some([a, b]), _, _) => vec![(a, b), (b, a)],
        (None, Some(from), Some(to)) => vec![(from, to)],
        _ => Vec::new(),
    }
}
