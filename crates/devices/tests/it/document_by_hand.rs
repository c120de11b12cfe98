//! A document of `nearfar devices` with every finding, verdict and kind of interrupts. Tests of
//! report include this file.

use nearfar_devices::{
    ClaimedNode, Device, DeviceFinding, DeviceNode, DevicesDocument, InterruptKind, Interrupts,
    Lanes, Level, LevelMatrix, Link, LinkAbove, NarrowLink, NodeClaim, NodeVerdict, NodeWitness,
    SCHEMA,
};
use nearfar_machine::DeviceKind;
use nearfar_model::{CpuSet, NodeId, NodeSet};

/// CPUs of the three nodes; the last has memory only.
const NODES: [&str; 3] = ["0-15,32-47", "16-31,48-63", ""];

fn cpus(list: &str) -> CpuSet {
    CpuSet::parse_list(list).unwrap()
}

fn nodes(list: &str) -> NodeSet {
    NodeSet::parse_list(list).unwrap()
}

fn lanes(gt_s: f64, lanes: u32) -> Lanes {
    Lanes { gt_s: Some(gt_s), lanes: Some(lanes) }
}

fn link(now: Lanes, device_max: Lanes) -> Link {
    Link { now, device_max, port_max: Some(lanes(16.0, 16)) }
}

fn claim(witness: NodeWitness, claimed: ClaimedNode, source: Option<&str>) -> NodeClaim {
    NodeClaim { witness, claimed, source: source.map(str::to_owned) }
}

fn node_claim(witness: NodeWitness, node: u32, source: &str) -> NodeClaim {
    claim(witness, ClaimedNode::Node { node: NodeId(node) }, Some(source))
}

/// A device on a node that only the kernel names, with a link and interrupts near it.
fn device(label: &str, kind: DeviceKind, path: &str, node: u32) -> Device {
    let path: Vec<String> = path.split_whitespace().map(str::to_owned).collect();
    let (address, path) = path.split_last().unwrap();
    let near = cpus(NODES[node as usize]);
    Device {
        label: label.to_owned(),
        kind,
        names: Vec::new(),
        address: Some(address.clone()),
        class: Some("030200".to_owned()),
        class_name: Some("3D controller".to_owned()),
        id: Some("10de:2330".to_owned()),
        vendor: Some("NVIDIA".to_owned()),
        model: Some("GH100 [H100 SXM5 80GB]".to_owned()),
        driver: Some("nvidia".to_owned()),
        node: DeviceNode {
            node: Some(NodeId(node)),
            verdict: NodeVerdict::KernelOnly,
            claims: vec![node_claim(NodeWitness::Sysfs, node, &format!("numa_node of {address}"))],
        },
        cpus: (!near.is_empty()).then_some(near),
        path: path.to_vec(),
        link: Some(link(lanes(16.0, 16), lanes(16.0, 16))),
        narrow_link: None,
        virtual_functions: 0,
        bytes: None,
        physical_function: None,
        interrupts: on_cpus(6, if node == 0 { "0-5" } else { "16-21" }, &node.to_string()),
    }
}

fn on_cpus(count: usize, list: &str, on_nodes: &str) -> Interrupts {
    Interrupts {
        count,
        kind: Some(InterruptKind::Message),
        cpus: Some(cpus(list)),
        only_allowed: false,
        not_readable: false,
        nodes: nodes(on_nodes),
    }
}

fn without_cpus(count: usize, not_readable: bool) -> Interrupts {
    let kind = (count > 0).then_some(InterruptKind::Message);
    let nodes = NodeSet::new();
    Interrupts { count, kind, cpus: None, only_allowed: false, not_readable, nodes }
}

fn unknown_node(claimed: ClaimedNode) -> DeviceNode {
    let claims = vec![claim(NodeWitness::Sysfs, claimed, None)];
    DeviceNode { node: None, verdict: NodeVerdict::Unknown, claims }
}

fn gpus() -> Vec<Device> {
    let below = |bridge: &str, address: &str| {
        format!("pci0000:15 0000:15:01.0 0000:16:00.0 {bridge} {address}")
    };
    let agreed = Device {
        node: DeviceNode {
            node: Some(NodeId(0)),
            verdict: NodeVerdict::Agreed,
            claims: vec![
                node_claim(NodeWitness::Sysfs, 0, "numa_node of 0000:19:00.0"),
                node_claim(NodeWitness::Pxm, 0, "DSDT, \\_SB_.PC01"),
                claim(NodeWitness::Log, ClaimedNode::Silent, None),
                claim(NodeWitness::Srat, ClaimedNode::NotReadable, None),
            ],
        },
        ..device("GPU0", DeviceKind::Gpu, &below("0000:17:00.0", "0000:19:00.0"), 0)
    };
    let far_interrupts = Device {
        interrupts: on_cpus(6, "16-21", "1"),
        link: Some(link(lanes(16.0, 8), lanes(16.0, 16))),
        ..device("GPU1", DeviceKind::Gpu, &below("0000:17:02.0", "0000:1b:00.0"), 0)
    };
    let memory_node = Device {
        cpus: Some(cpus(NODES[1])),
        interrupts: on_cpus(6, "16", "1"),
        ..device("GPU2", DeviceKind::Gpu, "pci0000:97 0000:97:01.0 0000:9d:00.0", 2)
    };
    let apart = device("GPU3", DeviceKind::Gpu, "pci0000:b7 0000:b7:01.0 0000:bd:00.0", 1);
    vec![agreed, far_interrupts, memory_node, apart]
}

