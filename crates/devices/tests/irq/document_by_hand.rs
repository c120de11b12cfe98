//! A document with every finding. Tests of other crates include this file.

use nearfar_devices::irq::{
    CpuCount, CpuFact, CpuInterrupt, DiskQueueCpus, Irq, IrqBalancer, IrqBalancerState, IrqControl,
    IrqDevice, IrqDisk, IrqDocument, IrqFinding, IrqInterface, IrqKind, IrqPlace, IrqQueue,
    NodeCount, NodeTotal, QueueDirection, ReceiveQueueCpus, SCHEMA, Softirq, TransmitQueueCpus,
};
use nearfar_machine::DeviceKind;
use nearfar_model::{CpuId, CpuSet, NodeId, NodeSet};

fn cpus(list: &str) -> CpuSet {
    CpuSet::parse_list(list).unwrap()
}

fn fact(list: &str) -> CpuFact {
    CpuFact::Cpus { cpus: cpus(list) }
}

fn nodes(list: &str) -> NodeSet {
    NodeSet::parse_list(list).unwrap()
}

/// An interrupt of a device near CPUs 0 to 3, served by one CPU for two seconds.
fn irq(number: u32, name: &str, cpu: u32, count: u64) -> Irq {
    let is_far = cpu > 3;
    let node = NodeId(u32::from(is_far));
    Irq {
        number,
        actions: vec![name.to_owned()],
        queue: Some(IrqQueue { direction: QueueDirection::Both, number }),
        kind: IrqKind::MsiX,
        chip: Some("PCI-MSIX-0000:3b:00.0".to_owned()),
        input: Some(u64::from(number)),
        trigger: Some("edge".to_owned()),
        shared_with: Vec::new(),
        allowed: fact("0-7"),
        effective: fact(&cpu.to_string()),
        hint: fact(""),
        nodes: nodes(&node.to_string()),
        place: if is_far { IrqPlace::Far } else { IrqPlace::Near },
        kernel_node: Some(NodeId(0)),
        control: IrqControl::Free,
        count: Some(count),
        per_second: Some(count as f64 / 2.0),
        far: Some(if is_far { count } else { 0 }),
        by_node: vec![NodeCount { node, count }],
        by_cpu: vec![CpuCount { cpu: CpuId(cpu), count }],
    }
}

fn device(label: &str, name: &str, kind: DeviceKind, interrupts: Vec<Irq>) -> IrqDevice {
    IrqDevice {
        label: label.to_owned(),
        kind: Some(kind),
        names: vec![name.to_owned()],
        address: Some("0000:3b:00.0".to_owned()),
        driver: Some("driver".to_owned()),
        node: Some(NodeId(0)),
        cpus: Some(cpus("0-3")),
        count: interrupts.iter().filter_map(|irq| irq.count).sum(),
        far: Some(interrupts.iter().filter_map(|irq| irq.far).sum()),
        by_node: sums(&interrupts),
        interrupts,
        interfaces: Vec::new(),
        disks: Vec::new(),
    }
}

fn sums(interrupts: &[Irq]) -> Vec<NodeCount> {
    let on = |node: NodeId| {
        let counts = interrupts.iter().flat_map(|irq| &irq.by_node);
        let count = counts.filter(|count| count.node == node).map(|count| count.count).sum();
        NodeCount { node, count }
    };
    [NodeId(0), NodeId(1)].map(on).into_iter().filter(|one| one.count > 0).collect()
}

fn devices() -> Vec<IrqDevice> {
    let mut network = device(
        "NIC0",
        "eth0",
        DeviceKind::Network,
        vec![irq(40, "eth0-rx-0", 5, 2_000), irq(41, "eth0-tx-0", 1, 900), irq(42, "eth0", 1, 0)],
    );
    network.interrupts[0].by_cpu.push(CpuCount { cpu: CpuId(1), count: 500 });
    network.interrupts[0].by_node.insert(0, NodeCount { node: NodeId(0), count: 500 });
    network.interrupts[0].count = Some(2_500);
    network.interfaces = vec![IrqInterface {
        name: "eth0".to_owned(),
        receive: vec![
            ReceiveQueueCpus { number: 0, rps: fact("4-7"), flows: Some(128) },
            ReceiveQueueCpus { number: 1, rps: fact(""), flows: Some(0) },
        ],
        transmit: vec![TransmitQueueCpus {
            number: 0,
            xps: CpuFact::NotReadable,
            xps_receive: Some(vec![0]),
        }],
        threaded: Some(true),
    }];
    let mut disk = device(
        "DISK0",
        "nvme0",
        DeviceKind::Disk,
        vec![irq(50, "nvme0q0", 0, 0), irq(51, "nvme0q1", 2, 5_000), irq(52, "nvme0q2", 6, 40_000)],
    );
    disk.interrupts.iter_mut().skip(1).for_each(|irq| irq.control = IrqControl::Managed);
    disk.disks = vec![IrqDisk {
        name: "nvme0n1".to_owned(),
        queues: vec![
            DiskQueueCpus { number: 0, cpus: fact("0-3") },
            DiskQueueCpus { number: 1, cpus: CpuFact::Malformed { text: "x".to_owned() } },
        ],
    }];
    let mut usb = device("USB0", "usb1", DeviceKind::Usb, vec![irq(16, "xhci_hcd:usb1", 3, 30)]);
    let line = &mut usb.interrupts[0];
    (line.kind, line.control, line.queue) = (IrqKind::Line, IrqControl::Unknown, None);
    line.shared_with = vec!["DISK1".to_owned()];
    line.allowed = CpuFact::NotReadable;
    line.effective = CpuFact::Absent;
    line.place = IrqPlace::Unknown;
    let mut unknown = device("GPU0", "card0", DeviceKind::Gpu, vec![irq(60, "nvidia", 2, 70)]);
    (unknown.node, unknown.cpus, unknown.far) = (None, None, None);
    unknown.interrupts[0].far = None;
    unknown.interrupts[0].place = IrqPlace::Unknown;
    vec![network, disk, usb, unknown]
}

