//! Ranks of costs, so that single outliers do not decide.

/// Ranks from 0. Equal values share their mean rank, so that ties have no order.
pub(super) fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for equal in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let middle = first as f64 + (equal.len() - 1) as f64 / 2.0;
        equal.iter().for_each(|at| ranks[*at] = middle);
        first += equal.len();
    }
    ranks
}

/// Ranks centred at 0 and normalised to length 1: the scalar product of two is their correlation.
/// None where all values are equal.
pub(super) fn unit_ranks(values: &[f64]) -> Option<Vec<f64>> {
    let middle = (values.len() as f64 - 1.0) / 2.0;
    let centred: Vec<f64> = ranks(values).into_iter().map(|rank| rank - middle).collect();
    let length = centred.iter().map(|rank| rank.powi(2)).sum::<f64>().sqrt();
    (length > 0.0).then(|| centred.into_iter().map(|rank| rank / length).collect())
}

/// The correlation of two rows of unit ranks.
pub(super) fn correlation(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_their_mean_rank() {
        assert_eq!(ranks(&[5.0, 3.0, 5.0, 9.0, 5.0]), [2.0, 0.0, 2.0, 4.0, 2.0]);
        assert_eq!(ranks(&[7.0; 4]), [1.5; 4]);
        assert_eq!(ranks(&[]), [0.0; 0]);
    }

    #[test]
    fn constants_have_no_correlation() {
        assert_eq!(unit_ranks(&[7.0; 4]), None);
        assert_eq!(unit_ranks(&[]), None);
    }

    #[test]
    fn equal_and_opposite_orders_correlate_fully() {
        let unit = |values: &[f64]| unit_ranks(values).unwrap();
        let (up, down) = (unit(&[1.0, 2.0, 900.0]), unit(&[0.3, 0.2, 0.1]));
        assert!(
            (correlation(&up, &up) - 1.0).abs() < 1e-12
                && (correlation(&up, &down) + 1.0).abs() < 1e-12
        );
        // Ties at opposite ends have no correlation.
        let (a, b) = (unit(&[1.0, 1.0, 1.0, 2.0]), unit(&[2.0, 1.0, 1.0, 1.0]));
        assert!(correlation(&a, &b) < 0.0);
    }
}
