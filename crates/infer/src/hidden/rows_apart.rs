//! The difference between rows on the same pages: far from all of them, or near all of them.
//!
//! Where every page is near one of two nodes, pages are of one kind, and only rows differ between
//! the nodes. Slow CPUs have the same effect. So different rows make a result doubtful, and only
//! rows that are shown to be equal allow the result "none".

use std::collections::BTreeSet;

use super::cost_table::{CostTable, mean};
use super::over_processes::enough;
use crate::student::{NORMAL_95, as_rare_as};

/// The smallest difference of rows on the same pages (a fraction) that may be due to distance.
pub(super) const ROWS_APART: f64 = 0.05;

/// The ratio of the slowest row to the fastest on the same pages, minus 1, by 95 % intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RowsApart {
    /// By the nearer ends. Whole rows drift between processes, so these intervals include the drift
    /// in full.
    pub(super) at_least: f64,
    /// By the farther ends, of the mean over processes: the largest of all pairs of rows.
    pub(super) at_most: f64,
}

impl RowsApart {
    /// From the rows that most processes measured. `None` where fewer than two processes measured
    /// the same two rows.
    pub(super) fn from_tables(measured: &[&CostTable]) -> Option<Self> {
        let levels = levels(measured);
        let rows = levels.first().map_or(0, Vec::len);
        if rows < 2 || levels.len() < 2 {
            return None;
        }
        let row_levels = |row: usize| levels.iter().map(move |levels| levels[row]);
        let means: Vec<f64> = (0..rows).map(|row| mean(row_levels(row))).collect();
        let halves = (0..rows).map(|row| own_half(&row_levels(row).collect::<Vec<_>>()));
        let intervals: Vec<[f64; 2]> =
            means.iter().zip(halves).map(|(at, half)| [at - half, at + half]).collect();
        let low = intervals.iter().map(|interval| interval[0]).reduce(f64::max)?;
        let high = intervals.iter().map(|interval| interval[1]).reduce(f64::min)?;
        let slowest = means.iter().copied().reduce(f64::max)?;
        let fastest = means.iter().copied().reduce(f64::min)?;
        Some(Self {
            at_least: (low - high).exp_m1(),
            at_most: (slowest - fastest + half_of_differences(&levels)).exp_m1(),
        })
    }
}

/// Each row's median page cost, by process, for rows with enough processes, and processes with all
/// of these rows.
fn levels(measured: &[&CostTable]) -> Vec<Vec<f64>> {
    let has = |sheet: &CostTable, row: &usize| sheet.rows.contains(row);
    let mut rows: BTreeSet<usize> =
        measured.iter().flat_map(|sheet| sheet.rows.iter().copied()).collect();
    rows.retain(|row| {
        measured.iter().filter(|sheet| has(sheet, row)).count() >= enough(measured.len())
    });
    let whole = measured.iter().filter(|sheet| rows.iter().all(|row| has(sheet, row)));
    let of_sheet = |sheet: &&CostTable| {
        let levels = sheet.rows.iter().zip(sheet.level_of_rows());
        levels.filter(|(row, _)| rows.contains(row)).map(|(_, level)| level).collect()
    };
    whole.map(of_sheet).collect()
}

/// Half the interval of a row's level in one process.
fn own_half(levels: &[f64]) -> f64 {
    let middle = mean(levels.iter().copied());
    let squares: f64 = levels.iter().map(|level| (level - middle).powi(2)).sum();
    let freedom = levels.len() as f64 - 1.0;
    (squares / freedom).sqrt() * as_rare_as(NORMAL_95, freedom)
}

/// Half the 95 % interval of the mean difference of two rows, from the scatter of all rows without
/// the common part of each process.
fn half_of_differences(levels: &[Vec<f64>]) -> f64 {
    let (processes, rows) = (levels.len() as f64, levels[0].len());
    let own: Vec<f64> = levels.iter().map(|levels| mean(levels.iter().copied())).collect();
    let all = mean(own.iter().copied());
    let row_mean = |row: usize| mean(levels.iter().map(|levels| levels[row]));
    let left = |row: usize| {
        let middle = row_mean(row);
        levels.iter().zip(&own).map(move |(levels, own)| levels[row] - middle - own + all)
    };
    let squares: f64 = (0..rows).flat_map(left).map(|left| left.powi(2)).sum();
    let freedom = (processes - 1.0) * (rows as f64 - 1.0);
    (2.0 * squares / freedom / processes).sqrt() * as_rare_as(NORMAL_95, freedom)
}

#[cfg(test)]
mod tests {
    use nearfar_model::{CellIndex, Sample};

    use super::*;

    /// A process with these rows and costs.
    fn sheet(rows: &[(usize, f64)]) -> CostTable {
        let samples = rows.iter().flat_map(|&(row, ns)| {
            (0..20).map(move |item| Sample::new(0, 0, CellIndex::new(row, item), ns))
        });
        CostTable::new(&samples.collect::<Vec<_>>())
    }

    fn of(sheets: &[CostTable]) -> Option<RowsApart> {
        RowsApart::from_tables(&sheets.iter().collect::<Vec<_>>())
    }

    #[test]
    fn stable_rows_keep_their_difference() {
        let apart = of(&[sheet(&[(0, 80.0), (1, 96.0)]), sheet(&[(0, 80.0), (1, 96.0)])]).unwrap();
        assert!(
            (apart.at_least - 0.2).abs() < 1e-9 && (apart.at_most - 0.2).abs() < 1e-9,
            "{apart:?}"
        );
    }

    #[test]
    fn drifting_rows_are_undetermined() {
        let levels = [[80.0, 88.0], [82.0, 85.0], [79.0, 89.0]];
        let apart = of(&levels.map(|[a, b]| sheet(&[(0, a), (1, b)]))).unwrap();
        assert!(apart.at_least < 0.05 && apart.at_most > 0.12, "{apart:?}");
        // The common part of a process is equal in all rows.
        let together =
            of(&[1.0, 1.1, 0.9].map(|all| sheet(&[(0, 80.0 * all), (1, 80.0 * all)]))).unwrap();
        assert!(together.at_most < 1e-9, "{together:?}");
    }

    #[test]
    fn incomplete_rows_do_not_hide_others() {
        let whole = || sheet(&[(0, 80.0), (1, 80.0), (2, 96.0)]);
        let apart = of(&[sheet(&[(0, 80.0), (1, 80.0)]), whole(), whole()]).unwrap();
        assert!((apart.at_least - 0.2).abs() < 1e-9, "{apart:?}");
        assert_eq!(of(&[sheet(&[(0, 80.0)]), sheet(&[(1, 80.0)]), sheet(&[(2, 80.0)])]), None);
        assert_eq!(of(&[sheet(&[(0, 80.0)]), sheet(&[(0, 80.0)])]), None);
        assert_eq!(of(&[]), None);
    }
}
