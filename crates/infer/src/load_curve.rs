//! Latency of memory under load, the load at which it rises, and shared links.
//!
//! Each point is one victim's latency while other CPUs inject traffic, with a delay between their
//! requests: a shorter delay is a heavier load. *Idle* is the latency at the lightest loads, the
//! *knee* the smallest load at which latency exceeds idle by 20 %, *saturated* the latency at the
//! heaviest load. Latency does not decrease with load; noise does. So isotonic regression comes
//! first.

use nearfar_model::Sample;
use serde::{Deserialize, Serialize};

use crate::bootstrap::bootstrap;
use crate::cache_levels::{IntervalEstimate, known};
use crate::cell::{CellSamples, MIN_SAMPLES, median};
use crate::contrast::contrast;
use crate::isotonic::isotonic;
use crate::sample_matrix::{InferError, SampleMatrix};

/// The rise of latency over idle at the knee.
pub const KNEE: f64 = 0.2;
/// The slowdown above which a busy neighbour shares a link.
pub const SHARED: f64 = 0.05;

/// Loads up to this share of the largest count as idle, if there are several.
const IDLE_SHARE: f64 = 0.05;
const DRAWS: usize = 400;
/// A ratio of neighbouring loads below this locates the knee between them precisely enough.
const KNEE_KNOWN: f64 = 1.15;
/// A smaller ratio of neighbouring latencies needs no point between.
const MIN_BEND: f64 = 1.05;

/// Latency at one load.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadPoint {
    /// The injectors' delay between requests, in any unit: 0 is the heaviest load.
    pub delay: u32,
    /// Bandwidth of the injectors, in bytes a second.
    pub bytes_per_s: f64,
    /// The victim's latencies, in nanoseconds.
    pub samples: Vec<Sample>,
}

/// The features of a load curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LoadCurve {
    /// Latency at the lightest loads.
    pub idle_ns: IntervalEstimate,
    /// The smallest load at which latency exceeds idle by 20 %. The interval extends to the
    /// neighbouring measured loads.
    pub knee_bytes_per_s: Option<IntervalEstimate>,
    /// Latency at the heaviest load.
    pub saturated_ns: IntervalEstimate,
    /// The largest bandwidth of the injectors.
    pub saturated_bytes_per_s: f64,
    /// Why there is no knee.
    pub why: Option<NoKnee>,
}

/// Why a load curve has no knee.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum NoKnee {
    /// Latency rises by less than 20 %.
    LittleRise {
        /// The rise, as a fraction.
        rise: f64,
    },
}

/// The features of a curve; `None` where no point has enough samples. Intervals resample processes
/// first and rounds second.
pub fn load_curve(points: &[LoadPoint], seed: u64) -> Result<Option<LoadCurve>, InferError> {
    let points = by_load(points);
    let matrix = SampleMatrix::from_groups(
        &points.iter().map(|point| point.samples.as_slice()).collect::<Vec<_>>(),
    )?;
    let medians: Option<Vec<f64>> = matrix.cells().iter().map(CellSamples::log_median).collect();
    let Some(medians) = medians.filter(|medians| !medians.is_empty()) else { return Ok(None) };
    let loads: Vec<f64> = points.iter().map(|point| point.bytes_per_s).collect();
    let shape = CurveShape::new(&loads, &medians);
    let or_median =
        |(drawn, median): (&f64, &f64)| if drawn.is_finite() { *drawn } else { *median };
    let drawn = |logs: &Vec<f64>| {
        CurveShape::new(&loads, &logs.iter().zip(&medians).map(or_median).collect::<Vec<_>>())
    };
    let draws = bootstrap(&matrix, DRAWS, seed);
    let draws: Vec<CurveShape> = draws.iter().map(|draw| drawn(&draw.log_medians[0])).collect();
    let of =
        |value: fn(&CurveShape) -> f64| known(value(&shape), draws.iter().map(value).collect());
    let knees = || draws.iter().filter_map(|draw| draw.knee);
    let knee_bytes_per_s =
        shape.knee.map(|knee| known(knee.at, knees().flat_map(|knee| knee.between).collect()));
    let rise = (shape.saturated - shape.idle).exp_m1();
    Ok(Some(LoadCurve {
        idle_ns: of(|shape| shape.idle.exp()),
        knee_bytes_per_s,
        saturated_ns: of(|shape| shape.saturated.exp()),
        saturated_bytes_per_s: loads.iter().copied().fold(0.0, f64::max),
        why: shape.knee.is_none().then_some(NoKnee::LittleRise { rise }),
    }))
}

