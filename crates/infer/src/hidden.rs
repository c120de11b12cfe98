//! Hidden NUMA: costs of many pages (or lines) from several groups of CPUs, clustered.
//!
//! Where a machine hides its nodes, the node of each page is unknown. But pages of one node have
//! equal costs, and pages of two nodes do not: memory near one CPU is far from another. So *items*
//! (pages, or lines) are clustered by their costs from all *rows* (groups of CPUs), after the means
//! of rows and of items are subtracted: neither a slow CPU nor a slow page is NUMA. The interaction
//! remains, where rows differ in the order of items, or in contrast.
//!
//! - [`CostTable`]: the costs of one process's items.
//! - `cut`: are these points several clusters, or one? No unimodal distribution, not even a flat
//!   one, has cuts as good.
//! - `parts`: optimal cuts of numbers.
//! - [`clusters`]: repeated cuts.
//! - [`pages`]: the agreement of processes with fresh pages: found, none (with the smallest
//!   detectable difference), or undetermined.
//! - [`lines`]: the same for single lines, for firmware that interleaves them, with the correlation
//!   of CPUs' fingerprints.
//! - [`level_shifts`]: change points in a CPU's costs. A hypervisor may move it during the
//!   measurement.

mod clusters;
mod cost_table;
mod coverage;
mod cut;
mod joined;
mod lines;
mod nearness;
mod over_processes;
mod page_kinds;
mod page_reason;
mod pages;
#[cfg(test)]
mod part_tests;
mod parts;
mod ranks;
mod rows_apart;
#[cfg(test)]
mod tests;
mod timeline;

use crate::student::{NORMAL_95, as_rare_as};
use cost_table::{mean, median};
use cut::cut;
use page_kinds::PageKinds;

pub use clusters::{Clustering, clusters};
pub use cost_table::CostTable;
pub use coverage::{Coverage, SeenPage, UnseenMemory};
pub use cut::MIN_GAP;
pub use lines::{LineFinding, LineHalves, LineReason, LineStatement, lines};
pub use nearness::Nearness;
pub use page_reason::{MAX_SHARE, PageReason, PageRemedy, Settling};
pub use pages::{MIN_PAGES, PageCluster, PageFinding, PageStatement, PageVerdict, pages};
pub use timeline::{LevelShift, level_shifts};

/// Differences of kinds, each with half its 95 % interval, simultaneous over rows and pairs.
#[derive(Clone, Debug)]
struct Contrasts<'k> {
    kinds: &'k PageKinds,
    /// Variance of one page's cost, or of whole kinds between processes if that is more.
    variance: f64,
    deviate: f64,
}

impl<'k> Contrasts<'k> {
    fn new(kinds: &'k PageKinds) -> Self {
        let (rows, processes) = (kinds.pooled.rows.len(), kinds.pooled.processes);
        let pairs = kinds.count() * kinds.count().saturating_sub(1) / 2;
        let together = (rows * pairs).max(1) as f64;
        // A normal deviate with a tail smaller by this factor, to within a few percent.
        let deviate = (NORMAL_95.powi(2) + 2.0 * together.ln()).sqrt();
        let free = kinds.count().saturating_sub(1) * processes.saturating_sub(1) * rows;
        Self {
            kinds,
            variance: of_pages(kinds).max(between_processes(kinds)),
            deviate: as_rare_as(deviate, free.max(2) as f64),
        }
    }

    /// The logarithm of the ratio of two kinds' costs for a row.
    fn between(&self, row: usize, near: usize, far: usize) -> f64 {
        self.kinds.centres[far][row] - self.kinds.centres[near][row]
    }

    /// Half the interval of such a ratio.
    fn half(&self, near: usize, far: usize) -> f64 {
        let pages = |kind: usize| self.kinds.groups[kind].len() as f64;
        self.deviate * (self.variance * (1.0 / pages(near) + 1.0 / pages(far))).sqrt()
    }

    /// All ordered pairs of different kinds.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let count = self.kinds.count();
        (0..count).flat_map(move |a| (0..count).map(move |b| (a, b))).filter(|(a, b)| a != b)
    }
}

