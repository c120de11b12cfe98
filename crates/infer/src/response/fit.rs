//! Fits a curve to blocks of periods, by residuals that are exchangeable within a block.

use std::collections::BTreeMap;

use super::DosePeriod;

/// Residuals beyond this many deviations count as this many: a disturbed period has little weight.
const CLIP: f64 = 2.0;
/// The deviation of a normal law over its median absolute deviation.
const PER_MAD: f64 = 1.4826;
/// Resolution of logarithms.
const FINEST: f64 = 1e-6;
/// Times below this share of the first are none.
const LEAST_TIME: f64 = 1e-3;
/// The ranges in which effect and bend are looked for.
const EFFECTS: [f64; 2] = [-0.95, 30.0];
const BENDS: [f64; 2] = [-0.5, 5.0];
/// Turns in which effect and bend are fitted beside each other.
const TURNS: u32 = 3;
/// Halvings of a range.
const HALVINGS: u32 = 30;
/// The first step from an estimate to the end of its interval, and the growth of steps.
const STEP: f64 = 1e-4;
const GROWTH: f64 = 1.6;

/// Time by share of the dose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve {
    pub(super) effect: f64,
    pub(super) bend: f64,
}

impl Curve {
    pub(super) fn time(self, share: f64) -> f64 {
        1.0 + self.effect * share + 4.0 * self.bend * share * (1.0 - share)
    }

    fn log_time(self, share: f64) -> f64 {
        self.time(share).max(LEAST_TIME).ln()
    }
}

/// What is tested.
#[derive(Clone, Copy)]
enum Tested {
    Effect,
    Bend,
}

struct Block {
    name: u32,
    shares: Vec<f64>,
    log_times: Vec<f64>,
}

/// Periods by block; those alone in theirs count for nothing.
pub(super) struct Blocks(Vec<Block>);

impl Blocks {
    pub(super) fn new(periods: &[DosePeriod], lowest: f64, highest: f64) -> Self {
        let range = (highest - lowest).max(f64::MIN_POSITIVE);
        let mut by_block = BTreeMap::new();
        for period in periods {
            let block = by_block.entry(period.block).or_insert(Block {
                name: period.block,
                shares: Vec::new(),
                log_times: Vec::new(),
            });
            block.shares.push((period.dose - lowest) / range);
            block.log_times.push(period.log_time);
        }
        Self(by_block.into_values().filter(|block| block.shares.len() > 1).collect())
    }

    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn periods(&self) -> u32 {
        self.0.iter().map(|block| block.shares.len() as u32).sum()
    }

    /// The difference between the largest and the least share.
    pub(super) fn reach(&self) -> f64 {
        let shares = || self.0.iter().flat_map(|block| block.shares.iter().copied());
        shares().fold(f64::NEG_INFINITY, f64::max) - shares().fold(f64::INFINITY, f64::min)
    }

    /// The straight line.
    pub(super) fn line(&self) -> Curve {
        Curve { effect: self.effect_at(0.0), bend: 0.0 }
    }

    /// Effect and bend together, in turns: their regressors hardly overlap.
    pub(super) fn curve(&self) -> Curve {
        let mut curve = self.line();
        for _ in 0..TURNS {
            curve.bend = root(BENDS, |bend| self.deviate(Curve { bend, ..curve }, Tested::Bend));
            curve.effect = self.effect_at(curve.bend);
        }
        curve
    }

    fn effect_at(&self, bend: f64) -> f64 {
        root(EFFECTS, |effect| self.deviate(Curve { effect, bend }, Tested::Effect))
    }

    pub(super) fn effect_interval(&self, curve: Curve, z: f64) -> [f64; 2] {
        let deviate = |effect| self.deviate(Curve { effect, ..curve }, Tested::Effect);
        interval(curve.effect, z, deviate)
    }

    pub(super) fn bend_interval(&self, curve: Curve, z: f64) -> [f64; 2] {
        interval(curve.bend, z, |bend| self.deviate(Curve { bend, ..curve }, Tested::Bend))
    }

