//! `--near`: CPUs and memory nearest to devices.
//!
//! A device on a node with CPUs takes that node. A node without CPUs has the memory of a GPU or of
//! CXL: there the program runs on the nearest nodes with CPUs, and has its memory on the nearest
//! nodes with CPUs and memory.

use nearfar_devices::{DeviceNode, MeasuredNode};
use nearfar_machine::{
    HardwareNode, ListContext, NearDevice, NodeTable, Source, cpu_node_list, node_list,
};
use nearfar_model::{NodeId, NodeSet, nearest_nodes};
use nearfar_place::Policy;
use serde::Serialize;

use crate::launch::error::LaunchError;
use crate::launch::options::{OptionName, spelled};

/// Devices, and the nodes that are chosen for them.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct NearPlacement {
    /// The devices, in the order of the command line.
    pub devices: Vec<NearDevice>,
    /// The node that `--near-anyway` gives to hardware whose node is unknown.
    pub assumed_node: Option<NodeId>,
    /// The nodes of the devices.
    pub nodes: NodeSet,
    /// The nodes of the CPUs.
    pub cpu_nodes: NodeSet,
    /// The preferred nodes of memory.
    pub memory_nodes: NodeSet,
}

impl NearPlacement {
    /// Finds the devices of a list, and the nodes near them.
    pub(crate) fn new(
        list: &str,
        (anyway, measured): (Option<&str>, &[MeasuredNode]),
        source: &Source,
        lists: &ListContext<'_>,
    ) -> Result<Self, LaunchError> {
        let option = spelled(OptionName::Near);
        let wrong = |why| LaunchError::Near { option: option.clone(), why };
        let mut devices: Vec<NearDevice> = Vec::new();
        for mut device in NearDevice::find_all(list, source).map_err(wrong)? {
            device.hardware.iter_mut().for_each(|one| decide_node(one, measured));
            if !devices.contains(&device) {
                devices.push(device);
            }
        }
        let assumed_node = assumed(anyway, &devices, lists)?;
        let mut nodes: NodeSet =
            devices.iter().flat_map(|device| device.nodes().iter().collect::<Vec<_>>()).collect();
        nodes.extend(assumed_node);
        let mut placement = Self {
            cpu_nodes: nodes.clone(),
            memory_nodes: nodes.clone(),
            devices,
            assumed_node,
            nodes,
        };
        placement.place_on_only_node(lists)?;
        placement.replace_incomplete_nodes(source, lists)?;
        let list_error = |why| LaunchError::List { option: option.clone(), why };
        let usable = |nodes: &NodeSet| nodes.to_string();
        cpu_node_list(&usable(&placement.cpu_nodes), lists).map_err(list_error)?;
        node_list(&usable(&placement.memory_nodes), lists).map_err(list_error)?;
        Ok(placement)
    }

    /// The policy: the nodes are preferred, so that a full node slows the program down and does not
    /// end it.
    pub(crate) fn policy(&self) -> Policy {
        match self.memory_nodes.first() {
            Some(node) if self.memory_nodes.len() == 1 => Policy::Preferred(node),
            _ => Policy::PreferredMany(self.memory_nodes.clone()),
        }
    }

    /// Hardware whose node the kernel does not know.
    pub fn unknown(&self) -> impl Iterator<Item = &HardwareNode> {
        self.devices
            .iter()
            .flat_map(|device| &device.hardware)
            .filter(|device| device.node.is_none())
    }

