//! Isotonic regression: the nearest values that never decrease.

/// Pools decreasing neighbours (pool adjacent violators). A cost does not decrease with size or
/// load; noise does.
pub(crate) fn isotonic(values: &[f64]) -> Vec<f64> {
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for &value in values {
        let mut pool = (value, 1);
        while let Some(&(mean, count)) = pools.last().filter(|last| last.0 > pool.0) {
            pools.pop();
            pool = (
                (mean * count as f64 + pool.0 * pool.1 as f64) / (count + pool.1) as f64,
                count + pool.1,
            );
        }
        pools.push(pool);
    }
    pools.into_iter().flat_map(|(mean, count)| std::iter::repeat_n(mean, count)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn result_is_monotonic_with_equal_mean(
            values in proptest::collection::vec(1.0f64..100.0, 0..40),
        ) {
            let after = isotonic(&values);
            prop_assert!(after.windows(2).all(|pair| pair[0] <= pair[1]));
            prop_assert_eq!(after.len(), values.len());
            prop_assert!((after.iter().sum::<f64>() - values.iter().sum::<f64>()).abs() < 1e-6);
        }
    }

    #[test]
    fn increasing_values_stay() {
        assert_eq!(isotonic(&[1.0, 2.0, 5.0]), [1.0, 2.0, 5.0]);
        assert_eq!(isotonic(&[1.0, 4.0, 2.0]), [1.0, 3.0, 3.0]);
    }
}
