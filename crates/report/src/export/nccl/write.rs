//! XML that NCCL's own parser reads.

use std::fmt::Write as _;

use maud::Escaper;
use nearfar_devices::{Device, NodeVerdict};
use nearfar_machine::pci::LinkState;
use nearfar_machine::{DeviceKind, PciAddress};
use nearfar_model::NodeId;
use nearfar_view::terminal::printable;

use super::NcclInput;
use super::tree::{Branch, Branches, CpuKey, Tree, claimed_node};

/// Vendors of x86 CPUs whose names NCCL knows and the kernel writes unchanged.
const KNOWN_VENDORS: [&str; 2] = ["GenuineIntel", "AuthenticAMD"];

/// The longest attribute that NCCL reads.
const MAX_VALUE: usize = 254;

/// The file so far.
#[derive(Default)]
pub(super) struct Writer {
    text: String,
}

impl Writer {
    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// A comment on a line of its own. XML forbids two hyphens in it.
    pub(super) fn comment(&mut self, depth: usize, text: &str) {
        let mut plain = xml_characters(text);
        while plain.contains("--") {
            plain = plain.replace("--", "- -");
        }
        self.indent(depth);
        let _ = writeln!(self.text, "<!-- {plain} -->");
    }

    pub(super) fn system(&mut self, version: u32, tree: &Tree<'_>, input: &NcclInput<'_>) {
        self.open(0, "system", &[("version", version.to_string())], false);
        for (key, branches) in &tree.cpus {
            self.cpu(*key, branches, input);
        }
        self.text.push_str("</system>\n");
    }

    fn cpu(&mut self, key: CpuKey, branches: &Branches<'_>, input: &NcclInput<'_>) {
        if key.node.is_none() {
            let why = match input.document.nodes.len() {
                1 => "the kernel has -1 for the devices below; the machine has one node",
                _ => "the node of the devices below is unknown",
            };
            self.comment(1, why);
        }
        self.open(1, "cpu", &cpu_attributes(key.node, input), false);
        for (address, branch) in branches {
            self.branch(2, *address, (branch, key.node), input);
        }
        self.close(1, "cpu");
    }

