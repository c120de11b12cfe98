//! Topology files of NCCL and RCCL as trees of sysfs.
//!
//! A `<cpu>` is a node with one root bus; a `<pci>` with others below it is a bridge.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use nearfar_machine::PciAddress;
use nearfar_model::CpuSet;
use roxmltree::{Document, Node};

use crate::made_machine::{MadeMachine, MadeNode};

/// A file, and the addresses of its functions in the tree that is made from it.
pub(crate) struct NcclTopology<'input> {
    pub(crate) xml: Document<'input>,
    /// By the place of the element in the file.
    addresses: BTreeMap<usize, PciAddress>,
}

impl<'input> NcclTopology<'input> {
    pub(crate) fn parse(text: &'input str) -> Self {
        let mut topology = Self { xml: Document::parse(text).unwrap(), addresses: BTreeMap::new() };
        // Files invent addresses of bridges, some of them twice: devices choose first.
        let (devices, bridges): (Vec<_>, Vec<_>) = topology
            .functions()
            .map(|function| {
                (function.range().start, claimed_address(function), is_bridge(function))
            })
            .partition(|(.., is_bridge)| !is_bridge);
        let mut used = BTreeSet::new();
        for (number, (place, claimed, _)) in devices.into_iter().chain(bridges).enumerate() {
            let bus = u8::try_from(number).unwrap();
            let invented = PciAddress { domain: 0xfffe, bus, device: 0, function: 0 };
            let address = if used.insert(claimed) { claimed } else { invented };
            topology.addresses.insert(place, address);
        }
        topology
    }

    fn functions(&self) -> impl Iterator<Item = Node<'_, 'input>> {
        self.xml.descendants().filter(|node| node.has_tag_name("pci"))
    }

    /// Functions that are no bridges.
    pub(crate) fn devices(&self) -> Vec<Node<'_, 'input>> {
        self.functions().filter(|&node| !is_bridge(node)).collect()
    }

    pub(crate) fn address(&self, function: Node<'_, '_>) -> PciAddress {
        self.addresses[&function.range().start]
    }

    /// Targets of the XGMI links of a device.
    pub(crate) fn xgmi_targets(&self, device: Node<'_, '_>) -> Vec<PciAddress> {
        let links = device.descendants().filter(|node| node.has_tag_name("xgmi"));
        links.map(|link| PciAddress::parse(link.attribute("target").unwrap()).unwrap()).collect()
    }

    /// The machine, with a bridge for each switch. Each node is a package.
    pub(crate) fn machine(&self) -> MadeMachine {
        self.machine_with(None)
    }

    /// The machine with the ports that sysfs has and files leave out: a root port above each tree,
    /// a port of the switch above each function behind it.
    #[allow(dead_code)] // the crate report uses it
    pub(crate) fn machine_with_ports(&self) -> MadeMachine {
        self.machine_with(Some(0))
    }

    fn machine_with(&self, mut ports: Option<u8>) -> MadeMachine {
        let cpus = self.xml.descendants().filter(|node| node.has_tag_name("cpu"));
        let roots: Vec<Node<'_, '_>> = cpus.collect();
        let lists: BTreeMap<u32, String> =
            roots.iter().map(|cpu| (node_of(*cpu), cpu_list(*cpu))).collect();
        let nodes: Vec<MadeNode<'_>> =
            lists.iter().map(|(&id, cpus)| MadeNode { id, package: id, cpus }).collect();
        let machine = MadeMachine::new(&nodes);
        for (number, root) in roots.iter().enumerate() {
            let path = format!("pci{:04x}:00", 0xe000 + number);
            self.add_children(&machine, *root, &path, &mut ports);
        }
        self.add_compute_nodes(&machine);
        machine
    }

