//! Effects of the factors of a crossed design: what changing one of them costs, whatever the others
//! are.
//!
//! A design has a cell for each combination of levels. The effect of a level is the mean, over the
//! combinations of the other factors, of the log ratio to the same combination at a reference level
//! (main effects: Fisher, *The Design of Experiments*, 1935).
//!
//! Its error is estimated in two ways, and decisions need both. Processes and rounds are resampled
//! as for single cells, all cells together, so that disturbances of a whole round cancel. And each
//! process has an effect of its own, whose scatter needs no model of what a process draws, such as
//! the CPUs that it runs on: few processes resample that scatter too small.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::bootstrap::{Resampling, Scatter};
use crate::sample_matrix::SampleMatrix;
use crate::student::{NORMAL_95, as_rare_as, one_sided_p};

const DRAWS: usize = 1_000;
/// Effects are decided at this family-wise probability of an error.
const ALPHA: f64 = 0.05;
/// Fewer processes decide nothing: with CPUs of two speeds, five draw the same with a probability
/// of 6 %, six with 3 %.
pub const MIN_PROCESSES: usize = 6;

/// A cell of a design.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DesignCell {
    /// The row of the matrix.
    pub row: usize,
    /// The column of the matrix.
    pub column: usize,
    /// The level of each factor. Cells with equal levels are replicates.
    pub levels: Vec<u32>,
}

/// Whether a level costs more than the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FactorVerdict {
    /// It costs more, beyond the threshold.
    Slower,
    /// It costs less, beyond the threshold.
    Faster,
    /// There is no difference beyond the threshold.
    Same,
    /// The samples do not decide.
    Undetermined,
}

/// The effect of one level against the reference level of its factor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactorEffect {
    /// Index of the factor.
    pub factor: usize,
    /// The level.
    pub level: u32,
    /// The level that it is compared with.
    pub reference: u32,
    /// The ratio of costs.
    pub ratio: f64,
    /// Its 95 % interval, which holds those of both estimates.
    pub ci95: [f64; 2],
    /// The probability, given the samples, that the effect is beyond the threshold, in the
    /// direction of `ratio`: the lower one of both estimates.
    pub probability: f64,
    /// The decision, if both estimates have it.
    pub verdict: FactorVerdict,
    /// Combinations of the other factors that it is a mean over.
    pub combinations: usize,
}

/// The effects of all levels against the reference level of their factor, at a family-wise 5 %.
/// `threshold` is the smallest effect that counts, as a fraction. Levels that share no combination
/// with the reference have no effect here.
pub fn factor_effects(
    matrix: &SampleMatrix,
    design: &[DesignCell],
    references: &[u32],
    threshold: f64,
    seed: u64,
) -> Vec<FactorEffect> {
    let mut contrasts = Vec::new();
    for (factor, &reference) in references.iter().enumerate() {
        let others = levels(design, factor).into_iter().filter(|level| *level != reference);
        contrasts.extend(
            others.filter_map(|level| LevelContrast::new(matrix, design, factor, level, reference)),
        );
    }
    let tests = contrasts.len();
    judge(&contrasts, matrix, threshold, seed, tests)
}

/// The effects of every level of one factor against every smaller level, as one part of
/// `tests`.
pub(crate) fn pairwise_effects(
    matrix: &SampleMatrix,
    design: &[DesignCell],
    factor: usize,
    threshold: f64,
    seed: u64,
    tests: usize,
) -> Vec<FactorEffect> {
    let levels = levels(design, factor);
    let pairs = levels.iter().enumerate().flat_map(|(index, &level)| {
        levels[..index].iter().map(move |&reference| (level, reference))
    });
    let contrasts: Vec<LevelContrast> = pairs
        .filter_map(|(level, reference)| {
            LevelContrast::new(matrix, design, factor, level, reference)
        })
        .collect();
    judge(&contrasts, matrix, threshold, seed, tests)
}

fn judge(
    contrasts: &[LevelContrast],
    matrix: &SampleMatrix,
    threshold: f64,
    seed: u64,
    tests: usize,
) -> Vec<FactorEffect> {
    let resampling = Resampling::new(matrix, DRAWS, seed);
    contrasts
        .iter()
        .filter_map(|contrast| contrast.judge(matrix, &resampling, threshold, tests))
        .collect()
}

/// The levels of a factor, in order.
fn levels(design: &[DesignCell], factor: usize) -> Vec<u32> {
    let mut levels: Vec<u32> = design.iter().map(|cell| cell.levels[factor]).collect();
    levels.sort_unstable();
    levels.dedup();
    levels
}

impl FactorEffect {
    /// The effect of the reference against the level.
    pub(crate) fn reversed(self) -> Self {
        let Self { level, reference, ratio, ci95: [low, high], .. } = self;
        let verdict = match self.verdict {
            FactorVerdict::Slower => FactorVerdict::Faster,
            FactorVerdict::Faster => FactorVerdict::Slower,
            other => other,
        };
        Self {
            level: reference,
            reference: level,
            ratio: ratio.recip(),
            ci95: [high.recip(), low.recip()],
            verdict,
            ..self
        }
    }
}

/// A sum of log medians with weights, which are 0 in total.
struct LevelContrast {
    factor: usize,
    level: u32,
    reference: u32,
    /// Index of the cell, and its weight.
    weights: Vec<(usize, f64)>,
    combinations: usize,
}

