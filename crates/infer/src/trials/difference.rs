//! How two configurations differ, run by run within blocks, and whether that is more than chance.

use serde::{Deserialize, Serialize};

use super::{Trials, deviation, mean};
use crate::many_tests::holm;
use crate::ratio_change::RatioChange;

/// All differences that are called real hold together with this chance of a single false one.
pub(super) const FAMILY_WISE: f64 = 0.05;
/// Blocks that two configurations must have in common.
const FEWEST_BLOCKS: usize = 3;
/// Ratios are not told apart more finely: clocks are not better.
pub(super) const FINEST: f64 = 1e-6;

/// One configuration against another, and which they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The configuration that is compared.
    pub of: usize,
    /// The one that it is compared with.
    pub to: usize,
    /// How the first compares with the second.
    pub compared: RatioTest,
}

/// One configuration against another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatioTest {
    /// Its figure over the other's, minus 1 (0.1: a tenth more), from blocks that have both.
    pub ratio: f64,
    /// 95 % interval of the ratio, for this pair by itself.
    pub ci95: [f64; 2],
    /// How often chance alone gives as much, for this pair by itself.
    pub p: f64,
    /// Whether it is called real: at a family-wise 5 % over all pairs (Holm).
    pub real: bool,
    /// Blocks that have both.
    pub blocks: usize,
}

impl Trials {
    /// Every pair that has blocks in common, the first of each pair below the second; called by
    /// Holm's procedure (*Scandinavian Journal of Statistics* 6, 1979).
    ///
    /// Within a block, two configurations that are the same are exchangeable; so their log ratio is
    /// symmetric about zero, where Student's t test keeps its level or stays below, however heavy
    /// the tails (Efron, *JASA* 64, 1969).
    pub fn differences(&self) -> Vec<Difference> {
        self.differences_among(&(0..self.configurations()).collect::<Vec<_>>())
    }

    /// The same among some configurations only: a family of its own.
    pub fn differences_among(&self, configurations: &[usize]) -> Vec<Difference> {
        let pairs = configurations
            .iter()
            .enumerate()
            .flat_map(|(at, &of)| configurations[at + 1..].iter().map(move |&to| (of, to)));
        self.differences_of(&pairs.collect::<Vec<_>>())
    }

    /// Given pairs, the first of each against the second: a family of its own.
    pub fn differences_of(&self, pairs: &[(usize, usize)]) -> Vec<Difference> {
        let mut all: Vec<Difference> =
            pairs.iter().filter_map(|&(of, to)| self.difference(of, to)).collect();
        let ps: Vec<f64> = all.iter().map(|one| one.compared.p).collect();
        all.iter_mut().zip(holm(&ps, FAMILY_WISE)).for_each(|(one, real)| one.compared.real = real);
        all
    }

    /// One configuration against each of the others: a smaller family, in which more can be told.
    pub fn differences_to(&self, to: usize) -> Vec<Difference> {
        let others = (0..self.configurations()).filter(|&of| of != to);
        self.differences_of(&others.map(|of| (of, to)).collect::<Vec<_>>())
    }

    fn difference(&self, of: usize, to: usize) -> Option<Difference> {
        let other = &self.values[to];
        let logs: Vec<f64> = self
            .of(of)
            .filter_map(|(block, value)| Some((value / other.get(&block)?).ln()))
            .collect();
        let (mean, deviation) =
            (mean(&logs), deviation(&logs).filter(|_| logs.len() >= FEWEST_BLOCKS)?);
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
    /// The same of the figures' inverses.
    #[must_use]
    pub fn inverse(self) -> Self {
        let inverse = |ratio: f64| 1.0 / (1.0 + ratio) - 1.0;
        let [low, high] = self.ci95;
        Self { ratio: inverse(self.ratio), ci95: [inverse(high), inverse(low)], ..self }
    }
}
