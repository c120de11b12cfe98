//! Where does each cache end, and what does it cost?
//!
//! A chase through buffers of growing size costs the same while the buffer fits a cache, and more
//! beyond: *plateaus*, and *climbs* between them. [`cache_levels`] finds the plateaus first, then
//! fits each climb.
//!
//! Climbs are rarely steps. A cache that evicts the least recently used line misses on everything
//! as soon as the buffer is larger; one that evicts at random still hits part of it at twice its
//! size; hashed slices and pages of 4 KiB that fall on the same sets make misses long before the
//! cache is full. So each climb is fitted with both shapes, sharp or wide, and the *capacity* is
//! that of the one that fits best: the size at which half of the accesses miss for a step in the
//! log of the size, and where misses begin for random eviction, which lets `m = 1 - exp(-m size /
//! capacity)` of a cyclic chase miss.
//!
//! Where a climb is so long that no one cache explains it (a last-level cache shared with
//! neighbours, as in most guests) there is no plateau and no capacity beyond, and nearfar says so;
//! what lies before it still ends where it leaves its plateau.

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
/// Sizes without which there is nothing to find.
const FEWEST_SIZES: usize = 6;

/// A figure and how well it is known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IntervalEstimate {
    /// The figure.
    pub value: f64,
    /// Its 95 % interval.
    pub ci95: [f64; 2],
}

/// One cache, as its latency shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CacheLevel {
    /// How much it holds.
    pub capacity_bytes: f64,
    /// 95 % interval of the capacity.
    pub capacity_bytes_ci95: [f64; 2],
    /// What an access costs that it answers, in nanoseconds.
    pub latency_ns: f64,
    /// 95 % interval of the latency.
    pub latency_ns_ci95: [f64; 2],
    /// Sizes (from, to, in bytes) over which latency then climbs with no plateau, where it climbs
    /// longer than one cache explains.
    pub climbs_over_bytes: Option<[u64; 2]>,
}

/// The caches that a sweep of sizes shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CacheLevels {
    /// The caches, nearest first.
    pub levels: Vec<CacheLevel>,
    /// What an access costs beyond the last cache, in nanoseconds. Null where latency still climbs
    /// at the largest sizes, or these are below a claimed cache's.
    pub memory_ns: Option<f64>,
    /// Its 95 % interval.
    pub memory_ns_ci95: Option<[f64; 2]>,
    /// Why there are no levels, or no memory.
    pub refused: Option<NoLevels>,
}

/// Why there are no levels, or no memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum NoLevels {
    /// Too few sizes have enough samples.
    FewSizes {
        /// How many have.
        sizes: usize,
    },
    /// Latency is nowhere flat.
    NowhereFlat,
    /// Latency still climbs at the largest size.
    StillClimbs,
    /// The sweep ended before the largest claimed cache surely does.
    MemoryNotReached {
        /// The largest size.
        largest_bytes: f64,
        /// The claimed cache.
        cache: CacheClaim,
        /// What an access costs at the largest sizes, which may be that cache's.
        last_ns: f64,
    },
    /// A sentence of a document before schema 2.
    #[serde(untagged)]
    Sentence(String),
}

/// Finds levels, with intervals that resample processes first and rounds second. A sweep that ends
/// before the largest claimed cache surely does has not reached memory, however flat it is there.
pub fn cache_levels(sweep: &SizeSweep, claims: &[CacheClaim], seed: u64) -> CacheLevels {
    let curve = sweep.curve();
    if curve.len() < FEWEST_SIZES {
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

/// Resampled curves. Sizes that a draw holds no sample of keep their median.
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

/// A figure with the interval of its resamples, widened to hold it.
pub(crate) fn known(value: f64, mut resampled: Vec<f64>) -> IntervalEstimate {
    resampled.sort_by(f64::total_cmp);
    let bound = |share| quantile_of_sorted(&resampled, share).unwrap_or(value);
    IntervalEstimate { value, ci95: [bound(0.025).min(value), bound(0.975).max(value)] }
}
