//! `nearfar` without arguments on a terminal: what this machine is, and three commands that fit it.
//! Nothing is measured.

use std::path::PathBuf;

use anyhow::bail;
use nearfar_diagnose::text as diagnosis;
use nearfar_diagnose::{Witnesses, diagnose};
use nearfar_machine::text::topology as topology_text;
use nearfar_machine::{DeviceKind, Inventory, Source, Topology};
use nearfar_report::survey::answer;
use nearfar_survey::Store;
use nearfar_view::terminal::screen;
use nearfar_view::text::count;
use nearfar_view::text::fitted::ScreenParts;

use crate::fitting_commands::FittingMachine;
use crate::sent;

const MORE: &str = "'nearfar help' lists jobs by question, 'nearfar --help' all commands.";

/// Devices that a first screen counts, and their nouns.
const COUNTED: [(DeviceKind, &str); 6] = [
    (DeviceKind::Gpu, "GPU"),
    (DeviceKind::Accelerator, "accelerator"),
    (DeviceKind::Network, "network card"),
    (DeviceKind::Disk, "disk"),
    (DeviceKind::Cxl, "CXL memory device"),
    (DeviceKind::Dax, "DAX memory device"),
];

/// Prints it, of this machine or of a captured one.
pub(crate) fn print(root: Option<&PathBuf>) -> anyhow::Result<()> {
    let source = sent::source(root.map_or(&[], std::slice::from_ref))?;
    let witnesses = Witnesses::read(&source);
    let (Some(topology), Some(environment), Some(inventory)) =
        (&witnesses.topology, &witnesses.environment, &witnesses.inventory)
    else {
        // The reason is an error of reading the topology.
        Topology::read(&source)?;
        bail!("{}: the machine cannot be described", source.origin());
    };
    let nodes = topology.online_nodes().len();
    let is_guest = environment.hypervisor.is_some();
    let screen = ScreenParts {
        answer: vec![
            format!("{}.", topology_text::counts(topology)),
            format!("{}.", topology_text::identity(topology, environment)),
            format!("{}.", diagnosis::headline(&diagnose(&witnesses))),
            devices(inventory, nodes, source.is_sent()),
            measured(&source, topology),
        ],
        to_do: FittingMachine::read(&source, nodes, is_guest, inventory).commands(),
        sections: Vec::new(),
        verdict: MORE.to_owned(),
    };
    Ok(screen::print(&screen.screen())?)
}

/// "Devices: 2 GPUs, 3 network cards; 4 on a known node."
fn devices(inventory: &Inventory, nodes: usize, is_sent: bool) -> String {
    let of = |kind| inventory.devices.iter().filter(move |device| device.kind == kind);
    let counts = COUNTED.map(|(kind, noun)| (of(kind).count(), noun));
    let listed: Vec<String> = counts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, noun)| count(*number, noun))
        .collect();
    if listed.is_empty() {
        let why = if is_sent { "unknown, not sent" } else { "none is listed" };
        return format!("Devices: {why}.");
    }
    let counted = COUNTED.iter().flat_map(|(kind, _)| of(*kind));
    let with_node = counted.filter(|device| device.node.node().is_some()).count();
    let known = match nodes {
        0 | 1 => String::new(),
        _ => format!("; {with_node} on a known node"),
    };
    format!("Devices: {}{known}.", listed.join(", "))
}

/// The newest saved survey of this machine.
fn measured(source: &Source, topology: &Topology) -> String {
    if !source.is_live() {
        return "A captured machine: it cannot be measured.".to_owned();
    }
    let Some((_, survey)) = Store::newest_of(topology, |_| true) else {
        return "Not measured yet.".to_owned();
    };
    let started = survey.provenance.started.replace('T', " ");
    format!("Newest survey, {}: {}", started.trim_end_matches('Z'), answer(&survey, None))
}