fn networks() -> Vec<Device> {
    let connectx = |label: &str, path: &str| Device {
        id: Some("15b3:1021".to_owned()),
        class: Some("020700".to_owned()),
        class_name: Some("InfiniBand controller".to_owned()),
        vendor: Some("Mellanox".to_owned()),
        model: Some("MT2910 Family [ConnectX-7]".to_owned()),
        driver: Some("mlx5_core".to_owned()),
        ..device(label, DeviceKind::Network, path, 0)
    };
    let disputed = Device {
        names: vec!["ib0".to_owned(), "mlx5_0".to_owned()],
        virtual_functions: 8,
        node: DeviceNode {
            node: Some(NodeId(0)),
            verdict: NodeVerdict::Disputed,
            claims: vec![
                node_claim(NodeWitness::Sysfs, 0, "numa_node of 0000:1c:00.0"),
                node_claim(NodeWitness::Srat, 1, "srat.dat, offset 288, 0000:1c:00.0"),
            ],
        },
        link: Some(link(lanes(16.0, 16), lanes(32.0, 16))),
        interrupts: on_cpus(64, "0-63", "0-1"),
        ..connectx("NIC0", "pci0000:15 0000:15:01.0 0000:16:00.0 0000:17:04.0 0000:1c:00.0")
    };
    let by_firmware = Device {
        names: vec!["eth0".to_owned()],
        node: DeviceNode {
            node: Some(NodeId(1)),
            verdict: NodeVerdict::FirmwareOnly,
            claims: vec![
                claim(NodeWitness::Sysfs, ClaimedNode::NoNode, None),
                node_claim(NodeWitness::Srat, 1, "srat.dat, offset 320, 0000:98:00.0"),
            ],
        },
        cpus: Some(cpus(NODES[1])),
        link: Some(link(lanes(8.0, 16), lanes(16.0, 16))),
        interrupts: Interrupts { only_allowed: true, ..on_cpus(64, "16-31,48-63", "1") },
        narrow_link: Some(NarrowLink { bridge: "0000:97:03.0".to_owned(), now: lanes(16.0, 8) }),
        ..connectx("NIC1", "pci0000:97 0000:97:00.0 0000:98:00.0")
    };
    vec![disputed, by_firmware]
}

fn others() -> Vec<Device> {
    let disk = |label: &str, path: &str| Device {
        id: Some("144d:a80a".to_owned()),
        class: Some("010802".to_owned()),
        class_name: Some("NVMe controller".to_owned()),
        vendor: Some("Samsung".to_owned()),
        model: None,
        driver: Some("nvme".to_owned()),
        ..device(label, DeviceKind::Disk, path, 1)
    };
    let unknown = Device {
        names: ["nvme0", "nvme0n1", "nvme0n2"].map(str::to_owned).to_vec(),
        node: unknown_node(ClaimedNode::NoNode),
        cpus: None,
        link: Some(Link {
            now: Lanes { gt_s: None, lanes: None },
            device_max: lanes(16.0, 4),
            port_max: None,
        }),
        interrupts: without_cpus(65, true),
        ..disk("DISK0", "pci0000:e0 0000:e0:01.0 0000:e1:00.0")
    };
    let narrow_port = Device {
        names: vec!["nvme1".to_owned()],
        link: Some(link(lanes(16.0, 2), lanes(16.0, 4))),
        interrupts: without_cpus(33, false),
        bytes: None,
        physical_function: Some("0000:e2:00.0".to_owned()),
        ..disk("DISK1", "pci0000:e0 0000:e0:03.0 0000:e2:00.1")
    };
    let unreadable = Device {
        node: unknown_node(ClaimedNode::NotReadable),
        cpus: None,
        vendor: None,
        model: None,
        class: Some("0c0330".to_owned()),
        class_name: Some("USB controller".to_owned()),
        id: Some("1b21:2142".to_owned()),
        driver: Some("xhci_hcd".to_owned()),
        link: None,
        interrupts: Interrupts { kind: Some(InterruptKind::Line), ..on_cpus(1, "3", "0") },
        ..device("USB0", DeviceKind::Usb, "pci0000:00 0000:00:14.0", 0)
    };
    let without_pci = Device {
        names: vec!["mem0".to_owned()],
        address: None,
        class: None,
        class_name: None,
        id: None,
        vendor: None,
        model: None,
        driver: None,
        path: Vec::new(),
        link: None,
        interrupts: without_cpus(0, false),
        ..device("CXL0", DeviceKind::Cxl, "0000:00:00.0", 2)
    };
    vec![unknown, narrow_port, unreadable, without_pci]
}

