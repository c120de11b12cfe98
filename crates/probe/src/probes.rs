//! The timed loops, one file a probe, and what they share: cycles through memory, slices that are timed as one, and the
//! assembly of each architecture.

pub(crate) mod arch;
pub(crate) mod chase;
pub(crate) mod core_walk;
pub(crate) mod cycle;
pub(crate) mod page_probe;
pub(crate) mod rmw;
pub(crate) mod slice;
pub(crate) mod store_sweep;
#[cfg(test)]
pub(crate) mod test_memory;

use crate::spec::{ProbeKind, ProbeSpec};

impl ProbeSpec {
    /// Slices that one sample consists of: each is guarded, and dropped and retaken, by itself.
    pub fn slices(&self) -> u64 {
        match self.kind {
            ProbeKind::Page => 1,
            ProbeKind::Chase | ProbeKind::Rmw => self.accesses.div_ceil(chase::MOST_PER_SLICE),
            ProbeKind::StoreSweep | ProbeKind::CoreWalk => self.accesses.div_ceil(store_sweep::MOST_PER_SLICE),
        }
    }
}
