//! The timed loops, one file per probe, and what they share: cycles through memory, timed slices,
//! and each architecture's assembly.

pub(crate) mod arch;
pub(crate) mod chase;
pub(crate) mod cycle;
pub(crate) mod page_probe;
pub(crate) mod slice;
pub(crate) mod store_sweep;

use crate::spec::{ProbeKind, ProbeSpec};

impl ProbeSpec {
    /// Slices of a sample: each is guarded, and dropped and retried, by itself.
    pub fn slices(&self) -> u64 {
        let division = match self.kind {
            ProbeKind::Page => page_probe::division(self.size.0, self.accesses),
            ProbeKind::Chase | ProbeKind::Rmw => chase::division(self.accesses),
            ProbeKind::StoreSweep | ProbeKind::CoreWalk => store_sweep::division(self.accesses),
        };
        division.slices
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::PageSize;

    #[test]
    fn samples_have_the_slices_that_probes_make() {
        assert_eq!(ProbeSpec::page().slices(), 1);
        assert_eq!(ProbeSpec::chase(PageSize::Huge).slices(), 8);
        assert_eq!(ProbeSpec::store_sweep().slices(), 256);
        // No accesses are still one slice, as in `Division`.
        assert_eq!(ProbeSpec { accesses: 0, ..ProbeSpec::rmw() }.slices(), 1);
    }
}
