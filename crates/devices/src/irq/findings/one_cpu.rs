//! Devices whose queues one CPU serves.

use std::collections::BTreeSet;

use nearfar_model::CpuId;

use crate::irq::activity::Span;
use crate::irq::document::{CpuFact, Irq, IrqDevice, IrqDocument, IrqFinding};

/// The share of an interrupt's counts that its CPU has at least.
const NEARLY_ALL: f64 = 0.95;

/// The finding where at least two queues are active, and one CPU serves them all.
pub(super) fn queues(document: &IrqDocument, device: &IrqDevice, span: Span) -> Option<IrqFinding> {
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
    // Since boot, any other CPU is evidence that the interrupt was moved.
    let least = if span == Span::SinceBoot { 1.0 } else { NEARLY_ALL };
    let has_nearly_all = most.count as f64 >= least * irq.count? as f64;
    let counted = has_nearly_all.then_some(most.cpu)?;
    match &irq.effective {
        CpuFact::Cpus { cpus } if span == Span::SinceBoot && !cpus.is_empty() => {
            (cpus.len() == 1 && cpus.contains(counted)).then_some(counted)
        }
        _ => Some(counted),
    }
}
