//! Which cells of a matrix are otherwise than their row and column say?
//!
//! A group of CPUs has its speed, a memory has its own, and so has a path: to the own node, to a
//! near one, to a far one. The logarithm of a cell's figure is modelled as the sum of the three,
//! fitted to the least sum of absolute residuals, which one wild cell does not bend. A cell *stands
//! out* when its residual is larger than [`LEAST`] (about 10 %) and [`TIMES`] times the residuals'
//! usual size. Such a cell is either what is most worth knowing of a machine, or an accident: it is
//! to be measured again before it is believed.
//!
//! Where the model has as many terms as there are cells, as with two groups and two nodes,
//! everything fits and nothing can stand out. Where a row has two cells only, both stand out
//! together, as none can say which is the wild one.

use std::collections::BTreeMap;

use crate::cell::MAD_TO_SD;

/// The least difference worth measuring again, as a ratio.
pub const LEAST: f64 = 1.1;
/// How many times the residuals' usual size (1.4826 × their median absolute value) it has to be,
/// too.
pub const TIMES: f64 = 5.0;

/// Reweighted fits; each is close to the last long before.
const FITS: usize = 40;
/// Passes over the three kinds of terms in each fit.
const PASSES: usize = 12;
/// Residuals below this count as this: a hundredth of a percent.
const SMALLEST: f64 = 1e-4;

/// A cell's figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellFigure {
    /// Index of the row.
    pub row: usize,
    /// Index of the column.
    pub column: usize,
    /// What path it is, in any numbers: the claimed distance, or 0 for the own node and 1 for
    /// others.
    pub path: u32,
    /// The figure, in any unit; not above zero is not judged.
    pub value: f64,
}

/// A cell that is otherwise than its row and column say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellOutlier {
    /// Index of the row.
    pub row: usize,
    /// Index of the column.
    pub column: usize,
    /// The figure that its row, its column and its path let expect.
    pub expected: f64,
}

/// The cells that stand out, in the order of the figures.
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
    // Each kind of term after the first can be shifted against it.
    let free = terms.iter().map(|of| count(of)).sum::<usize>().saturating_sub(2);
    if known.len() <= free {
        return Vec::new();
    }
    let residuals =
        residuals(&known.iter().map(|figure| figure.value.ln()).collect::<Vec<_>>(), &terms);
    let limit = LEAST.ln().max(TIMES * usual_size(&residuals));
    let wild = known.iter().zip(&residuals).filter(|(_, residual)| residual.abs() > limit);
    wild.map(|(figure, residual)| CellOutlier {
        row: figure.row,
        column: figure.column,
        expected: figure.value / residual.exp(),
    })
    .collect()
}

/// Names as numbers from 0.
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

/// What a fit of the terms leaves, with weights that make it the least sum of absolute values.
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

/// Takes each term's weighted mean from what is left.
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

    /// Rows and columns of various speeds, the own node twice as fast as others, and noise of a
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
        fn a_wild_cell_stands_out_and_no_other(
            rows in 4usize..10, columns in 4usize..10, seed in any::<u64>(), at in any::<prop::sample::Index>(), fast: bool,
        ) {
            let mut figures = matrix(rows, columns, seed);
            prop_assert_eq!(outliers(&figures), vec![]);
            let wild = at.index(figures.len());
            let honest = figures[wild].value;
            figures[wild].value *= if fast { 1.6 } else { 0.6 };
            let found = outliers(&figures);
            prop_assert_eq!(found.len(), 1);
            prop_assert_eq!((found[0].row, found[0].column), (figures[wild].row, figures[wild].column));
            prop_assert!((found[0].expected / honest - 1.0).abs() < 0.03, "{} for {}", found[0].expected, honest);
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
    fn noise_and_small_differences_do_not_stand_out() {
        let mut figures = matrix(6, 6, 1);
        figures[8].value *= 1.07;
        assert_eq!(outliers(&figures), []);
    }

    #[test]
    fn the_own_nodes_are_no_wild_cells() {
        // Four times as fast: of 16 cells four, that rows and columns alone would not explain.
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
    fn where_everything_fits_nothing_stands_out() {
        let figure =
            |row, column, value| CellFigure { row, column, path: u32::from(row != column), value };
        let two = [figure(0, 0, 20.0), figure(0, 1, 10.0), figure(1, 0, 2.0), figure(1, 1, 20.0)];
        assert_eq!(outliers(&two), []);
        assert_eq!(outliers(&two[..1]), []);
        assert_eq!(outliers(&[]), []);
        assert_eq!(outliers(&[figure(0, 0, f64::NAN), figure(0, 1, -1.0), figure(1, 0, 0.0)]), []);
    }

    #[test]
    fn of_a_row_of_two_cells_both_stand_out_when_one_is_wild() {
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
