//! Interrupts that moved between two snapshots while irqbalance runs.

use std::collections::BTreeSet;

use nearfar_machine::interrupts::{
    BalancerState, FileValue, InterruptSetup, InterruptSnapshot, IrqAffinity,
};
use nearfar_model::CpuSet;

use crate::irq::document::{IrqDocument, IrqFinding};
use crate::irq::earlier::Earlier;

/// The finding, if allowed CPUs changed of interrupts that irqbalance does not leave alone. Who
/// changed them the kernel does not record.
pub(super) fn changed(
    document: &IrqDocument,
    setup: &InterruptSetup,
    now: &InterruptSnapshot,
    earlier: Option<Earlier<'_>>,
) -> Option<IrqFinding> {
    let earlier = earlier.filter(|_| setup.balancer.state == BalancerState::Running)?;
    let for_devices = document.devices.iter().flat_map(|device| &device.interrupts);
    let shown: BTreeSet<u32> = for_devices.chain(&document.others).map(|irq| irq.number).collect();
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
