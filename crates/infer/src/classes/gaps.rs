//! May the gap between two groups of distances be chance?
//!
//! If all were one class, their costs would still scatter, and whoever sorts them and cuts where
//! the gap is finds the smaller ones on one side and the larger ones on the other. So that is done
//! with the resampled errors alone, and the gap that comes of it compared.

use crate::distances::Distance;
use crate::node_costs::{NodeCosts, mean_of};
use crate::student::as_rare_as;

/// The normal deviate at which errors known from few processes are stretched to be as rare as
/// Student's t: that of Holm's rates.
const RARE: f64 = 3.0;

/// How often chance alone, among distances that are all alike, makes so wide a gap.
pub(super) fn p(costs: &NodeCosts, near: &[&Distance], far: &[&Distance]) -> f64 {
    let mean = |group: &[&Distance], logs: &[f64]| {
        mean_of(group.iter().map(|distance| distance.within(logs)))
    };
    let gap = |logs: &[f64]| mean(far, logs) - mean(near, logs);
    let Some(scatter) = costs.scatter(gap) else { return 1.0 };
    let stretch = as_rare_as(RARE, costs.freedom(scatter)) / RARE;
    let observed = gap(costs.logs());
    let all: Vec<&Distance> = near.iter().chain(far).copied().collect();
    let by_chance = |errors: &Vec<f64>| {
        cut(all.iter().map(|distance| distance.within(errors)).collect(), near.len())
    };
    let reached =
        costs.errors().iter().filter(|errors| stretch * by_chance(errors) >= observed).count();
    (reached + 1) as f64 / (costs.errors().len() + 1) as f64
}

/// The gap between the means of the smallest `many` and of the others.
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
