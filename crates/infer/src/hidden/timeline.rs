//! Change points in a CPU's costs.
//!
//! A hypervisor may move a virtual CPU to another node during the measurement: near memory is then
//! far. So each page's costs are kept in order of time. A search finds the segment whose ranks
//! differ most from the rest (circular binary segmentation: Olshen and others, *Biostatistics* 5,
//! 2004), compares it with permuted orders, and repeats within and beside it. Permutations do not
//! model drift, so only jumps of at least 4 % and three times the scatter on either side are kept.

use fastrand::Rng;

use super::cost_table::median;
use super::cut::MIN_GAP;
use super::ranks::ranks;
use crate::cell::MAD_TO_SD;

/// A change point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelShift {
    /// Index of the first cost after it.
    pub at: usize,
    /// Median cost before, in nanoseconds, from the previous change on.
    pub before_ns: f64,
    /// Median cost after, up to the next one.
    pub after_ns: f64,
    /// The probability of such a jump in a permuted order.
    pub p: f64,
}

/// The minimum number of costs on either side of a jump.
const LEAST: usize = 4;
/// Number of permutations, unless the limit of work allows fewer.
const SHUFFLES: usize = 1999;
/// The smallest number of permutations that are expected below the significance level.
const RAREST: f64 = 2.0;
/// The smallest ratio of a jump to the scatter beside it.
const TIMES_SCATTER: f64 = 3.0;

/// Limit of work for one segment: pairs of ends times permutations. Only a segment with a jump
/// takes all of it.
const MAX_WORK: usize = 20_000_000;
const MIN_SHUFFLES: usize = 199;

/// The change points in costs (nanoseconds, in order of time), earliest first. `alpha` is the rate
/// of false ones.
pub fn level_shifts(costs: &[f64], alpha: f64, seed: u64) -> Vec<LevelShift> {
    let logs: Vec<f64> = costs
        .iter()
        .filter(|cost| cost.is_finite() && **cost > 0.0)
        .map(|cost| cost.ln())
        .collect();
    if logs.len() != costs.len() {
        return Vec::new();
    }
    let mut limits = Vec::new();
    search(&logs, 0, alpha, &mut Rng::with_seed(seed), &mut limits);
    limits.sort_by_key(|limit: &(usize, f64)| limit.0);
    drop_small(&logs, &mut limits);
    let ends = ends(&limits, logs.len());
    let level =
        |stretch: usize| median(logs[ends[stretch]..ends[stretch + 1]].iter().copied()).exp();
    let change = |(index, limit): (usize, &(usize, f64))| LevelShift {
        at: limit.0,
        before_ns: level(index),
        after_ns: level(index + 1),
        p: limit.1,
    };
    limits.iter().enumerate().map(change).collect()
}

/// The starts of segments between limits, and the end.
fn ends(limits: &[(usize, f64)], length: usize) -> Vec<usize> {
    [0].into_iter().chain(limits.iter().map(|limit| limit.0)).chain([length]).collect()
}

/// Finds the segment that differs most from its neighbourhood, then searches within it and beside
/// it.
fn search(
    logs: &[f64],
    start: usize,
    alpha: f64,
    random: &mut Rng,
    limits: &mut Vec<(usize, f64)>,
) {
    let Some((from, to, observed)) = clearest(&ranks(logs)) else { return };
    let Some(p) = chance(&ranks(logs), observed, alpha, random) else { return };
    limits.extend(
        [from, to].into_iter().filter(|at| *at > 0 && *at < logs.len()).map(|at| (start + at, p)),
    );
    for (from, to) in [(0, from), (from, to), (to, logs.len())] {
        if to - from < logs.len() {
            search(&logs[from..to], start + from, alpha, random, limits);
        }
    }
}

/// The share of permuted ranks with such a difference anywhere; none where it exceeds `alpha`.
fn chance(ranks: &[f64], observed: f64, alpha: f64, random: &mut Rng) -> Option<f64> {
    let shuffles = shuffles(ranks.len(), alpha) as f64;
    let mut shuffled = ranks.to_vec();
    let mut reached = 0.0;
    for _ in 0..shuffles as usize {
        random.shuffle(&mut shuffled);
        reached += f64::from(clearest(&shuffled).is_some_and(|(_, _, chance)| chance >= observed));
        if reached + 1.0 > alpha * (shuffles + 1.0) {
            return None;
        }
    }
    Some((reached + 1.0) / (shuffles + 1.0))
}

fn shuffles(length: usize, alpha: f64) -> usize {
    let allowed = (MAX_WORK / (length * length).max(1)).max(MIN_SHUFFLES);
    SHUFFLES.min(allowed).max((RAREST / alpha).ceil() as usize)
}

