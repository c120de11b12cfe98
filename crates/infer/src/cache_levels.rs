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
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use nearfar_model::{CellIndex, MatrixShape, Sample};
use serde::{Deserialize, Serialize};

use crate::bootstrap::bootstrap;
use crate::cell::{median, quantile_of_sorted};
use crate::sample_matrix::{InferError, SampleMatrix};
use capacity::Climb;
use plateaus::{Plateau, plateaus};

pub use claims::{CacheClaim, CacheClaimReason, CacheClaimVerdict, CacheVerdict, compare};

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

/// The samples of one size.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeSweepPoint {
    /// Size of the buffer.
    pub bytes: u64,
    /// Its samples, in any order: nanoseconds per access.
    pub samples: Vec<Sample>,
}

/// Samples of sizes from a few KiB to beyond the last cache, ascending.
#[derive(Clone, Debug)]
pub struct SizeSweep {
    bytes: Vec<u64>,
    matrix: SampleMatrix,
    /// Columns with enough samples to estimate scatter: others would move plateaus, with zero
    /// apparent scatter.
    sampled: Vec<usize>,
}

impl SizeSweep {
    /// From points in any order. Points of one size are combined, and sizes of 0 are skipped.
    pub fn new(points: &[SizeSweepPoint]) -> Result<Self, InferError> {
        let sizes: BTreeSet<u64> =
            points.iter().map(|point| point.bytes).filter(|&bytes| bytes > 0).collect();
        let bytes = Vec::from_iter(sizes);
        let mut samples = Vec::new();
        for point in points {
            let Ok(column) = bytes.binary_search(&point.bytes) else { continue };
            samples.extend(
                point
                    .samples
                    .iter()
                    .map(|sample| Sample { place: CellIndex::new(0, column), ..*sample }),
            );
        }
        let matrix = SampleMatrix::new(MatrixShape::new(1, bytes.len()), &samples)?;
        let sampled =
            (0..bytes.len()).filter(|&column| matrix.cells()[column].scatters()).collect();
        Ok(Self { bytes, matrix, sampled })
    }

    pub(crate) fn matrix(&self) -> &SampleMatrix {
        &self.matrix
    }

    /// The column of the curve's point.
    pub(crate) fn column(&self, place: usize) -> usize {
        self.sampled[place]
    }

    /// Size of the curve's point.
    pub(crate) fn bytes(&self, place: usize) -> u64 {
        self.bytes[self.sampled[place]]
    }

    /// Medians of the sizes with enough samples.
    pub(crate) fn curve(&self) -> Vec<Point> {
        let point = |&column: &usize| {
            let log_ns = self.matrix.cells()[column].log_median()?;
            Some(Point { octave: (self.bytes[column] as f64).log2(), log_ns })
        };
        self.sampled.iter().filter_map(point).collect()
    }
}

/// The smallest relative extra cost of base pages.
const MIN_EXTRA: f64 = 0.03;
/// Neighbouring sizes on either side that are combined with a size, against noise.
const AROUND: usize = 2;

/// The size from which base pages cost more, and the extra cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TlbReach {
    /// The largest size at which base pages certainly cost no more, and the smallest from which on
    /// they certainly do.
    pub bytes: [u64; 2],
    /// The same in pages.
    pub entries: [u64; 2],
    /// The extra cost at the largest size, in nanoseconds per access.
    pub extra_ns: f64,
}

/// Compares a sweep on base pages with one on huge pages, size by size. `None` where base pages
/// cost no more at the largest sizes.
///
/// A cache whose sets base pages fill unevenly also costs more near its capacity. That effect ends
/// beyond it, and does not count.
pub fn tlb_reach(
    base: &SizeSweep,
    huge: &SizeSweep,
    page_bytes: u64,
    seed: u64,
) -> Option<TlbReach> {
    let extras = extras(base, huge, seed);
    let is_sure = |extra: &Extra| extra.low > 0.0 && extra.share >= MIN_EXTRA;
    let from = extras.iter().rposition(|extra| !is_sure(extra)).map_or(0, |place| place + 1);
    let first = extras.get(from)?;
    let free = extras[..from].iter().rfind(|extra| extra.high < MIN_EXTRA).or(extras.first())?;
    let bytes = [free.bytes.min(first.bytes), first.bytes];
    let extra_ns = extras.last()?.ns;
    Some(TlbReach { bytes, entries: bytes.map(|bytes| bytes / page_bytes.max(1)), extra_ns })
}

struct Extra {
    bytes: u64,
    ns: f64,
    /// The extra cost of this size and its neighbours, as a fraction, with its interval.
    share: f64,
    low: f64,
    high: f64,
}

fn extras(base: &SizeSweep, huge: &SizeSweep, seed: u64) -> Vec<Extra> {
    let [base_draws, huge_draws] =
        [(base, seed), (huge, !seed)].map(|(sweep, seed)| resampled(sweep, seed));
    let [base_curve, huge_curve] = [base, huge].map(SizeSweep::curve);
    let huge_places: BTreeMap<u64, usize> =
        (0..huge_curve.len()).map(|place| (huge.bytes(place), place)).collect();
    let shared: Vec<(usize, usize)> = (0..base_curve.len())
        .filter_map(|place| Some((place, *huge_places.get(&base.bytes(place))?)))
        .collect();
    let extra = |index: usize| {
        let (place, other) = shared[index];
        let bytes = base.bytes(place);
        let around = &shared[index.saturating_sub(AROUND)..(index + AROUND + 1).min(shared.len())];
        let ratio = |(base, huge): (&Vec<Point>, &Vec<Point>)| {
            let logs = around.iter().map(|&(place, other)| base[place].log_ns - huge[other].log_ns);
            median(logs).map_or(0.0, f64::exp_m1)
        };
        let mut ratios: Vec<f64> = base_draws.iter().zip(&huge_draws).map(ratio).collect();
        ratios.sort_by(f64::total_cmp);
        let ns = base_curve[place].log_ns.exp() - huge_curve[other].log_ns.exp();
        let [low, share, high] =
            [0.025, 0.5, 0.975].map(|share| quantile_of_sorted(&ratios, share));
        Some(Extra { bytes, ns, share: share?, low: low?, high: high? })
    };
    (0..shared.len()).filter_map(extra).collect()
}
