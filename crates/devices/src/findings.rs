//! Findings, a file for each kind.
//!
//! Each is silent where nothing distinguishes a fault: on one node, in guests, for single devices.

mod kfd;
mod links;
mod nodes;
mod peers;

use std::collections::BTreeSet;

use nearfar_machine::Inventory;

use crate::context::DeviceContext;
use crate::document::{Device, DeviceFinding};

/// All findings about nodes, links and equal devices.
pub(crate) fn all(
    inventory: &Inventory,
    context: &DeviceContext<'_>,
    devices: &[Device],
) -> Vec<DeviceFinding> {
    let usual: Vec<&Device> = devices
        .iter()
        .filter(|device| device.kind.is_usual() && device.physical_function.is_none())
        .collect();
    let mut findings = nodes::without_node(context, &usual);
    findings.extend(nodes::disagreements(devices));
    findings.extend(kfd::absent(inventory));
    findings.extend(nodes::without_cpus(context, &usual));
    findings.extend(nodes::without_memory(context, &usual));
    findings.extend(nodes::one_of_a_package(context, &usual));
    // A hypervisor makes up the links and slots of a guest.
    if !context.is_guest {
        let cards = cards(&usual);
        findings.extend(links::all(inventory, &cards));
        findings.extend(peers::apart(context, &cards));
    }
    findings
}

/// The first function of each card that is connected by a link: functions of a card share the link
/// and the slot, and devices of the chipset have neither.
fn cards<'d>(devices: &[&'d Device]) -> Vec<&'d Device> {
    let mut seen = BTreeSet::new();
    let is_first = |device: &&&'d Device| {
        let card = device.address.as_deref().and_then(|address| address.rsplit_once('.'));
        device.path.len() > 1 && card.is_some_and(|(card, _)| seen.insert(card))
    };
    devices.iter().filter(is_first).copied().collect()
}

/// A witness that is installed and gave no answer.
pub(crate) fn failed_witness(why: &str) -> DeviceFinding {
    DeviceFinding::WitnessFailed { witness: "nvidia-smi".to_owned(), why: why.to_owned() }
}
