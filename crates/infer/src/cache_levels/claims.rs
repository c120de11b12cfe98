//! Measured caches beside what CPUID or sysfs claim.

use serde::{Deserialize, Serialize};

use super::sweep::Sweep;
use super::{CacheLevel, CacheLevels, Known, Point};

/// A claim and a measurement that differ by no more than this agree.
const AGREES: f64 = 0.25;
/// At this share of a claimed size, latency that has come this share of the way to memory refutes the claim.
const WELL_WITHIN: f64 = 0.75;
const ON_THE_WAY: f64 = 0.5;
/// A measured level that differs from a claim by more octaves than this is another cache.
const ANOTHER: f64 = 4.0;

/// What a machine claims of one cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheClaim {
    /// What it is called, for instance "L2".
    pub name: String,
    /// What one CPU may use of it.
    pub bytes: u64,
}

/// Whether a claim holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum ClaimVerdict {
    /// Within 25 %.
    Agrees {
        /// The measured capacity, in bytes.
        measured_bytes: Known,
        /// In a sentence, where the interval excludes the claimed size all the same.
        why: Option<String>,
    },
    /// It does not.
    DoesNotHold {
        /// The measured capacity, in bytes; `None` where latency climbs with no plateau, long before the claimed size.
        measured_bytes: Option<Known>,
        /// In a sentence.
        why: String,
    },
    /// These numbers do not tell.
    CannotTell {
        /// The measured capacity of the level that is this cache, in bytes; `None` where none is.
        measured_bytes: Option<Known>,
        /// Why not.
        why: String,
    },
}

/// Compares claims, nearest cache first, with what was found.
pub fn compare(sweep: &Sweep, found: &CacheLevels, claims: &[CacheClaim]) -> Vec<ClaimVerdict> {
    let matched = matched(found, claims);
    claims
        .iter()
        .zip(matched)
        .map(|(claim, level)| match level {
            Some(level) => judge(claim, &found.levels[level]),
            None => unmatched(sweep, found, claim),
        })
        .collect()
}

/// Why the last plateau may be a cache's and not memory: the sweep ends before the largest claimed cache surely does.
pub(super) fn not_reached(curve: &[Point], last: Known, claims: &[CacheClaim]) -> Option<String> {
    let largest = largest(curve);
    let farther = claims.iter().filter(|claim| ends_before(largest, claim)).max_by_key(|claim| claim.bytes)?;
    Some(format!(
        "memory was not reached: the sweep ended at {}, and {} of {} is claimed; the last {:.1} ns may be that cache's",
        size(largest),
        farther.name,
        size(farther.bytes as f64),
        last.value
    ))
}

/// The largest size that was measured.
fn largest(curve: &[Point]) -> f64 {
    curve.last().map_or(0.0, |point| point.octave.exp2())
}

/// Whether a sweep up to this size does not reach beyond a claimed cache, even one as much larger as still agrees.
fn ends_before(largest: f64, claim: &CacheClaim) -> bool {
    largest < claim.bytes as f64 * (1.0 + AGREES)
}

