//! The kernel's files that set where interrupts run and where packets go.

use std::fmt;

use nearfar_model::CpuSet;
use serde::{Deserialize, Serialize};

/// A file that takes a set of CPUs.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum InterruptSetting {
    /// The CPUs that an interrupt may run on (`smp_affinity_list`).
    Irq(u32),
    /// The CPUs that send by a transmit queue (`xps_cpus`); empty: any.
    Xps {
        /// The interface.
        interface: String,
        /// The queue.
        queue: u32,
    },
    /// The CPUs that process a receive queue's packets (`rps_cpus`); empty: the interrupt's.
    Rps {
        /// The interface.
        interface: String,
        /// The queue.
        queue: u32,
    },
}

impl InterruptSetting {
    /// Path of its file.
    ///
    /// # References
    ///
    /// Documentation/core-api/irq/irq-affinity.rst, Documentation/networking/scaling.rst
    pub fn path(&self) -> String {
        match self {
            Self::Irq(number) => format!("/proc/irq/{number}/smp_affinity_list"),
            Self::Xps { interface, queue } => {
                format!("/sys/class/net/{interface}/queues/tx-{queue}/xps_cpus")
            }
            Self::Rps { interface, queue } => {
                format!("/sys/class/net/{interface}/queues/rx-{queue}/rps_cpus")
            }
        }
    }

    /// Path of the file with the CPUs that the kernel chose; only interrupts have one.
    pub fn effective_path(&self) -> Option<String> {
        match self {
            Self::Irq(number) => Some(format!("/proc/irq/{number}/effective_affinity_list")),
            Self::Xps { .. } | Self::Rps { .. } => None,
        }
    }

    /// The text to write for a set of CPUs.
    pub fn file_text(&self, cpus: &CpuSet) -> String {
        match self {
            Self::Irq(_) => cpus.to_string(),
            Self::Xps { .. } | Self::Rps { .. } => cpus.to_mask(),
        }
    }

    /// The CPUs of a file's text.
    pub fn parse(&self, text: &str) -> Option<CpuSet> {
        match self {
            Self::Irq(_) => CpuSet::parse_list(text).ok(),
            Self::Xps { .. } | Self::Rps { .. } => CpuSet::parse_mask(text).ok(),
        }
    }

    /// Whether its path stays in the kernel's folders: an interface's name is one component.
    pub fn is_plain(&self) -> bool {
        match self {
            Self::Irq(_) => true,
            Self::Xps { interface, .. } | Self::Rps { interface, .. } => {
                !interface.is_empty() && !interface.contains('/') && !interface.starts_with('.')
            }
        }
    }
}

impl fmt::Display for InterruptSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Irq(number) => write!(f, "interrupt {number}"),
            Self::Xps { interface, queue } => write!(f, "{interface} tx-{queue} (XPS)"),
            Self::Rps { interface, queue } => write!(f, "{interface} rx-{queue} (RPS)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_the_kernels_paths_and_formats() {
        let cpus = CpuSet::parse_list("2-3,33").unwrap();
        let irq = InterruptSetting::Irq(24);
        assert_eq!(irq.path(), "/proc/irq/24/smp_affinity_list");
        assert_eq!(irq.file_text(&cpus), "2-3,33");
        let xps = InterruptSetting::Xps { interface: "eth0".to_owned(), queue: 1 };
        assert_eq!(xps.path(), "/sys/class/net/eth0/queues/tx-1/xps_cpus");
        assert_eq!(xps.file_text(&cpus), "00000002,0000000c");
        assert_eq!(xps.file_text(&CpuSet::new()), "00000000");
        for setting in [&irq, &xps] {
            assert_eq!(setting.parse(&setting.file_text(&cpus)).unwrap(), cpus);
        }
        assert!(xps.is_plain() && xps.effective_path().is_none());
        for interface in ["", "..", "../../x", "a/b"] {
            let odd = InterruptSetting::Rps { interface: interface.to_owned(), queue: 0 };
            assert!(!odd.is_plain(), "{odd:?}");
        }
    }
}
