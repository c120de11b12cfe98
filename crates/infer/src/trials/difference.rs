//! Differences of configurations, run by run within blocks, with their significance.

use serde::{Deserialize, Serialize};

use super::{Trials, deviation, mean};
use crate::many_tests::holm;
use crate::ratio_change::RatioChange;

/// The rate of any false difference among all significant ones.
pub(super) const FAMILY_WISE: f64 = 0.05;
/// The minimum number of common blocks.
const MIN_BLOCKS: usize = 3;
/// Resolution of ratios, as of clocks.
pub(super) const FINEST: f64 = 1e-6;

/// A comparison of two configurations, with their indexes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The compared configuration.
    pub of: usize,
    /// The reference.
    pub to: usize,
    /// The result.
    pub compared: RatioTest,
}

/// A comparison of two configurations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RatioTest {
    /// The ratio of both figures minus 1 (0.1: a tenth more): of a sweep the ratio of the medians.
    pub ratio: f64,
    /// 95 % interval of the ratio, for this pair alone.
    pub ci95: [f64; 2],
    /// The p-value, for this pair alone.
    pub p: f64,
    /// Whether it is significant, at a family-wise 5 % over all pairs, and the interval excludes 0.
    pub real: bool,
    /// Number of common blocks.
    pub blocks: usize,
}

impl Trials {
    /// Every pair with common blocks, the first of each pair below the second, tested by Holm's
    /// procedure (*Scandinavian Journal of Statistics* 6, 1979).
    ///
    /// Within a block, two equal configurations are exchangeable, so their log ratio is symmetric
    /// about zero. There, Student's t test keeps its level or is conservative, however heavy the
    /// tails (Efron, *JASA* 64, 1969).
    pub fn differences(&self) -> Vec<Difference> {
        let all = self.configurations();
        let pairs = (0..all).flat_map(|of| (of + 1..all).map(move |to| (of, to)));
        let mut all: Vec<Difference> =
            pairs.filter_map(|(of, to)| self.difference(of, to)).collect();
        let ps: Vec<f64> = all.iter().map(|one| one.compared.p).collect();
        all.iter_mut().zip(holm(&ps, FAMILY_WISE)).for_each(|(one, real)| one.compared.real = real);
        all
    }

    fn difference(&self, of: usize, to: usize) -> Option<Difference> {
        let other = &self.values[to];
        let logs: Vec<f64> = self
            .of(of)
            .filter_map(|(block, value)| Some((value / other.get(&block)?).ln()))
            .collect();
        let (mean, deviation) =
            (mean(&logs), deviation(&logs).filter(|_| logs.len() >= MIN_BLOCKS)?);
        let error = deviation.max(FINEST) / (logs.len() as f64).sqrt();
        let freedom = (logs.len() - 1) as f64;
        let RatioChange { ratio, ci95, p, real } = RatioChange::by(mean, error, freedom);
        Some(Difference {
            of,
            to,
            compared: RatioTest { ratio, ci95, p, real, blocks: logs.len() },
        })
    }
}

impl RatioTest {
    /// The same for the inverse figures.
    #[must_use]
    pub fn inverse(self) -> Self {
        let inverse = |ratio: f64| 1.0 / (1.0 + ratio) - 1.0;
        let [low, high] = self.ci95;
        Self { ratio: inverse(self.ratio), ci95: [inverse(high), inverse(low)], ..self }
    }
}
