//! A machine for each finding, and machines that have none.

use nearfar_devices::{
    DeviceFinding, DevicesDocument, Lanes, Level, LinkAbove, MeasuredNode, NarrowLink, NodeVerdict,
    NodeWitness, SmiColumn, SmiMatrix,
};
use nearfar_firmware::{Firmware, TableFile};
use nearfar_machine::{InventoryScope, PciAddress};
use nearfar_model::{NodeId, NodeSet};

use crate::made_machine::{MadeMachine, MadeNode, OtherWitnesses, codes};

const NIC: (&str, &str) = ("20000", "15B3:1017");
const GPU: (&str, &str) = ("30200", "10DE:2330");
const BRIDGE: (&str, &str) = ("60400", "8086:2030");

/// A device below a root port of a root bus.
fn add(machine: &MadeMachine, root_bus: u8, (class, id): (&str, &str), node: i32) -> String {
    let port = format!("pci0000:{root_bus:02x}/0000:{root_bus:02x}:01.0");
    machine.function(&port, BRIDGE.0, BRIDGE.1, node);
    let path = format!("{port}/0000:{:02x}:00.0", root_bus + 1);
    machine.function(&path, class, id, node);
    path
}

fn port_of(path: &str) -> &str {
    path.rsplit_once('/').unwrap().0
}

/// Two nodes in each of two packages.
fn four_nodes() -> MadeMachine {
    MadeMachine::new(&[
        MadeNode { id: 0, package: 0, cpus: "0-1" },
        MadeNode { id: 1, package: 0, cpus: "2-3" },
        MadeNode { id: 2, package: 1, cpus: "4-5" },
        MadeNode { id: 3, package: 1, cpus: "6-7" },
    ])
}

/// A SRAT with a generic initiator: bus, device and function 0 of segment 0.
fn srat(bus: u8, domain: u32) -> Firmware {
    let mut entry = vec![5, 32, 0, 1];
    entry.extend(domain.to_le_bytes());
    entry.extend([0, 0, bus, 0]);
    entry.resize(24, 0);
    entry.extend(1u32.to_le_bytes());
    entry.resize(32, 0);
    let mut table = b"SRAT".to_vec();
    table.extend((48 + entry.len() as u32).to_le_bytes());
    table.extend([3, 0]);
    table.extend(b"NEAR  FAR HAND\x07\0\0\0HAND\x01\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0");
    table.extend(entry);
    table[9] = 0u8.wrapping_sub(table.iter().fold(0, |sum: u8, &byte| sum.wrapping_add(byte)));
    Firmware { tables: vec![TableFile::decode("SRAT", None, table)], ..Firmware::default() }
}

#[test]
fn device_without_node_on_two_nodes() {
    let machine = MadeMachine::two_nodes();
    add(&machine, 0x10, NIC, 0);
    add(&machine, 0x80, GPU, -1);
    let document = machine.document();
    let expected = DeviceFinding::DeviceWithoutNode {
        root_bus: Some("pci0000:80".to_owned()),
        devices: vec!["GPU0".to_owned()],
    };
    assert_eq!(document.findings, [expected]);
    assert_eq!(document.devices[1].node.verdict, NodeVerdict::Unknown);
    assert_eq!(document.devices[1].cpus, None);
}

/// The SRAT names the node that the kernel does not know: it need not be searched for.
#[test]
fn a_node_that_only_firmware_names_is_used() {
    let machine = MadeMachine::two_nodes();
    add(&machine, 0x10, NIC, 0);
    add(&machine, 0x80, GPU, -1);
    let others = OtherWitnesses { firmware: srat(0x81, 1), ..OtherWitnesses::default() };
    let document = others.document(&machine.source(), InventoryScope::Usual);
    assert_eq!(document.devices[1].node.verdict, NodeVerdict::FirmwareOnly);
    let expected = DeviceFinding::DeviceNodeNotUsed {
        node: NodeId(1),
        witnesses: vec![NodeWitness::Srat],
        root_bus: Some("pci0000:80".to_owned()),
        devices: vec!["GPU0".to_owned()],
    };
    assert_eq!(document.findings, [expected]);
}

