//! Differences of configurations as a sweep shows them: ratios of the medians beside them.
//!
//! A difference is real only where three independent looks agree, over all pairs of all
//! configurations as one family:
//!
//! - *Of all configurations.* Where no configuration differs, runs within a block are exchangeable,
//!   whatever their distribution. The range of the configurations' mean ranks within blocks has to
//!   be larger than in 95 % of random exchanges (Friedman, *JASA* 32, 1937). So sweeps of equal
//!   configurations claim any difference in at most 5 %.
//! - *Of the pair.* Student's t on the logarithms of ratios within blocks, by Holm's procedure at
//!   5 % over all pairs: one large difference makes no others.
//! - *Of the ratio that is shown.* The interval of the ratio of medians excludes 1. It comes from
//!   resampled blocks, at the expanded level of Hesterberg (*American Statistician* 69, 2015):
//!   few blocks give narrow intervals.

use std::collections::BTreeSet;

use fastrand::Rng;

use super::difference::FAMILY_WISE;
use super::summary::middle;
use super::{Difference, RatioTest, Trials};
use crate::student::{NORMAL_95, as_rare_as, one_sided_p};

/// Common blocks of a pair. With five, no exchange of two configurations is rarer than 6 %.
pub const MIN_BLOCKS: usize = 6;
/// Random exchanges, and resamples of blocks.
const DRAWS: usize = 999;
/// All exchanges of two configurations are tried in up to this number of blocks.
const MAX_ENUMERATED: usize = 12;
/// Of all draws: a sweep's answers are the same whenever they are derived.
const SEED: u64 = 0x5eed;

impl Trials {
    /// Every pair with enough common blocks, the first of each pair below the second.
    pub fn median_differences(&self) -> &[Difference] {
        self.median_differences.get_or_init(|| median_differences(self))
    }

    /// These pairs, the first of each compared with the second.
    pub fn median_differences_of(&self, pairs: &[(usize, usize)]) -> Vec<Difference> {
        pairs.iter().filter_map(|&(of, to)| self.median_difference(of, to)).collect()
    }

    /// One configuration compared with each of the others.
    pub fn median_differences_to(&self, to: usize) -> Vec<Difference> {
        let others = (0..self.configurations()).filter(|&of| of != to);
        self.median_differences_of(&others.map(|of| (of, to)).collect::<Vec<_>>())
    }

    fn median_difference(&self, of: usize, to: usize) -> Option<Difference> {
        let all = self.median_differences();
        let (low, high) = (of.min(to), of.max(to));
        let one = all.iter().find(|one| (one.of, one.to) == (low, high))?;
        let compared = if of == low { one.compared } else { one.compared.inverse() };
        Some(Difference { of, to, compared })
    }
}

fn median_differences(trials: &Trials) -> Vec<Difference> {
    let known: Vec<usize> =
        (0..trials.configurations()).filter(|&at| trials.of(at).len() > 0).collect();
    let any_differ = exchange_p(trials, &known) <= FAMILY_WISE;
    let resampled = ResampledMedians::new(trials);
    let tested = trials.differences().into_iter();
    let tested = tested.filter(|one| one.compared.blocks >= MIN_BLOCKS);
    let shown = |one: Difference| {
        let of_medians = resampled.ratio(one.of, one.to)?;
        let [low, high] = of_medians.ci95;
        let agrees = one.compared.ratio.signum() == of_medians.ratio.signum();
        let real = any_differ && one.compared.real && agrees && (low > 0.0 || high < 0.0);
        let compared =
            RatioTest { p: one.compared.p, blocks: one.compared.blocks, real, ..of_medians };
        Some(Difference { compared, ..one })
    };
    tested.filter_map(shown).collect()
}

/// How often exchanging runs within blocks gives mean ranks as far apart.
fn exchange_p(trials: &Trials, known: &[usize]) -> f64 {
    // By block: configurations and ranks. What all runs of a block share cancels.
    let mut blocks: Vec<Vec<(usize, f64)>> = Vec::new();
    for block in trials.blocks() {
        let runs: Vec<(usize, f64)> = known
            .iter()
            .enumerate()
            .filter_map(|(at, &one)| Some((at, *trials.values[one].get(&block)?)))
            .collect();
        blocks.push(runs.iter().map(|&(at, run)| (at, rank(run, &runs))).collect());
    }
    let observed = range_of_means(&blocks, known.len());
    // Rounding must not make an exchange of equal ranks look smaller.
    let observed = observed * (1.0 - 1e-9);
    if known.len() == 2 && blocks.len() <= MAX_ENUMERATED {
        let as_far = (0..1_u32 << blocks.len())
            .filter(|exchanged| range_of_means(&turned(&blocks, *exchanged), 2) >= observed)
            .count();
        return as_far as f64 / f64::from(1_u32 << blocks.len());
    }
    let rng = &mut Rng::with_seed(SEED);
    let as_far = (0..DRAWS)
        .filter(|_| {
            blocks.iter_mut().for_each(|runs| exchange(runs, rng));
            range_of_means(&blocks, known.len()) >= observed
        })
        .count();
    (as_far + 1) as f64 / (DRAWS + 1) as f64
}

