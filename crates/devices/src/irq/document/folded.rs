//! The document for surveys: what is active, in a bounded size.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Irq, IrqDocument, IrqFinding};
use crate::irq::activity::Span;

/// What is kept at most. With several hundred CPUs and nodes these take less than 200 kB.
const MAX_DEVICES: usize = 128;
const MAX_INTERRUPTS: usize = 64;
const MAX_FINDINGS: usize = 64;
const MAX_ODDITIES: usize = 16;

/// What is left out: devices and interrupts that are idle, and the least active ones of very many.
/// Counts by CPU, queues, softirqs and interrupts of the CPUs themselves are left out, too. Sums by
/// device and by node have all.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct IrqFolded {
    /// Devices.
    pub devices: usize,
    /// Interrupts, of devices that are here and of all others.
    pub interrupts: usize,
    /// Findings: the least severe ones.
    pub findings: usize,
}

impl Irq {
    /// Whether it was served less than once a second, or less than 1,000 times since boot. Unknown
    /// counts are no idle ones.
    pub fn is_idle(&self) -> bool {
        match (self.count, self.per_second) {
            (None, _) => false,
            (Some(_), Some(rate)) => rate < crate::irq::activity::IDLE_PER_SECOND,
            (Some(count), None) => Span::SinceBoot.is_idle(count),
        }
    }
}

impl IrqDocument {
    /// Whether a count of this document is less than one a second, or less than 1,000 since boot.
    pub fn is_idle(&self, count: u64) -> bool {
        self.span().is_idle(count)
    }

    /// The same in a bounded size, for a survey.
    pub fn into_folded(self) -> Self {
        let interrupts = number_of_interrupts(&self);
        let devices = self.devices.len();
        let findings = self.findings.len();
        let mut kept = self;
        kept.findings.truncate(MAX_FINDINGS);
        kept.keep_devices();
        kept.keep_interrupts();
        kept.cpu_interrupts.clear();
        kept.softirqs.clear();
        kept.oddities.truncate(MAX_ODDITIES);
        kept.folded = Some(IrqFolded {
            devices: devices - kept.devices.len(),
            interrupts: interrupts - number_of_interrupts(&kept),
            findings: findings - kept.findings.len(),
        });
        kept
    }

    /// Keeps the busiest devices that are not idle, or have a finding.
    fn keep_devices(&mut self) {
        let span = self.span();
        let named: BTreeSet<String> = self.findings.iter().flat_map(IrqFinding::devices).collect();
        self.devices.retain(|device| !span.is_idle(device.count) || named.contains(&device.label));
        let mut counts: Vec<u64> = self.devices.iter().map(|device| device.count).collect();
        let least = least_of_most(&mut counts, MAX_DEVICES);
        self.devices.retain(|device| device.count >= least);
        self.devices.truncate(MAX_DEVICES);
        for device in &mut self.devices {
            device.interfaces.clear();
            device.disks.clear();
        }
    }

    /// Keeps the busiest interrupts that are not idle.
    fn keep_interrupts(&mut self) {
        let for_devices = self.devices.iter().flat_map(|device| &device.interrupts);
        let all = for_devices.chain(&self.others);
        let active = all.filter(|irq| !irq.is_idle());
        let mut counts: Vec<u64> = active.map(|irq| irq.count.unwrap_or_default()).collect();
        let least = least_of_most(&mut counts, MAX_INTERRUPTS);
        let mut room = MAX_INTERRUPTS;
        let mut is_kept = |irq: &Irq| {
            let is_kept = !irq.is_idle() && irq.count.unwrap_or_default() >= least && room > 0;
            room -= usize::from(is_kept);
            is_kept
        };
        for device in &mut self.devices {
            device.interrupts.retain(&mut is_kept);
        }
        self.others.retain(&mut is_kept);
        let for_devices = self.devices.iter_mut().flat_map(|device| &mut device.interrupts);
        for_devices.chain(&mut self.others).for_each(|irq| irq.by_cpu.clear());
    }
}

/// The smallest of the largest counts.
fn least_of_most(counts: &mut [u64], most: usize) -> u64 {
    counts.sort_unstable_by(|one, other| other.cmp(one));
    counts.get(most - 1).copied().unwrap_or_default()
}

fn number_of_interrupts(document: &IrqDocument) -> usize {
    let for_devices = document.devices.iter().map(|device| device.interrupts.len());
    for_devices.sum::<usize>() + document.others.len()
}
