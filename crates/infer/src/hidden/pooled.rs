//! Pages of several processes on one scale, so that few pages of a small node are counted together.
//!
//! Each process has fresh pages, and its rows drift as a whole. Means over a process's pages depend
//! on how many of them lie in which node. So each row's shift is the median difference of pages to
//! the cluster of one process, the *standard*, that they are nearest to.

use super::clusters::Clustering;
use super::cost_table::{CostTable, mean, median};
use super::cut::cut;

/// One page of one process.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PooledPage {
    /// The process, by index among the measured ones.
    pub(super) process: usize,
    /// The page's index within its process.
    pub(super) item: usize,
    /// Logarithm of its cost from each row, without its process's shift.
    pub(super) logs: Vec<f64>,
}

/// Pages of all processes that measured the same rows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PooledPages {
    /// Rows, by their index.
    pub(super) rows: Vec<usize>,
    pub(super) pages: Vec<PooledPage>,
    /// Number of processes with these rows.
    pub(super) processes: usize,
}

/// Steps of the alignment. The first ones suffice unless kinds are close together.
const STEPS: usize = 6;

impl PooledPages {
    /// `None` where fewer than two processes measured the same rows.
    pub(super) fn new(measured: &[&CostTable], found: &[Clustering], seed: u64) -> Option<Self> {
        let standard = found.iter().max_by_key(|one| (one.rows.len(), one.groups.len()))?;
        let own = found.iter().position(|one| std::ptr::eq(one, standard))?;
        let centres = centres(measured[own], standard, seed);
        let alike = || measured.iter().enumerate().filter(|(_, sheet)| sheet.rows == standard.rows);
        let aligned = |(process, sheet): (usize, &&CostTable)| {
            let shift = shift(sheet, measured[own], &centres);
            let page = move |(item, logs): (&usize, &Vec<f64>)| PooledPage {
                process,
                item: *item,
                logs: logs.iter().zip(&shift).map(|(log, shift)| log - shift).collect(),
            };
            sheet.items.iter().zip(&sheet.logs).map(page).collect::<Vec<_>>()
        };
        let processes = alike().count();
        (processes > 1).then(|| Self {
            rows: standard.rows.clone(),
            pages: alike().flat_map(aligned).collect(),
            processes,
        })
    }

    /// The interaction of pages and rows, as of one process.
    pub(super) fn turning(&self) -> Vec<Vec<f64>> {
        CostTable {
            rows: self.rows.clone(),
            items: (0..self.pages.len()).collect(),
            logs: self.pages.iter().map(|page| page.logs.clone()).collect(),
        }
        .turning()
    }
}

/// Median costs of a process's clusters, each cut by its level where that has kinds.
fn centres(sheet: &CostTable, found: &Clustering, seed: u64) -> Vec<Vec<f64>> {
    let levels = sheet.level_of_items();
    let by_level = |group: &Vec<usize>| -> Vec<Vec<usize>> {
        let places: Vec<usize> = group
            .iter()
            .filter_map(|item| sheet.items.iter().position(|known| known == item))
            .collect();
        let points: Vec<Vec<f64>> = places.iter().map(|&at| vec![levels[at]]).collect();
        cut(&points, seed).map_or_else(|| vec![places.clone()], |cut| cut.members(&places))
    };
    let centre = |places: Vec<usize>| {
        (0..sheet.rows.len())
            .map(|row| median(places.iter().map(|&at| sheet.logs[at][row])))
            .collect()
    };
    found.groups.iter().flat_map(by_level).map(centre).collect()
}

/// How far each row of a process lies above the standard process.
fn shift(sheet: &CostTable, standard: &CostTable, known: &[Vec<f64>]) -> Vec<f64> {
    let rows = 0..sheet.rows.len();
    let level = |sheet: &CostTable, row: usize| mean(sheet.logs.iter().map(|logs| logs[row]));
    let mut shift: Vec<f64> =
        rows.clone().map(|row| level(sheet, row) - level(standard, row)).collect();
    for _ in 0..STEPS {
        let nearest: Vec<&Vec<f64>> = sheet
            .logs
            .iter()
            .filter_map(|logs| {
                let distance = |centre: &&Vec<f64>| distance(logs, &shift, centre);
                known.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))
            })
            .collect();
        let step = |row: usize| {
            median(sheet.logs.iter().zip(&nearest).map(|(logs, centre)| logs[row] - centre[row]))
        };
        shift = rows.clone().map(step).collect();
    }
    shift
}

fn distance(logs: &[f64], shift: &[f64], centre: &[f64]) -> f64 {
    let squares = logs.iter().zip(shift).zip(centre);
    squares.map(|((log, shift), centre)| (log - shift - centre).powi(2)).sum()
}
