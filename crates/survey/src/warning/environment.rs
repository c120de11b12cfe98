//! Warnings that the machine's settings and counters give.

use serde::{Deserialize, Serialize};

/// What made, or may make, memory look other than it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum EnvironmentWarning {
    /// A cgroup limits CPU time.
    CpuQuota {
        /// How many CPUs' time it gives.
        cpus: f64,
    },
    /// A cgroup's limit of CPU time stopped programs during the run.
    Throttled {
        /// In this many of its periods.
        periods: u64,
        /// For how long in all; null where the kernel does not report it.
        throttled_us: Option<u64>,
    },
    /// Automatic NUMA balancing moved pages during the run.
    NumaBalancing {
        /// How many.
        pages: u64,
    },
    /// A hypervisor ran others on these CPUs.
    Steal {
        /// Of the CPUs' time, as a fraction.
        share: f64,
    },
    /// Other programs were running.
    Load {
        /// The load of the last minute before the run.
        average: f64,
        /// The machine's CPUs.
        cpus: usize,
    },
    /// The machine is virtual.
    Hypervisor {
        /// Whose guest it is.
        name: String,
        /// The nodes that it shows.
        nodes: usize,
    },
    /// Clocks follow the load with a delay.
    Governor {
        /// The frequency governors.
        governors: Vec<String>,
    },
    /// There are no transparent huge pages.
    ThpOff {
        /// The kernel's setting.
        thp_enabled: String,
    },
}
