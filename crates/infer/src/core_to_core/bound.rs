//! A bound for the share of wrong pairs, from the wrong ones in a random sample.

/// Upper 95 % bound of a share with `wrong` of `checked` in a sample (Clopper and Pearson, 1934); 1
/// for an empty sample.
pub(crate) fn share_below(wrong: usize, checked: usize) -> f64 {
    if wrong >= checked {
        return 1.0;
    }
    let (mut low, mut high) = (wrong as f64 / checked as f64, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if at_most(wrong, checked, middle) > 0.05 { low = middle } else { high = middle }
    }
    high
}

/// The probability of at most `wrong` of `checked`, each with this probability.
fn at_most(wrong: usize, checked: usize, probability: f64) -> f64 {
    let odds = (probability / (1.0 - probability)).ln();
    let mut log_term = checked as f64 * (-probability).ln_1p();
    let mut sum = log_term.exp();
    for number in 1..=wrong {
        log_term += odds + ((checked - number + 1) as f64 / number as f64).ln();
        sum += log_term.exp();
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_hundred_checks_bound_one_percent() {
        assert!((share_below(0, 300) - (1.0 - 0.05f64.powf(1.0 / 300.0))).abs() < 1e-9);
        assert!(share_below(0, 300) < 0.01 && share_below(0, 298) > 0.01 - 1e-4);
    }

    #[test]
    fn agrees_with_the_tables_of_clopper_and_pearson() {
        for (wrong, checked, bound) in
            [(0, 10, 0.2589), (1, 10, 0.3942), (5, 100, 0.1023), (30, 1000, 0.0405)]
        {
            assert!(
                (share_below(wrong, checked) - bound).abs() < 3e-4,
                "{wrong} of {checked}: {}",
                share_below(wrong, checked)
            );
        }
        assert_eq!((share_below(0, 0), share_below(3, 3)), (1.0, 1.0));
    }
}
