//! The memory of a column, and the probe that runs over it: what a layout has, and what worker
//! processes are told.

use nearfar_model::{Bytes, CpuSet, NodeId};
use nearfar_place::{BufferPlace, WantedPages};
use serde::{Deserialize, Serialize};

use crate::probe_error::ProbeError;
use crate::spec::{PageSize, ProbeSpec};

/// Where memory is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryJob {
    /// The node to bind to; none leaves it to the kernel.
    pub node: Option<NodeId>,
    /// CPUs that touch it first: the node's own, or the nearest that may be used. Empty: wherever
    /// each thread runs.
    pub touch_from: CpuSet,
    /// What is free there before anything is placed, if known. All that is placed there shares it.
    pub free: Option<Bytes>,
    /// Why it cannot be measured, where that is known beforehand.
    pub why_not: Option<String>,
}

impl MemoryJob {
    /// A wish for so much of it, where so much was taken before; else why it cannot be measured.
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

/// Memory that is read. Columns of one survey may have different probes, so that these are compared
/// interleaved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayoutColumn {
    /// What to call it.
    pub label: String,
    /// The loop that runs over it.
    pub probe: ProbeSpec,
    /// How many pages (page probe) or buffers (the others) of the probe's size to place.
    pub pages: u32,
    /// Where it is.
    pub memory: MemoryJob,
}

impl LayoutColumn {
    /// The memory that it takes.
    pub fn bytes(&self) -> Bytes {
        Bytes(self.probe.size.0.saturating_mul(u64::from(self.pages)))
    }

    /// Whether there is memory to measure, and not more than can be counted.
    pub(crate) fn check(&self) -> Result<(), ProbeError> {
        self.probe.check()?;
        let (pages, size) = (self.pages, self.probe.size.0);
        match size.checked_mul(u64::from(pages)) {
            Some(1..) => Ok(()),
            _ => Err(ProbeError::BadJob(format!("a column of {pages} pages of {size} bytes"))),
        }
    }
}