/// A measurement decides: it need not be repeated.
#[test]
fn a_measured_node_is_used() {
    let measured = |kernel: i32| {
        let machine = MadeMachine::two_nodes();
        add(&machine, 0x80, GPU, kernel);
        let measured = MeasuredNode {
            address: PciAddress::parse("0000:81:00.0").unwrap(),
            nodes: vec![NodeId(1)],
            source: "gpus.json".to_owned(),
        };
        let others = OtherWitnesses { measured: vec![measured], ..OtherWitnesses::default() };
        others.document(&machine.source(), InventoryScope::Usual).findings
    };
    let expected = DeviceFinding::DeviceNodeMeasured {
        device: "GPU0".to_owned(),
        node: NodeId(1),
        kernel_node: NodeId(0),
    };
    assert_eq!(measured(0), [expected]);
    assert_eq!(measured(1), []);
    let found = measured(-1);
    let [DeviceFinding::DeviceNodeNotUsed { node, witnesses, .. }] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!((*node, &witnesses[..]), (NodeId(1), &[NodeWitness::Measured][..]));
}

#[test]
fn device_on_node_without_cpus() {
    // Grace: a GPU's memory is a node of its own.
    let machine = MadeMachine::new(&[
        MadeNode { id: 0, package: 0, cpus: "0-3" },
        MadeNode { id: 1, package: 1, cpus: "4-7" },
        MadeNode { id: 2, package: 1, cpus: "" },
    ]);
    for (node, distances) in [(0, "10 40 120"), (1, "40 10 80"), (2, "120 80 10")] {
        machine.file(&format!("sys/devices/system/node/node{node}/distance"), distances);
    }
    add(&machine, 0x10, GPU, 2);
    let document = machine.document();
    let expected = DeviceFinding::DeviceNodeWithoutCpus {
        node: NodeId(2),
        nearest: NodeSet::parse_list("1").unwrap(),
        devices: vec!["GPU0".to_owned()],
    };
    assert_eq!(document.findings, [expected]);
    assert_eq!(document.devices[0].cpus.as_ref().unwrap().to_string(), "4-7");
}

#[test]
fn device_on_node_without_memory() {
    let machine = MadeMachine::two_nodes();
    for (node, total) in [(0, 1 << 20), (1, 0)] {
        let text = format!("Node {node} MemTotal: {total} kB\nNode {node} MemFree: 0 kB\n");
        machine.file(&format!("sys/devices/system/node/node{node}/meminfo"), text);
    }
    add(&machine, 0x10, GPU, 0);
    assert_eq!(machine.document().findings, []);
    add(&machine, 0x20, GPU, 1);
    let found = machine.document().findings;
    let expected = DeviceFinding::DeviceNodeWithoutMemory {
        node: NodeId(1),
        nearest: NodeSet::parse_list("0").unwrap(),
        devices: vec!["GPU1".to_owned()],
    };
    assert_eq!(found, [expected]);
    assert_eq!(
        nearfar_devices::text::finding_sentence(&found[0]),
        "GPU1 is on node 1, which has no memory. The nearest node with memory is node 0."
    );
}

#[test]
fn generic_initiator_disagrees_with_sysfs() {
    let machine = MadeMachine::two_nodes();
    add(&machine, 0x10, NIC, 0);
    let document = |domain| {
        let witnesses =
            OtherWitnesses { firmware: srat(0x11, domain), ..OtherWitnesses::default() };
        witnesses.document(&machine.source(), InventoryScope::Usual)
    };
    let agreed = document(0);
    assert_eq!(agreed.devices[0].node.verdict, NodeVerdict::Agreed);
    assert!(agreed.findings.is_empty(), "{:?}", agreed.findings);
    let disputed = document(1);
    assert_eq!(codes(&disputed), ["device-witnesses-disagree"]);
    assert_eq!(disputed.devices[0].node.node, Some(NodeId(0)));
    // A domain without node claims no other node.
    assert!(document(7).findings.is_empty());
}

