//! A recipe's placements on a machine.

use std::str::FromStr;

use nearfar_machine::Topology;
use nearfar_model::NodeId;

use super::Recipe;
use crate::axes::Variable;
use crate::configuration::{Configuration, PER_NODE};
use crate::error::SweepError;
use crate::placement::SweepPlacement;
use crate::system::SystemSetting;

/// A placement as a recipe has it: nodes are those of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecipePlacement {
    /// CPUs and memory of the first node.
    Local,
    /// CPUs of the first node, and its memory while some is free.
    Preferred,
    /// One instance on each node.
    PerNode,
    /// Any other.
    Named(SweepPlacement),
}

impl FromStr for RecipePlacement {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Self, SweepError> {
        Ok(match text {
            "local" => Self::Local,
            "preferred" => Self::Preferred,
            PER_NODE => Self::PerNode,
            other => Self::Named(other.parse()?),
        })
    }
}

impl Recipe {
    /// The program unbound, and its placements here: one node has no other.
    pub fn placements_on(&self, topology: &Topology) -> Vec<SweepPlacement> {
        let mut all = vec![SweepPlacement::Unbound];
        if topology.allowed.nodes.len() < 2 {
            return all;
        }
        let first = whole_nodes(topology).first().copied();
        for placement in &self.placements {
            let placed = match placement {
                RecipePlacement::Local => first.map(SweepPlacement::Local),
                RecipePlacement::Preferred => first.map(SweepPlacement::Preferred),
                RecipePlacement::PerNode => None,
                RecipePlacement::Named(placement) => Some(placement.clone()),
            };
            all.extend(placed.filter(|placed| !all.contains(placed)));
        }
        all
    }

    /// Where there is one node, the first value of each.
    pub fn variables_on(&self, topology: &Topology) -> Vec<Variable> {
        let mut all = self.variables.clone();
        if topology.allowed.nodes.len() < 2 {
            all.iter_mut().for_each(|variable| variable.values.truncate(1));
        }
        all
    }

    /// Where there is one node, the kernel balances nothing.
    pub fn switches_on(&self, topology: &Topology) -> Vec<(SystemSetting, Vec<String>)> {
        let is_one = topology.allowed.nodes.len() < 2;
        let all = self.switches.iter();
        all.filter(|(setting, _)| !is_one || *setting == SystemSetting::Thp).cloned().collect()
    }

    /// The nodes that get an instance each; none where it wants none, or fewer than two can.
    pub fn instance_nodes(&self, topology: &Topology) -> Vec<NodeId> {
        let nodes = whole_nodes(topology);
        let is_wanted = self.placements.contains(&RecipePlacement::PerNode) && nodes.len() > 1;
        if is_wanted { nodes } else { Vec::new() }
    }
}

/// The configuration with an instance on each of these nodes, made of the unbound one.
pub fn per_node(unbound: &Configuration, nodes: &[NodeId]) -> Configuration {
    let nodes_set = nodes.iter().copied().collect();
    let placement = PER_NODE.to_owned();
    let mut one = Configuration { placement, nodes: nodes_set, ..unbound.clone() };
    one.command.extend(nodes.iter().map(ToString::to_string));
    one.id = one.name(None);
    one
}

/// Nodes with usable CPUs and memory.
fn whole_nodes(topology: &Topology) -> Vec<NodeId> {
    let nodes = topology.nodes.iter();
    let whole = nodes.filter(|node| {
        node.has_memory()
            && topology.allowed.nodes.contains(node.id)
            && !node.cpus.is_disjoint(&topology.allowed.cpus)
    });
    whole.map(|node| node.id).collect()
}
