//! The noise of replays.

use fastrand::Rng;
use nearfar_infer::normal;

/// Scatter of one sample; one in twenty goes up by [`TAIL`] more on average.
const SCATTER: f64 = 0.02;
const TAIL: f64 = 0.08;
/// Scatter of fresh pages, of rows and of the whole machine from process to process.
const OF_PROCESSES: f64 = 0.004;
/// Scatter that goes on from sample to sample.
pub(super) struct RunningNoise {
    pub(super) rng: Rng,
}

impl RunningNoise {
    pub(super) fn new(seed: u64) -> Self {
        Self { rng: Rng::with_seed(seed ^ 0x6e_6f69_7365) }
    }

    pub(super) fn for_process(&mut self) -> f64 {
        OF_PROCESSES * normal(&mut self.rng)
    }

    pub(super) fn sample(&mut self) -> f64 {
        let tail = if self.rng.f64() < 0.05 { -TAIL * (1.0 - self.rng.f64()).ln() } else { 0.0 };
        SCATTER * normal(&mut self.rng) + tail
    }
}
