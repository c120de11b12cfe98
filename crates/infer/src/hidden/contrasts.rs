//! Differences of two kinds of pages for one row, with their errors.

use super::cost_table::mean;
use super::page_kinds::PageKinds;
use crate::student::{NORMAL_95, as_rare_as};

/// Differences of kinds, each with half its 95 % interval, simultaneous over rows and pairs.
#[derive(Clone, Debug)]
pub(super) struct Contrasts<'k> {
    kinds: &'k PageKinds,
    /// Variance of one page's cost, or of whole kinds between processes if that is more.
    variance: f64,
    deviate: f64,
}

impl<'k> Contrasts<'k> {
    pub(super) fn new(kinds: &'k PageKinds) -> Self {
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
    pub(super) fn between(&self, row: usize, near: usize, far: usize) -> f64 {
        self.kinds.centres[far][row] - self.kinds.centres[near][row]
    }

    /// Half the interval of such a ratio.
    pub(super) fn half(&self, near: usize, far: usize) -> f64 {
        let pages = |kind: usize| self.kinds.groups[kind].len() as f64;
        self.deviate * (self.variance * (1.0 / pages(near) + 1.0 / pages(far))).sqrt()
    }

    /// All ordered pairs of different kinds.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
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
