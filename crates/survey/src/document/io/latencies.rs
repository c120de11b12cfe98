//! All latencies of a cell, as the document keeps them.

use nearfar_model::{CellIndex, DurationCounts};
use nearfar_probe::io::IoRecord;
use serde::{Deserialize, Serialize};

/// The latencies of a cell in one process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IoLatencies {
    /// Number of the process.
    pub process: u32,
    /// Index of the row.
    pub row: usize,
    /// Index of the column.
    pub column: usize,
    /// Index of the treatment.
    pub treatment: usize,
    /// The lower bound of each class in nanoseconds, and its accesses. A class is up to 1.6 % wide.
    pub counts: Vec<[u64; 2]>,
}

impl IoLatencies {
    pub(super) fn new(record: &IoRecord) -> Self {
        let CellIndex { row, column, treatment } = record.place;
        let counts = record.latencies.classes().map(|(ns, count)| [ns, count]).collect();
        Self { process: record.process, row, column, treatment, counts }
    }

    pub(super) fn place(&self) -> CellIndex {
        CellIndex { row: self.row, column: self.column, treatment: self.treatment }
    }

    /// As counts again.
    pub fn counts(&self) -> DurationCounts {
        DurationCounts::from_classes(self.counts.iter().map(|[ns, count]| (*ns, *count)))
    }
}
