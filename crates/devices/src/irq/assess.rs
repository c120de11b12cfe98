//! The document from devices, setup and snapshots.

use std::collections::BTreeMap;

use nearfar_firmware::linux::KernelVersion;
use nearfar_machine::Topology;
use nearfar_machine::interrupts::{
    DiskQueues, FileValue, InterruptLine, InterruptSetup, InterruptSnapshot, IrqAffinity,
    NetworkQueues,
};
use nearfar_model::{CpuSet, NodeSet};

use crate::DevicesDocument;
use crate::irq::CpuNodes;
use crate::irq::Earlier;
use crate::irq::Serving;
use crate::irq::Span;
use crate::irq::counting::{Counting, changed_cpus, sum};
use crate::irq::document::{
    CpuFact, CpuInterrupt, DiskQueueCpus, Irq, IrqBalancer, IrqDevice, IrqDisk, IrqDocument,
    IrqInterface, NodeCount, NodeTotal, ReceiveQueueCpus, SCHEMA, Softirq, TransmitQueueCpus,
};
use crate::irq::findings;
use crate::irq::grouping::{Grouping, Owner};
use crate::irq::saved::SavedInterrupts;

/// What is known of a machine's interrupts.
#[derive(Clone, Copy, Debug)]
pub struct IrqInput<'a> {
    /// The devices, with their nodes.
    pub devices: &'a DevicesDocument,
    /// CPUs and nodes; `None` if unknown.
    pub topology: Option<&'a Topology>,
    /// Vectors, queues and irqbalance; `None` for a saved `/proc/interrupts` alone.
    pub setup: Option<&'a InterruptSetup>,
    /// The counters.
    pub now: &'a InterruptSnapshot,
    /// An earlier snapshot; without one, counts are since boot.
    pub earlier: Option<Earlier<'a>>,
    /// The labels of the devices that are wanted; empty: all.
    pub only: &'a [String],
}

/// Who serves the interrupts of a machine.
pub fn assess(input: IrqInput<'_>) -> IrqDocument {
    let without_setup = InterruptSetup::default();
    let setup = input.setup.unwrap_or(&without_setup);
    let (now, earlier) = (input.now, input.earlier);
    let nodes = CpuNodes::new(input.topology);
    let span = match earlier.map(|earlier| earlier.seconds) {
        Some(Some(seconds)) => Span::Seconds(seconds),
        Some(None) => Span::Between,
        None => Span::SinceBoot,
    };
    let earlier_table = earlier.map(|earlier| (&earlier.snapshot.table, earlier.seconds));
    let counting = Counting::new(&now.table, earlier_table);
    let grouping = Grouping::new(setup, input.devices, &now.table);
    let kernel = input.devices.kernel.as_deref().and_then(KernelVersion::parse);
    let serving =
        Serving { setup, grouping: &grouping, counting: &counting, nodes: &nodes, kernel, span };
    let (mut devices, mut others) = served(now, &serving);
    if !input.only.is_empty() {
        devices.retain(|device| input.only.contains(&device.label));
        others.clear();
    }
    for device in &mut devices {
        add_queues(device, setup);
    }
    let softirqs = softirqs(now, earlier, &nodes);
    let mut document = IrqDocument {
        schema: SCHEMA.to_owned(),
        machine: input.devices.machine.clone(),
        kernel: input.devices.kernel.clone(),
        nodes: nodes.nodes().clone(),
        cpus: now.table.cpus.iter().copied().collect(),
        seconds: span.seconds(),
        changed_cpus: earlier
            .map(|earlier| changed_cpus(&now.table, &earlier.snapshot.table))
            .unwrap_or_default(),
        far_share: far_share(&devices),
        totals: totals(&devices, &others, &serving),
        cpu_interrupts: cpu_interrupts(&now.table.lines, &counting, &nodes),
        devices,
        others,
        softirqs,
        balancer: input.setup.map(|setup| IrqBalancer::from(&setup.balancer)),
        flow_entries: setup.flow_entries.value().copied(),
        default_cpus: setup.boot.default_cpus.clone(),
        managed_avoid: setup.boot.managed_avoid.clone(),
        findings: Vec::new(),
        oddities: [now.oddities.as_slice(), &setup.oddities].concat(),
        folded: None,
        saved: None,
    };
    document.findings = findings::all((&document, span), (setup, &grouping), &nodes, now, earlier);
    document
}

