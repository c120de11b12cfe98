//! Kernel counters that show whether pages were migrated or CPU time was lost during a run.
//!
//! Read them before and after: the [difference](Activity::since) is what happened meanwhile, on the
//! whole machine.

use serde::Serialize;

use crate::attribute::{counted_since, counter};
use crate::cpu_limits::CpuLimits;
use crate::source::Source;

/// Counters since boot, or over a run. `None` if the kernel does not count it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Activity {
    /// Pages migrated by automatic NUMA balancing (`numa_pages_migrated`).
    pub numa_pages_migrated: Option<u64>,
    /// Pages migrated for any reason (`pgmigrate_success`).
    pub pgmigrate_success: Option<u64>,
    /// Transparent huge pages migrated as a whole (`thp_migration_success`).
    pub thp_migration_success: Option<u64>,
    /// NUMA hinting faults (`numa_hint_faults`).
    pub numa_hint_faults: Option<u64>,
    /// Time that the hypervisor gave to others, over all CPUs, in ticks of mostly 10 ms (`steal` of
    /// `/proc/stat`).
    pub steal_ticks: Option<u64>,
    /// Periods in which this process's cgroup, or one above it, was throttled (`nr_throttled`).
    pub throttled_periods: Option<u64>,
    /// Throttled time, summed over CPUs, in microseconds.
    pub throttled_us: Option<u64>,
}

impl Activity {
    /// Reads the counters. Never fails.
    ///
    /// # References
    ///
    /// proc_vmstat(5), proc_stat(5); Documentation/admin-guide/cgroup-v2.rst (`cpu.stat`)
    pub fn read(source: &Source) -> Self {
        let vmstat = source.text("/proc/vmstat").unwrap_or_default();
        let counter = |name: &str| counter(&vmstat, name);
        let throttled = CpuLimits::read(source).throttled(source);
        Self {
            numa_pages_migrated: counter("numa_pages_migrated"),
            pgmigrate_success: counter("pgmigrate_success"),
            thp_migration_success: counter("thp_migration_success"),
            numa_hint_faults: counter("numa_hint_faults"),
            steal_ticks: steal(&source.text("/proc/stat").unwrap_or_default()),
            throttled_periods: throttled.periods,
            throttled_us: throttled.us,
        }
    }

    /// The difference to an earlier reading. Decreasing counters count as 0.
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            numa_pages_migrated: counted_since(
                self.numa_pages_migrated,
                earlier.numa_pages_migrated,
            ),
            pgmigrate_success: counted_since(self.pgmigrate_success, earlier.pgmigrate_success),
            thp_migration_success: counted_since(
                self.thp_migration_success,
                earlier.thp_migration_success,
            ),
            numa_hint_faults: counted_since(self.numa_hint_faults, earlier.numa_hint_faults),
            steal_ticks: counted_since(self.steal_ticks, earlier.steal_ticks),
            throttled_periods: counted_since(self.throttled_periods, earlier.throttled_periods),
            throttled_us: counted_since(self.throttled_us, earlier.throttled_us),
        }
    }
}

/// The line "cpu  user nice system idle iowait irq softirq steal ..." is the sum over all CPUs.
fn steal(stat: &str) -> Option<u64> {
    let all = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    all.split_whitespace().nth(7)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throttling_of_a_run_is_the_difference() {
        let at = |periods, us| Activity {
            throttled_periods: periods,
            throttled_us: us,
            ..Activity::default()
        };
        let run = at(Some(9), Some(800)).since(&at(Some(4), Some(500)));
        assert_eq!((run.throttled_periods, run.throttled_us), (Some(5), Some(300)));
        assert_eq!(at(Some(9), None).since(&at(None, None)).throttled_periods, None);
    }

    fn at(migrated: u64, steal: u64) -> Activity {
        Activity::read(&Source::from_files([
            (
                "/proc/vmstat",
                format!(
                    "numa_pages_migrated {migrated}\npgmigrate_success_other 7\npgmigrate_success \
                     9\n"
                ),
            ),
            ("/proc/stat", format!("cpu  1 2 3 4 5 6 7 {steal} 0 0\ncpu0 1 2 3 4 5 6 7 99 0 0\n")),
        ]))
    }

    #[test]
    fn since_returns_the_difference() {
        let between = at(15, 40).since(&at(5, 38));
        assert_eq!((between.numa_pages_migrated, between.steal_ticks), (Some(10), Some(2)));
        assert_eq!((between.pgmigrate_success, between.numa_hint_faults), (Some(0), None));
    }

    #[test]
    fn decreasing_counters_count_as_zero() {
        assert_eq!(at(5, 1).since(&at(9, 1)).numa_pages_migrated, Some(0));
    }

    #[test]
    fn a_machine_without_counters_has_none() {
        assert_eq!(
            Activity::read(&Source::from_files([("/proc/stat", "cpu  1 2\n")])),
            Activity::default()
        );
    }
}