fn findings() -> Vec<DeviceFinding> {
    let labels = |list: &str| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let claims = networks()[0].node.claims.clone();
    let port_max = Some(lanes(16.0, 16));
    let without_node = |bus: Option<&str>, devices| DeviceFinding::DeviceWithoutNode {
        root_bus: bus.map(str::to_owned),
        devices: labels(devices),
    };
    vec![
        DeviceFinding::DeviceNodeNotUsed {
            node: NodeId(1),
            witnesses: vec![NodeWitness::Srat],
            root_bus: Some("pci0000:97".to_owned()),
            devices: labels("NIC1"),
        },
        without_node(Some("pci0000:e0"), "DISK0"),
        DeviceFinding::DeviceWitnessesDisagree { device: "NIC0".to_owned(), claims },
        DeviceFinding::DeviceNodeMeasured {
            device: "GPU3".to_owned(),
            node: NodeId(0),
            kernel_node: NodeId(1),
        },
        DeviceFinding::LinkNarrow {
            device: "GPU1".to_owned(),
            now: lanes(16.0, 8),
            device_max: lanes(16.0, 16),
            port_max,
            above: None,
        },
        DeviceFinding::KfdGpuAbsent { kfd_node: 9, address: "0000:c1:00.0".to_owned() },
        DeviceFinding::PairDisagrees {
            witness: "nvidia-smi".to_owned(),
            pair: ["GPU0".to_owned(), "NIC0".to_owned()],
            by_path: Level::Pxb,
            by_witness: Level::Sys,
        },
        DeviceFinding::DeviceNodeWithoutCpus {
            node: NodeId(2),
            nearest: nodes("1"),
            devices: labels("GPU2 CXL0"),
        },
        DeviceFinding::DevicesOnOneNodeOfPackage {
            node: NodeId(1),
            package_nodes: nodes("1-2"),
            root_buses: 3,
            devices: labels("GPU3 NIC1 DISK1"),
        },
        DeviceFinding::PortNarrow {
            device: "DISK1".to_owned(),
            device_lanes: 4,
            port_lanes: 2,
            port: "0000:e0:03.0".to_owned(),
            above: None,
        },
        DeviceFinding::PortNarrow {
            device: "GPU0".to_owned(),
            device_lanes: 16,
            port_lanes: 8,
            port: "0000:15:01.0".to_owned(),
            above: Some(LinkAbove {
                bridge: "0000:16:00.0".to_owned(),
                devices: ["GPU0", "GPU1", "NIC0"].map(str::to_owned).to_vec(),
            }),
        },
        DeviceFinding::LinkSlow {
            device: "NIC1".to_owned(),
            now: lanes(8.0, 16),
            device_max: lanes(16.0, 16),
            port_max,
            above: None,
        },
        DeviceFinding::DeviceApartFromPeers {
            device: "GPU3".to_owned(),
            node: NodeId(1),
            peers: labels("GPU0 GPU1 GPU4 GPU5 GPU6 GPU7 GPU8"),
            peer_nodes: nodes("0"),
        },
        DeviceFinding::WitnessFailed {
            witness: "nvidia-smi".to_owned(),
            why: "exit status 9: NVIDIA-SMI has failed because it couldn't communicate with the \
                  NVIDIA driver."
                .to_owned(),
        },
    ]
}

/// Levels that are shown, one of each kind.
fn matrix(devices: &[Device]) -> LevelMatrix {
    use Level::{Node, NvLink, Phb, Pix, Pxb, Same, Sys, Unknown, Xgmi};
    let levels = vec![
        vec![Same, NvLink(18), Xgmi(Some(2)), Sys, Pix, Sys],
        vec![NvLink(18), Same, Sys, Sys, Pxb, Sys],
        vec![Xgmi(Some(2)), Sys, Same, Node, Sys, Phb],
        vec![Sys, Sys, Node, Same, Unknown, Node],
        vec![Pix, Pxb, Sys, Unknown, Same, Sys],
        vec![Sys, Sys, Phb, Node, Sys, Same],
    ];
    let shown = &devices[..levels.len()];
    LevelMatrix {
        labels: shown.iter().map(|device| device.label.clone()).collect(),
        cpus: shown.iter().map(|device| device.cpus.clone()).collect(),
        levels,
        witnesses: ["amdkfd", "nvidia-smi"].map(str::to_owned).to_vec(),
    }
}

pub(crate) fn document() -> DevicesDocument {
    let devices = [gpus(), networks(), others()].concat();
    DevicesDocument {
        schema: SCHEMA.to_owned(),
        machine: Some("Intel(R) Xeon(R) Platinum 8480C".to_owned()),
        kernel: Some("6.8.0".to_owned()),
        nodes: nodes("0-2"),
        nodes_with_cpus: nodes("0-1"),
        functions: 214,
        matrix: Some(matrix(&devices)),
        devices,
        findings: findings(),
        names_from: Some("/usr/share/misc/pci.ids".to_owned()),
        oddities: vec!["/sys/bus/pci/devices: 'virtio0' is no PCI address".to_owned()],
    }
}
