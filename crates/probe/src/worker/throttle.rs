//! Attributes disturbances to the cgroup's CPU limit.
//!
//! A throttled thread looks like one that another program or a hypervisor displaced. The kernel
//! counts the throttled periods before the group runs again, so a check right after a disturbance
//! identifies the cause.

use nearfar_machine::{CpuLimits, Source};

use crate::worker_message::DropReason;

/// The counters of this process's limits, as last read.
pub(crate) struct Throttle {
    source: Source,
    limits: CpuLimits,
    /// `None` while unreadable: then no increase is known.
    periods: Option<u64>,
}

impl Throttle {
    /// Those of this process.
    pub(crate) fn live() -> Self {
        Self::from_source(Source::live())
    }

    fn from_source(source: Source) -> Self {
        let limits = CpuLimits::read(&source);
        let periods = limits.throttled(&source).periods;
        Self { source, limits, periods }
    }

    /// The reason of a disturbance: the limit, if it has throttled this process since the last
    /// call.
    pub(crate) fn classify(&mut self, reason: DropReason) -> DropReason {
        let by_time = matches!(
            reason,
            DropReason::Descheduled
                | DropReason::Stalled
                | DropReason::TimeShared
                | DropReason::Unsettled
        );
        if self.rose() && by_time { DropReason::Throttled } else { reason }
    }

    /// Resets the counter after an undisturbed sample. Reads nothing if the limit was never
    /// reached.
    pub(crate) fn undisturbed(&mut self) {
        if self.periods.is_some_and(|periods| periods > 0) {
            self.rose();
        }
    }

    fn rose(&mut self) -> bool {
        // A failed read counts as no increase: the next successful one is compared with the last
        // successful one.
        let Some(periods) = self.limits.throttled(&self.source).periods else { return false };
        self.periods.replace(periods).is_some_and(|before| periods > before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(periods: u32) -> Source {
        Source::from_files([
            ("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0".to_owned()),
            ("/proc/self/cgroup", "0::/box".to_owned()),
            (
                "/sys/fs/cgroup/box/cpu.stat",
                format!("nr_periods 50\nnr_throttled {periods}\nthrottled_usec 9\n"),
            ),
        ])
    }

    #[test]
    fn disturbances_by_the_cpu_limit_are_attributed() {
        let mut throttle = Throttle::from_source(after(7));
        assert_eq!(throttle.classify(DropReason::Descheduled), DropReason::Descheduled);
        for (periods, reason) in [(8, DropReason::Stalled), (10, DropReason::Descheduled)] {
            throttle.source = after(periods);
            assert_eq!(throttle.classify(reason), DropReason::Throttled);
            assert_eq!(throttle.classify(reason), reason, "once");
        }
        throttle.source = after(11);
        assert_eq!(
            throttle.classify(DropReason::PageMoved),
            DropReason::PageMoved,
            "no limit moves pages"
        );
    }

    #[test]
    fn throttling_before_an_undisturbed_sample_is_ignored() {
        let mut throttle = Throttle::from_source(after(7));
        throttle.source = after(8);
        throttle.undisturbed();
        assert_eq!(throttle.classify(DropReason::Descheduled), DropReason::Descheduled);
    }

    #[test]
    fn a_failed_read_attributes_nothing() {
        let mut throttle = Throttle::from_source(after(7));
        throttle.source = Source::from_files([("/proc/mounts", "")]);
        assert_eq!(throttle.classify(DropReason::Stalled), DropReason::Stalled);
        throttle.source = after(7);
        assert_eq!(
            throttle.classify(DropReason::Stalled),
            DropReason::Stalled,
            "nothing rose meanwhile"
        );
        throttle.source = after(8);
        assert_eq!(throttle.classify(DropReason::Stalled), DropReason::Throttled);
        // Nor does the first successful read, however often the group was throttled before.
        let mut late = Throttle { periods: None, ..Throttle::from_source(after(9)) };
        assert_eq!(late.classify(DropReason::Stalled), DropReason::Stalled);
    }

    #[test]
    fn without_a_limit_reasons_stay() {
        let mut throttle = Throttle::from_source(Source::from_files([("/proc/mounts", "")]));
        throttle.undisturbed();
        assert_eq!(throttle.classify(DropReason::Stalled), DropReason::Stalled);
    }
}