/// The variance of pages about their kinds.
fn of_pages(kinds: &PageKinds) -> f64 {
    let left = kinds.groups.iter().zip(&kinds.centres).flat_map(|(group, centre)| {
        group.iter().flat_map(move |&page| {
            let logs = kinds.pooled.pages[page].logs.iter().zip(centre);
            logs.map(|(log, centre)| (log - centre).powi(2))
        })
    });
    mean(left)
}

/// The variance of a process's kinds about the kinds of all, times the number of its pages.
fn between_processes(kinds: &PageKinds) -> f64 {
    let rows = kinds.pooled.rows.len();
    let (mut squares, mut count) = (0.0, 0.0);
    for process in 0..=kinds.pooled.pages.iter().map(|page| page.process).max().unwrap_or(0) {
        for (group, centre) in kinds.groups.iter().zip(&kinds.centres) {
            let own = || {
                let pages = group.iter().map(|&page| &kinds.pooled.pages[page]);
                pages.filter(|page| page.process == process)
            };
            let pages = own().count() as f64;
            for row in (0..rows).filter(|_| pages > 0.0) {
                squares += pages * (mean(own().map(|page| page.logs[row])) - centre[row]).powi(2);
                count += 1.0;
            }
        }
    }
    let processes = kinds.pooled.processes as f64;
    // Each kind's mean takes one degree of freedom, and each process's shift.
    let free = (count - (kinds.count() * rows) as f64) - (processes - 1.0) * rows as f64;
    if free >= 1.0 { squares / free } else { 0.0 }
}

/// One page of one process.
#[derive(Clone, Debug, PartialEq)]
struct PooledPage {
    /// The process, by index among the measured ones.
    process: usize,
    /// The page's index within its process.
    item: usize,
    /// Logarithm of its cost from each row, without its process's shift.
    logs: Vec<f64>,
}

/// Pages of all processes that measured the same rows.
#[derive(Clone, Debug, PartialEq)]
struct PooledPages {
    /// Rows, by their index.
    rows: Vec<usize>,
    pages: Vec<PooledPage>,
    /// Number of processes with these rows.
    processes: usize,
}

/// Steps of the alignment. The first ones suffice unless kinds are close together.
const STEPS: usize = 6;

impl PooledPages {
    /// `None` where fewer than two processes measured the same rows.
    fn new(measured: &[&CostTable], found: &[Clustering], seed: u64) -> Option<Self> {
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
    fn turning(&self) -> Vec<Vec<f64>> {
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

impl PageStatement {
    /// Whether the number of kinds is the number of nodes that these CPUs can distinguish.
    /// Otherwise it is the least number. `all_cpus`: no group of CPUs was left out of the search.
    pub fn is_exact(&self, coverage: Option<&Coverage>, all_cpus: bool) -> bool {
        let is_near = |near: &Nearness| matches!(near, Nearness::Near(_));
        let is_measured = self.near.iter().all(|near| *near != Nearness::Unmeasured) && all_cpus;
        let near_each = self.clusters.iter().all(|cluster| !cluster.near.is_empty());
        // Memory that no measured CPU is near may be of several nodes, each near other CPUs.
        if self.clusters.is_empty() || self.strays > 0 || !is_measured && !near_each {
            return false;
        }
        let own_memory = is_measured && self.near.iter().all(is_near);
        match coverage {
            // Less than what counts as unseen may still be the memory of CPUs that are near none.
            Some(Coverage { anywhere: None, .. }) => !self.near.contains(&Nearness::None),
            Some(Coverage { beyond: None, .. }) | None => own_memory,
            Some(_) => false,
        }
    }

    /// Whether more memory may show more nodes.
    pub fn asks_for_more_memory(&self, coverage: Option<&Coverage>, all_cpus: bool) -> bool {
        !self.clusters.is_empty()
            && !self.is_exact(coverage, all_cpus)
            && coverage.is_none_or(|coverage| coverage.anywhere.is_some())
    }
}
