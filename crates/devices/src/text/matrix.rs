//! Levels of pairs, in the form of `nvidia-smi topo -m`: cells are separated by tabs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use nearfar_machine::DeviceKind;
use nearfar_view::terminal::printable;
use nearfar_view::text::paragraph;

use super::findings;
use crate::{Device, DevicesDocument};

/// The legend of nvidia-smi, word by word: scripts and eyes know it.
const LEGEND: [(&str, &str); 7] = [
    ("X", "Self"),
    (
        "SYS",
        "Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., \
         QPI/UPI)",
    ),
    (
        "NODE",
        "Connection traversing PCIe as well as the interconnect between PCIe Host Bridges within a \
         NUMA node",
    ),
    ("PHB", "Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)"),
    (
        "PXB",
        "Connection traversing multiple PCIe bridges (without traversing the PCIe Host Bridge)",
    ),
    ("PIX", "Connection traversing at most a single PCIe bridge"),
    ("NV#", "Connection traversing a bonded set of # NVLinks"),
];

/// Words that nvidia-smi does not have.
const OWN_LEGEND: [(&str, &str); 4] = [
    ("XGMI", "Connection by XGMI links of unknown number (amdkfd)"),
    ("XGMI#", "Connection by a bonded set of # XGMI links (amdkfd)"),
    ("XGMI-#H", "Connection over # XGMI hops, by way of other GPUs (amdkfd)"),
    ("N/A", "Unknown: a node or a path is not known"),
];

/// The matrix, the legend, the devices behind the labels, findings.
pub fn matrix(document: &DevicesDocument) -> String {
    let Some(matrix) = &document.matrix else { return String::new() };
    if matrix.labels.is_empty() {
        let why = super::why_empty(document).unwrap_or_default();
        return paragraph::of(&format!("There is no matrix. {why}"), "", "");
    }
    let mut text = String::new();
    let heads = ["CPU Affinity", "NUMA Affinity", "GPU NUMA ID"].map(str::to_owned);
    let _ = writeln!(text, "\t{}", [matrix.labels.clone(), heads.to_vec()].concat().join("\t"));
    let devices: BTreeMap<&str, &Device> =
        document.devices.iter().map(|device| (device.label.as_str(), device)).collect();
    for (row, label) in matrix.labels.iter().enumerate() {
        let device = devices.get(label.as_str());
        let cells = matrix.levels[row].iter().map(|level| {
            let word = level.to_string();
            if word == "X" { " X ".to_owned() } else { word }
        });
        let cpus = matrix.cpus[row].as_ref().map_or_else(na, ToString::to_string);
        let node = device.and_then(|device| device.node.node);
        let node = node.map_or_else(na, |node| node.to_string());
        let cells: Vec<String> = cells.chain([cpus, node, na()]).collect();
        let _ = writeln!(text, "{label}\t{}", cells.join("\t"));
    }
    text += "\nLegend:\n\n";
    for (word, meaning) in LEGEND.iter().chain(&OWN_LEGEND) {
        let _ = writeln!(text, "  {word:<4} = {meaning}");
    }
    text += "\nThe words are those of nvidia-smi; the two ports of a switch count as one bridge.\n";
    let is_nic = |device: &&Device| device.kind == DeviceKind::Network;
    let labels: BTreeSet<&String> = matrix.labels.iter().collect();
    let shown = || document.devices.iter().filter(|device| labels.contains(&device.label));
    let nics = legend("NIC Legend", shown().filter(is_nic));
    let others = legend("Device Legend", shown().filter(|device| !is_nic(device)));
    text + &nics + &others + &printable::lines(&findings::below_a_matrix(document))
}

fn na() -> String {
    "N/A".to_owned()
}

/// Name or address behind each label.
fn legend<'d>(title: &str, devices: impl Iterator<Item = &'d Device>) -> String {
    let line = |device: &Device| {
        // nvidia-smi names RDMA devices; interfaces have no underscore.
        let rdma = device.names.iter().find(|name| name.contains('_'));
        let name = rdma.or_else(|| device.names.first()).or(device.address.as_ref());
        name.map(|name| format!("  {}: {}\n", device.label, printable::line(name)))
    };
    let lines: String = devices.filter_map(line).collect();
    if lines.is_empty() { lines } else { format!("\n{title}:\n\n{lines}") }
}