impl LevelContrast {
    fn new(
        matrix: &SampleMatrix,
        design: &[DesignCell],
        factor: usize,
        level: u32,
        reference: u32,
    ) -> Option<Self> {
        // By the levels of the other factors: cells at the level, and at the reference.
        let mut combinations: BTreeMap<Vec<u32>, [Vec<usize>; 2]> = BTreeMap::new();
        for cell in design {
            let side = match cell.levels[factor] {
                of_level if of_level == level => 0,
                of_level if of_level == reference => 1,
                _ => continue,
            };
            let index = cell.row * matrix.columns() + cell.column;
            if matrix.cells().get(index).is_some_and(|cell| cell.log_median().is_some()) {
                let mut others = cell.levels.clone();
                others.remove(factor);
                combinations.entry(others).or_default()[side].push(index);
            }
        }
        combinations.retain(|_, sides| sides.iter().all(|side| !side.is_empty()));
        let count = combinations.len();
        let mut weights = Vec::new();
        for [at_level, at_reference] in combinations.values() {
            for (side, sign) in [(at_level, 1.0), (at_reference, -1.0)] {
                let weight = sign / (count * side.len()) as f64;
                weights.extend(side.iter().map(|&index| (index, weight)));
            }
        }
        (count > 0).then_some(Self { factor, level, reference, weights, combinations: count })
    }

    fn judge(
        &self,
        matrix: &SampleMatrix,
        resampling: &Resampling,
        threshold: f64,
        tests: usize,
    ) -> Option<FactorEffect> {
        let mut sums: Vec<[f64; 2]> = Vec::new();
        let mut log_ratio = 0.0;
        for &(index, weight) in &self.weights {
            let cell = &matrix.cells()[index];
            log_ratio += weight * cell.log_median()?;
            let pairs = resampling.pairs(cell);
            for (number, [a, b]) in pairs.enumerate() {
                if number == sums.len() {
                    sums.push([0.0; 2]);
                }
                sums[number][0] += weight * a;
                sums[number][1] += weight * b;
            }
        }
        let scatter = Scatter::new(sums.into_iter(), matrix.processes())?;
        let resampled = Deviation {
            log_ratio,
            error: scatter.variance().sqrt(),
            freedom: scatter.freedom(matrix),
            limit: threshold.ln_1p(),
        };
        let estimates = [Some(resampled), self.of_processes(matrix, threshold)];
        let mut effect = FactorEffect {
            factor: self.factor,
            level: self.level,
            reference: self.reference,
            ratio: log_ratio.exp(),
            ci95: [log_ratio.exp(); 2],
            probability: 1.0,
            verdict: FactorVerdict::Undetermined,
            combinations: self.combinations,
        };
        for estimate in estimates.iter().flatten() {
            let [low, high] = estimate.ci95();
            effect.ci95 = [effect.ci95[0].min(low), effect.ci95[1].max(high)];
            let probability = estimate.probability_beyond(log_ratio >= 0.0);
            effect.probability = effect.probability.min(probability);
        }
        let alpha = ALPHA / tests.max(1) as f64;
        effect.verdict =
            match estimates.map(|estimate| estimate.map(|estimate| estimate.verdict(alpha))) {
                [Some(verdict), Some(other)] if verdict == other => verdict,
                _ => FactorVerdict::Undetermined,
            };
        Some(effect)
    }

    /// The effects of processes that have samples of all cells, if they are enough.
    fn of_processes(&self, matrix: &SampleMatrix, threshold: f64) -> Option<Deviation> {
        let mut effects = vec![Some(0.0); matrix.processes()];
        for &(index, weight) in &self.weights {
            let medians = matrix.log_medians_of_processes(&matrix.cells()[index]);
            for (effect, median) in effects.iter_mut().zip(medians) {
                *effect = effect.zip(median).map(|(sum, median)| sum + weight * median);
            }
        }
        let effects: Vec<f64> = effects.into_iter().flatten().collect();
        if effects.len() < MIN_PROCESSES {
            return None;
        }
        let count = effects.len() as f64;
        let log_ratio = effects.iter().sum::<f64>() / count;
        let squares: f64 = effects.iter().map(|effect| (effect - log_ratio).powi(2)).sum();
        let freedom = count - 1.0;
        let error = (squares / (freedom * count)).sqrt();
        Some(Deviation { log_ratio, error, freedom, limit: threshold.ln_1p() })
    }
}

/// An effect with its error, against the smallest one that counts.
#[derive(Clone, Copy)]
struct Deviation {
    log_ratio: f64,
    error: f64,
    freedom: f64,
    limit: f64,
}

impl Deviation {
    /// The 95 % interval of the ratio.
    fn ci95(&self) -> [f64; 2] {
        let half = as_rare_as(NORMAL_95, self.freedom) * self.error;
        [(self.log_ratio - half).exp(), (self.log_ratio + half).exp()]
    }

    /// The probability of a smaller effect than `bound`.
    fn p_below(&self, bound: f64) -> f64 {
        match self.log_ratio - bound {
            distance if self.error > 0.0 => one_sided_p(distance / self.error, self.freedom),
            distance if distance > 0.0 => 0.0,
            _ => 1.0,
        }
    }

    fn probability_beyond(&self, is_slower: bool) -> f64 {
        if is_slower { 1.0 - self.p_below(self.limit) } else { self.p_below(-self.limit) }
    }

    fn verdict(&self, alpha: f64) -> FactorVerdict {
        let (above, below) = (self.p_below(self.limit), self.p_below(-self.limit));
        // Each side has half of the errors; equivalence needs both sides (two one-sided tests).
        match alpha / 2.0 {
            alpha if above < alpha => FactorVerdict::Slower,
            alpha if 1.0 - below < alpha => FactorVerdict::Faster,
            alpha if 1.0 - above < alpha && below < alpha => FactorVerdict::Same,
            _ => FactorVerdict::Undetermined,
        }
    }
}

#[cfg(test)]
mod tests;