/// The interrupts of devices, and of no known device.
fn served(now: &InterruptSnapshot, serving: &Serving<'_>) -> (Vec<IrqDevice>, Vec<Irq>) {
    let unknown = IrqAffinity::default();
    let (mut devices, mut others) = (BTreeMap::<Owner, IrqDevice>::new(), Vec::new());
    for line in &now.table.lines {
        let Some(number) = line.number else { continue };
        let affinity = now.affinity.get(&number).unwrap_or(&unknown);
        let Some(owner) = serving.grouping.owner(line) else {
            others.push(serving.irq(number, line, affinity, None));
            continue;
        };
        let device =
            devices.entry(owner.clone()).or_insert_with(|| serving.grouping.device(&owner));
        let irq = serving.irq(number, line, affinity, Some(device));
        device.count = device.count.saturating_add(irq.count.unwrap_or_default());
        if let Some(far) = irq.far {
            device.far = Some(device.far.unwrap_or_default().saturating_add(far));
        }
        NodeCount::add(&mut device.by_node, &irq.by_node);
        device.interrupts.push(irq);
    }
    (devices.into_values().collect(), others)
}

fn add_queues(device: &mut IrqDevice, setup: &InterruptSetup) {
    let Some(address) = &device.address else {
        let is_its =
            |one: &&NetworkQueues| one.address.is_none() && device.names.contains(&one.name);
        device.interfaces = setup.network.iter().filter(is_its).map(interface).collect();
        return;
    };
    let is_interface =
        |one: &&NetworkQueues| one.address.is_some_and(|own| own.to_string() == *address);
    device.interfaces = setup.network.iter().filter(is_interface).map(interface).collect();
    device.disks =
        setup.disks.iter().filter(|one| one.address.to_string() == *address).map(disk).collect();
}

fn interface(read: &NetworkQueues) -> IrqInterface {
    let receive = read.receive.iter().map(|queue| ReceiveQueueCpus {
        number: queue.number,
        rps: CpuFact::from(&queue.rps),
        flows: queue.flows.value().copied(),
    });
    let transmit = read.transmit.iter().map(|queue| TransmitQueueCpus {
        number: queue.number,
        xps: CpuFact::from(&queue.xps),
        xps_receive: queue.xps_receive.value().cloned(),
    });
    IrqInterface {
        name: read.name.clone(),
        receive: receive.collect(),
        transmit: transmit.collect(),
        threaded: match read.threaded {
            FileValue::Value(threaded) => Some(threaded),
            FileValue::NotReadable | FileValue::Absent | FileValue::Malformed(_) => None,
        },
    }
}

fn disk(read: &DiskQueues) -> IrqDisk {
    let queues = read.queues.iter();
    let queues = queues
        .map(|queue| DiskQueueCpus { number: queue.number, cpus: CpuFact::from(&queue.cpus) });
    IrqDisk { name: read.name.clone(), queues: queues.collect() }
}

/// The share that far CPUs served, of interrupts whose device's node is known.
fn far_share(devices: &[IrqDevice]) -> Option<f64> {
    let irqs = devices.iter().flat_map(|device| &device.interrupts);
    let known = irqs.filter_map(|irq| Some((irq.far?, irq.count?)));
    let (far, count) = known.fold((0_u64, 0_u64), |(far, count), (more_far, more)| {
        (far.saturating_add(more_far), count.saturating_add(more))
    });
    (count > 0).then(|| far as f64 / count as f64)
}

