//! Differences between columns within rows.

use crate::readings::Readings;

/// The largest difference of two columns' log medians within one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Contrast {
    pub(crate) row: usize,
    pub(crate) near: usize,
    pub(crate) far: usize,
    /// Natural logarithm of the ratio far to near; not negative.
    pub(crate) log_ratio: f64,
}

/// The largest within-row contrast; `None` when no row has two columns to compare.
pub(crate) fn largest(readings: &Readings) -> Option<Contrast> {
    let of_row = |(row, columns): (usize, Vec<usize>)| {
        let median = |column: usize| readings.row(row)[column].log_median().map(|log| (log, column));
        let medians: Vec<(f64, usize)> = columns.into_iter().filter_map(median).collect();
        let near = medians.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
        let far = medians.iter().rev().max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(Contrast { row, near: near.1, far: far.1, log_ratio: far.0 - near.0 })
    };
    let rows = readings.comparable_rows().into_iter().filter_map(of_row);
    rows.reduce(|best, next| if next.log_ratio > best.log_ratio { next } else { best })
}