    /// What a user should know before the program runs.
    pub(crate) fn warnings(&self, online: &NodeSet) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.nodes.len() > 1 {
            let hardware = self.devices.iter().flat_map(|device| &device.hardware);
            let mut places: Vec<String> = Vec::new();
            for one in hardware {
                let place = one
                    .node
                    .or(self.assumed_node)
                    .map(|node| format!("{} on node {node}", one.name));
                if let Some(place) = place.filter(|place| !places.contains(place)) {
                    places.push(place);
                }
            }
            warnings.push(format!(
                "--near: the devices are on different nodes ({}), so the program gets the CPUs \
                 and memory of all",
                places.join(", ")
            ));
        }
        let unknown: Vec<&str> = self.unknown().map(|unknown| unknown.name.as_str()).collect();
        if !unknown.is_empty() && online.len() > 1 {
            let end = match self.assumed_node {
                Some(node) => format!("node {node} of --near-anyway counts"),
                None => "the others decide".to_owned(),
            };
            warnings.push(format!(
                "--near: the kernel does not know the node of {}: {end}",
                unknown.join(", ")
            ));
        }
        warnings
    }

    /// A machine with one node has every device there.
    fn place_on_only_node(&mut self, lists: &ListContext<'_>) -> Result<(), LaunchError> {
        let blind = self.devices.iter().find(|device| device.nodes().is_empty());
        let (Some(blind), None) = (blind, self.assumed_node) else { return Ok(()) };
        let online = lists.online_nodes();
        if online.len() != 1 {
            return Err(LaunchError::UnknownDeviceNode {
                asked: blind.asked.clone(),
                hardware: blind.hardware.clone(),
                nodes: online.clone(),
                claims: String::new(),
            });
        }
        for nodes in [&mut self.nodes, &mut self.cpu_nodes, &mut self.memory_nodes] {
            *nodes = online.clone();
        }
        Ok(())
    }

    /// Replaces nodes without CPUs, or without memory, by the nearest that have them.
    fn replace_incomplete_nodes(
        &mut self,
        source: &Source,
        lists: &ListContext<'_>,
    ) -> Result<(), LaunchError> {
        let with_cpus = lists.cpu_nodes();
        let whole = with_cpus.intersection(lists.memory_nodes());
        if self.nodes.is_subset(&whole) {
            return Ok(());
        }
        let distances = NodeTable::read(source).and_then(|table| table.distances);
        let nearest = |node: NodeId, among: &NodeSet| {
            let found = nearest_nodes(distances.as_ref(), node, among);
            if found.is_empty() { Err(LaunchError::NoNearestNode { node }) } else { Ok(found) }
        };
        let all = |among: &NodeSet| {
            self.nodes.iter().try_fold(NodeSet::new(), |all, node| {
                nearest(node, among).map(|nodes| all.union(&nodes))
            })
        };
        (self.cpu_nodes, self.memory_nodes) = (all(with_cpus)?, all(&whole)?);
        Ok(())
    }
}

/// Replaces the kernel's node by the one that counts for a program. A machine's only node is no
/// claim about the device: it is taken for all of them together.
fn decide_node(hardware: &mut HardwareNode, measured: &[MeasuredNode]) {
    let decided = DeviceNode::from_hardware(hardware, measured, None);
    hardware.node = decided.for_placement();
    hardware.measured_by = decided.measured_by().map(str::to_owned);
}

/// The node of `--near-anyway`, which is for hardware whose node is unknown.
fn assumed(
    anyway: Option<&str>,
    devices: &[NearDevice],
    lists: &ListContext<'_>,
) -> Result<Option<NodeId>, LaunchError> {
    let Some(text) = anyway else { return Ok(None) };
    let option = spelled(OptionName::NearAnyway);
    let list_error = |why| LaunchError::List { option: option.clone(), why };
    let refused = |rule: String| LaunchError::Order { option: option.clone(), rule };
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !digits {
        return Err(refused(format!("takes one node, such as 0, not '{text}'")));
    }
    // A node without CPUs or memory is a place of devices, too.
    let nodes =
        node_list(text, lists).or_else(|_| cpu_node_list(text, lists)).map_err(list_error)?;
    if devices.iter().flat_map(|device| &device.hardware).all(|device| device.node.is_some()) {
        let known: Vec<String> = devices
            .iter()
            .map(|device| format!("{} is on node {}", device.asked, device.nodes()))
            .collect();
        return Err(refused(format!(
            "is for devices whose node is unknown, and {}: leave it out, or bind with \
             --cpunodebind={text} --preferred={text}",
            known.join(", ")
        )));
    }
    Ok(nodes.first())
}

#[cfg(test)]
mod tests;
