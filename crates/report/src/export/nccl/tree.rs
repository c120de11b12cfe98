//! The tree of switches, as NCCL walks sysfs.

use std::collections::BTreeMap;

use nearfar_devices::{Device, DeviceNode, NodeVerdict};
use nearfar_machine::pci::PciHop;
use nearfar_machine::{DeviceKind, PciAddress};
use nearfar_model::NodeId;

use super::NcclInput;

/// The largest domain that NCCL reads: four digits.
const MAX_DOMAIN: u32 = 0xffff;

/// The devices below `<cpu>` elements.
pub(super) struct Tree<'a> {
    /// By node; the unknown one is last.
    pub(super) cpus: BTreeMap<CpuKey, Branches<'a>>,
    /// Devices whose addresses NCCL cannot read.
    pub(super) left_out: Vec<PciAddress>,
}

/// The node of a `<cpu>`, if it is known. Nodes come before "unknown".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CpuKey {
    is_unknown: bool,
    pub(super) node: Option<NodeId>,
}

/// Functions by address, which is NCCL's order.
pub(super) type Branches<'a> = BTreeMap<PciAddress, Branch<'a>>;

/// A switch, or a device.
#[derive(Default)]
pub(super) struct Branch<'a> {
    pub(super) device: Option<&'a Device>,
    pub(super) below: Branches<'a>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(input: &NcclInput<'a>) -> Self {
        let mut tree = Self { cpus: BTreeMap::new(), left_out: Vec::new() };
        // A switch has one parent: the first known node of a device below it decides.
        let mut nodes: BTreeMap<PciAddress, Option<NodeId>> = BTreeMap::new();
        let mut placed: Vec<(Vec<PciAddress>, &Device)> = Vec::new();
        for device in &input.document.devices {
            let Some(function) = function_of(input, device) else { continue };
            if function.address.domain > MAX_DOMAIN {
                tree.left_out.push(function.address);
                continue;
            }
            let mut chain = switches(function.path.hops());
            chain.push(function.address);
            let node = nodes.entry(chain[0]).or_default();
            *node = node.or_else(|| claimed_node(&device.node));
            placed.push((chain, device));
        }
        for (chain, device) in placed {
            let node = nodes[&chain[0]];
            let key = CpuKey { is_unknown: node.is_none(), node };
            insert(tree.cpus.entry(key).or_default(), &chain, device);
        }
        tree
    }

    /// Labels of network cards whose node is unknown, if that of a GPU is known.
    pub(super) fn cards_without_node(&self) -> Vec<&'a str> {
        let (mut cards, mut has_gpu) = (Vec::new(), false);
        for (key, branches) in &self.cpus {
            let mut devices = Vec::new();
            collect(branches, &mut devices);
            if key.node.is_some() {
                has_gpu |= devices.iter().any(|device| device.kind == DeviceKind::Gpu);
            } else {
                devices.retain(|device| device.kind == DeviceKind::Network);
                cards.extend(devices.iter().map(|device| device.label.as_str()));
            }
        }
        if has_gpu { cards } else { Vec::new() }
    }
}

fn collect<'a>(branches: &Branches<'a>, devices: &mut Vec<&'a Device>) {
    for branch in branches.values() {
        devices.extend(branch.device);
        collect(&branch.below, devices);
    }
}

fn function_of<'a>(
    input: &NcclInput<'a>,
    device: &Device,
) -> Option<&'a nearfar_machine::PciFunction> {
    if !matches!(device.kind, DeviceKind::Gpu | DeviceKind::Network) {
        return None;
    }
    input.inventory.function(PciAddress::parse(device.address.as_deref()?).ok()?)
}

/// The node that a witness names. On a machine with one node NCCL, too, writes what sysfs has.
pub(super) fn claimed_node(node: &DeviceNode) -> Option<NodeId> {
    match node.verdict {
        NodeVerdict::OnlyNode | NodeVerdict::Unknown => node.sysfs_node(),
        NodeVerdict::Agreed
        | NodeVerdict::KernelOnly
        | NodeVerdict::FirmwareOnly
        | NodeVerdict::Measured
        | NodeVerdict::Disputed => node.node,
    }
}

/// The switches above a function, from the top. A switch is two bridges in sysfs, a root port is
/// one: NCCL goes up two levels at a time, and stops at what is no function with four digits.
fn switches(above: &[PciHop]) -> Vec<PciAddress> {
    let mut switches = Vec::new();
    let mut above = above;
    while let [rest @ .., PciHop::Bridge(upper), PciHop::Bridge(lower)] = above {
        if upper.domain.max(lower.domain) > MAX_DOMAIN {
            break;
        }
        switches.push(*upper);
        above = rest;
    }
    switches.reverse();
    switches
}

fn insert<'a>(branches: &mut Branches<'a>, chain: &[PciAddress], device: &'a Device) {
    let Some((first, rest)) = chain.split_first() else { return };
    let branch = branches.entry(*first).or_default();
    if rest.is_empty() {
        branch.device = Some(device);
    } else {
        insert(&mut branch.below, rest, device);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn switches_of(path: &[&str]) -> Vec<String> {
        let hop = |text: &&str| match text.strip_prefix("pci") {
            Some(_) => PciHop::RootBus { domain: 0, bus: 0 },
            None => PciHop::Bridge(PciAddress::parse(text).unwrap()),
        };
        let hops: Vec<PciHop> = path.iter().map(hop).collect();
        switches(&hops).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn ports_are_skipped() {
        let none: [&str; 0] = [];
        assert_eq!(switches_of(&["pci"]), none);
        assert_eq!(switches_of(&["pci", "0:1.0"]), none);
        assert_eq!(switches_of(&["pci", "0:1.0", "1:0.0", "2:8.0"]), ["0000:01:00.0"]);
        let two = ["pci", "0:1.0", "1:0.0", "2:8.0", "3:0.0", "4:10.0"];
        assert_eq!(switches_of(&two), ["0000:01:00.0", "0000:03:00.0"]);
    }

    #[test]
    fn root_buses_of_long_domains_end_the_walk() {
        let none: [&str; 0] = [];
        assert_eq!(switches_of(&["pci", "0:5.5", "pci", "0:2.0"]), none);
        assert_eq!(switches_of(&["pci", "10000:0:2.0", "10000:1:0.0"]), none);
    }
}
