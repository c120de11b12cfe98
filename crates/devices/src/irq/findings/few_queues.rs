//! Busy devices with fewer queues than CPUs near them.

use crate::irq::activity::Span;
use crate::irq::document::{IrqDevice, IrqFinding, IrqKind};

/// The finding where the device can have several queues: it has MSI-X.
pub(super) fn finding(device: &IrqDevice, span: Span) -> Option<IrqFinding> {
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
