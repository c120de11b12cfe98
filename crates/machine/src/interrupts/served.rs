//! Which CPUs served some interrupts, as counters: cheap enough to be read around a measurement.

use std::collections::BTreeMap;

use nearfar_model::{CpuId, CpuSet};

use crate::source::Source;

/// Counts of some interrupts since boot, by CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServedInterrupts {
    /// Counts of all of them together; CPUs without any are left out.
    pub by_cpu: BTreeMap<CpuId, u64>,
}

impl ServedInterrupts {
    /// Reads the counters. `None` if one is not readable: an interrupt is gone, or sysfs is absent.
    ///
    /// # References
    ///
    /// `/sys/kernel/irq/N/per_cpu_count` in Documentation/ABI/testing/sysfs-kernel-irq: a counter
    /// for each possible CPU
    pub fn read(source: &Source, numbers: &[u32]) -> Option<Self> {
        let possible = source.text("/sys/devices/system/cpu/possible")?;
        let possible = CpuSet::parse_list(&possible).ok()?;
        let mut by_cpu = BTreeMap::new();
        for number in numbers {
            let text = source.text(&format!("/sys/kernel/irq/{number}/per_cpu_count"))?;
            let counts: Vec<u64> =
                text.split(',').map(|count| count.trim().parse().ok()).collect::<Option<_>>()?;
            if counts.len() != possible.len() {
                return None;
            }
            for (cpu, count) in possible.iter().zip(counts).filter(|(_, count)| *count > 0) {
                *by_cpu.entry(cpu).or_default() += count;
            }
        }
        Some(Self { by_cpu })
    }

    /// The counts since an earlier reading. A counter has 32 bits and may have wrapped: CPUs whose
    /// count fell are left out.
    pub fn since(&self, earlier: &Self) -> BTreeMap<CpuId, u64> {
        let rise = |(&cpu, &now): (&CpuId, &u64)| {
            let before = earlier.by_cpu.get(&cpu).copied().unwrap_or_default();
            now.checked_sub(before).filter(|rise| *rise > 0).map(|rise| (cpu, rise))
        };
        self.by_cpu.iter().filter_map(rise).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(counts: [&str; 2]) -> Source {
        Source::from_files([
            ("/sys/devices/system/cpu/possible", "0-1,4"),
            ("/sys/kernel/irq/24/per_cpu_count", counts[0]),
            ("/sys/kernel/irq/25/per_cpu_count", counts[1]),
        ])
    }

    #[test]
    fn counters_are_of_possible_cpus() {
        let before = ServedInterrupts::read(&machine(["1,0,7", "0,0,1"]), &[24, 25]).unwrap();
        let after = ServedInterrupts::read(&machine(["0,2,7", "0,0,4"]), &[24, 25]).unwrap();
        assert_eq!(before.by_cpu, BTreeMap::from([(CpuId(0), 1), (CpuId(4), 8)]));
        assert_eq!(after.since(&before), BTreeMap::from([(CpuId(1), 2), (CpuId(4), 3)]));
    }

    #[test]
    fn unreadable_counters_are_unknown() {
        assert_eq!(ServedInterrupts::read(&machine(["1,0,7", "0,0"]), &[24, 25]), None);
        assert_eq!(ServedInterrupts::read(&machine(["1,0,7", "0,0,1"]), &[24, 26]), None);
    }
}
