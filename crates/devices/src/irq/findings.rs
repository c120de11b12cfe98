//! Findings, a file for each kind.
//!
//! Each is silent for idle interrupts, and on one node where it is about nodes.

mod shared_lines;

use std::collections::BTreeSet;

use nearfar_machine::interrupts::{
    BalancerState, FileValue, InterruptSetup, InterruptSnapshot, IrqAffinity,
};
use nearfar_model::{CpuId, CpuSet, NodeSet};

use crate::irq::CpuNodes;
use crate::irq::Earlier;
use crate::irq::Span;
use crate::irq::document::{
    CpuFact, Irq, IrqControl, IrqDevice, IrqDocument, IrqFinding, IrqInterface, IrqKind, IrqPlace,
    QueueDirection, TransmitQueueCpus,
};
use crate::irq::grouping::Grouping;

/// All findings, most severe first.
pub(crate) fn all(
    (document, span): (&IrqDocument, Span),
    (setup, grouping): (&InterruptSetup, &Grouping<'_>),
    nodes: &CpuNodes,
    now: &InterruptSnapshot,
    earlier: Option<Earlier<'_>>,
) -> Vec<IrqFinding> {
    let mut findings = Vec::new();
    for device in &document.devices {
        if document.nodes.len() > 1 {
            findings.extend(far(device, span));
            findings.extend(across_nodes(nodes, device, span));
        }
        findings.extend(queues(document, device, span));
        findings.extend(finding(device, span));
        findings.extend(shared_lines::all(device, setup, grouping, span));
    }
    if document.nodes.len() > 1 {
        findings.extend(unknown(document, span));
    }
    findings.extend(changed(document, setup, now, earlier));
    findings.sort_by_key(IrqFinding::severity);
    findings
}

/// Whether a device's interrupts have enough to do.
fn is_active(device: &IrqDevice, span: Span) -> bool {
    span.is_active(device.count)
}

/// The findings about an active device's interfaces.
fn across_nodes(nodes: &CpuNodes, device: &IrqDevice, span: Span) -> Vec<IrqFinding> {
    if !is_active(device, span) {
        return Vec::new();
    }
    let of_interface = |interface| {
        let sending = sending_nodes(nodes, device, interface);
        [receiving(device, interface), sending].into_iter().flatten()
    };
    device.interfaces.iter().flat_map(of_interface).collect()
}

/// Receive queues whose packets CPUs far from the device process.
fn receiving(device: &IrqDevice, interface: &IrqInterface) -> Option<IrqFinding> {
    let (node, near) = (device.node?, device.cpus.as_ref()?);
    let (mut queues, mut far) = (Vec::new(), CpuSet::new());
    for queue in &interface.receive {
        let beyond = queue.rps.cpus().map(|cpus| cpus.difference(near)).unwrap_or_default();
        if !beyond.is_empty() {
            queues.push(queue.number);
            far = far.union(&beyond);
        }
    }
    (!queues.is_empty()).then(|| IrqFinding::RpsAcrossNodes {
        device: device.label.clone(),
        interface: interface.name.clone(),
        node,
        queues,
        cpus: far,
    })
}

/// Transmit queues whose CPUs share no node with the CPUs of their interrupt.
fn sending_nodes(
    nodes: &CpuNodes,
    device: &IrqDevice,
    interface: &IrqInterface,
) -> Option<IrqFinding> {
    let (mut queues, mut send_nodes, mut interrupt_nodes) =
        (Vec::new(), NodeSet::new(), NodeSet::new());
    for queue in &interface.transmit {
        let Some((from, served)) = nodes_of(nodes, device, queue) else { continue };
        if from.is_disjoint(&served) {
            queues.push(queue.number);
            send_nodes = send_nodes.union(&from);
            interrupt_nodes = interrupt_nodes.union(&served);
        }
    }
    (!queues.is_empty()).then(|| IrqFinding::XpsAcrossNodes {
        device: device.label.clone(),
        interface: interface.name.clone(),
        queues,
        send_nodes,
        interrupt_nodes,
    })
}

/// The nodes of the CPUs that send by a queue, and of those that serve its interrupt.
fn nodes_of(
    nodes: &CpuNodes,
    device: &IrqDevice,
    queue: &TransmitQueueCpus,
) -> Option<(NodeSet, NodeSet)> {
    let cpus = queue.xps.cpus().filter(|cpus| !cpus.is_empty())?;
    let sends = |direction| matches!(direction, QueueDirection::Transmit | QueueDirection::Both);
    let mut interrupts = device.interrupts.iter();
    let irq = interrupts.find(|irq| {
        irq.queue.is_some_and(|own| sends(own.direction) && own.number == queue.number)
    })?;
    let from = nodes.for_cpus(cpus);
    (!from.is_empty() && !irq.nodes.is_empty()).then(|| (from, irq.nodes.clone()))
}

/// Active interrupts that run far from their device: those that may be moved, and those that the
/// kernel manages.
fn far(device: &IrqDevice, span: Span) -> Vec<IrqFinding> {
    let Some(node) = device.node else { return Vec::new() };
    let is_far = |irq: &&Irq| runs_far(irq, span) && !serves_far_programs(device, irq);
    let is_managed = |irq: &&&Irq| matches!(irq.control, IrqControl::Managed | IrqControl::Fixed);
    let all: Vec<&Irq> = device.interrupts.iter().filter(is_far).collect();
    let (managed, free): (Vec<&Irq>, Vec<&Irq>) = all.iter().partition(|irq| is_managed(irq));
    let parts = |irqs: &[&Irq]| {
        let interrupts: Vec<u32> = irqs.iter().map(|irq| irq.number).collect();
        let nodes: NodeSet = irqs.iter().flat_map(|irq| irq.nodes.iter()).collect();
        let far = irqs.iter().filter_map(|irq| irq.far).fold(0, u64::saturating_add);
        (!interrupts.is_empty()).then_some((interrupts, nodes, far))
    };
    let (label, count, seconds) = (&device.label, device.count, span.seconds());
    let free = parts(&free).map(|(interrupts, nodes, far)| IrqFinding::IrqFarFromDevice {
        device: label.clone(),
        node,
        interrupts,
        nodes,
        far,
        count,
        seconds,
    });
    let managed = parts(&managed).map(|(interrupts, nodes, far)| IrqFinding::IrqManagedFar {
        device: label.clone(),
        node,
        interrupts,
        nodes,
        far,
        count,
        seconds,
    });
    free.into_iter().chain(managed).collect()
}

/// Where it ran between two snapshots, unless it was moved near meanwhile. Since boot only where
/// it runs now counts, if it ran there.
fn runs_far(irq: &Irq, span: Span) -> bool {
    let (Some(count), Some(far)) = (irq.count, irq.far) else { return false };
    let is_there = match span {
        Span::SinceBoot => irq.place == IrqPlace::Far,
        Span::Seconds(_) | Span::Between => far > count / 2 && irq.place != IrqPlace::Near,
    };
    is_there && span.is_active(far)
}

/// Whether the queue of an interrupt serves only CPUs that are far from the disk: its interrupt is
/// near the programs that read.
fn serves_far_programs(device: &IrqDevice, irq: &Irq) -> bool {
    let (Some(near), CpuFact::Cpus { cpus: runs_on }) = (&device.cpus, &irq.effective) else {
        return false;
    };
    let queues = device.disks.iter().flat_map(|disk| &disk.queues);
    let mut queues = queues.filter_map(|queue| queue.cpus.cpus());
    queues.any(|cpus| cpus.is_disjoint(near) && !cpus.is_disjoint(runs_on))
}

/// Active devices without a node, on a machine with several.
fn unknown(document: &IrqDocument, span: Span) -> Option<IrqFinding> {
    let is_unknown = |device: &&IrqDevice| {
        device.kind.is_some()
            && device.node.is_none()
            && device.cpus.is_none()
            && is_active(device, span)
    };
    let devices: Vec<String> =
        document.devices.iter().filter(is_unknown).map(|device| device.label.clone()).collect();
    (!devices.is_empty()).then_some(IrqFinding::IrqDeviceNodeUnknown { devices })
}

/// The share of an interrupt's counts that its CPU has at least.
const NEARLY_ALL: f64 = 0.95;
/// The same since boot, which is longer than a change of CPUs.
pub(crate) const NEARLY_ALL_SINCE_BOOT: f64 = 0.99;

/// The finding where at least two queues are active, and one CPU serves them all.
fn queues(document: &IrqDocument, device: &IrqDevice, span: Span) -> Option<IrqFinding> {
    let choice = device.cpus.as_ref().unwrap_or(&document.cpus);
    if choice.len() < 2 {
        return None;
    }
    let is_active =
        |irq: &&Irq| irq.queue.is_some() && irq.count.is_some_and(|count| span.is_active(count));
    let active: Vec<&Irq> = device.interrupts.iter().filter(is_active).collect();
    // Both directions of one queue are often served together.
    let numbers: BTreeSet<u32> = active.iter().filter_map(|irq| Some(irq.queue?.number)).collect();
    let cpu = serving_cpu(active.first()?, span)?;
    let is_same = active.iter().all(|irq| serving_cpu(irq, span) == Some(cpu));
    let count = active.iter().filter_map(|irq| irq.count).fold(0, u64::saturating_add);
    (numbers.len() > 1 && is_same).then(|| IrqFinding::IrqQueuesOnOneCpu {
        device: device.label.clone(),
        interrupts: active.iter().map(|irq| irq.number).collect(),
        cpu,
        count,
        seconds: span.seconds(),
        between_tables: span == Span::Between,
    })
}

/// The CPU that serves an interrupt. Counts since boot may be of another place: they count only
/// where the kernel does not show its choice.
fn serving_cpu(irq: &Irq, span: Span) -> Option<CpuId> {
    let most = irq.by_cpu.iter().max_by_key(|one| one.count)?;
    let is_known = matches!(&irq.effective, CpuFact::Cpus { cpus } if !cpus.is_empty());
    let least = match span {
        // Where it runs now is known, any other CPU is evidence that it was moved.
        Span::SinceBoot if is_known => 1.0,
        Span::SinceBoot => NEARLY_ALL_SINCE_BOOT,
        Span::Seconds(_) | Span::Between => NEARLY_ALL,
    };
    let has_nearly_all = most.count as f64 >= least * irq.count? as f64;
    let counted = has_nearly_all.then_some(most.cpu)?;
    match &irq.effective {
        CpuFact::Cpus { cpus } if span == Span::SinceBoot && is_known => {
            (cpus.len() == 1 && cpus.contains(counted)).then_some(counted)
        }
        _ => Some(counted),
    }
}

/// The finding, if allowed CPUs changed of interrupts that irqbalance does not leave alone. Who
/// changed them the kernel does not record.
fn changed(
    document: &IrqDocument,
    setup: &InterruptSetup,
    now: &InterruptSnapshot,
    earlier: Option<Earlier<'_>>,
) -> Option<IrqFinding> {
    let earlier = earlier.filter(|_| setup.balancer.state == BalancerState::Running)?;
    let device_interrupts = document.devices.iter().flat_map(|device| &device.interrupts);
    let shown: BTreeSet<u32> =
        device_interrupts.chain(&document.others).map(|irq| irq.number).collect();
    let change = |(number, affinity): (&u32, &IrqAffinity)| {
        let before = allowed(earlier.snapshot.affinity.get(number)?)?;
        let after = allowed(affinity)?;
        let is_left_alone = setup.balancer.banned_interrupts.contains(number);
        (before != after && !is_left_alone && shown.contains(number))
            .then(|| (*number, before.clone(), after.clone()))
    };
    let changes: Vec<(u32, CpuSet, CpuSet)> = now.affinity.iter().filter_map(change).collect();
    let (_, before, after) = changes.first()?.clone();
    Some(IrqFinding::IrqChangedUnderIrqbalance {
        interrupts: changes.iter().map(|(number, ..)| *number).collect(),
        before,
        after,
        seconds: earlier.seconds?,
    })
}

fn allowed(affinity: &IrqAffinity) -> Option<&CpuSet> {
    match &affinity.allowed {
        FileValue::Value(cpus) => Some(cpus),
        FileValue::NotReadable | FileValue::Absent | FileValue::Malformed(_) => None,
    }
}

/// The finding where the device can have several queues: it has MSI-X.
fn finding(device: &IrqDevice, span: Span) -> Option<IrqFinding> {
    let near_cpus = device.cpus.as_ref()?.len();
    let interfaces = device.interfaces.iter().map(|interface| interface.receive.len());
    let queues = interfaces.chain(device.disks.iter().map(|disk| disk.queues.len())).max()?;
    // A disk behind a USB controller has a queue, which is not the controller's.
    let has_msi_x =
        device.interrupts.iter().any(|irq| irq.kind == IrqKind::MsiX && irq.queue.is_some());
    let is_short = queues > 0 && queues < near_cpus;
    (is_short && has_msi_x && span.is_busy(device.count)).then(|| IrqFinding::IrqFewerQueues {
        device: device.label.clone(),
        queues,
        near_cpus,
        count: device.count,
        seconds: span.seconds(),
    })
}