#[test]
fn all_root_buses_on_one_of_two_nodes() {
    let machine = four_nodes();
    for (bus, device, node) in [(0x10, NIC, 0), (0x20, GPU, 0), (0x80, GPU, 2)] {
        add(&machine, bus, device, node);
    }
    let document = machine.document();
    let expected = DeviceFinding::DevicesOnOneNodeOfPackage {
        node: NodeId(0),
        package_nodes: NodeSet::parse_list("0-1").unwrap(),
        root_buses: 2,
        devices: vec!["NIC0".to_owned(), "GPU0".to_owned()],
    };
    assert_eq!(document.findings, [expected]);
}

#[test]
fn root_buses_on_both_nodes_are_silent() {
    let machine = four_nodes();
    for (bus, node) in [(0x10, 0), (0x20, 1), (0x80, 2), (0x90, 3)] {
        add(&machine, bus, GPU, node);
    }
    assert!(machine.document().findings.is_empty());
}

/// The findings about a device with a link below a port: (now, device at most), port at most.
fn link_codes(now: (&str, u32), device: (&str, u32), port: (&str, u32)) -> Vec<&'static str> {
    let machine = MadeMachine::two_nodes();
    let path = add(&machine, 0x10, GPU, 0);
    machine.pcie_link(&path, now, device);
    machine.pcie_link(port_of(&path), now, port);
    let guest = OtherWitnesses { is_guest: true, ..OtherWitnesses::default() };
    let in_guest = guest.document(&machine.source(), InventoryScope::Usual);
    assert!(in_guest.findings.is_empty(), "{:?}", in_guest.findings);
    codes(&machine.document())
}

#[test]
fn links_below_their_ends() {
    let full = ("32.0", 16);
    assert!(link_codes(full, full, full).is_empty());
    assert!(link_codes(("16.0", 16), full, ("16.0", 16)).is_empty());
    assert!(link_codes(("16.0", 8), ("16.0", 8), full).is_empty());
    assert_eq!(link_codes(("32.0", 8), full, full), ["link-narrow"]);
    assert_eq!(link_codes(("32.0", 8), full, ("32.0", 8)), ["port-narrow"]);
    assert_eq!(link_codes(("32.0", 4), full, ("32.0", 8)), ["link-narrow"]);
    assert_eq!(link_codes(("2.5", 16), full, full), ["link-slow"]);
    assert_eq!(link_codes(("2.5", 1), full, full), ["link-narrow", "link-slow"]);
}

/// The document of GPUs behind a switch of their card. The card is in a slot of a root port: link
/// now, slot at most. The card has 16 lanes.
fn behind_a_switch(now: u32, slot: u32, is_guest: bool) -> DevicesDocument {
    let machine = MadeMachine::two_nodes();
    let slot_port = "pci0000:10/0000:10:01.0".to_owned();
    let upper = format!("{slot_port}/0000:11:00.0");
    for (path, now, most) in [(&slot_port, now, slot), (&upper, now, 16)] {
        machine.function(path, BRIDGE.0, BRIDGE.1, 0);
        machine.pcie_link(path, ("16.0", now), ("16.0", most));
    }
    for device in [0, 1] {
        let lower = format!("{upper}/0000:12:{device:02x}.0");
        machine.function(&lower, BRIDGE.0, BRIDGE.1, 0);
        let gpu = format!("{lower}/0000:{:02x}:00.0", 0x13 + device);
        machine.function(&gpu, GPU.0, GPU.1, 0);
        for path in [lower, gpu] {
            machine.pcie_link(&path, ("16.0", 16), ("16.0", 16));
        }
    }
    let witnesses = OtherWitnesses { is_guest, ..OtherWitnesses::default() };
    witnesses.document(&machine.source(), InventoryScope::Usual)
}

