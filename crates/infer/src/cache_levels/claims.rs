//! Measured caches compared with the claims of CPUID or sysfs.

use serde::{Deserialize, Serialize};

use super::SizeSweep;
use super::{CacheLevel, CacheLevels, IntervalEstimate, NoLevels, Point};

/// The largest relative difference between a claim and an agreeing measurement.
const AGREES: f64 = 0.25;
/// The share of a claimed size at which a latency near that of memory refutes the claim.
const WELL_WITHIN: f64 = 0.75;
const ON_THE_WAY: f64 = 0.5;
/// A measured level that differs from a claim by more octaves than this is another cache.
const ANOTHER: f64 = 4.0;

/// A claim about one cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CacheClaim {
    /// The cache's name, for instance "L2".
    pub name: String,
    /// The capacity for one CPU.
    #[serde(rename = "claimed_bytes")]
    pub bytes: u64,
}

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CacheClaimVerdict {
    /// The measured capacity is within 25 %.
    Agrees,
    /// It is not.
    #[serde(rename = "does-not-hold")]
    Contradicted,
    /// The data is insufficient.
    #[serde(rename = "cannot-tell")]
    Undetermined,
}

/// A claim compared with a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CacheVerdict {
    /// "agrees" (within 25 %), "does-not-hold" or "cannot-tell".
    pub verdict: CacheClaimVerdict,
    /// The measured capacity; null without one.
    pub measured_bytes: Option<f64>,
    /// The reason, where the claim does not agree, or not exactly.
    pub why: Option<CacheClaimReason>,
}

/// The reason of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum CacheClaimReason {
    /// Nothing was measured.
    NotMeasured,
    /// Within the tolerance, and the interval excludes the claimed size.
    NotTheSame {
        /// The measured capacity.
        bytes: f64,
        /// Its 95 % interval.
        ci95: [f64; 2],
        /// The tolerance, as a fraction of the claimed size.
        tolerance: f64,
    },
    /// Another capacity was measured.
    OtherSize {
        /// The measured capacity.
        bytes: f64,
        /// Its 95 % interval.
        ci95: [f64; 2],
    },
    /// The interval of the measured capacity is too wide.
    TooWide {
        /// The measured capacity.
        bytes: f64,
        /// Its 95 % interval.
        ci95: [f64; 2],
    },
    /// Latency climbs over the claimed size, longer than for one cache, or in another shape.
    InAClimb {
        /// Start of the climb.
        from_bytes: u64,
        /// End of the climb.
        to_bytes: u64,
    },
    /// No size has enough samples.
    NoSizes,
    /// The sweep ends at a size that the claimed cache may still hold.
    SweepEnds {
        /// The largest size.
        largest_bytes: f64,
    },
    /// The cache has no plateau.
    NoPlateau,
    /// A buffer well below the claimed size already costs nearly as much as memory.
    OnTheWayToMemory {
        /// Size of the buffer.
        bytes: f64,
        /// Its latency.
        ns: f64,
        /// Its position between the last cache and memory, as a fraction.
        share: f64,
    },
    /// Latency climbs without a plateau.
    ClimbsWithoutPlateau,
}

impl CacheVerdict {
    /// Nothing was measured.
    pub fn not_measured() -> Self {
        Self::without_a_level(CacheClaimVerdict::Undetermined, CacheClaimReason::NotMeasured)
    }

    pub(super) fn without_a_level(verdict: CacheClaimVerdict, why: CacheClaimReason) -> Self {
        Self { verdict, measured_bytes: None, why: Some(why) }
    }
}

/// Compares claims, nearest cache first, with measured levels.
pub fn compare(sweep: &SizeSweep, found: &CacheLevels, claims: &[CacheClaim]) -> Vec<CacheVerdict> {
    let matched = matched(found, claims);
    claims
        .iter()
        .zip(matched)
        .map(|(claim, level)| match level {
            Some(level) => judge(claim, &found.levels[level]),
            None => {
                let (verdict, why) = unmatched(sweep, found, claim);
                CacheVerdict::without_a_level(verdict, why)
            }
        })
        .collect()
}

/// Why the last plateau may be a cache's instead of memory's: the sweep ends at a size that the
/// largest claimed cache may still hold.
pub(super) fn not_reached(
    curve: &[Point],
    last: IntervalEstimate,
    claims: &[CacheClaim],
) -> Option<NoLevels> {
    let largest_bytes = largest(curve);
    let farther = claims
        .iter()
        .filter(|claim| ends_before(largest_bytes, claim))
        .max_by_key(|claim| claim.bytes)?;
    Some(NoLevels::MemoryNotReached { largest_bytes, cache: farther.clone(), last_ns: last.value })
}

