//! Which probe runs, and how large it is.

use nearfar_model::Bytes;
use serde::{Deserialize, Serialize};

/// The timed loops, by the names users give them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProbeKind {
    /// One flushed 2 MiB page walked once by dependent loads: the primary probe.
    Page,
    /// A large buffer walked by dependent loads along a random cycle.
    Chase,
    /// The classical sweep of single-byte stores, one per line, descending.
    StoreSweep,
    /// A buffer first touched on one CPU, swept by stores from every CPU in turn.
    CoreWalk,
    /// The chase with an increment per line.
    Rmw,
}

/// The size of the pages under a probe's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageSize {
    /// 2 MiB: hugetlb or transparent huge pages.
    Huge,
    /// The base page size, 4 KiB on most machines.
    Base,
}

/// A probe and its sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeSpec {
    /// Which loop.
    pub kind: ProbeKind,
    /// Memory that one sample covers: the page of the page probe, the buffer of the others.
    pub size: Bytes,
    /// Accesses timed in one sample.
    pub accesses: u64,
    /// Pages under the memory.
    pub pages: PageSize,
}

impl ProbeKind {
    /// The name users give it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Chase => "chase",
            Self::StoreSweep => "store-sweep",
            Self::CoreWalk => "core-walk",
            Self::Rmw => "rmw",
        }
    }
}
