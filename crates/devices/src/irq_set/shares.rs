//! CPUs dealt to queues.

use std::collections::BTreeMap;

use nearfar_model::{CpuId, CpuSet};

use crate::irq_set::IrqFacts;

/// Each queue's part of the CPUs: neighbours share a queue, as they share caches. With more queues
/// than CPUs, each queue has one CPU.
pub(crate) fn shares(cpus: &[CpuId], queues: usize) -> Vec<CpuSet> {
    let count = cpus.len();
    let share = |queue: usize| {
        if queues >= count {
            return CpuSet::from_id(cpus[queue % count]);
        }
        cpus[queue * count / queues..(queue + 1) * count / queues].iter().copied().collect()
    };
    if count == 0 { Vec::new() } else { (0..queues).map(share).collect() }
}

/// One CPU for each interrupt; those of one queue share it. Interrupts without a queue come last.
pub(crate) fn one_each(cpus: &[CpuId], irqs: &[&IrqFacts]) -> BTreeMap<u32, CpuSet> {
    let mut keys: Vec<(bool, u32)> = irqs.iter().map(|irq| key(irq)).collect();
    keys.sort_unstable();
    keys.dedup();
    let cpu = |irq: &&&IrqFacts| {
        let at = keys.binary_search(&key(irq)).ok()?;
        Some((irq.number, CpuSet::from_id(*cpus.get(at % cpus.len().max(1))?)))
    };
    irqs.iter().filter_map(|irq| cpu(&irq)).collect()
}

/// Interrupts without a queue are apart by their number.
fn key(irq: &IrqFacts) -> (bool, u32) {
    (irq.queue.is_none(), irq.queue.unwrap_or(irq.number))
}
