//! One device: its node, its path, and who names the node.

use nearfar_view::terminal::printable;
use nearfar_view::terminal::screen::Screen;
use nearfar_view::text::fitted::{ScreenParts, ToDo};
use nearfar_view::text::{or_dash, table};

use super::folding::FoldedDevices;
use super::{Addresses, findings, link, paths, summary};
use crate::{ClaimedNode, Device, DevicesDocument, NodeClaim, NodeVerdict, NodeWitness};

/// The devices of a document, which a user named.
pub fn text(document: &DevicesDocument) -> Screen {
    let addresses = Addresses::new(document);
    let devices = FoldedDevices::new(document, addresses);
    let mut sections: Vec<String> = document.devices.iter().map(claims).collect();
    sections.push(paths::text(&devices, addresses));
    sections.push(findings::text(document));
    let mut to_do: Vec<ToDo> = document.devices.iter().flat_map(summary::for_device).collect();
    let mut unreadable = document.devices.iter().map(|device| device.node.unreadable().next());
    if unreadable.any(|one| one.is_some()) {
        to_do
            .push(ToDo::new("sudo nearfar devices", "reads the nodes that firmware's tables name"));
    }
    let verdict: Vec<String> = document.devices.iter().map(place).collect();
    ScreenParts {
        answer: document.devices.iter().flat_map(answer).collect(),
        to_do,
        sections: sections.iter().map(|section| printable::lines(section)).collect(),
        verdict: verdict.join("; "),
    }
    .screen()
}

/// "eth0 (NIC0): node 1".
fn place(device: &Device) -> String {
    let node = device.node.node;
    let node = node.map_or_else(|| "node unknown".to_owned(), |node| format!("node {node}"));
    format!("{}: {node}", summary::name(device))
}

fn answer(device: &Device) -> Vec<String> {
    let how = match device.node.verdict {
        NodeVerdict::OnlyNode => "the machine has one node",
        NodeVerdict::Agreed => "the kernel and another source name it",
        NodeVerdict::KernelOnly => "the kernel names it, and no other source does",
        NodeVerdict::FirmwareOnly => "firmware names it, and the kernel names none",
        NodeVerdict::Disputed => "the kernel names it, and other sources name others",
        NodeVerdict::Measured => "measured copies are fastest there",
        NodeVerdict::Unknown => "no source names one",
    };
    let cpus = device.cpus.as_ref().map(|cpus| format!("CPUs near it: {cpus}"));
    let link = Some(link::cell(device)).filter(|link| !link.is_empty());
    let link = link.map(|link| format!("PCIe link: {link}"));
    let model = [&device.vendor, &device.model].map(|name| name.clone().unwrap_or_default());
    let model = Some(model.join(" ").trim().to_owned()).filter(|model| !model.is_empty());
    let facts: Vec<String> = [model, device.address.clone(), link].into_iter().flatten().collect();
    [Some(format!("{} ({how}).", place(device))), cpus, Some(facts.join(", "))]
        .into_iter()
        .flatten()
        .collect()
}

fn claims(device: &Device) -> String {
    let row = |claim: &NodeClaim| {
        [source(claim.witness).to_owned(), claimed(claim.claimed), or_dash(claim.source.as_ref())]
    };
    let title = format!("Who names a node for {}", summary::name(device));
    table(&title, ["source", "node", "where"], device.node.claims.iter().map(row).collect())
}

fn source(witness: NodeWitness) -> &'static str {
    match witness {
        NodeWitness::Sysfs => "kernel (numa_node)",
        NodeWitness::Pxm => "firmware (_PXM)",
        NodeWitness::Log => "kernel log",
        NodeWitness::Srat => "firmware (SRAT)",
        NodeWitness::Amdkfd => "amdkfd",
        NodeWitness::Measured => "measured copies",
    }
}

fn claimed(claim: ClaimedNode) -> String {
    match claim {
        ClaimedNode::Node { node } => node.to_string(),
        ClaimedNode::DomainWithoutNode { domain } => format!("none (domain {domain})"),
        ClaimedNode::NoNode => "none".to_owned(),
        ClaimedNode::NotEvaluated => "computed by code".to_owned(),
        ClaimedNode::NotReadable => "not readable".to_owned(),
        ClaimedNode::Malformed => "malformed".to_owned(),
        ClaimedNode::Silent => "nothing".to_owned(),
    }
}
