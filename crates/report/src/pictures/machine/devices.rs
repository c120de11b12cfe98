//! Devices of a plan: at their nodes, or in a place of their own.

use std::collections::BTreeMap;

use nearfar_draw::{DeviceBranch, PlanDevice, PlanNode};
use nearfar_model::NodeId;
use nearfar_survey::Survey;

use super::device_tree::{TreeDevice, branches};

/// Names in a sentence.
const MOST_NAMED: usize = 8;

/// The devices of a survey by where they are.
pub(super) struct Devices<'s> {
    at: BTreeMap<NodeId, Vec<TreeDevice<'s>>>,
    /// At nodes that the survey does not have.
    at_missing_nodes: Vec<String>,
    /// No node is known for these.
    without_node: Vec<TreeDevice<'s>>,
}

impl<'s> Devices<'s> {
    /// Of a machine with one node all of them are there, of one without nodes at its only memory.
    pub(super) fn from_survey(survey: &'s Survey) -> Self {
        let mut devices =
            Self { at: BTreeMap::new(), at_missing_nodes: Vec::new(), without_node: Vec::new() };
        devices.at = survey.claims.nodes.iter().map(|node| (node.id, Vec::new())).collect();
        let only = match &survey.claims.nodes[..] {
            [only] => Some(only.id),
            _ => None,
        };
        for (device, node) in listed(survey) {
            let here = node.or(only).and_then(|node| devices.at.get_mut(&node));
            match (here, node) {
                (Some(here), _) => here.push(device),
                (None, Some(missing)) => {
                    let name = device.title();
                    devices.at_missing_nodes.push(format!("{name} (node {})", missing.0));
                }
                (None, None) => devices.without_node.push(device),
            }
        }
        devices
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        let at = self.at.values().all(Vec::is_empty);
        at && self.without_node.is_empty() && self.at_missing_nodes.is_empty()
    }

    /// Whether a link is marked as narrow.
    pub(super) fn have_narrow_links(&self) -> bool {
        let mut all = self.at.values().flatten().chain(&self.without_node);
        all.any(TreeDevice::has_narrow_link)
    }

    /// Those at a node.
    pub(super) fn at(&self, node: NodeId) -> Vec<DeviceBranch> {
        self.at.get(&node).map(|devices| branches(devices)).unwrap_or_default()
    }

    /// All without a node, of a machine without nodes.
    pub(super) fn without_node(&self) -> Vec<DeviceBranch> {
        branches(&self.without_node)
    }

    /// Devices whose node is unknown, of a machine with several.
    pub(super) fn elsewhere(&self) -> Option<PlanNode> {
        (!self.at.is_empty() && !self.without_node.is_empty()).then(|| PlanNode {
            id: u32::MAX,
            name: "node unknown".to_owned(),
            devices: self.without_node(),
            ..PlanNode::default()
        })
    }

    /// A note on those at nodes that the survey does not have.
    pub(super) fn note(&self) -> Option<String> {
        let names = &self.at_missing_nodes;
        let more = names.len().saturating_sub(MOST_NAMED);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let shown = names[..names.len().min(MOST_NAMED)].join(", ");
        (!names.is_empty()).then(|| {
            format!("These devices are at nodes that this survey does not have: {shown}{more}.")
        })
    }
}

/// The devices with their nodes; names only in surveys from before paths were kept.
fn listed(survey: &Survey) -> Vec<(TreeDevice<'_>, Option<NodeId>)> {
    match &survey.devices {
        Some(document) => document
            .devices
            .iter()
            .map(|device| (TreeDevice::Whole(device), device.node.node))
            .collect(),
        None => {
            let named = survey.claims.devices.iter();
            named.map(|device| (TreeDevice::Named(&device.name), device.node)).collect()
        }
    }
}

/// A device with a name and no other facts.
pub(super) fn named(name: &str) -> PlanDevice {
    PlanDevice { label: name.to_owned(), ..PlanDevice::default() }
}
