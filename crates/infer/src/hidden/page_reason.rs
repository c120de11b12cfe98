//! Reasons of the result for pages, and what would settle it.

use nearfar_model::CpuSet;
use serde::{Deserialize, Serialize};

/// The largest share of the free memory that a search allocates, so that it never exhausts memory.
pub const MAX_SHARE: f64 = 0.75;

/// One reason of a result. Differences are fractions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum PageReason {
    /// No page could be measured.
    NoPages,
    /// No page could be measured, for a reason of the system.
    Unavailable {
        /// The system's message.
        why: String,
    },
    /// Fewer than two processes measured enough pages.
    FewProcesses {
        /// Number of these processes.
        with_pages: usize,
        /// Number of all processes.
        processes: usize,
    },
    /// Processes agree on several kinds of pages.
    Kinds {
        /// Number of kinds.
        kinds: usize,
        /// Number of processes with pages of several kinds.
        agreeing: usize,
        /// Number of all processes.
        processes: usize,
        /// The extra cost of some pages, for CPUs that are near others.
        effect: f64,
    },
    /// The order of kinds is reversed between CPUs, which neither slow pages nor slow CPUs cause.
    OrderTurns,
    /// The same pages differ more for some CPUs than for others.
    ContrastDiffers,
    /// Some processes have kinds of pages, but not the same ones.
    OtherKinds {
        /// Number of processes with kinds.
        with_kinds: usize,
        /// Number of all processes.
        processes: usize,
    },
    /// Kinds of pages with the same difference for all CPUs: memory of another node, or slower
    /// memory of this one.
    KindsFromAllAlike {
        /// Their largest difference.
        apart: f64,
    },
    /// Costs scatter too much to detect smaller differences.
    Scatter {
        /// The smallest detectable difference.
        detectable_from: f64,
    },
    /// Pages are of one kind.
    OneKind {
        /// The smallest detectable difference between two kinds.
        detectable_from: f64,
    },
    /// No two groups of CPUs were measured in most processes.
    FewRows,
    /// All of these pages cost some CPUs more than others: they are near the others, or these are
    /// slower.
    CpusDiffer {
        /// The smallest difference.
        at_least: f64,
    },
    /// Groups of CPUs drift between processes: some may have larger costs for all of these pages.
    CpusMayDiffer {
        /// The largest difference.
        at_most: f64,
    },
}

/// What would settle an undetermined result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Settling {
    /// Measurable pages, in two processes or more.
    Pages,
    /// More processes, or a quieter machine.
    MoreProcesses,
    /// CPUs with the opposite order of pages.
    OtherCpus,
    /// Other pages of the same memory: a larger part of it.
    OtherPages,
}

/// What the user can do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum PageRemedy {
    /// More free memory and huge pages: a larger share of the free memory may be sufficient.
    LargerShare {
        /// The largest allocated share, a fraction.
        share: f64,
    },
    /// More free memory and huge pages: end programs, or reboot.
    FreePages,
    /// The same, where even the largest share is too small; or a larger limit of the cgroup.
    MoreMemory,
    /// A quieter machine, or more processes.
    MoreProcesses,
    /// CPUs that may have the opposite order of these pages.
    OtherCpus {
        /// Online CPUs without measurements; null where they are unknown.
        #[serde(default)]
        #[schemars(with = "Option<String>")]
        cpus: Option<CpuSet>,
    },
    /// Firmware's tables: all CPUs were measured, and their costs are insufficient.
    FirmwareTables,
    /// Other pages of this memory, in a larger share.
    OtherPagesByShare {
        /// The largest allocated share, a fraction.
        share: f64,
    },
    /// Other pages of this memory: end programs, or reboot.
    OtherPages,
}

impl Settling {
    /// The remedy, after a search with this share of the free memory and all online CPUs except
    /// these.
    pub fn remedy(self, tried: f64, left_out: Option<&CpuSet>) -> PageRemedy {
        let (more, share) = (tried < MAX_SHARE, MAX_SHARE);
        match self {
            Self::Pages if more => PageRemedy::LargerShare { share },
            Self::Pages => PageRemedy::FreePages,
            Self::MoreProcesses => PageRemedy::MoreProcesses,
            Self::OtherCpus if left_out.is_some_and(CpuSet::is_empty) => PageRemedy::FirmwareTables,
            Self::OtherCpus => PageRemedy::OtherCpus { cpus: left_out.cloned() },
            Self::OtherPages if more => PageRemedy::OtherPagesByShare { share },
            Self::OtherPages => PageRemedy::OtherPages,
        }
    }
}