fn findings() -> Vec<IrqFinding> {
    let name = str::to_owned;
    let seconds = Some(2.0);
    vec![
        IrqFinding::IrqFarFromDevice {
            device: name("NIC0"),
            node: NodeId(0),
            interrupts: vec![40],
            nodes: nodes("1"),
            far: 2_000,
            count: 3_400,
            seconds,
        },
        IrqFinding::IrqQueuesOnOneCpu {
            device: name("NIC1"),
            interrupts: vec![70, 71],
            cpu: CpuId(0),
            count: 9_000,
            seconds: None,
            between_tables: false,
        },
        IrqFinding::IrqDeviceNodeUnknown { devices: vec![name("GPU0")] },
        IrqFinding::IrqLineShared {
            interrupt: 16,
            devices: vec![name("USB0"), name("DISK1")],
            offer_messages: vec![name("DISK1")],
        },
        IrqFinding::RpsAcrossNodes {
            device: name("NIC0"),
            interface: name("eth0"),
            node: NodeId(0),
            queues: vec![0],
            cpus: cpus("4-7"),
        },
        IrqFinding::XpsAcrossNodes {
            device: name("NIC0"),
            interface: name("eth0"),
            queues: vec![0, 1],
            send_nodes: nodes("0"),
            interrupt_nodes: nodes("1"),
        },
        IrqFinding::IrqManagedFar {
            device: name("DISK0"),
            node: NodeId(0),
            interrupts: vec![52],
            nodes: nodes("1"),
            far: 40_000,
            count: 45_000,
            seconds,
        },
        IrqFinding::IrqFewerQueues {
            device: name("DISK0"),
            queues: 2,
            near_cpus: 4,
            count: 45_000,
            seconds,
        },
        IrqFinding::IrqLineSharedUnknown {
            interrupt: 17,
            devices: vec![name("USB1"), name("PCI3")],
        },
        IrqFinding::IrqChangedUnderIrqbalance {
            interrupts: vec![40],
            before: cpus("0-3"),
            after: cpus("5"),
            seconds: 2.0,
        },
    ]
}

/// Two nodes of four CPUs, counted for two seconds.
pub(crate) fn document() -> IrqDocument {
    let sum = |node: u32, count: u64, far: u64, unknown: u64| NodeTotal {
        node: NodeId(node),
        count,
        per_second: Some(count as f64 / 2.0),
        far,
        unknown,
    };
    let by_node = vec![
        NodeCount { node: NodeId(0), count: 2_000 },
        NodeCount { node: NodeId(1), count: 1_000 },
    ];
    IrqDocument {
        schema: SCHEMA.to_owned(),
        machine: Some("A machine with two nodes".to_owned()),
        kernel: Some("6.12.0".to_owned()),
        nodes: nodes("0-1"),
        cpus: cpus("0-7"),
        seconds: Some(2.0),
        changed_cpus: cpus("8"),
        devices: devices(),
        others: vec![irq(8, "rtc0", 0, 40)],
        cpu_interrupts: vec![CpuInterrupt {
            name: "LOC".to_owned(),
            description: Some("Local timer interrupts".to_owned()),
            count: Some(3_000),
            by_node: by_node.clone(),
        }],
        softirqs: vec![Softirq { name: "NET_RX".to_owned(), count: Some(3_000), by_node }],
        totals: vec![sum(0, 6_540, 0, 110), sum(1, 42_000, 42_000, 0)],
        far_share: Some(0.868),
        balancer: Some(IrqBalancer {
            state: IrqBalancerState::Running,
            arguments: vec!["--foreground".to_owned(), "--banirq=24".to_owned()],
            file: Some("/etc/default/irqbalance".to_owned()),
            file_options: vec!["IRQBALANCE_ARGS=\"--banirq=24\"".to_owned()],
            banned_interrupts: vec![24],
            banned_cpus: None,
            policy_script: None,
        }),
        flow_entries: Some(32_768),
        default_cpus: Some(cpus("0-3")),
        managed_avoid: Some(cpus("6-7")),
        findings: findings(),
        oddities: vec!["/proc/interrupts: line '1: 5' is malformed".to_owned()],
        folded: None,
        saved: None,
    }
}
