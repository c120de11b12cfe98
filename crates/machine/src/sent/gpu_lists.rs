//! Programs of GPU vendors: `nvidia-smi -q -x`, `rocm-smi --showtopo`, `amd-smi topology`.

use nearfar_model::{MAX_ID, NodeId};

use super::lspci;
use crate::source::{MachineFiles, PciFacts, RefusedText};

const NVIDIA: &str = "0x10de";
const AMD: &str = "0x1002";

pub(super) fn begins_nvidia(line: &str) -> bool {
    line.starts_with("<nvidia_smi_log")
}

/// The element of a line: "<pci_bus_id>00000000:00:16.0</pci_bus_id>".
fn element<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let rest = line.strip_prefix('<')?.strip_prefix(name)?.strip_prefix('>')?;
    rest.split('<').next()
}

/// Reads `nvidia-smi -q -x`: addresses, models and links, no nodes.
pub(super) fn nvidia(text: &str, files: &mut MachineFiles) -> bool {
    if !text.contains("</nvidia_smi_log>") {
        files.refused = Some(RefusedText::CutAfter(text.trim_end().lines().count()));
        return false;
    }
    let mut is_known = false;
    let mut device = String::new();
    for line in text.lines().map(str::trim) {
        if let Some(id) = element(line, "pci_device_id") {
            // "233010DE": device, then vendor.
            device = id.get(..4).map(|id| format!("0x{}", id.to_lowercase())).unwrap_or_default();
        }
        let Some(address) = element(line, "pci_bus_id").and_then(lspci::address) else { continue };
        let root = address.get(..7).unwrap_or_default();
        let class = "0x030200".to_owned();
        let facts = PciFacts { class, vendor: NVIDIA, device: &device, ..PciFacts::default() };
        files.pci(&format!("/sys/devices/pci{root}"), &address, &facts);
        is_known = true;
    }
    is_known
}

/// "GPU[0] : (Topology) Numa Node: 0"
pub(super) fn begins_rocm(line: &str) -> bool {
    line.starts_with("GPU[") && line.contains("(Topology) Numa")
        || line.contains("ROCm System Management Interface")
}

/// Reads the nodes of GPUs; their addresses are not in it.
pub(super) fn rocm(text: &str, files: &mut MachineFiles) -> bool {
    let numbers = text.lines().filter_map(|line| {
        let value = line.split("(Topology) Numa Node:").nth(1)?;
        value.trim().parse::<u32>().ok().filter(|&node| node <= MAX_ID)
    });
    let nodes: Vec<NodeId> = numbers.map(NodeId).collect();
    nodes.iter().for_each(|node| {
        files.nodes.insert(*node);
    });
    !nodes.is_empty()
}

/// "ACCESS TABLE:"
pub(super) fn begins_amd(line: &str) -> bool {
    ["ACCESS TABLE:", "WEIGHT TABLE:", "HOPS TABLE:", "LINK TYPE TABLE:"].contains(&line)
}

/// Reads the addresses of the GPUs.
pub(super) fn amd(text: &str, files: &mut MachineFiles) -> bool {
    let mut is_known = false;
    for word in text.lines().filter_map(|line| line.split_whitespace().next()) {
        let Some(address) = lspci::address(word) else { continue };
        let root = address.get(..7).unwrap_or_default();
        let class = "0x120000".to_owned();
        let facts = PciFacts { class, vendor: AMD, ..PciFacts::default() };
        files.pci(&format!("/sys/devices/pci{root}"), &address, &facts);
        is_known = true;
    }
    is_known
}