#[test]
fn narrow_link_above_a_switch() {
    let above = Some(LinkAbove {
        bridge: "0000:11:00.0".to_owned(),
        devices: ["GPU0", "GPU1"].map(str::to_owned).to_vec(),
    });
    let document = behind_a_switch(8, 16, false);
    let [DeviceFinding::LinkNarrow { device, above: found, .. }] = &document.findings[..] else {
        panic!("{:?}", document.findings)
    };
    assert_eq!((device.as_str(), found), ("GPU0", &above));
    let now = Lanes { gt_s: Some(16.0), lanes: Some(8) };
    let narrow = NarrowLink { bridge: "0000:11:00.0".to_owned(), now };
    assert!(document.devices.iter().all(|device| device.narrow_link.as_ref() == Some(&narrow)));
    let expected = DeviceFinding::PortNarrow {
        device: "GPU0".to_owned(),
        device_lanes: 16,
        port_lanes: 8,
        port: "0000:10:01.0".to_owned(),
        above,
    };
    assert_eq!(behind_a_switch(8, 8, false).findings, [expected]);
}

#[test]
fn shared_and_virtual_links_are_silent() {
    // Two devices share 16 lanes, as the card's builder wanted; a guest's links are made up.
    for document in [behind_a_switch(16, 16, false), behind_a_switch(8, 16, true)] {
        assert!(document.findings.is_empty(), "{:?}", document.findings);
        assert!(document.devices.iter().all(|device| device.narrow_link.is_none()));
    }
}

#[test]
fn unequal_ends_are_no_link() {
    let machine = MadeMachine::two_nodes();
    let mut path = "pci0000:10".to_owned();
    for (bus, lanes) in [(0x10, 4), (0x11, 8), (0x12, 16)] {
        path = format!("{path}/0000:{bus:02x}:00.0");
        machine.function(&path, BRIDGE.0, BRIDGE.1, 0);
        machine.pcie_link(&path, ("16.0", lanes), ("16.0", 16));
    }
    path = format!("{path}/0000:13:00.0");
    machine.function(&path, GPU.0, GPU.1, 0);
    machine.pcie_link(&path, ("16.0", 16), ("16.0", 16));
    assert!(machine.document().findings.is_empty());
}

/// The findings of AMD's driver: CPUs of its two nodes, the NUMA node to which it links a GPU, and
/// the node in sysfs.
fn kfd_document(cpus: [u32; 2], linked: u32, node: i32, bus: u32) -> DevicesDocument {
    let machine = MadeMachine::two_nodes();
    add(&machine, 0xc0, ("38000", "1002:740F"), node);
    let folder = |id: usize| format!("sys/class/kfd/kfd/topology/nodes/{id}");
    for (id, cpus) in cpus.iter().enumerate() {
        let properties = format!("cpu_cores_count {cpus}\nsimd_count 0\n");
        machine.file(&format!("{}/properties", folder(id)), properties);
    }
    let properties =
        format!("cpu_cores_count 0\nsimd_count 440\nlocation_id {}\ndomain 0\n", bus << 8);
    machine.file(&format!("{}/properties", folder(2)), properties);
    let link = format!("type 2\nnode_from 2\nnode_to {linked}\nweight 20\n");
    machine.file(&format!("{}/io_links/0/properties", folder(2)), link);
    machine.document()
}

#[test]
fn amd_driver_links_another_node() {
    let document = kfd_document([4, 4], 0, 1, 0xc1);
    let [DeviceFinding::DeviceWitnessesDisagree { device, claims }] = &document.findings[..] else {
        panic!("{:?}", document.findings)
    };
    let named: Vec<_> =
        claims.iter().map(|claim| (claim.witness, claim.claimed.node().unwrap().0)).collect();
    assert_eq!(device, "GPU0");
    assert_eq!(named, [(NodeWitness::Sysfs, 1), (NodeWitness::Amdkfd, 0)]);
    assert_eq!(document.devices[0].node.node, Some(NodeId(1)));
}

