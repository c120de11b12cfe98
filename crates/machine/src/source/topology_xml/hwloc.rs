//! hwloc's XML, of versions 1 to 3.
//!
//! # References
//!
//! hwloc's `hwloc2.dtd` and `include/hwloc.h` (types of objects, `hwloc_obj_osdev_type_e`);
//! `hwloc/topology-linux.c` for what each came from

use std::collections::BTreeMap;

use nearfar_model::{Bytes, CpuId, CpuSet, NodeId, NodeSet};
use roxmltree::Node;

use super::cpu_kinds::put_cpu_kind;
use super::os_devices::put_os_device;
use super::{infos, number, set};
use crate::source::machine_files::{MachineFiles, PciFacts, SYSTEM, is_pci_address, numa_node};

/// Objects within objects at most.
const MAX_DEPTH: usize = 64;
/// hwloc's names of facts, and the kernel's.
const DMI: [(&str, &str); 8] = [
    ("DMISysVendor", "sys_vendor"),
    ("DMIProductName", "product_name"),
    ("DMIProductVersion", "product_version"),
    ("DMIBoardVendor", "board_vendor"),
    ("DMIBoardName", "board_name"),
    ("DMIChassisVendor", "chassis_vendor"),
    ("DMIBIOSVersion", "bios_version"),
    ("DMIBIOSDate", "bios_date"),
];

/// Where an object is.
#[derive(Clone, Default)]
struct Around {
    depth: usize,
    package: Option<(u32, CpuSet)>,
    die: Option<(u32, CpuSet)>,
    core: Option<(u32, CpuSet)>,
    cpus: CpuSet,
    nodes: NodeSet,
    model: Option<String>,
    /// The folder of the bridge or the device that it is below.
    pci_folder: String,
}

struct Reader<'f> {
    files: &'f mut MachineFiles,
    /// Whether types of devices are bits, since version 3.
    has_type_bits: bool,
    cpuinfo: BTreeMap<CpuId, String>,
    nodes: Vec<LocalNode>,
}

/// A node, and the CPUs that it is local to: of memory without CPUs, those of another node.
struct LocalNode {
    id: NodeId,
    cpus: CpuSet,
    memory: Option<Bytes>,
}

/// Reads a machine.
pub(super) fn read(topology: Node<'_, '_>, files: &mut MachineFiles) {
    let version = topology.attribute("version").unwrap_or_default();
    let has_type_bits = version.split('.').next().and_then(|major| major.parse().ok()) >= Some(3);
    let cpuinfo = BTreeMap::new();
    let mut reader = Reader { files, has_type_bits, cpuinfo, nodes: Vec::new() };
    // Facts of the machine stand beside its object since version 3.
    reader.facts(topology);
    for object in topology.children().filter(|child| child.has_tag_name("object")) {
        reader.facts(object);
        reader.object(object, &Around::default());
    }
    reader.node_files();
    for table in topology.descendants() {
        match table.tag_name().name() {
            "distances2" => reader.distances(table),
            "distances" => reader.old_distances(table),
            "cpukind" => put_cpu_kind(reader.files, table),
            _ => {}
        }
    }
    let cpuinfo = reader.cpuinfo.values().cloned().collect::<Vec<_>>().join("\n");
    if !cpuinfo.is_empty() {
        reader.files.put("/proc/cpuinfo", cpuinfo);
    }
}

