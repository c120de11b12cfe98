//! Rousseeuw and Croux's Qn, for thousands of values.

/// About the first quartile of all distances, consistent for the standard deviation of normal
/// deviates. The values are ascending.
///
/// The distances are as many as the square of the values, so they are counted rather than kept:
/// bisection finds the smallest number that is not below the wanted distance.
pub(super) fn qn(values: &[f64]) -> f64 {
    const CONSISTENT: f64 = 2.2219;
    const OF_FEW: [f64; 8] = [0.399, 0.994, 0.512, 0.844, 0.611, 0.857, 0.669, 0.872];
    let count = values.len();
    if count < 2 {
        return 0.0;
    }
    let half = count / 2 + 1;
    let distance = distance_of_rank(values, half * (half - 1) / 2);
    let large = if count % 2 == 1 { 1.4 } else { 3.8 };
    let correction = OF_FEW.get(count - 2).copied();
    CONSISTENT * correction.unwrap_or(count as f64 / (count as f64 + large)) * distance
}

/// The smallest distance that at least `rank` pairs do not exceed. Positive numbers have the order
/// of their bits.
fn distance_of_rank(values: &[f64], rank: usize) -> f64 {
    let (mut below, mut enough) = (0, (values[values.len() - 1] - values[0]).to_bits());
    while below < enough {
        let middle = u64::midpoint(below, enough);
        if pairs_within(values, f64::from_bits(middle)) >= rank {
            enough = middle;
        } else {
            below = middle + 1;
        }
    }
    f64::from_bits(enough)
}

fn pairs_within(values: &[f64], distance: f64) -> usize {
    let mut first = 0;
    let mut pairs = 0;
    for (at, value) in values.iter().enumerate() {
        while value - values[first] > distance {
            first += 1;
        }
        pairs += at - first;
    }
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_distance_is_that_of_all_sorted_distances(
            mut values in prop::collection::vec(-3.0..3.0f64, 2..40),
        ) {
            values.sort_by(f64::total_cmp);
            let mut distances: Vec<f64> = (0..values.len())
                .flat_map(|at| values[..at].iter().map(move |other| (at, *other)))
                .map(|(at, other)| values[at] - other)
                .collect();
            distances.sort_by(f64::total_cmp);
            for (before, distance) in distances.iter().enumerate() {
                prop_assert_eq!(distance_of_rank(&values, before + 1), *distance);
            }
        }
    }
}