#[test]
fn amd_driver_without_contradiction_is_silent() {
    for (cpus, linked, node, why) in [
        ([4, 4], 1, 1, "the same node"),
        ([4, 4], 0, -1, "the driver has 0 for an unknown node"),
        ([8, 0], 0, 1, "the driver has one node for all CPUs"),
    ] {
        let document = kfd_document(cpus, linked, node, 0xc1);
        assert_eq!(
            document.findings.iter().find(|finding| finding.code() != "device-without-node"),
            None,
            "{why}"
        );
        // The driver repeats the kernel's node: that is no second opinion.
        assert_ne!(document.devices[0].node.verdict, NodeVerdict::Agreed);
    }
}

#[test]
fn amd_driver_lists_an_absent_gpu() {
    let expected = DeviceFinding::KfdGpuAbsent { kfd_node: 2, address: "0000:e1:00.0".to_owned() };
    assert_eq!(kfd_document([4, 4], 1, 1, 0xe1).findings, [expected]);
}

#[test]
fn links_without_known_ends_are_silent() {
    // A link that is down, and a device without port above it.
    assert!(link_codes(("0", 0), ("32.0", 16), ("32.0", 16)).is_empty());
    let machine = MadeMachine::two_nodes();
    machine.function("pci0000:00/0000:00:02.0", GPU.0, GPU.1, 0);
    machine.pcie_link("pci0000:00/0000:00:02.0", ("2.5", 1), ("32.0", 16));
    assert!(machine.document().findings.is_empty());
}

#[test]
fn one_of_four_equal_devices_is_apart() {
    let equal_on = |nodes: [i32; 4]| {
        let machine = MadeMachine::two_nodes();
        for (bus, node) in [0x10, 0x20, 0x30, 0x80].into_iter().zip(nodes) {
            add(&machine, bus, GPU, node);
        }
        machine.document().findings
    };
    let expected = DeviceFinding::DeviceApartFromPeers {
        device: "GPU3".to_owned(),
        node: NodeId(1),
        peers: ["GPU0", "GPU1", "GPU2"].map(str::to_owned).to_vec(),
        peer_nodes: NodeSet::parse_list("0").unwrap(),
    };
    assert_eq!(equal_on([0, 0, 0, 1]), [expected]);
    for spread in [[0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 1]] {
        assert!(equal_on(spread).is_empty(), "{spread:?}");
    }
}

/// The findings of two GPUs on two nodes with this output of `nvidia-smi`.
fn smi_findings(smi: Result<SmiMatrix, String>) -> Vec<DeviceFinding> {
    let machine = MadeMachine::two_nodes();
    add(&machine, 0x10, GPU, 0);
    add(&machine, 0x80, GPU, 1);
    let witnesses = OtherWitnesses { smi: Some(smi), ..OtherWitnesses::default() };
    witnesses.document(&machine.source(), InventoryScope::Usual).findings
}

#[test]
fn smi_has_another_level() {
    let smi = |word: &str| {
        let text =
            format!("\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \t{word}\t0-3\nGPU1\t{word}\t X \t4-7\n");
        smi_findings(Ok(SmiMatrix::parse(&text).unwrap()))
    };
    let expected = DeviceFinding::PairDisagrees {
        witness: "nvidia-smi".to_owned(),
        pair: ["GPU0".to_owned(), "GPU1".to_owned()],
        by_path: Level::Sys,
        by_witness: Level::Phb,
    };
    assert_eq!(smi("PHB"), [expected]);
    // The same level, links that sysfs does not show, and no answer.
    for word in ["SYS", "SOC", "NV18", "N/A", "?"] {
        assert!(smi(word).is_empty(), "{word}");
    }
}

/// A row for each cell of `CPU Affinity`, `NUMA Affinity` and `GPU NUMA ID` of the two GPUs.
fn smi_of_places(first: &str, second: &str) -> SmiMatrix {
    let head = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n";
    let text = format!("{head}GPU0\t X \tSYS\t{first}\nGPU1\tSYS\t X \t{second}\n");
    SmiMatrix::parse(&text).unwrap()
}