impl Reader<'_> {
    fn facts(&mut self, machine: Node<'_, '_>) {
        for (name, value) in infos(machine) {
            match DMI.iter().find(|(theirs, _)| *theirs == name) {
                Some((_, ours)) => self.files.put(&format!("/sys/class/dmi/id/{ours}"), value),
                None if name == "OSRelease" => {
                    self.files.put("/proc/sys/kernel/osrelease", value);
                }
                None => {}
            }
        }
    }

    fn object(&mut self, object: Node<'_, '_>, around: &Around) {
        if around.depth > MAX_DEPTH || self.files.is_full() {
            return;
        }
        let mut here = Around { depth: around.depth + 1, ..around.clone() };
        if let Some(cpus) = object.attribute("cpuset") {
            here.cpus = set(cpus);
        }
        if let Some(nodes) = object.attribute("nodeset") {
            here.nodes = set(nodes);
        }
        let index = number::<u32>(object, "os_index");
        let own = index.map(|index| (index, here.cpus.clone()));
        match object.attribute("type").unwrap_or_default() {
            "Package" | "Socket" => {
                here.package = own;
                let model = infos(object).find(|(name, _)| *name == "CPUModel");
                here.model = model.map(|(_, model)| model.to_owned());
            }
            "Die" => here.die = own,
            "Core" => here.core = own,
            "PU" => index.into_iter().for_each(|index| self.cpu(CpuId(index), &here)),
            "NUMANode" | "Node" => self.node(object, index, &here),
            "Bridge" => self.bridge(object, &mut here),
            "PCIDev" => {
                here.pci_folder = self.pci(object, &here).unwrap_or_default();
            }
            "OSDev" => {
                let node = only(&here.nodes);
                put_os_device(self.files, object, self.has_type_bits, &here.pci_folder, node);
            }
            kind if is_side_cache(object, kind) => self.side_cache(object, &here.nodes),
            kind if kind.ends_with("Cache") => self.cache(object, kind, &here.cpus),
            _ => {}
        }
        for child in object.children().filter(|child| child.has_tag_name("object")) {
            self.object(child, &here);
        }
    }

    fn cpu(&mut self, cpu: CpuId, around: &Around) {
        if !self.files.cpus.insert(cpu) {
            return;
        }
        let folder = format!("{SYSTEM}/cpu/cpu{cpu}/topology");
        let alone = (cpu.0, CpuSet::from_id(cpu));
        let (core, threads) = around.core.clone().unwrap_or(alone);
        let mut facts = vec![
            ("core_id", core.to_string()),
            ("core_cpus_list", threads.to_string()),
            ("thread_siblings_list", threads.to_string()),
        ];
        if let Some((package, cpus)) = &around.package {
            facts.push(("physical_package_id", package.to_string()));
            facts.push(("package_cpus_list", cpus.to_string()));
            facts.push(("core_siblings_list", cpus.to_string()));
        }
        if let Some((die, cpus)) = &around.die {
            facts.push(("die_id", die.to_string()));
            facts.push(("die_cpus_list", cpus.to_string()));
        }
        for (name, value) in facts {
            self.files.put(&format!("{folder}/{name}"), value);
        }
        if let Some(model) = &around.model {
            self.cpuinfo.insert(cpu, format!("processor\t: {cpu}\nmodel name\t: {model}\n"));
        }
    }

    fn node(&mut self, object: Node<'_, '_>, index: Option<u32>, around: &Around) {
        let Some(index) = index else { return };
        let memory = number(object, "local_memory").map(Bytes);
        self.nodes.push(LocalNode { id: NodeId(index), cpus: around.cpus.clone(), memory });
    }

    /// The kernel has a CPU in one node: the one that is local to the fewest, else the first.
    fn node_files(&mut self) {
        self.nodes.sort_by_key(|node| (node.cpus.len(), node.id));
        let mut taken = CpuSet::new();
        for LocalNode { id, cpus, memory } in std::mem::take(&mut self.nodes) {
            self.files.node(id, &cpus.difference(&taken), memory);
            taken = taken.union(&cpus);
        }
    }

    /// Sizes of 0 are unknown to hwloc, too.
    fn cache(&mut self, object: Node<'_, '_>, kind: &str, cpus: &CpuSet) {
        let by_name = kind
            .as_bytes()
            .get(1)
            .filter(|byte| byte.is_ascii_digit())
            .map(|byte| u32::from(byte - b'0'));
        let Some(level) = number(object, "depth").or(by_name) else { return };
        let sort = match object.attribute("cache_type") {
            Some("1") => "Data",
            Some("2") => "Instruction",
            _ => "Unified",
        };
        let positive = |name: &str| number::<u64>(object, name).filter(|&number| number > 0);
        let shared = cpus.to_string();
        for cpu in cpus.iter() {
            if self.files.is_full() {
                return;
            }
            let folder = self.files.cache(cpu, level, sort);
            self.files.put(&format!("{folder}/shared_cpu_list"), &shared);
            if let Some(size) = positive("cache_size") {
                self.files.put(&format!("{folder}/size"), format!("{}K", size >> 10));
            }
            if let Some(line) = positive("cache_linesize") {
                self.files.put(&format!("{folder}/coherency_line_size"), line.to_string());
            }
        }
    }

    /// A cache of memory, on the memory's side: it is of the first of its nodes.
    fn side_cache(&mut self, object: Node<'_, '_>, nodes: &NodeSet) {
        let (Some(node), Some(size)) = (nodes.first(), number::<u64>(object, "cache_size")) else {
            return;
        };
        let folder = format!("{SYSTEM}/node/node{node}/memory_side_cache/index1");
        self.files.put(&format!("{folder}/size"), size.to_string());
        if let Some(line) = number::<u64>(object, "cache_linesize") {
            self.files.put(&format!("{folder}/line_size"), line.to_string());
        }
    }

    /// A bridge of the host has buses and no address.
    fn bridge(&mut self, object: Node<'_, '_>, around: &mut Around) {
        if object.attribute("pci_busid").is_some() {
            around.pci_folder = self.pci(object, around).unwrap_or_default();
            return;
        }
        let buses = object.attribute("bridge_pci").unwrap_or_default();
        let first = buses.split_once(":[").and_then(|(domain, buses)| {
            let (first, _) = buses.split_once('-')?;
            Some(format!("{domain}:{first}")).filter(|root| is_pci_address(&format!("{root}:0.0")))
        });
        around.pci_folder =
            first.map_or_else(String::new, |root| format!("/sys/devices/pci{root}"));
    }

    fn pci(&mut self, object: Node<'_, '_>, around: &Around) -> Option<String> {
        let address = object.attribute("pci_busid").filter(|text| is_pci_address(text))?;
        // "0200 [8086:10d3] [15d9:0000] 00 00"
        let mut words = object.attribute("pci_type").unwrap_or_default().split_whitespace();
        let class = words.next().unwrap_or("0000");
        let ids = words.next().unwrap_or_default().trim_matches(['[', ']']);
        let (vendor, device) = ids.split_once(':').unwrap_or_default();
        let facts = PciFacts {
            class: format!("0x{class}00"),
            vendor: &format!("0x{vendor}"),
            device: &format!("0x{device}"),
            node: numa_node(only(&around.nodes)),
            cpus: &around.cpus.to_string(),
        };
        let above = match around.pci_folder.as_str() {
            "" => format!("/sys/devices/pci{}", address.get(..7)?),
            above => above.to_owned(),
        };
        Some(self.files.pci(&above, address, &facts))
    }

    fn distances(&mut self, table: Node<'_, '_>) {
        let is_of_nodes = table.attribute("type") == Some("NUMANode");
        let is_numbered = table.attribute("indexing") == Some("os");
        let is_latency = table.attribute("name").is_none_or(|name| name == "NUMALatency");
        if is_of_nodes && is_numbered && is_latency {
            let nodes = numbers(table, "indexes").filter_map(|id| u32::try_from(id).ok());
            let nodes: Vec<u32> = nodes.collect();
            let values: Vec<u64> = numbers(table, "u64values").collect();
            self.distance_files(&nodes, &values);
        }
    }

    /// Version 1: ratios to a base, of all nodes in order.
    fn old_distances(&mut self, table: Node<'_, '_>) {
        let nodes: Vec<u32> = self.files.nodes.iter().map(|node| node.0).collect();
        if number(table, "nbobjs") != Some(nodes.len()) {
            return;
        }
        let base = number::<f64>(table, "latency_base").unwrap_or(10.0);
        let ratios = table.children().filter(|child| child.has_tag_name("latency"));
        let values = ratios.filter_map(|ratio| number::<f64>(ratio, "value"));
        let values: Vec<u64> = values.map(|ratio| (ratio * base).round() as u64).collect();
        self.distance_files(&nodes, &values);
    }

    fn distance_files(&mut self, nodes: &[u32], values: &[u64]) {
        // The kernel lists all nodes in order; a table of some, or in another order, is not its.
        let has_all = nodes.iter().copied().eq(self.files.nodes.iter().map(|node| node.0));
        if !has_all || nodes.is_empty() || values.len() != nodes.len() * nodes.len() {
            return;
        }
        for (node, row) in nodes.iter().zip(values.chunks(nodes.len())) {
            let row: Vec<String> = row.iter().map(u64::to_string).collect();
            self.files.put(&format!("{SYSTEM}/node/node{node}/distance"), row.join(" "));
        }
    }
}

/// The only node of these: below several, the kernel knew none.
fn only(nodes: &NodeSet) -> Option<NodeId> {
    nodes.first().filter(|_| nodes.len() == 1)
}

/// Since version 2.1 they are objects of their own, before they were caches of CPUs.
fn is_side_cache(object: Node<'_, '_>, kind: &str) -> bool {
    kind == "MemCache" || object.attribute("subtype") == Some("MemorySideCache")
}

fn numbers<'x>(table: Node<'x, 'x>, name: &'x str) -> impl Iterator<Item = u64> + 'x {
    let parts = table.children().filter(move |child| child.has_tag_name(name));
    parts
        .flat_map(|part| part.text().unwrap_or_default().split_whitespace())
        .filter_map(|number| number.parse().ok())
}
