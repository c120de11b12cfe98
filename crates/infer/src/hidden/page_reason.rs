//! Why pages tell what they tell, and what would settle it.

use nearfar_model::CpuSet;
use serde::{Deserialize, Serialize};

/// The largest share of the free memory that a search holds: no machine is filled up.
pub const LARGEST_SHARE: f64 = 0.75;

/// One reason of a finding. Differences are fractions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum PageReason {
    /// No page could be measured.
    NoPages,
    /// No page could be measured, and the system says why.
    Unavailable {
        /// In the words of the system.
        why: String,
    },
    /// Fewer than two processes measured enough pages.
    FewProcesses {
        /// Processes that did.
        with_pages: usize,
        /// Processes in all.
        processes: usize,
    },
    /// Pages fall into kinds that processes agree on.
    Kinds {
        /// How many kinds.
        kinds: usize,
        /// Processes that agree.
        agreeing: usize,
        /// Processes in all.
        processes: usize,
        /// What some pages cost more than others, from one group of CPUs.
        effect: f64,
    },
    /// Which kind costs less turns round between CPUs: neither slow pages nor slow CPUs do that.
    OrderTurns,
    /// The same pages differ more to some CPUs than to others.
    ContrastDiffers,
    /// Pages fall into kinds in some processes, and not into the same ones.
    OtherKinds {
        /// Processes with kinds.
        with_kinds: usize,
        /// Processes in all.
        processes: usize,
    },
    /// Two kinds of pages, from all CPUs alike: memory of another node, or slower memory of this
    /// one.
    KindsFromAllAlike {
        /// How far they are apart.
        apart: f64,
    },
    /// Costs scatter so much that smaller differences would not have been found.
    Scatter {
        /// The smallest difference that would have been.
        detectable_from: f64,
    },
    /// Pages are of one kind.
    OneKind {
        /// Two kinds this far apart would have been found.
        detectable_from: f64,
    },
    /// No two groups of CPUs were measured in most processes.
    FewRows,
    /// All of these pages cost some CPUs more than others: they lie beside the others, or these are
    /// slower.
    CpusDiffer {
        /// By at least this much.
        at_least: f64,
    },
    /// Groups of CPUs drift between processes: some may pay more for all of these pages.
    CpusMayDiffer {
        /// By up to this much.
        at_most: f64,
    },
    /// A sentence of a document before schema 2.
    #[serde(untagged)]
    Sentence(String),
}

/// What would settle what is undetermined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Settling {
    /// Pages at all, in two processes or more.
    Pages,
    /// More processes, or a quieter machine.
    MoreProcesses,
    /// CPUs to which the order of pages turns round.
    OtherCpus,
    /// Pages from elsewhere in the same memory: more of it.
    OtherPages,
}

/// What a user can do about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum PageRemedy {
    /// Memory and huge pages to spare, of which a larger share of the free memory may have enough.
    LargerShare {
        /// The largest share that is held, a fraction.
        share: f64,
    },
    /// Memory and huge pages to spare: programs that end, or a fresh boot.
    FreePages,
    /// The same, where even the largest share is too little: or a larger limit of the cgroup.
    MoreMemory,
    /// A quieter machine, or more processes.
    MoreProcesses,
    /// CPUs to which the order of these pages may turn round.
    OtherCpus {
        /// Online CPUs that were not measured. Null in older documents.
        #[serde(default)]
        #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
        cpus: Option<CpuSet>,
    },
    /// What firmware describes: all CPUs were measured, and their costs do not tell.
    FirmwareTables,
    /// Pages from elsewhere in this memory, which a larger share holds.
    OtherPagesByShare {
        /// The largest share that is held, a fraction.
        share: f64,
    },
    /// Pages from elsewhere in this memory: programs that end, or a fresh boot.
    OtherPages,
    /// A sentence of a document before schema 2.
    #[serde(untagged)]
    Sentence(String),
}

impl Settling {
    /// What to do, where this share of the free memory was tried, from all online CPUs but these.
    pub fn remedy(self, tried: f64, left_out: Option<&CpuSet>) -> PageRemedy {
        let (more, share) = (tried < LARGEST_SHARE, LARGEST_SHARE);
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