/// The level of each claim: one each in order where there are as many, else the nearest ones that keep the order.
fn matched(found: &CacheLevels, claims: &[CacheClaim]) -> Vec<Option<usize>> {
    let count = found.levels.len();
    let mut matched = vec![None; claims.len()];
    if count == claims.len() {
        return (0..count).map(Some).collect();
    }
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (claim, claimed) in claims.iter().enumerate() {
        for (level, measured) in found.levels.iter().enumerate() {
            let octaves = (measured.capacity_bytes.value / claimed.bytes.max(1) as f64).log2().abs();
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

fn judge(claim: &CacheClaim, level: &CacheLevel) -> ClaimVerdict {
    let measured = level.capacity_bytes;
    let claimed = claim.bytes as f64;
    let ratio = |bytes: f64| bytes / claimed;
    let within = |ratio: f64| (1.0 - AGREES..=1.0 + AGREES).contains(&ratio);
    let [low, high] = measured.ci95.map(ratio);
    let measured_text =
        format!("{} (95 %: {} to {})", size(measured.value), size(measured.ci95[0]), size(measured.ci95[1]));
    if within(ratio(measured.value)) {
        let why = (!(low..=high).contains(&1.0)).then(|| {
            format!(
                "{} of {} is claimed, {measured_text} measured: within {:.0} %, but not the same",
                claim.name,
                size(claimed),
                100.0 * AGREES
            )
        });
        return ClaimVerdict::Agrees { measured_bytes: measured, why };
    }
    // Where one cache does not explain a climb, what was measured is where it begins; the cache may end anywhere in it.
    if let Some([from, to]) = level.climbs_over_bytes.filter(|[from, to]| (*from..=*to).contains(&claim.bytes)) {
        let why = format!(
            "{} of {} is claimed; latency climbs from {} to {}, longer or otherwise than one cache explains, and it may end anywhere there",
            claim.name,
            size(claimed),
            size(from as f64),
            size(to as f64)
        );
        return ClaimVerdict::CannotTell { measured_bytes: Some(measured), why };
    }
    if high < 1.0 - AGREES || low > 1.0 + AGREES {
        let why = format!("{} of {} is claimed, {measured_text} measured", claim.name, size(claimed));
        return ClaimVerdict::DoesNotHold { measured_bytes: Some(measured), why };
    }
    let why =
        format!("{} of {} is claimed; {measured_text} is too wide to tell: more rounds", claim.name, size(claimed));
    ClaimVerdict::CannotTell { measured_bytes: Some(measured), why }
}

/// No plateau ends near the claimed size: is latency already on its way to memory well within it?
fn unmatched(sweep: &Sweep, found: &CacheLevels, claim: &CacheClaim) -> ClaimVerdict {
    let name = format!("{} of {}", claim.name, size(claim.bytes as f64));
    let curve = sweep.curve();
    if curve.is_empty() {
        return nothing_tells(format!("{name} is claimed; no size has samples enough to tell"));
    }
    if ends_before(largest(&curve), claim) {
        return nothing_tells(format!("{name} is claimed, but the sweep ends at {}", size(largest(&curve))));
    }
    let within = (claim.bytes as f64 * WELL_WITHIN).log2();
    let point = curve.iter().rev().find(|point| point.octave <= within);
    let last = found.levels.last().map(|level| level.latency_ns.value);
    let (Some(point), Some(memory), Some(cached)) = (point, found.memory_ns, last) else {
        return nothing_tells(format!("{name} is claimed, but no plateau of it was found"));
    };
    let share = (point.log_ns.exp() - cached) / (memory.value - cached);
    if share >= ON_THE_WAY {
        let at = size(point.octave.exp2());
        let why = format!(
            "{name} is claimed, but a buffer of {at} already costs {:.1} ns, {:.0} % of the way to memory",
            point.log_ns.exp(),
            100.0 * share
        );
        return ClaimVerdict::DoesNotHold { measured_bytes: None, why };
    }
    nothing_tells(format!("{name} is claimed, but latency climbs with no plateau: others may share it"))
}

/// No level is this cache.
fn nothing_tells(why: String) -> ClaimVerdict {
    ClaimVerdict::CannotTell { measured_bytes: None, why }
}

/// A size as people write it.
fn size(bytes: f64) -> String {
    let (value, unit) = match bytes {
        bytes if bytes >= 1_073_741_824.0 => (bytes / 1_073_741_824.0, "GiB"),
        bytes if bytes >= 1_048_576.0 => (bytes / 1_048_576.0, "MiB"),
        bytes => (bytes / 1024.0, "KiB"),
    };
    let text = format!("{value:.1}");
    format!("{} {unit}", text.strip_suffix(".0").unwrap_or(&text))
}
