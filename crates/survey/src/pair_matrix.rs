//! Matrices of core-to-core latencies as people publish them.
//!
//! Most are the lower triangle that KCORES' and nviennot's core-to-core-latency write: a row for
//! each CPU, commas, no header, nothing on the diagonal or above. Others have both triangles,
//! labels, remarks, semicolons or tabs; all of it is taken for what it most likely means, and what
//! was left out is counted.

mod cell;
mod labels;
mod rows;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};

use nearfar_infer::core_to_core::{HandoffCost, PairCost};
use nearfar_model::{Bytes, CpuId};
use nearfar_view::input::is_too_large;
use thiserror::Error;

use cell::CsvField;
use labels::CpuLabels;
use rows::rows;

/// More CPUs than this are refused: time and memory grow with their pairs (4,096 CPUs took 23 s
/// and 1.96 GB).
const MOST_CPUS: usize = 2_048;
/// The largest file that is read: 2,048 CPUs, both triangles, 20 digits each, are 88 MB.
const MOST_BYTES: Bytes = Bytes::mib(128);

/// Costs of pairs of CPUs.
#[derive(Clone, Debug, PartialEq)]
pub struct PairMatrix {
    /// The CPUs, ascending. Without labels they are counted from 0.
    pub cpus: Vec<CpuId>,
    /// What was read of each pair, in nanoseconds; `cpus` of a pair are indexes of the CPUs above.
    /// Pairs of a full matrix stand here twice.
    pub costs: Vec<PairCost>,
    /// Lines that are no rows: remarks, titles.
    pub skipped_lines: usize,
    /// Cells of rows that hold something other than a cost: a text, 0, less, or no finite number.
    pub unreadable_cells: usize,
}

/// Why there is no matrix.
#[derive(Debug, Error)]
pub enum PairMatrixError {
    /// The file cannot be read.
    #[error("cannot read {0}: {1}")]
    Unreadable(PathBuf, io::Error),
    /// The file is too large.
    #[error("{0} is larger than 128 MiB: not a matrix of CPUs")]
    TooLarge(PathBuf),
    /// The text holds no matrix.
    #[error("{0} holds no matrix of latencies: {1}")]
    NoMatrix(PathBuf, NoMatrix),
}

/// Why a text holds no matrix.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoMatrix {
    /// No pair of CPUs has a number.
    #[error(
        "no pair of CPUs has a number; expected: a row of numbers for each CPU, separated by commas"
    )]
    NoNumbers,
    /// Rows and columns are not those of one set of CPUs.
    #[error("{rows} rows, but {columns} columns; a row and a column for each CPU are expected")]
    NotSquare {
        /// Rows that hold numbers.
        rows: usize,
        /// The longest row's cells.
        columns: usize,
    },
    /// More CPUs than anybody measured.
    #[error("{0} CPUs are more than {MOST_CPUS}; give some of them")]
    TooManyCpus(usize),
    /// Two rows or two columns have one label.
    #[error("CPU {0} has two rows, or two columns")]
    Twice(CpuId),
}

impl PairMatrix {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, PairMatrixError> {
        let no_matrix = |why| PairMatrixError::NoMatrix(path.to_owned(), why);
        Self::parse(&Self::text(path)?).map_err(no_matrix)
    }

    /// A file's text, which [`Self::parse`] may read. What is not UTF-8 in it is replaced.
    pub fn text(path: &Path) -> Result<String, PairMatrixError> {
        let bytes =
            nearfar_view::input::read(path, MOST_BYTES).map_err(|error| {
                match is_too_large(&error) {
                    true => PairMatrixError::TooLarge(path.to_owned()),
                    false => PairMatrixError::Unreadable(path.to_owned(), error),
                }
            })?;
        // Without a copy where all is UTF-8.
        Ok(String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    /// Reads a text.
    pub fn parse(text: &str) -> Result<Self, NoMatrix> {
        let mut table = rows(text);
        let labels = CpuLabels::take(&mut table.rows);
        let (count, columns) =
            (table.rows.len(), table.rows.iter().map(Vec::len).max().unwrap_or(0));
        let first_row = usize::from(labels.is_none() && is_bare_triangle(&table.rows));
        if labels.is_none() && count > columns + 1 {
            return Err(NoMatrix::NotSquare { rows: count, columns });
        }
        let labels = labels.unwrap_or_else(|| CpuLabels::counted(count, first_row, columns));
        let cpus = labels.cpus()?;
        if cpus.len() > MOST_CPUS {
            return Err(NoMatrix::TooManyCpus(cpus.len()));
        }
        let mut matrix =
            Self { cpus, costs: Vec::new(), skipped_lines: table.skipped, unreadable_cells: 0 };
        for (row, cells) in table.rows.iter().enumerate() {
            for (column, cell) in cells.iter().enumerate() {
                matrix.take(labels.row(row), labels.column(column), cell);
            }
        }
        if matrix.costs.is_empty() { Err(NoMatrix::NoNumbers) } else { Ok(matrix) }
    }

    /// Pairs that these CPUs have.
    pub fn all_pairs(&self) -> usize {
        self.cpus.len() * self.cpus.len().saturating_sub(1) / 2
    }

    fn take(&mut self, row: Option<CpuId>, column: Option<CpuId>, cell: &CsvField<'_>) {
        let index = |cpu: Option<CpuId>| self.cpus.binary_search(&cpu?).ok();
        match (cell, index(row), index(column)) {
            (CsvField::Empty, ..) => {}
            (CsvField::Number(median_ns), Some(a), Some(b)) => {
                let cost = HandoffCost { median_ns: *median_ns, relative_se: 0.0 };
                match (a == b, cost.is_sound()) {
                    (true, _) => {}
                    (false, true) => self.costs.push(PairCost { cpus: (a, b), cost }),
                    (false, false) => self.unreadable_cells += 1,
                }
            }
            _ => self.unreadable_cells += 1,
        }
    }
}

/// A lower triangle without the first CPU's empty row: each row has one number more than the one
/// before, from one on, and none is a diagonal's 0.
fn is_bare_triangle(rows: &[Vec<CsvField<'_>>]) -> bool {
    let is_cost = |cell: &CsvField<'_>| matches!(cell, CsvField::Number(ns) if *ns > 0.0);
    rows.iter().enumerate().all(|(row, cells)| {
        let costs = cells.strip_suffix(&[CsvField::Empty]).unwrap_or(cells);
        costs.len() == row + 1 && costs.iter().all(is_cost)
    })
}