    fn branch(
        &mut self,
        depth: usize,
        address: PciAddress,
        (branch, node): (&Branch<'_>, Option<NodeId>),
        input: &NcclInput<'_>,
    ) {
        let remarks = match branch.device {
            Some(device) => remarks(device, node),
            None => switch_remark(address, input).into_iter().collect(),
        };
        for remark in remarks {
            self.comment(depth, &remark);
        }
        let names: Vec<&String> = branch
            .device
            .filter(|device| device.kind == DeviceKind::Network)
            .into_iter()
            .flat_map(|device| &device.names)
            .collect();
        let is_empty = names.is_empty() && branch.below.is_empty();
        self.open(depth, "pci", &pci_attributes(address, input), is_empty);
        if is_empty {
            return;
        }
        if !names.is_empty() {
            self.open(depth + 1, "nic", &[], false);
            for name in names {
                self.open(depth + 2, "net", &[("name", name.clone())], true);
            }
            self.close(depth + 1, "nic");
        }
        for (below, branch) in &branch.below {
            self.branch(depth + 1, *below, (branch, node), input);
        }
        self.close(depth, "pci");
    }

    fn open(&mut self, depth: usize, name: &str, attributes: &[(&str, String)], is_empty: bool) {
        self.indent(depth);
        let _ = write!(self.text, "<{name}");
        for (attribute, value) in attributes {
            let _ = write!(self.text, " {attribute}=\"");
            let _ = Escaper::new(&mut self.text).write_str(&xml_characters(value));
            self.text.push('"');
        }
        self.text.push_str(if is_empty { "/>\n" } else { ">\n" });
    }

    fn close(&mut self, depth: usize, name: &str) {
        self.indent(depth);
        let _ = writeln!(self.text, "</{name}>");
    }

    fn indent(&mut self, depth: usize) {
        self.text.extend(std::iter::repeat_n("  ", depth));
    }
}

/// A text without characters that XML forbids, escaped or not.
fn xml_characters(text: &str) -> String {
    printable::line(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

fn cpu_attributes(node: Option<NodeId>, input: &NcclInput<'_>) -> Vec<(&'static str, String)> {
    let id = node.map_or_else(|| "-1".to_owned(), |node| node.to_string());
    let mut attributes = vec![("numaid", id)];
    let nodes = input.topology.map_or(&[][..], |topology| &topology.nodes);
    let affinity = nodes.iter().find(|one| Some(one.id) == node).map(|node| node.cpus.to_mask());
    // NCCL refuses a file with a longer one. It asks sysfs for an absent one.
    let affinity = affinity.filter(|mask| mask.len() <= MAX_VALUE);
    attributes.extend(affinity.map(|mask| ("affinity", mask)));
    let arch = input.topology.and_then(|topology| topology.identity.arch.as_deref());
    let arch = match arch {
        Some("x86_64") => Some("x86_64"),
        Some("aarch64") => Some("arm64"),
        Some("ppc64" | "ppc64le") => Some("ppc64"),
        _ => None,
    };
    attributes.extend(arch.map(|arch| ("arch", arch.to_owned())));
    if let Some(cpu) = input.cpu.filter(|cpu| KNOWN_VENDORS.contains(&cpu.vendor.as_str())) {
        attributes.extend([
            ("vendor", cpu.vendor.clone()),
            ("familyid", cpu.family.to_string()),
            ("modelid", cpu.model.to_string()),
        ]);
    }
    attributes
}

fn pci_attributes(address: PciAddress, input: &NcclInput<'_>) -> Vec<(&'static str, String)> {
    let mut attributes = vec![("busid", address.to_string())];
    if let Some(function) = input.inventory.function(address) {
        let ids = [
            ("class", function.class.map(|class| format!("0x{class:06x}"))),
            ("vendor", function.vendor.map(|id| format!("0x{id:04x}"))),
            ("device", function.device.map(|id| format!("0x{id:04x}"))),
            ("subsystem_vendor", function.subsystem.map(|(id, _)| format!("0x{id:04x}"))),
            ("subsystem_device", function.subsystem.map(|(_, id)| format!("0x{id:04x}"))),
        ];
        attributes.extend(ids.into_iter().filter_map(|(name, id)| Some((name, id?))));
    }
    let link = slower_end(address, input);
    let speed = link.gt_s.map_or_else(String::new, |gt_s| format!("{gt_s:.1} GT/s PCIe"));
    attributes.push(("link_speed", speed));
    attributes.push(("link_width", link.lanes.unwrap_or(0).to_string()));
    attributes
}

/// What a link and the port above it can do at most. Without a link, NCCL's words are an empty
/// speed and width 0: it assumes 16 lanes of PCIe 3.
fn slower_end(address: PciAddress, input: &NcclInput<'_>) -> LinkState {
    let inventory = input.inventory;
    let device = inventory.devices.iter().find(|device| device.address == Some(address));
    let Some(link) = device.and_then(|device| device.details.link) else {
        return LinkState::default();
    };
    let port = inventory
        .function(address)
        .and_then(|function| function.path.bridges().last())
        .and_then(|port| inventory.bridges.get(&port))
        .map_or_else(LinkState::default, |port| port.max);
    let speeds = [link.max.gt_s, port.gt_s].into_iter().flatten();
    LinkState {
        gt_s: speeds.min_by(f64::total_cmp),
        lanes: [link.max.lanes, port.lanes].into_iter().flatten().min(),
    }
}

/// What a reader of the file needs to know about a device below this node.
fn remarks(device: &Device, node: Option<NodeId>) -> Vec<String> {
    let name = match (&device.vendor, &device.model) {
        (Some(vendor), Some(model)) => format!(": {vendor} {model}"),
        (Some(one), None) | (None, Some(one)) => format!(": {one}"),
        (None, None) => String::new(),
    };
    let mut remarks = vec![format!("{}{name}", device.label)];
    let lanes = device.link.and_then(|link| Some((link.now.lanes?, link.device_max.lanes?)));
    remarks.extend(lanes.and_then(missing_lanes));
    remarks.extend(doubt(device));
    remarks.extend(node.and_then(|node| other_node(device, node)));
    remarks
}

fn switch_remark(address: PciAddress, input: &NcclInput<'_>) -> Option<String> {
    let link = input.inventory.bridges.get(&address)?;
    missing_lanes((link.now.lanes?, link.max.lanes?))
}

/// A link with fewer lanes now than at most.
fn missing_lanes((now, most): (u32, u32)) -> Option<String> {
    (now < most).then(|| format!("its link has {now} of {most} lanes now"))
}

/// Why a device's node is less than certain.
fn doubt(device: &Device) -> Option<String> {
    match (device.node.verdict, device.node.node) {
        (NodeVerdict::FirmwareOnly, Some(node)) => {
            Some(format!("the kernel knows no node of it; firmware names node {node}"))
        }
        (NodeVerdict::Disputed, _) => {
            let kernel = device.node.sysfs_node();
            let kernel = kernel.map_or_else(|| "none".to_owned(), |node| format!("node {node}"));
            Some(format!("witnesses name different nodes of it; the kernel has {kernel}"))
        }
        _ => None,
    }
}

/// A switch is below one node: that of its first device with a known one.
fn other_node(device: &Device, node: NodeId) -> Option<String> {
    let own = match claimed_node(&device.node) {
        None if device.node.verdict == NodeVerdict::OnlyNode => return None,
        None => "unknown".to_owned(),
        Some(own) if own == node => return None,
        Some(own) => own.to_string(),
    };
    Some(format!("its node is {own}; another device of its switch has node {node}"))
}