/// Points with enough samples to estimate scatter, from the lightest load to the heaviest. With
/// fewer, their scatter would seem to be zero.
fn by_load(points: &[LoadPoint]) -> Vec<&LoadPoint> {
    let scatters = |point: &LoadPoint| {
        let block = |sample: &Sample| (sample.process, sample.round);
        let first = point.samples.first().map(block);
        point.samples.len() >= MIN_SAMPLES
            && point.samples.iter().any(|sample| Some(block(sample)) != first)
    };
    let is_sound = |point: &&LoadPoint| {
        scatters(point) && point.bytes_per_s.is_finite() && point.bytes_per_s >= 0.0
    };
    let mut points: Vec<&LoadPoint> = points.iter().filter(is_sound).collect();
    points.sort_by_key(|point| std::cmp::Reverse(point.delay));
    points
}

/// One curve's features; latencies are logs.
struct CurveShape {
    idle: f64,
    saturated: f64,
    knee: Option<CurveKnee>,
}

#[derive(Clone, Copy)]
struct CurveKnee {
    at: f64,
    /// The measured loads on either side.
    between: [f64; 2],
}

impl CurveShape {
    fn new(loads: &[f64], logs: &[f64]) -> Self {
        let rising = isotonic(logs);
        let most = loads.iter().copied().fold(0.0, f64::max);
        let light = loads.iter().take_while(|&&load| load <= IDLE_SHARE * most).count().max(1);
        let idle = logs[..light].iter().sum::<f64>() / light as f64;
        let limit = idle + KNEE.ln_1p();
        let beyond = rising.iter().position(|&log| log >= limit).filter(|&place| place > 0);
        let knee = beyond.map(|beyond| {
            let between = [loads[beyond - 1], loads[beyond]];
            let share = (limit - rising[beyond - 1]) / (rising[beyond] - rising[beyond - 1]);
            CurveKnee {
                at: between[0] + share.clamp(0.0, 1.0) * (between[1] - between[0]),
                between,
            }
        });
        Self { idle, saturated: rising[rising.len() - 1], knee }
    }
}

/// The delay to measure next: between the two loads around the knee, as long as they are far apart;
/// then between those whose latencies differ most. `None` when the curve is resolved.
pub fn next_delay(points: &[LoadPoint]) -> Option<u32> {
    let points = by_load(points);
    let gaps: Vec<Gap> = points.windows(2).filter_map(|pair| Gap::new(pair[0], pair[1])).collect();
    let limit = gaps.first()?.ns[0] * (1.0 + KNEE);
    let knee =
        gaps.iter().find(|gap| gap.ns[1] >= limit).filter(|gap| gap.ns[0] < limit && gap.is_wide());
    let steepest = || {
        let bends = gaps.iter().filter(|gap| gap.ratio() >= MIN_BEND && gap.middle.is_some());
        bends.max_by(|a, b| a.ratio().total_cmp(&b.ratio()))
    };
    knee.or_else(steepest)?.middle
}

struct Gap {
    ns: [f64; 2],
    bytes_per_s: [f64; 2],
    /// A delay between both, where there is one.
    middle: Option<u32>,
}

impl Gap {
    fn new(lighter: &LoadPoint, heavier: &LoadPoint) -> Option<Self> {
        let (slow, fast) = (u64::from(lighter.delay), u64::from(heavier.delay));
        // The geometric mean of delays, each increased by one since 0 is a delay.
        let middle = (((slow + 1) * (fast + 1)) as f64).sqrt().round() as u64 - 1;
        let middle = u32::try_from(middle).ok().filter(|_| middle < slow && middle > fast);
        let bytes_per_s = [lighter.bytes_per_s, heavier.bytes_per_s];
        Some(Self { ns: [median_ns(lighter)?, median_ns(heavier)?], bytes_per_s, middle })
    }