/// The largest measured size.
fn largest(curve: &[Point]) -> f64 {
    curve.last().map_or(0.0, |point| point.octave.exp2())
}

/// Whether a claimed cache may hold a buffer of this size, within the tolerance.
fn ends_before(largest: f64, claim: &CacheClaim) -> bool {
    largest < claim.bytes as f64 * (1.0 + AGREES)
}

/// The level of each claim: one each in order if the numbers are equal, else the nearest ones that
/// keep the order.
fn matched(found: &CacheLevels, claims: &[CacheClaim]) -> Vec<Option<usize>> {
    let count = found.levels.len();
    let mut matched = vec![None; claims.len()];
    if count == claims.len() {
        return (0..count).map(Some).collect();
    }
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (claim, claimed) in claims.iter().enumerate() {
        for (level, measured) in found.levels.iter().enumerate() {
            let octaves = (measured.capacity_bytes / claimed.bytes.max(1) as f64).log2().abs();
            pairs.push((octaves, claim, level));
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (_, claim, level) in pairs.into_iter().filter(|pair| pair.0 <= ANOTHER) {
        let in_order = |(other, taken): (usize, &Option<usize>)| match taken {
            Some(taken) => other != claim && (other < claim) == (*taken < level) && *taken != level,
            None => true,
        };
        if matched.iter().enumerate().all(in_order) {
            matched[claim] = Some(level);
        }
    }
    matched
}

fn judge(claim: &CacheClaim, level: &CacheLevel) -> CacheVerdict {
    let (bytes, ci95) = (level.capacity_bytes, level.capacity_bytes_ci95);
    let ratio = |bytes: f64| bytes / claim.bytes as f64;
    let within = |ratio: f64| (1.0 - AGREES..=1.0 + AGREES).contains(&ratio);
    let [low, high] = ci95.map(ratio);
    // Where one cache does not explain a climb, its start is the measurement, and the cache may end
    // anywhere in the climb.
    let climb = level.climbs_over_bytes.filter(|[from, to]| (*from..=*to).contains(&claim.bytes));
    let (verdict, why) = if within(ratio(bytes)) {
        let is_the_same = (low..=high).contains(&1.0);
        (
            CacheClaimVerdict::Agrees,
            (!is_the_same).then_some(CacheClaimReason::NotTheSame {
                bytes,
                ci95,
                tolerance: AGREES,
            }),
        )
    } else if let Some([from_bytes, to_bytes]) = climb {
        (CacheClaimVerdict::Undetermined, Some(CacheClaimReason::InAClimb { from_bytes, to_bytes }))
    } else if high < 1.0 - AGREES || low > 1.0 + AGREES {
        (CacheClaimVerdict::Contradicted, Some(CacheClaimReason::OtherSize { bytes, ci95 }))
    } else {
        (CacheClaimVerdict::Undetermined, Some(CacheClaimReason::TooWide { bytes, ci95 }))
    };
    CacheVerdict { verdict, measured_bytes: Some(bytes), why }
}

/// No plateau ends near the claimed size: is latency far above the cache's well below that size?
fn unmatched(
    sweep: &SizeSweep,
    found: &CacheLevels,
    claim: &CacheClaim,
) -> (CacheClaimVerdict, CacheClaimReason) {
    let curve = sweep.curve();
    if curve.is_empty() {
        return (CacheClaimVerdict::Undetermined, CacheClaimReason::NoSizes);
    }
    let largest_bytes = largest(&curve);
    if ends_before(largest_bytes, claim) {
        return (CacheClaimVerdict::Undetermined, CacheClaimReason::SweepEnds { largest_bytes });
    }
    let within = (claim.bytes as f64 * WELL_WITHIN).log2();
    let point = curve.iter().rev().find(|point| point.octave <= within);
    let last = found.levels.last().map(|level| level.latency_ns);
    let (Some(point), Some(memory), Some(cached)) = (point, found.memory_ns, last) else {
        return (CacheClaimVerdict::Undetermined, CacheClaimReason::NoPlateau);
    };
    let (bytes, ns) = (point.octave.exp2(), point.log_ns.exp());
    let share = (ns - cached) / (memory - cached);
    match share >= ON_THE_WAY {
        true => (
            CacheClaimVerdict::Contradicted,
            CacheClaimReason::OnTheWayToMemory { bytes, ns, share },
        ),
        false => (CacheClaimVerdict::Undetermined, CacheClaimReason::ClimbsWithoutPlateau),
    }
}