    fn add_children(
        &self,
        machine: &MadeMachine,
        above: Node<'_, '_>,
        path: &str,
        ports: &mut Option<u8>,
    ) {
        for function in above.children().filter(|node| node.has_tag_name("pci")) {
            let path = match ports {
                None => format!("{path}/{}", self.address(function)),
                Some(bus) => {
                    *bus += 1;
                    format!("{path}/fffd:{bus:02x}:00.0/{}", self.address(function))
                }
            };
            let word = |name: &str, default: &str| {
                function.attribute(name).unwrap_or(default).trim_start_matches("0x").to_owned()
            };
            // Amazon's file for G5 has addresses only: these are GPUs.
            let class =
                if is_bridge(function) { "060400".to_owned() } else { word("class", "030200") };
            let id = format!("{}:{}", word("vendor", "ffff"), word("device", "ffff"));
            machine.function(&path, &class, &id, node_of(above).try_into().unwrap());
            for which in ["current", "max"] {
                machine.attribute(&path, &format!("{which}_link_speed"), &word("link_speed", ""));
                machine.attribute(&path, &format!("{which}_link_width"), &word("link_width", "0"));
            }
            for which in ["subsystem_vendor", "subsystem_device"] {
                if let Some(id) = function.attribute(which) {
                    machine.attribute(&path, which, id);
                }
            }
            for name in net_names(function) {
                let folder = format!("{path}/infiniband/{name}");
                machine.attribute(&folder, "uevent", "");
                machine.link(
                    &format!("sys/class/infiniband/{name}"),
                    &format!("sys/devices/{folder}"),
                );
            }
            self.add_children(machine, function, &path, ports);
        }
    }

    /// Devices with XGMI links as nodes of AMD's compute driver.
    fn add_compute_nodes(&self, machine: &MadeMachine) {
        let gpus: Vec<(PciAddress, Vec<PciAddress>)> = self
            .devices()
            .into_iter()
            .map(|device| (self.address(device), self.xgmi_targets(device)))
            .filter(|(_, targets)| !targets.is_empty())
            .collect();
        for (number, (gpu, targets)) in gpus.iter().enumerate() {
            let folder = format!("sys/class/kfd/kfd/topology/nodes/{}", number + 1);
            let place =
                u32::from(gpu.bus) << 8 | u32::from(gpu.device) << 3 | u32::from(gpu.function);
            machine.file(
                &format!("{folder}/properties"),
                format!("simd_count 440\nlocation_id {place}\ndomain {}\n", gpu.domain),
            );
            for (link, target) in targets.iter().enumerate() {
                let Some(to) = gpus.iter().position(|(address, _)| address == target) else {
                    continue;
                };
                machine.file(
                    &format!("{folder}/io_links/{link}/properties"),
                    format!("type 11\nnode_to {}\nweight 15\n", to + 1),
                );
            }
        }
    }
}

pub(crate) fn is_bridge(function: Node<'_, '_>) -> bool {
    function.attribute("class").is_some_and(|class| class.starts_with("0x0604"))
        || function.children().any(|child| child.has_tag_name("pci"))
}

/// The names of a function's networks.
pub(crate) fn net_names<'a>(function: Node<'a, '_>) -> impl Iterator<Item = &'a str> {
    let nics = function.children().filter(|node| node.has_tag_name("nic"));
    nics.flat_map(|nic| nic.children()).filter_map(|net| net.attribute("name"))
}

/// The node of the `<cpu>` that a function is in.
pub(crate) fn node_of(function: Node<'_, '_>) -> u32 {
    let id = function.ancestors().find_map(|node| node.attribute("numaid"));
    id.unwrap().parse().unwrap()
}

fn claimed_address(function: Node<'_, '_>) -> PciAddress {
    PciAddress::parse(function.attribute("busid").unwrap()).unwrap()
}

/// The CPUs of a node; four invented ones where the file has none.
pub(crate) fn cpu_list(cpu: Node<'_, '_>) -> String {
    match cpu.attribute("affinity") {
        Some(mask) => CpuSet::parse_mask(mask).unwrap().to_string(),
        None => {
            let first = node_of(cpu) * 4;
            format!("{first}-{}", first + 3)
        }
    }
}

/// All files of a folder in the corpus: name and text.
pub(crate) fn files(corpus: &Path) -> Vec<(String, String)> {
    let all = ["nccl", "rccl"]
        .map(|folder| crate::corpus_folder::files_below(&corpus.join("pci").join(folder)));
    let of_xml =
        all.into_iter().flatten().filter(|path| path.extension().is_some_and(|of| of == "xml"));
    of_xml
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect()
}