#[test]
fn smi_has_another_place() {
    use SmiColumn::{CpuAffinity, GpuNumaId, NumaAffinity};
    let finding = |device: &str, column, by_witness: &str, by_sysfs: Option<&str>| {
        let (device, by_witness) = (device.to_owned(), by_witness.to_owned());
        let by_sysfs = by_sysfs.map(str::to_owned);
        DeviceFinding::SmiPlaceDiffers { device, column, by_witness, by_sysfs }
    };
    let (right, other) = ("0-3\t0\t\tN/A", "4-7\t1\t\tN/A");
    for (first, second, expected) in [
        // CPUs that are offline, and what it does not know, are no difference.
        (right, other, vec![]),
        ("0-3,8-11\t0\t\tN/A", "4-7,12\t1\t\tN/A", vec![]),
        ("N/A\tN/A\t\tN/A", "4-7\t\t\tN/A", vec![]),
        (
            other,
            right,
            vec![
                finding("GPU0", CpuAffinity, "4-7", Some("0-3")),
                finding("GPU0", NumaAffinity, "1", Some("0")),
                finding("GPU1", CpuAffinity, "0-3", Some("4-7")),
                finding("GPU1", NumaAffinity, "0", Some("1")),
            ],
        ),
        (right, "4-7\t0-1\t\tN/A", vec![finding("GPU1", NumaAffinity, "0-1", Some("1"))]),
        ("0-1\t0\t\tN/A", other, vec![finding("GPU0", CpuAffinity, "0-1", Some("0-3"))]),
        ("0-3\t0\t\t1", other, vec![finding("GPU0", GpuNumaId, "1", None)]),
    ] {
        assert_eq!(smi_findings(Ok(smi_of_places(first, second))), expected, "{first} {second}");
    }
}

#[test]
fn smi_of_a_node_that_sysfs_lacks() {
    let found = |first: &str| {
        let machine = MadeMachine::two_nodes();
        add(&machine, 0x10, GPU, -1);
        add(&machine, 0x80, GPU, 1);
        let smi = Some(Ok(smi_of_places(first, "4-7\t1\t\tN/A")));
        let witnesses = OtherWitnesses { smi, ..OtherWitnesses::default() };
        codes(&witnesses.document(&machine.source(), InventoryScope::Usual))
    };
    assert_eq!(found("0-7\t0-1\t\tN/A"), ["device-without-node"]);
    assert_eq!(found("0-3\t0\t\tN/A"), ["device-without-node", "smi-place-differs"]);
}

#[test]
fn smi_of_another_machine_is_not_compared() {
    let names: Vec<String> = (0..8).map(|gpu| format!("GPU{gpu}")).collect();
    let row = |name: &String| {
        let cells = names.iter().map(|other| if other == name { "X" } else { "NV18" });
        format!("{name}\t{}\t9\n", cells.collect::<Vec<_>>().join("\t"))
    };
    let rows: String = names.iter().map(row).collect();
    let text = format!("\t{}\tCPU Affinity\n{rows}", names.join("\t"));
    let expected = DeviceFinding::SmiNotCompared { file_gpus: 8, gpus: 2 };
    assert_eq!(smi_findings(Ok(SmiMatrix::parse(&text).unwrap())), [expected]);
}

#[test]
fn failing_smi_is_reported() {
    let expected = DeviceFinding::WitnessFailed {
        witness: "nvidia-smi".to_owned(),
        why: "no driver".to_owned(),
    };
    assert_eq!(smi_findings(Err("no driver".to_owned())), [expected]);
}

#[test]
fn one_node_and_single_devices_are_silent() {
    let one_node = MadeMachine::new(&[MadeNode { id: 0, package: 0, cpus: "0-3" }]);
    for (bus, node) in [(0x10, -1), (0x20, 0), (0x80, -1)] {
        add(&one_node, bus, GPU, node);
    }
    let document = one_node.document();
    assert!(document.findings.is_empty(), "{:?}", document.findings);
    assert!(document.devices.iter().all(|device| device.node.node == Some(NodeId(0))));
    let single = four_nodes();
    add(&single, 0x10, NIC, 3);
    assert!(single.document().findings.is_empty());
}
