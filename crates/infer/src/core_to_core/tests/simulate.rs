//! Simulated machines: true costs of pairs, and their measurements.

use fastrand::Rng;

use crate::core_to_core::claim::{ClaimedCpu, TopologyClaim};
use crate::core_to_core::pairs::HandoffCost;

/// A machine of equal packages of equal cache groups of equal cores.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) places: Vec<ClaimedCpu>,
    /// Same core, same cache group, same package, other package.
    pub(crate) ns: [f64; 4],
}

impl Machine {
    /// CPU numbers count cores first and threads second, as in Linux on x86.
    pub(crate) fn new(packages: usize, groups: usize, cores: usize, threads: usize) -> Self {
        let total = packages * groups * cores;
        let place = |cpu: usize| {
            let core = cpu % total;
            let group = core / cores;
            let id = |number| u32::try_from(number).ok();
            ClaimedCpu { core: id(core), cache_group: id(group), package: id(group / groups) }
        };
        Self { places: (0..total * threads).map(place).collect(), ns: [10.0, 25.0, 60.0, 180.0] }
    }

    pub(crate) fn truth(&self) -> TopologyClaim {
        TopologyClaim { cpus: self.places.clone() }
    }

    pub(crate) fn true_ns(&self, (a, b): (usize, usize)) -> f64 {
        let (a, b) = (self.places[a], self.places[b]);
        let shared = [a.core == b.core, a.cache_group == b.cache_group, a.package == b.package];
        self.ns[shared.iter().position(|&shared| shared).unwrap_or(3)]
    }

    pub(crate) fn measure(&self, pair: (usize, usize), rng: &mut Rng) -> HandoffCost {
        HandoffCost { median_ns: self.true_ns(pair) * noise(rng).exp(), relative_se: 0.02 }
    }
}

/// Log-normal with 2 %; one in twenty with a positive outlier, one in five hundred with a burst.
pub(crate) fn noise(rng: &mut Rng) -> f64 {
    let exponential = |rng: &mut Rng, mean: f64| -mean * (1.0 - rng.f64()).ln();
    let tail = match rng.usize(..500) {
        0 => exponential(rng, 1.0),
        1..25 => exponential(rng, 0.1),
        _ => 0.0,
    };
    0.02 * crate::normal(rng) + tail
}
