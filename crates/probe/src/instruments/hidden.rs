//! Costs of pages and lines whose node is unknown: the measuring side of the search for NUMA nodes
//! that the system hides.
//!
//! A process touches huge pages until they span physical memory, up to a fraction of what is free.
//! It keeps some that lie far apart, and holds the rest so that the kernel cannot reuse them. It
//! samples every kept page from every row, in randomised rounds. Between these it samples a few
//! hundred lines from every row, since firmware may interleave lines instead of pages. It also
//! samples one page repeatedly, the *reference*, whose costs over time reveal a moved CPU.
//!
//! Root can read physical addresses: then pages are selected by address, verified at the end, and
//! samples carry their page's number. Otherwise pages are selected evenly.

mod lines;
mod pool;
mod selection;
mod station;
#[cfg(test)]
mod tests;

use std::time::Duration;

use nearfar_model::{Bytes, CpuSet, MatrixShape};
use serde::{Deserialize, Serialize};

use crate::layout_column::MemoryJob;
use crate::probe_error::ProbeError;
use crate::worker::station::{WorkSetup, sound};

/// The size of the pages.
pub const HUGE_PAGE: Bytes = Bytes::mib(2);

/// CPUs and targets. The columns are the kept pages by address, then all lines as one column, then
/// the reference page, once per visit in a round.
///
/// Samples of pages carry in `page` the page's number in physical memory (its address divided by 2
/// MiB), or 0 if unknown. Samples of lines carry the line's index; a visit samples each line once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HiddenSetup {
    /// The candidates of each row, one of them drawn per process.
    pub rows: Vec<CpuSet>,
    /// The memory: one from which the kernel chooses pages, or several nodes that are interleaved.
    pub memories: Vec<MemoryJob>,
    /// Pages that are kept.
    pub pages: usize,
    /// Lines.
    pub lines: usize,
    /// Visits to the reference page per round.
    pub references: usize,
    /// The limit on touched and held memory.
    pub hold: Bytes,
    /// Memory that is touched even if it no longer widens the span: the kernel reuses recently
    /// freed pages first.
    pub touch_at_least: Bytes,
    /// The time limit for touching.
    pub touch_for: Duration,
}

/// The target of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A kept page, by its index.
    Page(usize),
    /// All lines.
    Lines,
    /// The reference page.
    Reference,
}

impl WorkSetup for HiddenSetup {
    fn shape(&self) -> MatrixShape {
        MatrixShape::new(self.rows.len(), self.pages + 1 + self.references)
    }

    fn check(&self) -> Result<(), ProbeError> {
        let needed = (self.pages as u64).checked_mul(HUGE_PAGE.0);
        let is_sound = needed.is_some_and(|needed| needed > 0 && needed <= self.hold.0)
            && !self.memories.is_empty();
        sound(is_sound, &format!("{} pages of 2 MiB in {} of memory", self.pages, self.hold))
    }
}

impl HiddenSetup {
    /// The target of a column.
    pub fn target(&self, column: usize) -> Target {
        match column.checked_sub(self.pages) {
            None => Target::Page(column),
            Some(0) => Target::Lines,
            Some(_) => Target::Reference,
        }
    }

    /// The column of all lines. Its memory is all that is held.
    pub fn lines_column(&self) -> usize {
        self.pages
    }

    /// The columns of the reference page.
    pub fn reference_columns(&self) -> std::ops::Range<usize> {
        self.pages + 1..self.pages + 1 + self.references
    }
}
