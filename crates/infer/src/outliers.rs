//! Outliers: cells that differ from their row and column.
//!
//! A group of CPUs has its speed, a memory has its own, and so has a path: to local memory, to a
//! near node, to a far one. The logarithm of a cell's figure is modelled as the sum of the three,
//! fitted by least absolute deviations, which one outlier does not bias. A cell is an *outlier*
//! when its residual exceeds both [`LEAST`] (about 10 %) and [`TIMES`] the typical residual. It is
//! either an important property of the machine or an accident, so it is measured again.
//!
//! A model with as many terms as cells, as with two groups and two nodes, fits exactly and has no
//! outliers. In a row with only two cells both are outliers, as either may be the wrong one.

use std::collections::BTreeMap;

use crate::cell::MAD_TO_SD;

/// The smallest ratio of an outlier to its expected value.
pub const LEAST: f64 = 1.1;
/// The smallest multiple of the typical residual (1.4826 × the median absolute residual) for an
/// outlier.
pub const TIMES: f64 = 5.0;

/// Number of reweighted fits; they converge much earlier.
const FITS: usize = 40;
/// Passes over the three kinds of terms in each fit.
const PASSES: usize = 12;
/// Minimum of residuals: a hundredth of a percent.
const SMALLEST: f64 = 1e-4;

/// A cell's figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellFigure {
    /// Index of the row.
    pub row: usize,
    /// Index of the column.
    pub column: usize,
    /// The kind of path, in any numbers: the claimed distance, or 0 for local memory and 1 for
    /// remote.
    pub path: u32,
    /// The figure, in any unit; one that is not above zero is skipped.
    pub value: f64,
}

/// An outlier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellOutlier {
    /// Index of the row.
    pub row: usize,
    /// Index of the column.
    pub column: usize,
    /// The figure that its row, column and path predict.
    pub expected: f64,
}

/// The outliers, in the order of the figures.
pub fn outliers(figures: &[CellFigure]) -> Vec<CellOutlier> {
    let known: Vec<CellFigure> = figures
        .iter()
        .copied()
        .filter(|figure| figure.value > 0.0 && figure.value.is_finite())
        .collect();
    let terms: [Vec<usize>; 3] = [
        numbered(known.iter().map(|figure| figure.row as u64)),
        numbered(known.iter().map(|figure| figure.column as u64)),
        numbered(known.iter().map(|figure| u64::from(figure.path))),
    ];
    // Each kind of term after the first has one redundant parameter.
    let free = terms.iter().map(|of| count(of)).sum::<usize>().saturating_sub(2);
    if known.len() <= free {
        return Vec::new();
    }
    let residuals =
        residuals(&known.iter().map(|figure| figure.value.ln()).collect::<Vec<_>>(), &terms);
    let limit = LEAST.ln().max(TIMES * usual_size(&residuals));
    let outlier = known.iter().zip(&residuals).filter(|(_, residual)| residual.abs() > limit);
    outlier
        .map(|(figure, residual)| CellOutlier {
            row: figure.row,
            column: figure.column,
            expected: figure.value / residual.exp(),
        })
        .collect()
}

/// Labels as numbers from 0.
fn numbered(names: impl Iterator<Item = u64>) -> Vec<usize> {
    let mut numbers = BTreeMap::new();
    names
        .map(|name| {
            let next = numbers.len();
            *numbers.entry(name).or_insert(next)
        })
        .collect()
}

fn count(numbers: &[usize]) -> usize {
    numbers.iter().max().map_or(0, |most| most + 1)
}

/// Residuals of a fit whose weights minimise the sum of absolute values.
fn residuals(logs: &[f64], terms: &[Vec<usize>; 3]) -> Vec<f64> {
    let mut left = logs.to_vec();
    let mut weights = vec![1.0; logs.len()];
    for _ in 0..FITS {
        for _ in 0..PASSES {
            terms.iter().for_each(|term| take_means(&mut left, &weights, term));
        }
        weights = left.iter().map(|residual| 1.0 / residual.abs().max(SMALLEST)).collect();
    }
    left
}

/// Subtracts each term's weighted mean.
fn take_means(left: &mut [f64], weights: &[f64], term: &[usize]) {
    let mut sums = vec![(0.0, 0.0); count(term)];
    for ((residual, weight), &index) in left.iter().zip(weights).zip(term) {
        sums[index].0 += residual * weight;
        sums[index].1 += weight;
    }
    for (residual, &index) in left.iter_mut().zip(term) {
        *residual -= sums[index].0 / sums[index].1;
    }
}

