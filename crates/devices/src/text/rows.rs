//! The table of devices.

use nearfar_view::text::or_empty;
use nearfar_view::text::{IN_A_LINE, IN_A_TABLE, short_list};

use super::Addresses;
use super::link;
use crate::{ClaimedNode, Device, DevicesDocument, InterruptKind, NodeVerdict, NodeWitness};

/// The kernel's names that a row has.
const MAX_NAMES: usize = 2;

/// The names of the columns.
pub const HEADS: [&str; 7] =
    ["device", "name", "address", "node", "near CPUs", "link", "interrupts"];
/// The column of addresses.
pub(super) const ADDRESS: usize = 2;

/// A row for each device.
pub fn rows(document: &DevicesDocument) -> Vec<[String; HEADS.len()]> {
    let addresses = Addresses::new(document);
    document.devices.iter().map(|device| cells(device, addresses)).collect()
}

/// A row of the table.
pub(super) fn cells(device: &Device, addresses: Addresses) -> [String; HEADS.len()] {
    [
        device.label.clone(),
        names(device),
        or_empty(device.address.as_deref().map(|address| addresses.short(address))),
        node(device),
        or_empty(device.cpus.as_ref().map(|cpus| short_list(cpus, IN_A_LINE))),
        link::cell(device),
        interrupts(device),
    ]
}

/// The kernel's names; a dash for a device without a driver.
fn names(device: &Device) -> String {
    match device.names.len() {
        0 => "-".to_owned(),
        1..=MAX_NAMES => device.names.join(", "),
        all => format!("{}, {} more", device.names[0], all - 1),
    }
}

fn node(device: &Device) -> String {
    let node = match device.node.node {
        Some(node) => node.to_string(),
        None if is_not_readable(device) => "not readable".to_owned(),
        None => "?".to_owned(),
    };
    match device.node.verdict {
        NodeVerdict::Disputed => format!("{node} (disputed)"),
        NodeVerdict::FirmwareOnly => format!("{node} (firmware)"),
        NodeVerdict::Measured => format!("{node} (measured)"),
        NodeVerdict::OnlyNode
        | NodeVerdict::Agreed
        | NodeVerdict::KernelOnly
        | NodeVerdict::Unknown => node,
    }
}

/// Whether `numa_node` exists, and is not readable.
fn is_not_readable(device: &Device) -> bool {
    let mut claims = device.node.claims.iter();
    claims.any(|claim| {
        claim.witness == NodeWitness::Sysfs && claim.claimed == ClaimedNode::NotReadable
    })
}

/// "9, CPU 0-7", "line, CPU 1", "9, CPU 8-15 (node 1!)".
fn interrupts(device: &Device) -> String {
    let interrupts = &device.interrupts;
    let number = match (interrupts.count, interrupts.kind) {
        (0, _) if interrupts.not_readable => return "not readable".to_owned(),
        (0, _) => return String::new(),
        (_, Some(InterruptKind::Line)) => "line".to_owned(),
        (number, _) => number.to_string(),
    };
    let cpus = match &interrupts.cpus {
        Some(cpus) if interrupts.only_allowed => {
            format!(", allowed CPU {}", short_list(cpus, IN_A_TABLE))
        }
        Some(cpus) => format!(", CPU {}", short_list(cpus, IN_A_TABLE)),
        None if interrupts.not_readable => ", CPUs not readable".to_owned(),
        None => ", CPUs unknown".to_owned(),
    };
    let far = match run_far_away(device) {
        true if interrupts.nodes.len() == 1 => format!(" (node {}!)", interrupts.nodes),
        true => format!(" (nodes {}!)", interrupts.nodes),
        false => String::new(),
    };
    format!("{number}{cpus}{far}")
}

/// Whether no interrupt runs on a CPU near the device.
pub(super) fn run_far_away(device: &Device) -> bool {
    match (&device.cpus, &device.interrupts.cpus) {
        (Some(near), Some(cpus)) => !device.interrupts.nodes.is_empty() && cpus.is_disjoint(near),
        _ => false,
    }
}
