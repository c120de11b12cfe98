//! What the kernel does with pages of the whole machine: migration, balancing, promotion, waiting.

use crate::attribute::{counted_since, counter};
use crate::pressure::Pressure;
use crate::source::Source;

/// Counters since boot, in base pages, or differences of them. `None` if the kernel does not count
/// it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MemoryActivity {
    /// Migrated for any reason (`pgmigrate_success`).
    pub migrated: Option<u64>,
    /// Migrated by automatic NUMA balancing (`numa_pages_migrated`).
    pub balanced: Option<u64>,
    /// NUMA hinting faults (`numa_hint_faults`).
    pub hint_faults: Option<u64>,
    /// Those of pages that were local (`numa_hint_faults_local`).
    pub hint_faults_local: Option<u64>,
    /// Promoted from slow memory (`pgpromote_success`).
    pub promoted: Option<u64>,
    /// Demoted to slow memory (all `pgdemote_*`).
    pub demoted: Option<u64>,
    /// Waiting for memory now; `None` without CONFIG_PSI.
    pub pressure: Option<Pressure>,
}

impl MemoryActivity {
    /// Reads the counters. Never fails.
    ///
    /// # References
    ///
    /// proc_vmstat(5); Documentation/accounting/psi.rst
    pub fn read(source: &Source) -> Self {
        let vmstat = source.text("/proc/vmstat").unwrap_or_default();
        let counter = |name: &str| counter(&vmstat, name);
        let demotions = vmstat.lines().filter_map(|line| line.strip_prefix("pgdemote_"));
        let counts = demotions.filter_map(|line| line.split_once(' ')?.1.trim().parse().ok());
        let pressure = source.text("/proc/pressure/memory");
        Self {
            migrated: counter("pgmigrate_success"),
            balanced: counter("numa_pages_migrated"),
            hint_faults: counter("numa_hint_faults"),
            hint_faults_local: counter("numa_hint_faults_local"),
            promoted: counter("pgpromote_success"),
            demoted: counts.reduce(u64::saturating_add),
            pressure: pressure.and_then(|text| Pressure::parse(&text)),
        }
    }

    /// The difference to an earlier reading. Decreasing counters count as 0; pressure stays as it
    /// is now.
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            migrated: counted_since(self.migrated, earlier.migrated),
            balanced: counted_since(self.balanced, earlier.balanced),
            hint_faults: counted_since(self.hint_faults, earlier.hint_faults),
            hint_faults_local: counted_since(self.hint_faults_local, earlier.hint_faults_local),
            promoted: counted_since(self.promoted, earlier.promoted),
            demoted: counted_since(self.demoted, earlier.demoted),
            pressure: self.pressure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(migrated: u64) -> MemoryActivity {
        MemoryActivity::read(&Source::from_files([
            (
                "/proc/vmstat",
                format!(
                    "pgmigrate_success {migrated}\nnuma_hint_faults 9\nnuma_hint_faults_local \
                     4\npgdemote_kswapd 3\npgdemote_direct 2\n"
                ),
            ),
            (
                "/proc/pressure/memory",
                "some avg10=2.00 total=1\nfull avg10=1.00 total=1\n".to_owned(),
            ),
        ]))
    }

    #[test]
    fn counters_become_differences_and_pressure_stays() {
        let between = at(70).since(&at(30));
        assert_eq!((between.migrated, between.hint_faults), (Some(40), Some(0)));
        assert_eq!(
            (at(1).demoted, at(1).hint_faults_local, at(1).balanced),
            (Some(5), Some(4), None)
        );
        assert_eq!(between.pressure, Some(Pressure { some: 0.02, full: 0.01 }));
    }

    #[test]
    fn a_machine_without_counters_has_none() {
        let none = MemoryActivity::read(&Source::from_files([("/sys/x", "")]));
        assert_eq!(none, MemoryActivity::default());
    }
}
