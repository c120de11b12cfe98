//! The memory of a column, and the probe that runs over it: part of layouts and of worker setups.

use nearfar_model::{Bytes, CpuSet, NodeId};
use nearfar_place::{BufferPlace, WantedPages};
use serde::{Deserialize, Serialize};

use crate::probe_error::ProbeError;
use crate::spec::{PageSize, ProbeSpec};

/// The placement of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryJob {
    /// The node to bind to; `None` lets the kernel choose.
    pub node: Option<NodeId>,
    /// CPUs that touch it first: the node's own, or the nearest that may be used. Empty: wherever
    /// each thread runs.
    pub touch_from: CpuSet,
    /// Free memory before anything is placed, if known, shared by everything placed there.
    pub free: Option<Bytes>,
    /// Why it cannot be measured, if known in advance.
    pub why_not: Option<String>,
}

impl MemoryJob {
    /// A request for `bytes` of it after `taken` bytes were placed; or why it cannot be measured.
    pub(crate) fn request(
        &self,
        bytes: Bytes,
        pages: PageSize,
        taken: Bytes,
    ) -> Result<BufferPlace, String> {
        if let Some(why) = &self.why_not {
            return Err(why.clone());
        }
        let pages = match pages {
            PageSize::Huge => WantedPages::Huge,
            PageSize::Base => WantedPages::Base,
        };
        let free = self.free.map(|free| Bytes(free.0.saturating_sub(taken.0)));
        Ok(BufferPlace { node: self.node, bytes, pages, touch_from: self.touch_from.clone(), free })
    }
}

/// Memory to access. Columns of one survey may have different probes, so that these are compared
/// interleaved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayoutColumn {
    /// Its name.
    pub label: String,
    /// The loop that runs over it.
    pub probe: ProbeSpec,
    /// The number of pages (page probe) or buffers (the others) of the probe's size.
    pub pages: u32,
    /// Its placement.
    pub memory: MemoryJob,
}

impl LayoutColumn {
    /// Its size.
    pub fn bytes(&self) -> Bytes {
        Bytes(self.probe.size.0.saturating_mul(u64::from(self.pages)))
    }

    /// Checks that its size is neither zero nor too large.
    pub(crate) fn check(&self) -> Result<(), ProbeError> {
        self.probe.check()?;
        let (pages, size) = (self.pages, self.probe.size.0);
        match size.checked_mul(u64::from(pages)) {
            Some(1..) => Ok(()),
            _ => Err(ProbeError::BadJob(format!("a column of {pages} pages of {size} bytes"))),
        }
    }
}