fn totals(devices: &[IrqDevice], others: &[Irq], serving: &Serving<'_>) -> Vec<NodeTotal> {
    let (nodes, grouping) = (serving.nodes, serving.grouping);
    let total = |node| NodeTotal { node, count: 0, per_second: None, far: 0, unknown: 0 };
    let mut totals: Vec<NodeTotal> = nodes.nodes().iter().map(total).collect();
    let mut add = |irq: &Irq, near: Option<&CpuSet>| {
        for one in &irq.by_cpu {
            let Some(node) = nodes.for_cpu(one.cpu) else { continue };
            let Some(total) = totals.iter_mut().find(|total| total.node == node) else { continue };
            total.count = total.count.saturating_add(one.count);
            match near {
                Some(near) if near.contains(one.cpu) => {}
                Some(_) => total.far = total.far.saturating_add(one.count),
                None => total.unknown = total.unknown.saturating_add(one.count),
            }
        }
    };
    for device in devices {
        for irq in &device.interrupts {
            add(irq, grouping.near(irq.number, device).as_deref());
        }
    }
    others.iter().for_each(|irq| add(irq, None));
    for total in &mut totals {
        total.per_second = serving.span.per_second(total.count);
    }
    totals
}

fn cpu_interrupts(
    lines: &[InterruptLine],
    counting: &Counting<'_>,
    nodes: &CpuNodes,
) -> Vec<CpuInterrupt> {
    let one = |line: &InterruptLine| {
        let counts = counting.for_line(line);
        CpuInterrupt {
            name: line.name.clone(),
            description: line.description.clone(),
            count: counts.as_deref().map(sum),
            by_node: counts.map(|counts| nodes.sums(&counts)).unwrap_or_default(),
        }
    };
    // Lines with one counter (`ERR`) count errors of the machine.
    let is_of_cpus = |line: &&InterruptLine| line.number.is_none() && line.description.is_some();
    lines.iter().filter(is_of_cpus).map(one).collect()
}

fn softirqs(
    now: &InterruptSnapshot,
    earlier: Option<Earlier<'_>>,
    nodes: &CpuNodes,
) -> Vec<Softirq> {
    let Some(now) = &now.softirqs else { return Vec::new() };
    let before = match earlier {
        Some(earlier) => match earlier.snapshot.softirqs.as_ref() {
            Some(table) => Some((table, earlier.seconds)),
            // Counts since boot would be of another time than all others.
            None => return Vec::new(),
        },
        None => None,
    };
    let counting = Counting::new(now, before);
    let one = |line: &InterruptLine| {
        let counts = counting.for_line(line);
        Softirq {
            name: line.name.clone(),
            count: counts.as_deref().map(sum),
            by_node: counts.map(|counts| nodes.sums(&counts)).unwrap_or_default(),
        }
    };
    now.lines.iter().map(one).collect()
}

/// The interrupts of a saved `/proc/interrupts`, alone: without nodes, devices by name.
pub fn assess_saved(saved: &SavedInterrupts, only: &[String]) -> IrqDocument {
    let devices = DevicesDocument {
        schema: String::new(),
        machine: None,
        kernel: None,
        nodes: NodeSet::new(),
        nodes_with_cpus: NodeSet::new(),
        functions: 0,
        devices: Vec::new(),
        matrix: None,
        findings: Vec::new(),
        names_from: None,
        oddities: Vec::new(),
    };
    let now = &InterruptSnapshot::for_table(saved.last.clone());
    let first = saved.first.clone().map(InterruptSnapshot::for_table);
    let earlier = first.as_ref().map(|snapshot| Earlier { snapshot, seconds: None });
    let (devices, topology, setup) = (&devices, None, None);
    let document = assess(IrqInput { devices, topology, setup, now, earlier, only });
    IrqDocument { saved: Some(saved.file), ..document }
}
