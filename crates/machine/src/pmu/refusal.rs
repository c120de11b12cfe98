//! Why events cannot be counted.

use std::io;

use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::EventSources;
use crate::pmu::source::CountTarget;

/// Why events cannot be counted here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum PmuRefusal {
    /// No events of this CPU are known.
    UnknownCpu {
        /// CPUID's name of the vendor.
        vendor: String,
        /// The family.
        family: u32,
        /// The model.
        model: u32,
    },
    /// No events of this architecture are known.
    UnknownArchitecture,
    /// The kernel has no PMU of the CPU.
    NoPmu {
        /// Whether a hypervisor hides it.
        guest: bool,
    },
    /// `kernel.perf_event_paranoid` is too high for this user.
    Paranoid {
        /// Its value.
        level: i32,
        /// The highest value that suffices.
        needed: i32,
    },
    /// A sandbox denies perf_event_open(2): the kernel's own rules allow it.
    Sandbox,
    /// The kernel or the hypervisor does not support these events.
    NotSupported,
    /// This process has too many open files.
    TooManyFiles,
    /// Other programs use the counters.
    CountersBusy {
        /// Whether the NMI watchdog uses one of them.
        nmi_watchdog: bool,
    },
    /// Another error of perf_event_open(2).
    Failed {
        /// The system's text of it.
        error: String,
    },
}

impl PmuRefusal {
    /// The reason for an error of opening a group, by the kernel's rules for its target.
    pub(crate) fn from_error(
        error: &io::Error,
        sources: &EventSources,
        target: CountTarget,
    ) -> Self {
        // Above 2, Debian, Ubuntu and Android deny all counting.
        let needed = match target {
            CountTarget::Thread | CountTarget::OtherThread(_) => 2,
            CountTarget::Cpu(_) => 0,
        };
        match Errno::from_io_error(error) {
            Some(Errno::ACCESS | Errno::PERM) => match sources.paranoid {
                Some(level) if level > needed => Self::Paranoid { level, needed },
                _ => Self::Sandbox,
            },
            Some(Errno::NOSYS) => Self::Sandbox,
            Some(Errno::NOENT | Errno::OPNOTSUPP | Errno::NODEV | Errno::INVAL) => {
                Self::NotSupported
            }
            Some(Errno::MFILE | Errno::NFILE) => Self::TooManyFiles,
            Some(Errno::BUSY) => Self::CountersBusy { nmi_watchdog: sources.nmi_watchdog },
            _ => Self::Failed { error: error.to_string() },
        }
    }

    /// The reason if a group was open for some time and never counted.
    pub fn never_counted(sources: &EventSources) -> Self {
        Self::CountersBusy { nmi_watchdog: sources.nmi_watchdog }
    }
}
