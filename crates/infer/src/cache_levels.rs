//! Capacity and latency of each cache.
//!
//! A pointer chase through growing buffers has constant latency while the buffer fits a cache, and
//! a higher one beyond: *plateaus*, and *climbs* between them. [`cache_levels`] finds the plateaus
//! first, then fits each climb.
//!
//! Climbs are rarely steps. A cache with LRU replacement misses every access once the buffer is
//! larger. One with random replacement still hits part of a buffer of twice its size. Hashed slices
//! and 4 KiB pages that share sets cause misses long before the cache is full. So each climb is
//! fitted with both shapes, sharp and wide. The *capacity* is that of the better fit: for a step,
//! the size at which half of the accesses miss (on a log scale); for random replacement, the size
//! at which misses begin, by `m = 1 - exp(-m size / capacity)` of a cyclic chase.
//!
//! A climb may be too long for one cache: a last-level cache shared with neighbours, as in most
//! guests. Then there is no plateau and no capacity beyond, which is reported. The cache before it
//! still ends where its plateau ends.

mod capacity;
mod claims;
mod plateaus;
mod sweep;
#[cfg(test)]
mod tests;
mod tlb;

use serde::{Deserialize, Serialize};

use crate::bootstrap::bootstrap;
use crate::cell::quantile_of_sorted;
use capacity::Climb;
use plateaus::{Plateau, plateaus};

pub use claims::{CacheClaim, CacheClaimReason, CacheClaimVerdict, CacheVerdict, compare};
pub use sweep::{SizeSweep, SizeSweepPoint};
pub use tlb::{TlbReach, tlb_reach};

/// Draws of a bootstrap.
const DRAWS: usize = 200;
/// Fewer sizes show no levels.
const MIN_SIZES: usize = 6;

/// A figure with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IntervalEstimate {
    /// The figure.
    pub value: f64,
    /// Its 95 % interval.
    pub ci95: [f64; 2],
}

/// One cache, as its latency shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CacheLevel {
    /// Its capacity.
    pub capacity_bytes: f64,
    /// 95 % interval of the capacity.
    pub capacity_bytes_ci95: [f64; 2],
    /// Latency of a hit, in nanoseconds.
    pub latency_ns: f64,
    /// 95 % interval of the latency.
    pub latency_ns_ci95: [f64; 2],
    /// Range of sizes (from, to, in bytes) over which latency then rises without a plateau, longer
    /// than for one cache.
    pub climbs_over_bytes: Option<[u64; 2]>,
}

/// The caches in a sweep of sizes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CacheLevels {
    /// The caches, nearest first.
    pub levels: Vec<CacheLevel>,
    /// Latency beyond the last cache, in nanoseconds. Null where latency still rises at the largest
    /// sizes, or where these are below a claimed cache's size.
    pub memory_ns: Option<f64>,
    /// Its 95 % interval.
    pub memory_ns_ci95: Option<[f64; 2]>,
    /// Why there are no levels, or no memory.
    pub refused: Option<NoLevels>,
}

/// Why there are no levels, or no memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum NoLevels {
    /// Too few sizes have enough samples.
    FewSizes {
        /// Number of sizes with enough samples.
        sizes: usize,
    },
    /// There is no plateau.
    NowhereFlat,
    /// Latency still rises at the largest size.
    StillClimbs,
    /// The sweep ends at a size that the largest claimed cache may still hold.
    MemoryNotReached {
        /// The largest size.
        largest_bytes: f64,
        /// The claimed cache.
        cache: CacheClaim,
        /// Latency at the largest sizes, possibly that cache's.
        last_ns: f64,
    },
}

/// Finds levels, with intervals that resample processes first and rounds second. A sweep that ends
/// too early for the largest claimed cache has not reached memory, even on a plateau.
pub fn cache_levels(sweep: &SizeSweep, claims: &[CacheClaim], seed: u64) -> CacheLevels {
    let curve = sweep.curve();
    if curve.len() < MIN_SIZES {
        return CacheLevels {
            refused: Some(NoLevels::FewSizes { sizes: curve.len() }),
            ..CacheLevels::default()
        };
    }
    let draws = resampled(sweep, seed);
    let found = plateaus(&curve);
    let is_last_flat = found.last().is_some_and(|last| last.reaches_the_end(&curve));
    let last_ns = found.last().filter(|_| is_last_flat).map(|last| latency(*last, &curve, &draws));
    let levels = found.windows(2).map(|pair| level(pair[0], pair[1], &curve, &draws)).collect();
    let not_reached = last_ns.and_then(|last| claims::not_reached(&curve, last, claims));
    let memory = last_ns.filter(|_| not_reached.is_none());
    let refused = match (found.len(), is_last_flat) {
        (0, _) => Some(NoLevels::NowhereFlat),
        (_, false) => Some(NoLevels::StillClimbs),
        _ => not_reached,
    };
    let (memory_ns, memory_ns_ci95) =
        (memory.map(|known| known.value), memory.map(|known| known.ci95));
    CacheLevels { levels, memory_ns, memory_ns_ci95, refused }
}

/// Log latency by the log of the size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    /// Logarithm (to the base 2) of the size in bytes.
    pub(crate) octave: f64,
    pub(crate) log_ns: f64,
}

/// Resampled curves. Sizes without samples in a draw keep their median.
fn resampled(sweep: &SizeSweep, seed: u64) -> Vec<Vec<Point>> {
    let curve = sweep.curve();
    let redrawn = |logs: &[f64]| {
        let point = |(place, point): (usize, &Point)| {
            let log_ns = logs[sweep.column(place)];
            Point { log_ns: if log_ns.is_finite() { log_ns } else { point.log_ns }, ..*point }
        };
        curve.iter().enumerate().map(point).collect()
    };
    bootstrap(sweep.matrix(), DRAWS, seed)
        .iter()
        .map(|draw| redrawn(&draw.log_medians[0]))
        .collect()
}

fn latency(plateau: Plateau, curve: &[Point], draws: &[Vec<Point>]) -> IntervalEstimate {
    let value = |curve: &[Point]| plateau.log_ns(curve).exp();
    known(value(curve), draws.iter().map(|draw| value(draw)).collect())
}

fn level(plateau: Plateau, next: Plateau, curve: &[Point], draws: &[Vec<Point>]) -> CacheLevel {
    let climb = Climb::new(plateau, next, curve);
    let fitted = climb.fit(curve);
    let bounds = draws.iter().flat_map(|draw| climb.fit(draw).bounds);
    let held = known(fitted.bytes, bounds.chain(fitted.bounds).collect());
    let cost = latency(plateau, curve, draws);
    let bytes = |place: usize| curve[place].octave.exp2().round() as u64;
    let climbs_over_bytes = fitted.climbs.then(|| [bytes(plateau.to), bytes(next.from)]);
    CacheLevel {
        capacity_bytes: held.value,
        capacity_bytes_ci95: held.ci95,
        latency_ns: cost.value,
        latency_ns_ci95: cost.ci95,
        climbs_over_bytes,
    }
}

/// A figure with the interval of its resamples, extended to include it.
pub(crate) fn known(value: f64, mut resampled: Vec<f64>) -> IntervalEstimate {
    resampled.sort_by(f64::total_cmp);
    let bound = |share| quantile_of_sorted(&resampled, share).unwrap_or(value);
    IntervalEstimate { value, ci95: [bound(0.025).min(value), bound(0.975).max(value)] }
}
