//! The interrupts of a target: set for a visit, and counted during it.

use std::collections::BTreeMap;
use std::fs;

use nearfar_machine::Source;
use nearfar_machine::interrupts::{InterruptSetting, ServedInterrupts};
use nearfar_model::CpuId;

use super::setup::{InterruptPlace, IoTarget};

/// The least share of interrupts that the set CPUs must serve.
const MOSTLY: f64 = 0.9;
/// Fewer interrupts in a visit show nothing.
const FEW: u64 = 4;

/// Sets an interrupt's CPUs, one after another.
pub(super) fn set(places: &[InterruptPlace]) -> Result<(), String> {
    for InterruptPlace { number, cpus } in places {
        let setting = InterruptSetting::Irq(*number);
        let path = setting.path();
        fs::write(&path, setting.file_text(cpus))
            .map_err(|error| format!("cannot set interrupt {number} to CPUs {cpus}: {error}"))?;
    }
    Ok(())
}

/// The counters before a visit.
pub(super) struct ServedWatch {
    before: Option<ServedInterrupts>,
}

impl ServedWatch {
    pub(super) fn begin(source: &Source, target: &IoTarget) -> Self {
        let before = (!target.interrupts.is_empty())
            .then(|| ServedInterrupts::read(source, &target.interrupts))
            .flatten();
        Self { before }
    }

    /// Interrupts since then, by CPU; empty if they are unknown.
    pub(super) fn end(&self, source: &Source, target: &IoTarget) -> BTreeMap<CpuId, u64> {
        let after = self
            .before
            .as_ref()
            .and_then(|before| Some((ServedInterrupts::read(source, &target.interrupts)?, before)));
        after.map(|(after, before)| after.since(before)).unwrap_or_default()
    }
}

/// Whether interrupts ran on other CPUs than they were set to.
pub(super) fn ran_elsewhere(served: &BTreeMap<CpuId, u64>, places: &[InterruptPlace]) -> bool {
    let all: u64 = served.values().sum();
    let is_set = |cpu: CpuId| places.iter().any(|place| place.cpus.contains(cpu));
    let there: u64 = served.iter().filter(|(cpu, _)| is_set(**cpu)).map(|(_, count)| count).sum();
    all >= FEW && (there as f64) < MOSTLY * all as f64
}

#[cfg(test)]
mod tests {
    use nearfar_model::CpuSet;

    use super::*;

    #[test]
    fn interrupts_elsewhere_are_noticed() {
        let place = InterruptPlace { number: 24, cpus: CpuSet::parse_list("2-3").unwrap() };
        let served = |far, near| BTreeMap::from([(CpuId(0), far), (CpuId(3), near)]);
        let ran = |far, near| ran_elsewhere(&served(far, near), std::slice::from_ref(&place));
        assert!(ran(50, 50) && ran(4, 0));
        assert!(!ran(0, 100) && !ran(9, 100));
        assert!(!ran(1, 1), "too few to decide");
    }
}
