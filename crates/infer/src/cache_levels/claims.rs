//! Measured caches beside what CPUID or sysfs claim.

use serde::{Deserialize, Serialize};

use super::sweep::SizeSweep;
use super::{CacheLevel, CacheLevels, IntervalEstimate, NoLevels, Point};

/// A claim and a measurement that differ by no more than this agree.
const AGREES: f64 = 0.25;
/// At this share of a claimed size, latency that has come this share of the way to memory refutes
/// the claim.
const WELL_WITHIN: f64 = 0.75;
const ON_THE_WAY: f64 = 0.5;
/// A measured level that differs from a claim by more octaves than this is another cache.
const ANOTHER: f64 = 4.0;

/// What a machine claims of one cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CacheClaim {
    /// What it is called, for instance "L2".
    pub name: String,
    /// What one CPU may use of it.
    #[serde(rename = "claimed_bytes")]
    pub bytes: u64,
}

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CacheClaimVerdict {
    /// Within 25 %.
    Agrees,
    /// It does not.
    #[serde(rename = "does-not-hold")]
    Contradicted,
    /// These numbers do not tell.
    #[serde(rename = "cannot-tell")]
    Undetermined,
}

/// A claim compared with what was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CacheVerdict {
    /// "agrees" (within 25 %), "does-not-hold" or "cannot-tell".
    pub verdict: CacheClaimVerdict,
    /// What was measured in its place; null where nothing was.
    pub measured_bytes: Option<f64>,
    /// Why, where it does not agree, or not exactly.
    pub why: Option<CacheClaimReason>,
}

/// Why a claim holds or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum CacheClaimReason {
    /// Nothing was measured.
    NotMeasured,
    /// Within what is tolerated, and the interval excludes the claimed size.
    NotTheSame {
        /// The measured capacity.
        bytes: f64,
        /// Its 95 % interval.
        ci95: [f64; 2],
        /// What is tolerated, as a fraction of the claimed size.
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
    /// Latency climbs over the claimed size, longer or otherwise than one cache explains.
    InAClimb {
        /// Where the climb begins.
        from_bytes: u64,
        /// Where it ends.
        to_bytes: u64,
    },
    /// No size has enough samples.
    NoSizes,
    /// The sweep ends before the claimed cache surely does.
    SweepEnds {
        /// The largest size.
        largest_bytes: f64,
    },
    /// No plateau of it was found.
    NoPlateau,
    /// A buffer well within the claimed size already costs nearly what memory does.
    OnTheWayToMemory {
        /// The buffer.
        bytes: f64,
        /// What an access costs in it.
        ns: f64,
        /// How far that is on the way from the last cache to memory, a fraction.
        share: f64,
    },
    /// Latency climbs with no plateau.
    ClimbsWithoutPlateau,
    /// A sentence of a document before schema 2.
    #[serde(untagged)]
    Sentence(String),
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

/// Compares claims, nearest cache first, with what was found.
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

/// Why the last plateau may be a cache's and not memory: the sweep ends before the largest claimed
/// cache surely does.
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

/// The largest size that was measured.
fn largest(curve: &[Point]) -> f64 {
    curve.last().map_or(0.0, |point| point.octave.exp2())
}

/// Whether a sweep up to this size does not reach beyond a claimed cache, even one as much larger
/// as still agrees.
fn ends_before(largest: f64, claim: &CacheClaim) -> bool {
    largest < claim.bytes as f64 * (1.0 + AGREES)
}

/// The level of each claim: one each in order where there are as many, else the nearest ones that
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
    // Where one cache does not explain a climb, what was measured is where it begins; the cache may
    // end anywhere in it.
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

/// No plateau ends near the claimed size: is latency already on its way to memory well within it?
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