/// The segment whose ranks differ most from the rest: its start, its end, and the difference.
fn clearest(ranks: &[f64]) -> Option<(usize, usize, f64)> {
    let count = ranks.len();
    if count < 2 * LEAST {
        return None;
    }
    let middle = (count as f64 - 1.0) / 2.0;
    let mut sums = vec![0.0; count + 1];
    ranks.iter().enumerate().for_each(|(at, rank)| sums[at + 1] = sums[at] + rank - middle);
    let mut best = None;
    for from in (0..=count - LEAST).filter(|from| *from == 0 || *from >= LEAST) {
        for to in (from + LEAST..=count).filter(|to| *to == count || count - to >= LEAST) {
            let inside = to - from;
            if inside == count {
                continue;
            }
            // In standard deviations of the sum, so that short and long segments compare.
            let size =
                f64::abs(sums[to] - sums[from]) / ((inside * (count - inside)) as f64).sqrt();
            if best.is_none_or(|(_, _, largest)| size > largest) {
                best = Some((from, to, size));
            }
        }
    }
    best
}

/// Drops limits between segments that differ too little, the smallest jump first.
fn drop_small(logs: &[f64], limits: &mut Vec<(usize, f64)>) {
    loop {
        let ends = ends(limits, logs.len());
        let size = |index: &usize| {
            jump(&logs[ends[*index]..ends[index + 1]], &logs[ends[index + 1]..ends[index + 2]])
        };
        let least = (0..limits.len()).min_by(|a, b| size(a).total_cmp(&size(b)));
        match least.filter(|index| size(index) < 1.0) {
            Some(index) => limits.remove(index),
            None => return,
        };
    }
}

/// The difference of two segments, relative to the required one.
fn jump(before: &[f64], after: &[f64]) -> f64 {
    let (low, high) = (median(before.iter().copied()), median(after.iter().copied()));
    let scatter =
        |of: &[f64], middle: f64| MAD_TO_SD * median(of.iter().map(|log| (log - middle).abs()));
    let scatter = scatter(before, low).max(scatter(after, high));
    (high - low).abs() / MIN_GAP.max(TIMES_SCATTER * scatter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal;
    use crate::replay::hiding::noise;
    use crate::tests::cases::simulations;

    /// Costs at these levels, each for this many samples.
    fn costs(levels: &[(usize, f64)], seed: u64) -> Vec<f64> {
        let mut random = Rng::with_seed(seed);
        levels
            .iter()
            .flat_map(|(count, level)| vec![*level; *count])
            .map(|level| level * noise(&mut random, 0.01).exp())
            .collect()
    }

    #[test]
    fn moving_back_and_forth_gives_two_shifts() {
        for seed in 0..20 {
            let found =
                level_shifts(&costs(&[(20, 67.0), (15, 101.0), (25, 67.0)], seed), 0.01, seed);
            assert_eq!(found.len(), 2, "{found:?}");
            assert!(found[0].at.abs_diff(20) <= 3 && found[1].at.abs_diff(35) <= 3, "{found:?}");
            assert!(
                (found[0].before_ns - 67.0).abs() < 2.0 && (found[0].after_ns - 101.0).abs() < 3.0,
                "{found:?}"
            );
        }
    }

    /// Eight rows and six processes share the rate of false alarms.
    #[test]
    fn one_moved_cpu_among_many_is_found() {
        for seed in 0..5 {
            let alpha = 0.01 / 48.0;
            let found = level_shifts(&costs(&[(20, 67.0), (20, 101.0)], seed), alpha, seed);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].at.abs_diff(20) <= 3 && found[0].p <= alpha, "{found:?}");
            assert_eq!(level_shifts(&costs(&[(40, 67.0)], seed), alpha, seed), []);
        }
    }

    #[test]
    fn smallest_p_is_below_alpha_for_any_length() {
        for (length, alpha) in [(40, 0.01), (40, 0.01 / 48.0), (3_000, 0.01), (3_000, 0.01 / 500.0)]
        {
            assert!(1.0 / (shuffles(length, alpha) + 1) as f64 <= alpha / 2.0, "{length} {alpha}");
        }
        assert_eq!((shuffles(40, 0.01), shuffles(3_000, 0.01)), (SHUFFLES, 200));
    }

    #[test]
    fn stable_and_drifting_costs_have_no_shift() {
        let mut alarms = 0;
        let series = simulations(50, 200);
        for seed in 0..series {
            let mut random = Rng::with_seed(!seed);
            let mut level = 0.0;
            let drifting = costs(&[(60, 90.0)], seed).into_iter().map(|cost| {
                level = 0.9 * level + 0.004 * normal(&mut random);
                cost * f64::exp(level)
            });
            alarms += level_shifts(&drifting.collect::<Vec<_>>(), 0.01, seed).len();
            alarms += level_shifts(&costs(&[(60, 90.0)], seed), 0.01, seed).len();
        }
        assert!(alarms as u64 * 100 <= series, "{alarms} of {series} twice");
    }

    #[test]
    fn few_costs_have_no_shift() {
        assert_eq!(level_shifts(&[], 0.01, 1), []);
        assert_eq!(level_shifts(&[67.0, 67.0, 101.0, 101.0], 0.01, 1), []);
        assert_eq!(level_shifts(&[f64::NAN; 30], 0.01, 1), []);
        assert_eq!(level_shifts(&[5.0; 30], 0.01, 1), []);
    }
}
