//! Devices of a plan: at their nodes, or in a place of their own.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_devices::{Device, DeviceFinding, DevicesDocument};
use nearfar_model::NodeId;
use nearfar_survey::Survey;
use nearfar_view::draw::{DeviceBranch, PlanInterrupts, PlanNode};

use super::device_tree::{TreeDevice, branches};
use super::equal_devices::JudgedDevice;
use super::interrupts::Interrupts;

/// Names in a sentence.
const MAX_NAMED: usize = 8;

/// The devices of a survey by where they are.
pub(super) struct Devices<'s> {
    at: BTreeMap<NodeId, Vec<TreeDevice<'s>>>,
    /// At nodes that the survey does not have.
    at_missing_nodes: Vec<String>,
    /// No node is known for these.
    without_node: Vec<TreeDevice<'s>>,
    interrupts: Interrupts<'s>,
}

impl<'s> Devices<'s> {
    /// Of a machine with one node all of them are there, of one without nodes at its only memory.
    pub(super) fn from_survey(survey: &'s Survey) -> Self {
        let interrupts = Interrupts::from_survey(survey);
        let listed = listed(survey, &interrupts);
        let mut devices = Self {
            at: BTreeMap::new(),
            at_missing_nodes: Vec::new(),
            without_node: Vec::new(),
            interrupts,
        };
        devices.at = survey.claims.nodes.iter().map(|node| (node.id, Vec::new())).collect();
        let only = match &survey.claims.nodes[..] {
            [only] => Some(only.id),
            _ => None,
        };
        for (device, node) in listed {
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

    /// Whether a line is thick.
    pub(super) fn have_thick_lines(&self) -> bool {
        let mut all = self.at.values().flatten().chain(&self.without_node);
        all.any(TreeDevice::has_thick_line)
    }

    /// Those at a node.
    pub(super) fn at(&self, node: NodeId) -> Vec<DeviceBranch> {
        self.at.get(&node).map(|devices| branches(devices)).unwrap_or_default()
    }

    /// The interrupts that a node served.
    pub(super) fn interrupts_of(&self, node: NodeId) -> Option<PlanInterrupts> {
        self.interrupts.for_node(node)
    }

    /// All without a node, of a machine without nodes.
    pub(super) fn without_node(&self) -> Vec<DeviceBranch> {
        branches(&self.without_node)
    }

    /// Devices of nodes that are in several packages, and those whose node is unknown, of a machine
    /// with several.
    pub(super) fn elsewhere(&self, divided: &[NodeId]) -> Vec<PlanNode> {
        let panel = |name: String, devices: Vec<DeviceBranch>| PlanNode {
            id: u32::MAX,
            name,
            devices,
            ..PlanNode::default()
        };
        let of_divided =
            divided.iter().map(|id| panel(format!("node {}, package unknown", id.0), self.at(*id)));
        let unknown =
            (!self.at.is_empty()).then(|| panel("node unknown".to_owned(), self.without_node()));
        of_divided.chain(unknown).filter(|panel| !panel.devices.is_empty()).collect()
    }

    /// A note on those at nodes that the survey does not have.
    pub(super) fn note(&self) -> Option<String> {
        let names = &self.at_missing_nodes;
        let more = names.len().saturating_sub(MAX_NAMED);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let shown = names[..names.len().min(MAX_NAMED)].join(", ");
        (!names.is_empty()).then(|| {
            format!("These devices are at nodes that this survey does not have: {shown}{more}.")
        })
    }
}

/// The devices with their nodes; names only without the document of devices.
fn listed<'s>(
    survey: &'s Survey,
    interrupts: &Interrupts<'s>,
) -> Vec<(TreeDevice<'s>, Option<NodeId>)> {
    match &survey.devices {
        Some(document) => judged(document, interrupts)
            .map(|judged| (TreeDevice::Whole(judged), judged.device.node.node))
            .collect(),
        None => {
            let named = survey.claims.devices.iter();
            named.map(|device| (TreeDevice::Named(&device.name), device.node)).collect()
        }
    }
}

/// The devices, with the findings on their own links, and their interrupts.
fn judged<'s>(
    document: &'s DevicesDocument,
    interrupts: &Interrupts<'s>,
) -> impl Iterator<Item = JudgedDevice<'s>> {
    let narrow: BTreeSet<&str> = document
        .findings
        .iter()
        .filter_map(|finding| match finding {
            DeviceFinding::LinkNarrow { device, above: None, .. } => Some(device.as_str()),
            _ => None,
        })
        .collect();
    let one = move |device: &'s Device| JudgedDevice {
        device,
        is_narrow: narrow.contains(device.label.as_str()),
        interrupts: interrupts.for_device(&device.label),
    };
    document.devices.iter().map(one)
}
