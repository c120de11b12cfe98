//! A measured matrix: the skeleton that every instrument's part of a survey shares.

use std::collections::BTreeMap;

use nearfar_model::{CpuSet, NodeId, Unit};
use serde::{Deserialize, Serialize};

/// Costs by row (CPUs) and column (memory), and by what a cell was visited with, where an
/// instrument has more than one way to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Matrix<T = NoTreatment> {
    /// The loop that ran: "page", "chase", "store-sweep", "core-walk" or "rmw"; of other parts the
    /// instrument's name.
    pub probe: String,
    /// The unit of `q25`, `median` and `ci95`.
    #[schemars(with = "String")]
    pub unit: Unit,
    /// The CPU groups.
    pub rows: Vec<MatrixRow>,
    /// The memory.
    pub columns: Vec<MatrixColumn>,
    /// One entry a cell, row by row.
    pub cells: Vec<MatrixCell<T>>,
}

/// A cell has no treatment: its row and column identify it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NoTreatment {}

/// CPUs that read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MatrixRow {
    /// What to call it.
    pub label: String,
    /// Its CPUs, in list form.
    #[schemars(with = "String")]
    pub cpus: CpuSet,
    /// The node its CPUs belong to; null where they belong to several or the kernel knows no
    /// nodes.
    #[schemars(with = "Option<u32>")]
    pub node: Option<NodeId>,
    /// How fast its CPUs ran once settled: the median over processes, in cycles a nanosecond; null
    /// when nothing ran.
    pub ghz: Option<f64>,
    /// How far the row's costs wandered together between processes: a standard deviation, as a
    /// fraction. Each `ci95` carries it.
    #[serde(rename = "wander")]
    pub drift: Option<f64>,
}

/// Memory that is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MatrixColumn {
    /// What to call it.
    pub label: String,
    /// The node its pages are on; null where the kernel knows no nodes.
    #[schemars(with = "Option<u32>")]
    pub node: Option<NodeId>,
    /// Pages (2 MiB, or whole buffers) that each process placed there and proved.
    pub pages: u32,
    /// What carries the pages: "thp", "hugetlb" or "4k"; null when nothing could be placed.
    pub backing: Option<String>,
}

/// One CPU group at one memory. Figures are null, and `why` gives the reason, where nothing could
/// be measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MatrixCell<T = NoTreatment> {
    /// Index of the row.
    pub row: usize,
    /// Index of the column.
    pub column: usize,
    /// The row's CPUs.
    #[schemars(with = "String")]
    pub cpus: CpuSet,
    /// The column's node.
    #[schemars(with = "Option<u32>")]
    pub node: Option<NodeId>,
    /// What it was visited with.
    #[serde(flatten)]
    pub treatment: T,
    /// Lower quartile.
    pub q25: Option<f64>,
    /// Median.
    pub median: Option<f64>,
    /// Standard error of the median within this run, as a fraction of it. Null with too few
    /// samples.
    pub se: Option<f64>,
    /// 95 % interval of the median: sampling error (`se`) and the row's `drift` together.
    pub ci95: Option<[f64; 2]>,
    /// What other CPUs moved meanwhile, in bytes a second as memory sees them: the median. Only
    /// where that was arranged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic_bytes_per_s: Option<f64>,
    /// Where `median` is null: the median of all samples, disturbed ones too. No verdict, ratio or
    /// comparison uses it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rough: Option<f64>,
    /// Samples that count.
    pub samples: usize,
    /// Samples that were dropped, by reason.
    pub dropped: BTreeMap<String, u32>,
    /// Why there are no figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl<T> Matrix<T> {
    /// What a row is called; none where a damaged document names one that is not there.
    pub fn row_label(&self, row: usize) -> Option<&str> {
        Some(&self.rows.get(row)?.label)
    }

    /// What a column is called, likewise.
    pub fn column_label(&self, column: usize) -> Option<&str> {
        Some(&self.columns.get(column)?.label)
    }
}

impl Matrix {
    /// Whether all columns are the same memory to the kernel: page sets of one node.
    pub(crate) fn is_one_memory(&self) -> bool {
        self.columns.len() > 1
            && self.columns.iter().all(|column| column.node == self.columns[0].node)
    }

    /// The cell at a row and column.
    pub fn cell(&self, row: usize, column: usize) -> Option<&MatrixCell> {
        self.cells.iter().find(|cell| (cell.row, cell.column) == (row, column))
    }
}
