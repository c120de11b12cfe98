//! How accesses are handed to the kernel: io_uring, or threads where it is refused.

use serde::{Deserialize, Serialize};

/// A way to hand accesses to the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IoEngine {
    /// io_uring with buffers that the kernel has pinned.
    UringRegistered,
    /// io_uring with buffers that the kernel pins for each access.
    Uring,
    /// A thread for each access in flight, with `pread`.
    Threads,
}

impl IoEngine {
    /// Its name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UringRegistered => "io_uring with registered buffers",
            Self::Uring => "io_uring",
            Self::Threads => "pread in threads",
        }
    }
}
