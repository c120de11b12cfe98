//! Is the gap between two groups of distances due to chance?
//!
//! Costs of a single class scatter, too, and a cut at the widest gap always separates smaller costs
//! from larger ones. So resampled errors alone are cut in the same way, and their gap is compared
//! with the observed one.

use crate::distances::CostDistance;
use crate::node_costs::{NodeCosts, mean_of};
use crate::student::as_rare_as;

/// The normal deviate at which errors from few processes are scaled to Student's t: that of Holm's
/// rates.
const RARE: f64 = 3.0;

/// The probability of such a gap among equal distances.
pub(super) fn p(costs: &NodeCosts, near: &[&CostDistance], far: &[&CostDistance]) -> f64 {
    let mean = |group: &[&CostDistance], logs: &[f64]| {
        mean_of(group.iter().map(|distance| distance.within(logs)))
    };
    let gap = |logs: &[f64]| mean(far, logs) - mean(near, logs);
    let Some(scatter) = costs.scatter(gap) else { return 1.0 };
    let stretch = as_rare_as(RARE, costs.freedom(scatter)) / RARE;
    let observed = gap(costs.logs());
    let all: Vec<&CostDistance> = near.iter().chain(far).copied().collect();
    let by_chance = |errors: &Vec<f64>| {
        cut(all.iter().map(|distance| distance.within(errors)).collect(), near.len())
    };
    let reached =
        costs.errors().iter().filter(|errors| stretch * by_chance(errors) >= observed).count();
    (reached + 1) as f64 / (costs.errors().len() + 1) as f64
}

/// The gap between the mean of the smallest `many` and the mean of the others.
fn cut(mut values: Vec<f64>, many: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    let (low, high) = values.split_at(many);
    mean_of(high.iter().copied()) - mean_of(low.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_are_cut_off() {
        assert!((cut(vec![3.0, 1.0, 8.0, 2.0], 2) - 4.0).abs() < 1e-12);
    }
}
