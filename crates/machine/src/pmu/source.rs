//! Groups of events, and the interface of what counts them.

use std::io;

use nearfar_model::CpuId;

/// Whose events are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountTarget {
    /// The calling thread's, in user mode.
    Thread,
    /// A thread's of any process that this user may trace, in user mode.
    OtherThread(u32),
    /// All of a CPU, or of the PMU that this CPU stands for.
    Cpu(CpuId),
}

/// Events that are counted together, or not at all: their ratios hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventGroup {
    /// The PMU's number.
    pub kind: u32,
    /// The PMU's numbers of the events.
    pub configs: Vec<u64>,
    /// Whose.
    pub target: CountTarget,
}

impl EventGroup {
    /// The number of a CPU's own PMU: PERF_TYPE_RAW.
    pub const RAW: u32 = 4;
}

/// Counts since a group was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupReading {
    /// One for each event.
    pub counts: Vec<u64>,
    /// Nanoseconds that the group was to be counted.
    pub enabled_ns: u64,
    /// Nanoseconds that it was counted: less where several groups share the counters.
    pub running_ns: u64,
}

impl GroupReading {
    /// What came between an earlier reading and this one.
    pub(crate) fn since(&self, earlier: &Self) -> Self {
        let before = earlier.counts.iter().chain(std::iter::repeat(&0));
        Self {
            counts: self
                .counts
                .iter()
                .zip(before)
                .map(|(now, then)| now.saturating_sub(*then))
                .collect(),
            enabled_ns: self.enabled_ns.saturating_sub(earlier.enabled_ns),
            running_ns: self.running_ns.saturating_sub(earlier.running_ns),
        }
    }

    /// Counts as if they had been counted all the time; 0 if they never were.
    pub(crate) fn scaled(&self) -> Vec<u64> {
        let scale = |count: u64| match self.running_ns {
            0 => 0,
            running => (count as f64 * self.enabled_ns as f64 / running as f64).round() as u64,
        };
        if self.running_ns == self.enabled_ns {
            return self.counts.clone();
        }
        self.counts.iter().map(|count| scale(*count)).collect()
    }
}

/// A group that is open.
pub trait GroupCounter: Send {
    /// Reads the counts. One system call.
    fn read(&mut self) -> io::Result<GroupReading>;
}

/// Opens groups.
pub trait EventSource {
    /// Opens a group and begins to count.
    fn open(&self, group: &EventGroup) -> io::Result<Box<dyn GroupCounter>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(counts: &[u64], enabled_ns: u64, running_ns: u64) -> GroupReading {
        GroupReading { counts: counts.to_vec(), enabled_ns, running_ns }
    }

    #[test]
    fn shared_counters_are_scaled() {
        let later = reading(&[150, 40], 2_000, 1_500).since(&reading(&[50, 20], 1_000, 1_000));
        assert_eq!(later, reading(&[100, 20], 1_000, 500));
        assert_eq!(later.scaled(), [200, 40]);
        assert_eq!(reading(&[7, 8], 1_000, 1_000).scaled(), [7, 8]);
        assert_eq!(reading(&[7, 8], 1_000, 0).scaled(), [0, 0]);
    }
}
