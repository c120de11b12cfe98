//! Residuals recorded on a real machine, taken apart so that machines of other sizes can be made of them.
//!
//! A *moment* is what all columns of a row share in one round: the CPU's speed just then. The *rest* is what single samples
//! add, and pages, for as long as a process has them.

use super::recorded_chase::CHASE;
use super::recorded_page::PAGE;

/// Which probe it was recorded with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// The page probe.
    Page,
    /// A chase through 256 MiB.
    Chase,
}

/// Ten-thousandths.
const UNIT: f64 = 1e-4;
/// Rows that were recorded.
pub(super) const ROWS: usize = 2;

impl Probe {
    fn processes(self) -> &'static [&'static [i16]] {
        match self {
            Self::Page => &PAGE,
            Self::Chase => &CHASE,
        }
    }

    /// Columns that were recorded.
    pub(super) fn columns(self) -> usize {
        match self {
            Self::Page => 4,
            Self::Chase => 1,
        }
    }

    /// How many processes were recorded.
    pub(super) fn count(self) -> usize {
        self.processes().len()
    }

    /// What one row's columns were off by in a round; later rounds repeat the first ones.
    fn residuals(self, process: usize, row: usize, round: usize) -> impl Iterator<Item = f64> {
        let recorded = self.processes()[process];
        let rounds = recorded.len() / (ROWS * self.columns());
        let start = ((round % rounds) * ROWS + row) * self.columns();
        recorded[start..start + self.columns()].iter().map(|&residual| f64::from(residual) * UNIT)
    }

    /// What all columns of a row share in a round: nothing, where one column was recorded.
    pub(super) fn moment(self, process: usize, row: usize, round: usize) -> f64 {
        if self.columns() == 1 {
            return 0.0;
        }
        let mut residuals: Vec<f64> = self.residuals(process, row, round).collect();
        residuals.sort_by(f64::total_cmp);
        f64::midpoint(residuals[(residuals.len() - 1) / 2], residuals[residuals.len() / 2])
    }

    /// What one sample adds to it.
    pub(super) fn rest(self, process: usize, row: usize, column: usize, round: usize) -> f64 {
        let residual = self.residuals(process, row, round).nth(column).unwrap_or(0.0);
        residual - self.moment(process, row, round)
    }
}
