//! Thresholds between classes: gaps and deep valleys in the distribution of log costs.
//!
//! A valley counts when hardly any pair has its cost, though many cost less and many cost more. Few
//! pairs need an empty gap of at least 4 %, several times as wide as the scatter of one class.
//! Mixtures of Gaussians with BIC split one noisy class into many.

/// The smallest gap between two classes, as a difference of logs.
const MIN_GAP: f64 = 0.04;
/// Width of the counting window, as a difference of logs.
const WINDOW: f64 = 0.04;
/// The largest share of the lower of its two peaks that a valley holds.
const DEPTH: f64 = 0.25;
/// The number of standard errors (of counts, of costs) of a significant difference.
const SIGNIFICANT: f64 = 3.0;
/// The smallest share of pairs beyond a split, relative to those before it: farther classes have
/// more pairs, and noise that only adds has a tail.
const MIN_BEYOND: f64 = 0.05;
/// One class may have several valleys; no machine has more classes than this.
const MOST: usize = 15;

/// Log costs between classes, ascending.
///
/// `costs` are log costs and their relative standard errors. A class has at least `fewest` pairs.
pub(crate) fn thresholds(mut costs: Vec<(f64, f64)>, fewest: usize) -> Vec<f64> {
    costs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut found = Vec::new();
    let mut open = vec![costs.as_slice()];
    while let Some(slice) = open.pop() {
        let Some(split) = deepest_valley(slice, fewest.max(1)).filter(|_| found.len() < MOST)
        else {
            continue;
        };
        found.push(f64::midpoint(slice[split - 1].0, slice[split].0));
        let (low, high) = slice.split_at(split);
        open.extend([low, high]);
    }
    found.sort_by(f64::total_cmp);
    found
}

/// Index of the first cost beyond the deepest valley that separates two classes.
fn deepest_valley(costs: &[(f64, f64)], fewest: usize) -> Option<usize> {
    let peaks_before = peaks(costs);
    let mirrored: Vec<(f64, f64)> = costs.iter().rev().map(|&(log, se)| (-log, se)).collect();
    let peaks_after: Vec<usize> = peaks(&mirrored).into_iter().rev().collect();
    let mut best: Option<(f64, f64, usize)> = None;
    let (mut from, mut to) = (0, 0);
    for split in 1..costs.len() {
        let middle = f64::midpoint(costs[split - 1].0, costs[split].0);
        while costs[from].0 < middle - WINDOW / 2.0 {
            from += 1;
        }
        while to < costs.len() && costs[to].0 <= middle + WINDOW / 2.0 {
            to += 1;
        }
        let beyond = costs.len() - split;
        if split < fewest || beyond < fewest || (beyond as f64) < MIN_BEYOND * split as f64 {
            continue;
        }
        let (valley, peak) = (to - from, peaks_before[split - 1].min(peaks_after[split]));
        let gap = costs[split].0 - costs[split - 1].0;
        let depth = valley as f64 / peak as f64;
        let better =
            best.is_none_or(|(least, widest, _)| depth < least || (depth == least && gap > widest));
        if better && (is_valley(valley, peak) || is_gap(costs, split)) {
            best = Some((depth, gap, split));
        }
    }
    best.map(|(_, _, split)| split)
}

/// For each cost, the largest count in any window up to it.
fn peaks(costs: &[(f64, f64)]) -> Vec<usize> {
    let (mut from, mut most) = (0, 0);
    let up_to = |to: usize| {
        while costs[from].0 < costs[to].0 - WINDOW {
            from += 1;
        }
        most = most.max(to + 1 - from);
        most
    };
    (0..costs.len()).map(up_to).collect()
}

fn is_valley(valley: usize, peak: usize) -> bool {
    let (valley, peak) = (valley as f64, peak as f64);
    valley <= DEPTH * peak && peak - valley >= SIGNIFICANT * (peak + valley).sqrt()
}

fn is_gap(costs: &[(f64, f64)], split: usize) -> bool {
    let ((below, below_se), (above, above_se)) = (costs[split - 1], costs[split]);
    let gap = above - below;
    if gap < MIN_GAP || gap < SIGNIFICANT * below_se.hypot(above_se) {
        return false;
    }
    let before = costs[..split].iter().rev().map(|cost| cost.0);
    let beyond = costs[split..].iter().map(|cost| cost.0);
    gap >= SIGNIFICANT * scatter(before, gap / 2.0).max(scatter(beyond, gap / 2.0))
}

/// Robust standard deviation of the costs next to a gap, up to the next gap of this width, from
/// their quartiles. Zero for few costs.
fn scatter(outwards: impl Iterator<Item = f64>, width: f64) -> f64 {
    let mut near: Vec<f64> = Vec::new();
    for log in outwards {
        if near.last().is_some_and(|last| (log - last).abs() > width) {
            break;
        }
        near.push(log);
    }
    let at = |share: f64| near[((near.len() - 1) as f64 * share).round() as usize];
    if near.len() < 4 { 0.0 } else { (at(0.75) - at(0.25)).abs() / 1.349 }
}

/// The cost below which this share lies; `None` without costs.
pub(crate) fn quantile(mut logs: Vec<f64>, share: f64) -> Option<f64> {
    logs.sort_by(f64::total_cmp);
    logs.get((logs.len().saturating_sub(1) as f64 * share).round() as usize).copied()
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::core_to_core::tests::simulate::noise;

    fn class(rng: &mut Rng, ns: f64, pairs: usize) -> Vec<(f64, f64)> {
        (0..pairs).map(|_| (ns.ln() + noise(rng), 0.01)).collect()
    }

    #[test]
    fn classes_with_overlapping_tails_are_separated() {
        for seed in 0..50 {
            let rng = &mut Rng::with_seed(seed);
            let costs = [(10.0, 500), (25.0, 1000), (32.0, 300), (180.0, 300)]
                .map(|(ns, pairs)| class(rng, ns, pairs));
            let found = thresholds(costs.concat(), 8);
            assert_eq!(found.len(), 3, "seed {seed}: {found:?}");
            assert!(found[1] > 26f64.ln() && found[1] < 31.5f64.ln(), "seed {seed}: {found:?}");
        }
    }

    #[test]
    fn one_class_is_never_split() {
        for seed in 0..200 {
            let rng = &mut Rng::with_seed(seed);
            for pairs in [1, 2, 3, 6, 28, 120, 2_000] {
                let found = thresholds(class(rng, 60.0, pairs), (pairs / 16).clamp(1, 8));
                // One tail among a few pairs may look like a class; the structure of pairs decides
                // (see blocks).
                let outliers = if pairs <= 120 { 5 } else { 0 };
                assert!(found.len() <= outliers, "seed {seed}, {pairs} pairs: {found:?}");
            }
        }
    }

    #[test]
    fn a_continuous_spread_is_one_class() {
        let rng = &mut Rng::with_seed(1);
        let costs = (0..2000).map(|_| ((45.0 + 20.0 * rng.f64()).ln(), 0.01)).collect();
        assert_eq!(thresholds(costs, 8), Vec::<f64>::new());
    }

    #[test]
    fn few_pairs_need_a_gap_beyond_their_standard_errors() {
        let costs = |se| vec![(10f64.ln(), se), (11f64.ln(), se)];
        assert_eq!(thresholds(costs(0.01), 1).len(), 1);
        assert!(thresholds(costs(0.03), 1).is_empty());
        assert!(thresholds(vec![], 1).is_empty());
    }
}
