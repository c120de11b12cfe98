//! Warnings of single cells: outliers and two levels.

use serde::{Deserialize, Serialize};

use crate::MemoryKind;

/// What else there is to know of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum CellWarning {
    /// An outlier: the other cells predict another bandwidth.
    Outlier(Outlier),
    /// Its visits fall into two groups.
    TwoLevels(TwoLevels),
    /// The PMU counts fills from other memory than the kernel reports.
    FillsContradict(FillsContradict),
}

/// A cell of bandwidth that differs from what its row, its column and its path predict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Outlier {
    /// What its threads did.
    pub kernel: String,
    /// How many of them, where that was asked for; null where as many as reading takes there.
    pub threads: Option<usize>,
    /// The row's label.
    pub row: String,
    /// The column's label.
    pub column: String,
    /// What the first processes measured.
    pub first_bytes_per_s: f64,
    /// What the other cells predict.
    pub expected_bytes_per_s: f64,
    /// What fresh processes measured; null where they could not.
    pub again_bytes_per_s: Option<f64>,
}

/// Cells with two typical values instead of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TwoLevels {
    /// Visits of a cell that the test needs.
    pub fewest_visits: usize,
    /// Cells that had them.
    pub often_visited: usize,
    /// Of these, cells with two levels or more.
    pub with_levels: usize,
    /// The row's label of the cell whose levels are furthest apart.
    pub row: String,
    /// Its column's label.
    pub column: String,
    /// The levels.
    pub levels: CellLevels,
    /// How many visits each level has.
    pub visits: [usize; 2],
    /// Whether any process met both.
    pub within_a_process: bool,
}

/// Cells whose fills contradict the placement of their memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FillsContradict {
    /// How many.
    pub cells: usize,
    /// Cells with enough fills to compare.
    pub judged: usize,
    /// The row's label of the first one.
    pub row: String,
    /// Its column's label.
    pub column: String,
    /// Where its loads should go.
    pub expected: MemoryKind,
    /// The remote share of its fills.
    pub remote_share: f64,
    /// perf's name of the events.
    pub events: String,
}

/// The medians of two levels of a cell, the lower first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum CellLevels {
    /// Of bandwidth.
    Streamed {
        /// What its threads did.
        kernel: String,
        /// How many of them.
        threads: usize,
        /// In bytes a second.
        bytes_per_s: [f64; 2],
    },
    /// Of core to core.
    Exchanged {
        /// The state of the line.
        state: String,
        /// The node of its memory.
        home: String,
        /// In nanoseconds.
        ns: [f64; 2],
    },
}