    /// The normal deviate of the sum of dose times residual, over all orders within blocks: 0 where
    /// the curve fits, above 0 where it is too low.
    fn deviate(&self, curve: Curve, tested: Tested) -> f64 {
        let (mut sum, mut variance) = (0.0, 0.0);
        for (block, scores) in self.0.iter().zip(self.scores(curve)) {
            let regressor = block.regressor(tested);
            let scores = centred(&scores);
            sum += product(&regressor, &scores);
            let freedom = (scores.len() - 1) as f64;
            variance += product(&regressor, &regressor) * product(&scores, &scores) / freedom;
        }
        sum / variance.max(f64::MIN_POSITIVE).sqrt()
    }

    /// The level of each block: the median of what the curve leaves.
    pub(super) fn levels(&self, curve: Curve) -> BTreeMap<u32, f64> {
        self.0.iter().map(|block| (block.name, median(block.residuals(curve)))).collect()
    }

    /// Residuals from each block's median, in deviations, clipped.
    fn scores(&self, curve: Curve) -> Vec<Vec<f64>> {
        let from_median = |block: &Block| {
            let all = block.residuals(curve);
            let middle = median(all.clone());
            all.into_iter().map(|residual| residual - middle).collect::<Vec<f64>>()
        };
        let mut all: Vec<Vec<f64>> = self.0.iter().map(from_median).collect();
        let sizes = all.iter().flatten().map(|residual| residual.abs()).collect();
        let deviation = (PER_MAD * median(sizes)).max(FINEST);
        for residual in all.iter_mut().flatten() {
            *residual = (*residual / deviation).clamp(-CLIP, CLIP);
        }
        all
    }
}

impl Block {
    /// What the curve leaves.
    fn residuals(&self, curve: Curve) -> Vec<f64> {
        let both = self.shares.iter().zip(&self.log_times);
        both.map(|(share, log)| log - curve.log_time(*share)).collect()
    }

    /// Doses about their mean; of a bend what a straight line leaves.
    fn regressor(&self, tested: Tested) -> Vec<f64> {
        let line = centred(&self.shares);
        match tested {
            Tested::Effect => line,
            Tested::Bend => {
                let arch: Vec<f64> =
                    self.shares.iter().map(|share| share * (1.0 - share)).collect();
                let arch = centred(&arch);
                let slope = product(&line, &arch) / product(&line, &line).max(f64::MIN_POSITIVE);
                arch.iter().zip(&line).map(|(arch, line)| arch - slope * line).collect()
            }
        }
    }
}

fn centred(values: &[f64]) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| value - mean).collect()
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn median(mut values: Vec<f64>) -> f64 {
    let middle = values.len() / 2;
    let (below, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let upper = *upper;
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if values.len() % 2 == 1 { upper } else { f64::midpoint(lower, upper) }
}

/// Where a falling function is 0.
fn root([mut low, mut high]: [f64; 2], falling: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if falling(middle) > 0.0 { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// The values about an estimate that are not rejected.
fn interval(estimate: f64, z: f64, deviate: impl Fn(f64) -> f64) -> [f64; 2] {
    let is_rejected = |value: f64| deviate(value).abs() >= z;
    let end = |direction: f64, limit: f64| {
        let (mut inside, mut step) = (estimate, STEP);
        loop {
            let next = estimate + direction * step;
            if (limit - next) * direction <= 0.0 {
                return if direction < 0.0 { -1.0 } else { f64::INFINITY };
            }
            if is_rejected(next) {
                return edge(inside, next, &is_rejected);
            }
            inside = next;
            step *= GROWTH;
        }
    };
    [end(-1.0, -1.0), end(1.0, 2.0 * EFFECTS[1])]
}

/// Between a value that is not rejected and one that is.
fn edge(mut inside: f64, mut outside: f64, is_rejected: &impl Fn(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS * 2 / 3 {
        let middle = f64::midpoint(inside, outside);
        if is_rejected(middle) { outside = middle } else { inside = middle }
    }
    outside
}
