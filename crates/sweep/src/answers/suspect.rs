//! Figures of a run that may go with its hump.

use serde::{Deserialize, Serialize};

use crate::record::Run;

/// Which figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Suspect {
    /// The share of its pages that were remote.
    RemoteShare,
    /// Pages that the kernel moved.
    PagesMigrated,
    /// Pages that were not had from the wanted node.
    NumaMiss,
    /// Page faults without reading from a disk.
    MinorFaults,
    /// Page faults that had to read from a disk.
    MajorFaults,
    /// CPU time in the kernel, in seconds.
    SysS,
}

impl Suspect {
    /// All of them.
    pub(crate) const ALL: [Self; 6] =
        [Self::RemoteShare, Self::PagesMigrated, Self::NumaMiss, Self::MinorFaults, Self::MajorFaults, Self::SysS];

    /// A run's figure, where it was recorded.
    pub(crate) fn of(self, run: &Run) -> Option<f64> {
        let count = |pages: Option<u64>| pages.map(|pages| pages as f64);
        match self {
            Self::RemoteShare => run.remote_share,
            Self::PagesMigrated => count(run.allocations.pages_migrated),
            Self::NumaMiss => count(run.allocations.numa_miss),
            Self::MinorFaults => count(Some(run.minor_faults)),
            Self::MajorFaults => count(Some(run.major_faults)),
            Self::SysS => Some(run.sys_s),
        }
    }
}
