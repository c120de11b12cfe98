//! Simulated sweeps of machines with known caches.

use fastrand::Rng;
use nearfar_model::{CellIndex, Sample};

use crate::cache_levels::capacity::random_misses;
use crate::cache_levels::{SizeSweep, SizeSweepPoint};
use crate::normal;

pub(crate) const KIB: f64 = 1024.0;
pub(crate) const MIB: f64 = 1024.0 * KIB;

/// How misses increase beyond a cache's capacity.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Overrun {
    /// LRU replacement: at once, smoothed by uneven sets (a scale in logs of the size).
    Lru(f64),
    Random,
    /// Shared with neighbours: linearly in the log of the size, up to `until`.
    Shared {
        until: f64,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Caches {
    /// Latency in ns, capacity in bytes, and the shape of its misses.
    pub(crate) levels: Vec<(f64, f64, Overrun)>,
    pub(crate) memory_ns: f64,
    /// Extra latency of a TLB miss, beyond this many bytes of base pages.
    pub(crate) walk: Option<(f64, f64)>,
}

impl Caches {
    pub(crate) fn ns(&self, bytes: f64) -> f64 {
        let next = self.levels.iter().skip(1).map(|level| level.0).chain([self.memory_ns]);
        let mut ns = self.levels[0].0;
        for (&(own, capacity, overrun), next) in self.levels.iter().zip(next) {
            let octaves = (bytes / capacity).log2();
            let misses = match overrun {
                Overrun::Lru(scale) => {
                    1.0 / (1.0 + (-octaves * std::f64::consts::LN_2 / scale).exp())
                }
                Overrun::Random => random_misses(octaves),
                Overrun::Shared { until } => (octaves / (until / capacity).log2()).clamp(0.0, 1.0),
            };
            ns += (next - own) * misses;
        }
        ns + self.walk.map_or(0.0, |(reach, ns)| ns * (1.0 - reach / bytes).max(0.0))
    }

    /// Sizes from 4 KiB to 512 MiB.
    pub(crate) fn sweep(&self, seed: u64) -> SizeSweep {
        self.sweep_to(512.0 * MIB, seed)
    }

    /// Five processes of three rounds, six sizes per octave from 4 KiB on. Noise of 2 %, with an
    /// outlier in one of twenty samples; processes differ by 1 %.
    pub(crate) fn sweep_to(&self, largest: f64, seed: u64) -> SizeSweep {
        let rng = &mut Rng::with_seed(seed);
        let pace: Vec<f64> = (0..5).map(|_| 0.01 * normal(rng)).collect();
        let point = |place: usize| {
            let bytes = (4.0 * KIB * (place as f64 / 6.0).exp2()).round();
            let mut samples = Vec::new();
            for (process, pace) in (0..).zip(&pace) {
                for round in 0..3 {
                    let tail = if rng.f64() < 0.05 { -0.1 * (1.0 - rng.f64()).ln() } else { 0.0 };
                    let ns = self.ns(bytes) * (pace + 0.02 * normal(rng) + tail).exp();
                    samples.push(Sample::new(process, round, CellIndex::default(), ns));
                }
            }
            SizeSweepPoint { bytes: bytes as u64, samples }
        };
        let last = (6.0 * (largest / (4.0 * KIB)).log2()).round() as usize;
        SizeSweep::new(&(0..=last).map(point).collect::<Vec<_>>()).unwrap()
    }
}
