//! Interrupts that run far from their device.

use nearfar_model::NodeSet;

use super::is_active;
use crate::irq::activity::Span;
use crate::irq::document::{
    CpuFact, Irq, IrqControl, IrqDevice, IrqDocument, IrqFinding, IrqPlace,
};

/// Active interrupts that run far from their device: those that may be moved, and those that the
/// kernel manages.
pub(super) fn far(device: &IrqDevice, span: Span) -> Vec<IrqFinding> {
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
pub(super) fn unknown(document: &IrqDocument, span: Span) -> Option<IrqFinding> {
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
