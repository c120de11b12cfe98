//! Where devices are: table, paths, matrix of pairs, findings.

mod csv;
mod findings;
mod matrix;
mod paths;

use nearfar_devices::{
    Device, DevicesDocument, InterruptKind, Interrupts, Lanes, Link, NodeVerdict,
};
use nearfar_terminal::printable;

pub use csv::{csv, matrix_csv};
pub(crate) use findings::sentence as finding_sentence;
pub use matrix::matrix;

use crate::count::count;
use crate::first_lines::first_lines;
use crate::optional::or_empty;
use crate::sections::sections;
use crate::table::table;

/// How many oddities are shown; the JSON document has them all.
const MOST_ODDITIES: usize = 10;

/// The devices of a machine, in sections one empty line apart.
pub fn text(document: &DevicesDocument) -> String {
    printable::lines(&sections([
        heading(document),
        devices(document),
        paths::text(document),
        findings::text(document),
        oddities(document),
    ]))
}

fn heading(document: &DevicesDocument) -> String {
    let nodes = if document.nodes.is_empty() {
        "no nodes reported".to_owned()
    } else {
        format!("nodes {}", document.nodes)
    };
    let machine = document.machine.iter().map(String::as_str);
    let counts =
        [count(document.devices.len(), "device"), count(document.functions, "PCI function"), nodes];
    let counts = counts.join(", ");
    machine.chain([counts.as_str()]).map(|line| format!("{line}\n")).collect()
}

fn devices(document: &DevicesDocument) -> String {
    let heads = ["device", "name", "address", "node", "near CPUs", "link", "interrupts", "what"];
    table("Devices", heads, document.devices.iter().map(line).collect())
}

fn line(device: &Device) -> [String; 8] {
    [
        device.label.clone(),
        names(device),
        or_empty(device.address.as_ref()),
        node(device),
        or_empty(device.cpus.as_ref()),
        or_empty(device.link.map(link)),
        interrupts(&device.interrupts),
        what(device),
    ]
}

/// The kernel's names, without those of a disk's parts: "nvme0" and not "nvme0, nvme0n1".
fn names(device: &Device) -> String {
    match device.names.as_slice() {
        [] => "-".to_owned(),
        [first, second, third, rest @ ..] if !rest.is_empty() => {
            format!("{first}, {second}, {third}, {} more", rest.len())
        }
        all => all.join(", "),
    }
}

fn node(device: &Device) -> String {
    let node = device.node.node.map_or_else(|| "?".to_owned(), |node| node.to_string());
    match device.node.verdict {
        NodeVerdict::Disputed => format!("{node} (disputed)"),
        NodeVerdict::FirmwareOnly => format!("{node} (firmware)"),
        NodeVerdict::OnlyNode
        | NodeVerdict::Agreed
        | NodeVerdict::KernelOnly
        | NodeVerdict::Unknown => node,
    }
}

/// "x16, 16 GT/s", or what it runs at of what the device supports: "x8 of 16, 8 of 16 GT/s".
fn link(link: Link) -> String {
    let part = |now: Option<String>, most: Option<String>| match (now, most) {
        (Some(now), Some(most)) if now != most => Some(format!("{now} of {most}")),
        (Some(now), _) => Some(now),
        (None, Some(most)) => Some(format!("? of {most}")),
        (None, None) => None,
    };
    let number = |lanes: Lanes| lanes.lanes.map(|lanes| lanes.to_string());
    let speed = |lanes: Lanes| lanes.gt_s.map(|gt_s| gt_s.to_string());
    let width = part(number(link.now), number(link.device_max)).map(|width| format!("x{width}"));
    let speed = part(speed(link.now), speed(link.device_max)).map(|speed| format!("{speed} GT/s"));
    width.into_iter().chain(speed).collect::<Vec<_>>().join(", ")
}

/// "4 on CPUs 0-3".
fn interrupts(interrupts: &Interrupts) -> String {
    let number = match (interrupts.count, interrupts.kind) {
        (0, _) => return String::new(),
        (_, Some(InterruptKind::Line)) => "line".to_owned(),
        (number, _) => number.to_string(),
    };
    match &interrupts.cpus {
        Some(cpus) if interrupts.only_allowed => format!("{number}, allowed on CPUs {cpus}"),
        Some(cpus) => format!("{number} on CPUs {cpus}"),
        None if interrupts.not_readable => format!("{number}, CPUs not readable"),
        None => number,
    }
}

/// What it is, as well as it is known: vendor and model, else class.
fn what(device: &Device) -> String {
    let class = device
        .class_name
        .clone()
        .or_else(|| device.class.as_ref().map(|class| format!("class {class}")));
    let mut what = match (&device.vendor, &device.model) {
        (Some(vendor), Some(model)) => format!("{vendor} {model}"),
        (Some(vendor), None) => {
            format!("{vendor} {}", or_empty(class.or_else(|| device.id.clone())))
        }
        (None, _) => [class, device.id.clone()].into_iter().flatten().collect::<Vec<_>>().join(" "),
    };
    if device.virtual_functions > 0 {
        what += &format!(", {}", count(device.virtual_functions as usize, "virtual function"));
    }
    if let Some(physical) = &device.physical_function {
        what += &format!(", virtual function of {physical}");
    }
    what.trim().to_owned()
}

fn oddities(document: &DevicesDocument) -> String {
    if document.oddities.is_empty() {
        return String::new();
    }
    let lines = document.oddities.iter().map(|line| format!("  {line}\n"));
    "Odd, and left out:\n".to_owned() + &first_lines(lines, MOST_ODDITIES, "  ")
}