fn usual_size(residuals: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = residuals.iter().map(|residual| residual.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    MAD_TO_SD * sizes.get(sizes.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Rows and columns of various speeds, local memory twice as fast as remote, and noise of one
    /// percent.
    fn matrix(rows: usize, columns: usize, seed: u64) -> Vec<CellFigure> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut speeds =
            |count: usize| (0..count).map(|_| 10.0 + 10.0 * random.f64()).collect::<Vec<f64>>();
        let (of_rows, of_columns) = (speeds(rows), speeds(columns));
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        cells
            .map(|(row, column)| {
                let path = u32::from(row % columns != column);
                let noise = 1.0 + 0.01 * (random.f64() - 0.5);
                let value = of_rows[row] * of_columns[column] * noise / f64::from(1 + path);
                CellFigure { row, column, path, value }
            })
            .collect()
    }

    proptest! {
        #[test]
        fn one_outlier_is_found_alone(
            rows in 4usize..10,
            columns in 4usize..10,
            seed in any::<u64>(),
            at in any::<prop::sample::Index>(),
            fast: bool,
        ) {
            let mut figures = matrix(rows, columns, seed);
            prop_assert_eq!(outliers(&figures), vec![]);
            let outlier = at.index(figures.len());
            let honest = figures[outlier].value;
            figures[outlier].value *= if fast { 1.6 } else { 0.6 };
            let found = outliers(&figures);
            prop_assert_eq!(found.len(), 1);
            let (found, figure) = (found[0], figures[outlier]);
            prop_assert_eq!((found.row, found.column), (figure.row, figure.column));
            prop_assert!((found.expected / honest - 1.0).abs() < 0.03, "{found:?} for {honest}");
        }

        #[test]
        fn units_do_not_matter(seed in any::<u64>(), unit in 1e-9f64..1e9) {
            let mut figures = matrix(5, 4, seed);
            figures[7].value *= 0.5;
            let places = |figures: &[CellFigure]| -> Vec<(usize, usize)> {
                outliers(figures).iter().map(|cell| (cell.row, cell.column)).collect()
            };
            let before = places(&figures);
            figures.iter_mut().for_each(|figure| figure.value *= unit);
            prop_assert_eq!(places(&figures), before);
        }
    }

    #[test]
    fn noise_and_small_differences_are_no_outliers() {
        let mut figures = matrix(6, 6, 1);
        figures[8].value *= 1.07;
        assert_eq!(outliers(&figures), []);
    }

    #[test]
    fn local_nodes_are_no_outliers() {
        // Four times as fast in four of 16 cells, which rows and columns alone would not explain.
        let value = |row, column| if row == column { 400.0 } else { 100.0 };
        let path = |row, column| u32::from(row != column);
        let cells = (0..16).map(|at| (at / 4, at % 4));
        let figures: Vec<CellFigure> = cells
            .map(|(row, column)| CellFigure {
                row,
                column,
                path: path(row, column),
                value: value(row, column),
            })
            .collect();
        assert_eq!(outliers(&figures), []);
        let unnamed: Vec<CellFigure> =
            figures.iter().map(|figure| CellFigure { path: 0, ..*figure }).collect();
        assert_eq!(outliers(&unnamed).len(), 4);
    }

    #[test]
    fn exact_fits_have_no_outliers() {
        let figure =
            |row, column, value| CellFigure { row, column, path: u32::from(row != column), value };
        let two = [figure(0, 0, 20.0), figure(0, 1, 10.0), figure(1, 0, 2.0), figure(1, 1, 20.0)];
        assert_eq!(outliers(&two), []);
        assert_eq!(outliers(&two[..1]), []);
        assert_eq!(outliers(&[]), []);
        assert_eq!(outliers(&[figure(0, 0, f64::NAN), figure(0, 1, -1.0), figure(1, 0, 0.0)]), []);
    }

    #[test]
    fn in_rows_of_two_both_are_outliers() {
        let figure = |row: usize, column: usize| CellFigure {
            row,
            column,
            path: u32::from(row / 4 != column),
            value: if (row, column) == (5, 0) { 4.0 } else { 10.0 },
        };
        let figures: Vec<CellFigure> = (0..16).map(|at| figure(at / 2, at % 2)).collect();
        let rows: Vec<usize> = outliers(&figures).iter().map(|cell| cell.row).collect();
        assert!(!rows.is_empty() && rows.iter().all(|&row| row == 5), "{rows:?}");
    }
}