/// The blocks of two configurations, some of them exchanged.
fn turned(blocks: &[Vec<(usize, f64)>], exchanged: u32) -> Vec<Vec<(usize, f64)>> {
    let mut blocks = blocks.to_vec();
    for at in (0..blocks.len()).filter(|at| exchanged >> at & 1 == 1) {
        blocks[at].iter_mut().for_each(|(_, rank)| *rank = -*rank);
    }
    blocks
}

/// The rank of a run in its block, relative to the middle; of equal runs the mean of theirs.
fn rank(run: f64, block: &[(usize, f64)]) -> f64 {
    let below = block.iter().filter(|(_, other)| *other < run).count() as f64;
    let above = block.iter().filter(|(_, other)| *other > run).count() as f64;
    (below - above) / 2.0
}

/// Exchanges the figures of a block at random.
fn exchange(runs: &mut [(usize, f64)], rng: &mut Rng) {
    for last in (1..runs.len()).rev() {
        let other = rng.usize(..=last);
        let figure = runs[last].1;
        runs[last].1 = runs[other].1;
        runs[other].1 = figure;
    }
}

fn range_of_means(blocks: &[Vec<(usize, f64)>], configurations: usize) -> f64 {
    let mut sums = vec![(0.0, 0_u32); configurations];
    for &(at, rank) in blocks.iter().flatten() {
        sums[at].0 += rank;
        sums[at].1 += 1;
    }
    let means = sums.iter().filter(|(_, runs)| *runs > 0).map(|(sum, runs)| sum / f64::from(*runs));
    let (low, high) = means.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), mean| {
        (low.min(mean), high.max(mean))
    });
    if high > low { high - low } else { 0.0 }
}

/// Medians of all configurations, of the runs and of resampled blocks, as logarithms.
struct ResampledMedians {
    of_runs: Vec<Option<f64>>,
    /// By configuration; not a number where no run was drawn.
    draws: Vec<Vec<f64>>,
    /// The quantile at each end of an interval.
    tail: f64,
}

impl ResampledMedians {
    fn new(trials: &Trials) -> Self {
        let blocks = trials.blocks();
        let count = blocks.len();
        let runs: Vec<Vec<Option<f64>>> = trials
            .values
            .iter()
            .map(|runs| blocks.iter().map(|block| runs.get(block).copied()).collect())
            .collect();
        let of_runs = runs.iter().map(|of| log_median(of.iter().copied())).collect();
        let rng = &mut Rng::with_seed(SEED);
        let mut draws = vec![Vec::with_capacity(DRAWS); runs.len()];
        for _ in 0..if count > 1 { DRAWS } else { 0 } {
            let drawn: Vec<usize> = (0..count).map(|_| rng.usize(..count)).collect();
            for (draws, runs) in draws.iter_mut().zip(&runs) {
                let median = log_median(drawn.iter().map(|&at| runs[at]));
                draws.push(median.unwrap_or(f64::NAN));
            }
        }
        let freedom = count.saturating_sub(1).max(1) as f64;
        let wide = as_rare_as(NORMAL_95, freedom) * (count as f64 / freedom).sqrt();
        Self { of_runs, draws, tail: one_sided_p(wide, 1e9) }
    }

    fn ratio(&self, of: usize, to: usize) -> Option<RatioTest> {
        let log = self.of_runs[of]? - self.of_runs[to]?;
        let both = self.draws[of].iter().zip(&self.draws[to]);
        let mut logs: Vec<f64> =
            both.map(|(of, to)| of - to).filter(|log| log.is_finite()).collect();
        logs.sort_unstable_by(f64::total_cmp);
        let last = logs.len().checked_sub(1)?;
        let cut = (self.tail * logs.len() as f64) as usize;
        let ci95 = [logs[cut.min(last)].min(log), logs[last - cut.min(last)].max(log)];
        let ci95 = ci95.map(f64::exp_m1);
        Some(RatioTest { ratio: log.exp_m1(), ci95, p: 1.0, real: false, blocks: 0 })
    }
}

/// The logarithm of the median, which is the one that tables show.
fn log_median(runs: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let mut runs: Vec<f64> = runs.flatten().collect();
    runs.sort_unstable_by(f64::total_cmp);
    middle(&runs).map(f64::ln)
}

impl Trials {
    fn blocks(&self) -> BTreeSet<u32> {
        self.values.iter().flat_map(|runs| runs.keys().copied()).collect()
    }
}
