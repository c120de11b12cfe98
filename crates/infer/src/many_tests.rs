//! Corrections for multiple tests.

/// The rejected hypotheses, with a limited rate of any false rejection (Holm, 1979).
pub(crate) fn holm(ps: &[f64], alpha: f64) -> Vec<bool> {
    let order = ascending(ps);
    let holds = |(rank, &test): (usize, &usize)| ps[test] > alpha / (ps.len() - rank) as f64;
    let falling = order.iter().enumerate().position(holds).unwrap_or(ps.len());
    marked(&order[..falling], ps.len())
}

/// The rejected hypotheses, with a limited share of false ones (Benjamini and Hochberg, 1995).
pub(crate) fn benjamini_hochberg(ps: &[f64], rate: f64) -> Vec<bool> {
    let order = ascending(ps);
    let falls = |&rank: &usize| ps[order[rank]] <= rate * (rank + 1) as f64 / ps.len() as f64;
    let falling = (0..ps.len()).rev().find(falls).map_or(0, |rank| rank + 1);
    marked(&order[..falling], ps.len())
}

/// Of each hypothesis, the smallest rate at which [`benjamini_hochberg`] rejects it.
pub(crate) fn adjusted_by_benjamini_hochberg(ps: &[f64]) -> Vec<f64> {
    adjusted_by_benjamini_hochberg_of(ps, ps.len())
}

/// The same of the smallest of N probabilities. The larger ones, if they exceed the rate,
/// change none of those that are rejected.
pub(crate) fn adjusted_by_benjamini_hochberg_of(ps: &[f64], tests: usize) -> Vec<f64> {
    let mut adjusted = vec![1.0; ps.len()];
    let mut smallest: f64 = 1.0;
    for (rank, test) in ascending(ps).into_iter().enumerate().rev() {
        smallest = smallest.min(ps[test] * tests as f64 / (rank + 1) as f64);
        adjusted[test] = smallest;
    }
    adjusted
}

fn ascending(ps: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ps.len()).collect();
    order.sort_by(|&a, &b| ps[a].total_cmp(&ps[b]));
    order
}

fn marked(which: &[usize], of: usize) -> Vec<bool> {
    let mut marks = vec![false; of];
    which.iter().for_each(|&test| marks[test] = true);
    marks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn holm_stops_at_the_first_that_holds() {
        assert_eq!(holm(&[0.03, 0.01, 0.02, 0.9], 0.05), [false, true, false, false]);
        assert_eq!(holm(&[0.012, 0.01, 0.016, 0.9], 0.05), [true, true, true, false]);
        assert!(holm(&[], 0.05).is_empty());
    }

    #[test]
    fn benjamini_hochberg_rejects_more() {
        assert_eq!(benjamini_hochberg(&[0.03, 0.01, 0.02, 0.9], 0.05), [true, true, true, false]);
    }

    proptest! {
        #[test]
        fn adjusted_values_reject_the_same(ps in proptest::collection::vec(0.0f64..0.2, 0..20)) {
            let adjusted = adjusted_by_benjamini_hochberg(&ps);
            let rejected: Vec<bool> = adjusted.iter().map(|q| *q <= 0.05).collect();
            prop_assert_eq!(rejected, benjamini_hochberg(&ps, 0.05));
        }

        #[test]
        fn holm_rejections_are_a_subset(ps in proptest::collection::vec(0.0f64..0.2, 0..20)) {
            let (one, other) = (holm(&ps, 0.05), benjamini_hochberg(&ps, 0.05));
            prop_assert!(one.iter().zip(&other).all(|(holm, both)| !holm || *both));
        }
    }
}
