//! Whether interrupts are served near their devices, and what to do where they are not.

use std::collections::BTreeMap;

use nearfar_model::CpuId;
use nearfar_view::text::count;
use nearfar_view::text::fitted::ToDo;
use nearfar_view::text::percent::percent;

use super::{Folding, by_device};
use crate::irq::{IrqDevice, IrqDocument, IrqFinding, Span};

/// Devices that an answer names.
const MAX_NAMES: usize = 4;

/// "NIC0 eth0".
pub(super) fn name(device: &IrqDevice) -> String {
    match device.names.first().filter(|name| **name != device.label) {
        Some(name) => format!("{name} ({})", device.label),
        None => device.label.clone(),
    }
}

/// The devices whose interrupts are mostly served far from them.
fn far(document: &IrqDocument) -> Vec<&IrqDevice> {
    let active = by_device::active(document);
    if document.nodes.len() < 2 {
        return Vec::new();
    }
    active.filter(|device| by_device::is_mostly_far(device)).collect()
}

/// Far or near, in a sentence or two.
pub(super) fn answer(document: &IrqDocument) -> Vec<String> {
    let far = far(document);
    let share = document.far_share.filter(|_| document.nodes.len() > 1).map(|share| {
        let share = percent(share);
        format!("Far CPUs served {share} of the interrupts of devices with a known node.")
    });
    let devices = far.iter().take(MAX_NAMES).map(|device| {
        let part = device.far.unwrap_or_default() as f64 / device.count.max(1) as f64;
        let node = device.node.map(|node| format!(", on node {node},")).unwrap_or_default();
        format!(
            "{}{node} has {} of its interrupts served far from it.",
            name(device),
            percent(part)
        )
    });
    let more = match far.len().saturating_sub(MAX_NAMES) {
        0 => None,
        more => Some(format!("So have {}.", count(more, "more device"))),
    };
    let verdict = format!("{}.", verdict(document));
    let devices: Vec<String> = devices.chain(more).chain(share).collect();
    [verdict, devices.join(" ")].into_iter().filter(|text| !text.is_empty()).collect()
}

/// "CPU 0 serves all active queues of eth0, eth1", of the CPU with most devices.
fn on_one_cpu(document: &IrqDocument) -> Option<String> {
    let mut by_cpu: BTreeMap<CpuId, Vec<String>> = BTreeMap::new();
    for finding in &document.findings {
        if let IrqFinding::IrqQueuesOnOneCpu { device, cpu, .. } = finding {
            by_cpu.entry(*cpu).or_default().push(word(document, device));
        }
    }
    let (cpu, devices) = by_cpu.into_iter().max_by_key(|(_, devices)| devices.len())?;
    let more = match devices.len().saturating_sub(MAX_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = devices[..devices.len().min(MAX_NAMES)].join(", ");
    // Since boot, they may have been moved.
    Some(match document.span() {
        Span::SinceBoot => {
            format!("CPU {cpu} served nearly all queues of {named}{more} since boot")
        }
        _ => format!("CPU {cpu} serves all active queues of {named}{more}"),
    })
}

/// The word that other commands take for a device.
fn word(document: &IrqDocument, label: &str) -> String {
    let device = document.devices.iter().find(|device| device.label == label);
    let name = device.and_then(|device| device.names.first());
    name.map_or(label, String::as_str).to_owned()
}

/// The answer in a line.
pub(super) fn verdict(document: &IrqDocument) -> String {
    let far = far(document);
    let names: Vec<String> = far.iter().take(MAX_NAMES).map(|device| name(device)).collect();
    let more = match far.len().saturating_sub(MAX_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    match (document.nodes.len(), document.far_share) {
        (0, _) => match on_one_cpu(document) {
            Some(served) => format!("Interrupts: {served}"),
            None => "Interrupts: near or far is unknown, because no nodes are known".to_owned(),
        },
        (1, _) => format!("Interrupts: one node ({}), so all CPUs are near", document.nodes),
        _ if !names.is_empty() => {
            format!("Interrupts: mostly far from {}{more}", names.join(", "))
        }
        (_, None) => "Interrupts: near or far is unknown, because no device has a node".to_owned(),
        (_, Some(_)) => {
            "Interrupts: no active device has most of them served far from it".to_owned()
        }
    }
}

/// Commands for far devices, then what shows more.
pub(super) fn to_do(document: &IrqDocument, folding: Folding) -> Vec<ToDo> {
    let movable = document.findings.iter().filter_map(|finding| match finding {
        IrqFinding::IrqFarFromDevice { device, .. } => Some(device),
        _ => None,
    });
    let mut labels: Vec<&String> = movable.collect();
    labels.dedup();
    let mut all: Vec<ToDo> = labels
        .into_iter()
        .take(MAX_NAMES)
        .map(|label| {
            let command = format!("sudo nearfar irq set {} --near", word(document, label));
            ToDo::new(command, "moves its interrupts to near CPUs")
        })
        .collect();
    let on_one_cpu = document.findings.iter().filter_map(|finding| match finding {
        IrqFinding::IrqQueuesOnOneCpu { device, .. } => Some(word(document, device)),
        _ => None,
    });
    all.extend(on_one_cpu.take(MAX_NAMES).map(|word| {
        let command = format!("sudo nearfar irq set {word} --spread near");
        ToDo::new(command, "gives each queue a CPU")
    }));
    let busiest = document.devices.iter().max_by_key(|device| device.count);
    let busiest = busiest.filter(|device| device.count > 0 && document.saved.is_none());
    // Who names a device sees each of its interrupts already.
    if let Some(device) = busiest.filter(|_| folding != Folding::Nothing) {
        let time = if document.seconds.is_some() { " --for 10s" } else { "" };
        let command = format!("nearfar irq {}{time}", word(document, &device.label));
        all.push(ToDo::new(command, "each of its interrupts"));
    }
    all
}
