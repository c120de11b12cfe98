//! Which CPUs access which pages and lines.

use std::time::Duration;

use nearfar_model::{Bytes, CpuSet, MatrixShape};
use serde::{Deserialize, Serialize};

use crate::layout_column::MemoryJob;
use crate::probe_error::ProbeError;
use crate::worker::station::{WorkSetup, sound};

/// The size of the pages.
pub const HUGE_PAGE: Bytes = Bytes::mib(2);

/// Who accesses what. Columns are the pages that are kept, in the order of their addresses; then
/// all lines as one column; then the reference page, so many times.
///
/// Samples of pages carry in `page` the number of the page in physical memory (its address over 2
/// MiB), and 0 where that is not known. Samples of lines carry the line's index; a visit gives one
/// of each line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HiddenSetup {
    /// CPUs of each row, of which a process draws one.
    pub rows: Vec<CpuSet>,
    /// The memory: one that pages are taken from as the kernel likes, or several nodes that take
    /// turns.
    pub memories: Vec<MemoryJob>,
    /// Pages that are kept.
    pub pages: usize,
    /// Lines.
    pub lines: usize,
    /// How often a round comes back to the reference page.
    pub references: usize,
    /// How much may be touched and held.
    pub hold: Bytes,
    /// How much is touched even where it no longer widens the span of physical memory: the kernel
    /// first hands out again what others just gave back.
    pub touch_at_least: Bytes,
    /// How long touching may take.
    pub touch_for: Duration,
}

/// What a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A page that was kept, by its index.
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
    /// What a column is.
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