    fn ratio(&self) -> f64 {
        self.ns[1] / self.ns[0]
    }

    /// Whether the knee lies in a gap that can and should be narrowed.
    fn is_wide(&self) -> bool {
        self.middle.is_some() && self.bytes_per_s[1] > self.bytes_per_s[0] * KNEE_KNOWN
    }
}

fn median_ns(point: &LoadPoint) -> Option<f64> {
    median(point.samples.iter().map(|sample| sample.value))
}

/// Whether two paths to memory share a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LinkSharing {
    /// The victim is slowed by more than 5 %.
    Yes,
    /// The victim is slowed by less.
    No,
    /// The data is insufficient.
    Undetermined,
}

/// The slowdown of a victim by a busy aggressor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SharesLink {
    /// "yes", "no" or "undetermined".
    #[serde(rename = "verdict")]
    pub shared: LinkSharing,
    /// The victim's latency under load over its latency alone, minus 1; null without a comparison.
    pub slowdown: Option<f64>,
    /// Its 95 % interval.
    pub ci95: Option<[f64; 2]>,
}

/// Compares a victim's costs (latencies, or nanoseconds a byte) alone and with a busy aggressor,
/// measured in the same rounds.
pub fn shares_link(alone: &[Sample], busy: &[Sample], seed: u64) -> Result<SharesLink, InferError> {
    let matrix = SampleMatrix::from_groups(&[alone, busy])?;
    let Some(contrast) = contrast(&matrix, 0, 0, 1, seed) else {
        return Ok(SharesLink { shared: LinkSharing::Undetermined, slowdown: None, ci95: None });
    };
    let [low, high] = contrast.ci95.map(f64::exp_m1);
    let shared = match (low > SHARED, high < SHARED) {
        (true, _) => LinkSharing::Yes,
        (_, true) => LinkSharing::No,
        _ => LinkSharing::Undetermined,
    };
    Ok(SharesLink { shared, slowdown: Some(contrast.log_ratio.exp_m1()), ci95: Some([low, high]) })
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use nearfar_model::CellIndex;

    use super::*;

    /// An M/D/1 queue behind a constant latency: latency = constant + service (1 + u / 2 (1 - u)).
    struct Queue {
        way_ns: f64,
        service_ns: f64,
        most_bytes_per_s: f64,
    }

    const MACHINE: Queue = Queue { way_ns: 70.0, service_ns: 20.0, most_bytes_per_s: 40e9 };

    impl Queue {
        fn use_at(delay: u32) -> f64 {
            0.985 * 60.0 / (60.0 + f64::from(delay))
        }

        fn ns(&self, used: f64) -> f64 {
            self.way_ns + self.service_ns * (1.0 + used / (2.0 * (1.0 - used)))
        }

        fn true_knee(&self) -> f64 {
            // The waiting time is 0.2 of idle: service u / 2 (1 - u).
            let wait = KNEE * self.ns(0.0) / self.service_ns * 2.0;
            self.most_bytes_per_s * wait / (1.0 + wait)
        }

        fn point(&self, delay: u32, rng: &mut Rng) -> LoadPoint {
            let used = Self::use_at(delay);
            let sample = |place: u32| {
                Sample::new(place / 3, place % 3, CellIndex::default(), self.ns(used) * noise(rng))
            };
            LoadPoint {
                delay,
                bytes_per_s: used * self.most_bytes_per_s,
                samples: (0..15).map(sample).collect(),
            }
        }

        fn explored(&self, seed: u64) -> Vec<LoadPoint> {
            let rng = &mut Rng::with_seed(seed);
            let mut points: Vec<LoadPoint> =
                [20_000, 2_000, 0].map(|delay| self.point(delay, rng)).into();
            while let Some(delay) = next_delay(&points).filter(|_| points.len() < 16) {
                points.push(self.point(delay, rng));
            }
            points
        }
    }

    fn noise(rng: &mut Rng) -> f64 {
        let normal = crate::normal(rng);
        let tail = if rng.f64() < 0.05 { -0.1 * (1.0 - rng.f64()).ln() } else { 0.0 };
        (0.02 * normal + tail).exp()
    }

    #[test]
    fn idle_knee_and_saturation_of_a_queue_are_found() {
        let mut held = 0;
        for seed in 0..40 {
            let curve = load_curve(&MACHINE.explored(seed), seed).unwrap().unwrap();
            let knee = curve.knee_bytes_per_s.unwrap();
            let near = |value: f64, truth: f64, share: f64| (value / truth - 1.0).abs() < share;
            assert!(near(curve.idle_ns.value, MACHINE.ns(0.0), 0.03), "seed {seed}: {curve:?}");
            assert!(
                near(curve.saturated_ns.value, MACHINE.ns(0.985), 0.03),
                "seed {seed}: {curve:?}"
            );
            assert!(
                near(knee.value, MACHINE.true_knee(), 0.10),
                "seed {seed}: {curve:?}, {}",
                MACHINE.true_knee()
            );
            held += usize::from((knee.ci95[0]..=knee.ci95[1]).contains(&MACHINE.true_knee()));
            assert!(near(curve.saturated_bytes_per_s, 0.985 * 40e9, 1e-9));
        }
        assert!(held >= 36, "{held} of 40 intervals hold the knee");
    }

    #[test]
    fn delays_are_dense_at_the_knee() {
        let points = MACHINE.explored(1);
        let busy = points.iter().filter(|point| Queue::use_at(point.delay) > 0.5).count();
        assert!(busy * 2 > points.len(), "{busy} of {}", points.len());
        let mut delays: Vec<u32> = points.iter().map(|point| point.delay).collect();
        delays.sort_unstable();
        delays.dedup();
        assert_eq!(delays.len(), points.len());
    }

    #[test]
    fn insufficient_load_has_no_knee() {
        let rng = &mut Rng::with_seed(1);
        let points = [20_000, 2_000, 600].map(|delay| MACHINE.point(delay, rng));
        let curve = load_curve(&points, 1).unwrap().unwrap();
        assert!(
            curve.knee_bytes_per_s.is_none()
                && matches!(curve.why, Some(NoKnee::LittleRise { .. }))
        );
        assert_eq!(load_curve(&[], 1).unwrap(), None);
        assert_eq!(next_delay(&points[..1]), None);
    }

    /// Two samples of a busy machine give no saturation: their scatter would be zero.
    #[test]
    fn points_with_few_samples_are_skipped() {
        let rng = &mut Rng::with_seed(1);
        let mut points = [20_000, 600, 300, 0].map(|delay| MACHINE.point(delay, rng));
        points[3].samples.truncate(2);
        let curve = load_curve(&points, 1).unwrap().unwrap();
        assert_eq!(curve.saturated_bytes_per_s, points[2].bytes_per_s);
        assert!(curve.saturated_ns.ci95[0] < curve.saturated_ns.ci95[1], "{curve:?}");
        points.iter_mut().for_each(|point| point.samples.truncate(1));
        assert_eq!(load_curve(&points, 1).unwrap(), None);
    }

    #[test]
    fn shared_links_are_detected() {
        let slowed = |slowdown: f64, seed| {
            let rng = &mut Rng::with_seed(seed);
            let mut samples = |factor: f64| -> Vec<Sample> {
                (0..21)
                    .map(|place| {
                        Sample::new(
                            place / 3,
                            place % 3,
                            CellIndex::default(),
                            90.0 * factor * noise(rng),
                        )
                    })
                    .collect()
            };
            let (alone, busy) = (samples(1.0), samples(1.0 + slowdown));
            shares_link(&alone, &busy, seed).unwrap().shared
        };
        let count =
            |slowdown, shared| (0..40).filter(|&seed| slowed(slowdown, seed) == shared).count();
        assert!(count(0.3, LinkSharing::Yes) == 40 && count(0.0, LinkSharing::Yes) == 0);
        assert!(count(0.0, LinkSharing::No) >= 36, "{}", count(0.0, LinkSharing::No));
        assert!(
            count(0.05, LinkSharing::Undetermined) >= 34,
            "{}",
            count(0.05, LinkSharing::Undetermined)
        );
        assert_eq!(shares_link(&[], &[], 1).unwrap().shared, LinkSharing::Undetermined);
    }
}
