//! How far rows lie apart on the same pages: far from all of them, or beside them all.
//!
//! Where every page lies beside one of two nodes, pages are of one kind, and only rows tell the
//! nodes apart. Slow CPUs do that as well. So rows that are apart make a finding doubtful, and only
//! rows that are shown not to be let it be "none".

use std::collections::BTreeSet;

use super::cost_table::{CostTable, mean};
use super::over_processes::enough;
use crate::student::{NORMAL_95, as_rare_as};

/// Rows that differ by more than this on the same pages (a fraction) may be at different distances
/// from them.
pub(super) const ROWS_APART: f64 = 0.05;

/// How far the dearest row lies above the cheapest on the same pages, as fractions, by 95 %
/// intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RowsApart {
    /// By the nearer ends. Whole rows wander from process to process, so these intervals carry
    /// that whole.
    pub(super) at_least: f64,
    /// By the farther ends, of the mean over processes: of all pairs of rows, the largest.
    pub(super) at_most: f64,
}

impl RowsApart {
    /// Of the rows that most processes measured. `None` where fewer than two did, or measured fewer
    /// than two rows alike.
    pub(super) fn of(measured: &[&CostTable]) -> Option<Self> {
        let levels = levels(measured);
        let rows = levels.first().map_or(0, Vec::len);
        if rows < 2 || levels.len() < 2 {
            return None;
        }
        let of_row = |row: usize| levels.iter().map(move |levels| levels[row]);
        let means: Vec<f64> = (0..rows).map(|row| mean(of_row(row))).collect();
        let halves = (0..rows).map(|row| own_half(&of_row(row).collect::<Vec<_>>()));
        let intervals: Vec<[f64; 2]> =
            means.iter().zip(halves).map(|(at, half)| [at - half, at + half]).collect();
        let low = intervals.iter().map(|interval| interval[0]).reduce(f64::max)?;
        let high = intervals.iter().map(|interval| interval[1]).reduce(f64::min)?;
        let dearest = means.iter().copied().reduce(f64::max)?;
        let cheapest = means.iter().copied().reduce(f64::min)?;
        Some(Self {
            at_least: (low - high).exp_m1(),
            at_most: (dearest - cheapest + half_of_differences(&levels)).exp_m1(),
        })
    }
}

/// What each row sees of a middling page, process by process: of those rows that enough processes
/// measured, and of those processes that did.
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

/// Half the interval that one process's level of a row is in.
fn own_half(levels: &[f64]) -> f64 {
    let middle = mean(levels.iter().copied());
    let squares: f64 = levels.iter().map(|level| (level - middle).powi(2)).sum();
    let freedom = levels.len() as f64 - 1.0;
    (squares / freedom).sqrt() * as_rare_as(NORMAL_95, freedom)
}

/// Half the 95 % interval of the mean difference of two rows, of what all rows scatter once what a
/// whole process does is taken off.
fn half_of_differences(levels: &[Vec<f64>]) -> f64 {
    let (processes, rows) = (levels.len() as f64, levels[0].len());
    let own: Vec<f64> = levels.iter().map(|levels| mean(levels.iter().copied())).collect();
    let all = mean(own.iter().copied());
    let of_row = |row: usize| mean(levels.iter().map(|levels| levels[row]));
    let left = |row: usize| {
        let middle = of_row(row);
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

    /// A process that measured these rows at these costs.
    fn sheet(rows: &[(usize, f64)]) -> CostTable {
        let samples = rows.iter().flat_map(|&(row, ns)| {
            (0..20).map(move |item| Sample::new(0, 0, CellIndex::new(row, item), ns))
        });
        CostTable::new(&samples.collect::<Vec<_>>())
    }

    fn of(sheets: &[CostTable]) -> Option<RowsApart> {
        RowsApart::of(&sheets.iter().collect::<Vec<_>>())
    }

    #[test]
    fn rows_that_stand_still_are_as_far_apart_as_they_are() {
        let apart = of(&[sheet(&[(0, 80.0), (1, 96.0)]), sheet(&[(0, 80.0), (1, 96.0)])]).unwrap();
        assert!(
            (apart.at_least - 0.2).abs() < 1e-9 && (apart.at_most - 0.2).abs() < 1e-9,
            "{apart:?}"
        );
    }

    #[test]
    fn rows_that_wander_may_be_near_and_may_be_far() {
        let levels = [[80.0, 88.0], [82.0, 85.0], [79.0, 89.0]];
        let apart = of(&levels.map(|[a, b]| sheet(&[(0, a), (1, b)]))).unwrap();
        assert!(apart.at_least < 0.05 && apart.at_most > 0.12, "{apart:?}");
        // What a whole process does, rows do together.
        let together =
            of(&[1.0, 1.1, 0.9].map(|all| sheet(&[(0, 80.0 * all), (1, 80.0 * all)]))).unwrap();
        assert!(together.at_most < 1e-9, "{together:?}");
    }

    #[test]
    fn a_row_that_one_process_lost_does_not_hide_the_others() {
        let whole = || sheet(&[(0, 80.0), (1, 80.0), (2, 96.0)]);
        let apart = of(&[sheet(&[(0, 80.0), (1, 80.0)]), whole(), whole()]).unwrap();
        assert!((apart.at_least - 0.2).abs() < 1e-9, "{apart:?}");
        assert_eq!(of(&[sheet(&[(0, 80.0)]), sheet(&[(1, 80.0)]), sheet(&[(2, 80.0)])]), None);
        assert_eq!(of(&[sheet(&[(0, 80.0)]), sheet(&[(0, 80.0)])]), None);
        assert_eq!(of(&[]), None);
    }
}
