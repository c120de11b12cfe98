//! NCCL's topology: CPUs by node, PCI devices below them.
//!
//! # References
//!
//! NCCL's `src/graph/xml.cc` and the variables `NCCL_TOPO_FILE`, `NCCL_TOPO_DUMP_FILE`

use nearfar_model::{CpuId, CpuSet, NodeId};
use roxmltree::Node;

use super::{number, set};
use crate::source::machine_files::{MachineFiles, PciFacts, SYSTEM, is_pci_address, numa_node};

const MAX_DEPTH: usize = 64;

/// Reads a machine. NCCL knows neither cores nor sizes.
pub(super) fn read(system: Node<'_, '_>, files: &mut MachineFiles) {
    for cpu in system.children().filter(|child| child.has_tag_name("cpu")) {
        let cpus: CpuSet = set(cpu.attribute("affinity").unwrap_or_default());
        // -1: the kernel knew no node.
        let node = number::<u32>(cpu, "numaid").map(NodeId);
        if let Some(node) = node {
            files.node(node, &cpus, None);
        }
        for id in cpus.iter() {
            add_cpu(files, id);
        }
        let around = Around { node, cpus: &cpus.to_string() };
        for pci in cpu.children().filter(|child| child.has_tag_name("pci")) {
            let bus = pci.attribute("busid").and_then(|address| address.get(..7));
            let root = format!("/sys/devices/pci{}", bus.unwrap_or("0000:00"));
            device(files, pci, &root, around, 0);
        }
    }
}

#[derive(Clone, Copy)]
struct Around<'c> {
    node: Option<NodeId>,
    cpus: &'c str,
}

fn add_cpu(files: &mut MachineFiles, cpu: CpuId) {
    if files.cpus.insert(cpu) {
        let topology = format!("{SYSTEM}/cpu/cpu{cpu}/topology");
        files.put(&format!("{topology}/core_id"), cpu.to_string());
        files.put(&format!("{topology}/core_cpus_list"), cpu.to_string());
    }
}

fn device(
    files: &mut MachineFiles,
    pci: Node<'_, '_>,
    above: &str,
    around: Around<'_>,
    depth: usize,
) {
    let Some(address) = pci.attribute("busid").filter(|text| is_pci_address(text)) else { return };
    if depth > MAX_DEPTH || files.is_full() {
        return;
    }
    let facts = PciFacts {
        class: pci.attribute("class").unwrap_or("0x000000").to_owned(),
        vendor: pci.attribute("vendor").unwrap_or_default(),
        device: pci.attribute("device").unwrap_or_default(),
        node: numa_node(around.node),
        cpus: around.cpus,
    };
    let folder = files.pci(above, address, &facts);
    for (name, kernel) in
        [("link_speed", "current_link_speed"), ("link_width", "current_link_width")]
    {
        let value = pci.attribute(name).filter(|value| !matches!(*value, "" | "0"));
        value.into_iter().for_each(|value| files.put(&format!("{folder}/{kernel}"), value));
    }
    for child in pci.children().filter(Node::is_element) {
        match child.tag_name().name() {
            "pci" => device(files, child, &folder, around, depth + 1),
            "nic" => child.children().filter(|net| net.has_tag_name("net")).for_each(|net| {
                let name = net.attribute("name").unwrap_or_default();
                // RDMA's names, as in ibv_devices(1), or the network's.
                let is_net = ["eth", "en", "ib", "bond"].iter().any(|of| name.starts_with(of));
                files.named(if is_net { "net" } else { "infiniband" }, &folder, name);
            }),
            _ => {}
        }
    }
}
