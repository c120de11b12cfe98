//! How often CPU limits throttled this process: `cpu.stat` of its cgroup and of those above.

use crate::attribute::counter;
use crate::cgroup::{self, CgroupVersion};
use crate::source::Source;

/// The `cpu.stat` files of this process's cgroups.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CpuLimits {
    stats: Vec<(CgroupVersion, String)>,
}

/// Throttling since boot. `None` if the kernel does not count it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Throttled {
    /// Number of throttled periods (`nr_throttled`).
    pub periods: Option<u64>,
    /// Throttled time, summed over CPUs, in microseconds.
    pub us: Option<u64>,
}

impl CpuLimits {
    /// Finds the groups. Never fails.
    ///
    /// # References
    ///
    /// cgroups(7)
    pub fn read(source: &Source) -> Self {
        let stat =
            |(version, folder): (CgroupVersion, String)| (version, format!("{folder}/cpu.stat"));
        Self { stats: cgroup::folders(source, "cpu").into_iter().map(stat).collect() }
    }

    /// Reads the counters, summed over the groups: each counts only its own limit. The root group
    /// of version 2 has no limit and no counter.
    ///
    /// # References
    ///
    /// Documentation/admin-guide/cgroup-v2.rst (`cpu.stat`); Documentation/scheduler/sched-bwc.rst
    pub fn throttled(&self, source: &Source) -> Throttled {
        let stats: Vec<(CgroupVersion, String)> = self
            .stats
            .iter()
            .filter_map(|(version, path)| Some((*version, source.text(path)?)))
            .collect();
        // Version 1 counts nanoseconds, under another name.
        let throttled_us = |(version, stat): &(CgroupVersion, String)| match version {
            CgroupVersion::V1 => counter(stat, "throttled_time").map(|ns| ns / 1000),
            CgroupVersion::V2 => counter(stat, "throttled_usec"),
        };
        let periods = stats.iter().filter_map(|(_, stat)| counter(stat, "nr_throttled"));
        Throttled {
            periods: periods.reduce(u64::saturating_add),
            us: stats.iter().filter_map(throttled_us).reduce(u64::saturating_add),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn throttled(mounts: &str, group: &str, stats: &[(&str, &str)]) -> (Option<u64>, Option<u64>) {
        let fixed = [("/proc/mounts", mounts), ("/proc/self/cgroup", group)];
        let source = Source::from_files(fixed.into_iter().chain(stats.iter().copied()));
        let throttled = CpuLimits::read(&source).throttled(&source);
        (throttled.periods, throttled.us)
    }

    const VERSION_2: &str = "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0";

    #[test]
    fn version_2_adds_up_all_groups() {
        let stats = [
            (
                "/sys/fs/cgroup/pod/box/cpu.stat",
                "usage_usec 9\nnr_periods 50\nnr_throttled 3\nthrottled_usec 1200\n",
            ),
            (
                "/sys/fs/cgroup/pod/cpu.stat",
                "usage_usec 9\nnr_periods 50\nnr_throttled 1\nthrottled_usec 300\n",
            ),
            ("/sys/fs/cgroup/cpu.stat", "usage_usec 9\n"),
        ];
        assert_eq!(throttled(VERSION_2, "0::/pod/box", &stats), (Some(4), Some(1500)));
        assert_eq!(throttled(VERSION_2, "0::/", &stats), (None, None));
    }

    #[test]
    fn version_1_counts_nanoseconds() {
        let stats = [(
            "/sys/fs/cgroup/cpu/box/cpu.stat",
            "nr_periods 50\nnr_throttled 7\nthrottled_time 2500000\n",
        )];
        let mounts = "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu,cpuacct 0 0";
        assert_eq!(throttled(mounts, "4:cpu,cpuacct:/box", &stats), (Some(7), Some(2500)));
    }
}
