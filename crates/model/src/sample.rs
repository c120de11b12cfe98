//! One measured value and its coordinates: the type that the worker's loop, inference and documents
//! share.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::CpuId;

/// The cell that each round visits once: the CPUs of a row, the memory (or CPU) of a column, and a
/// treatment.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct CellIndex {
    /// Index of the row: a group of CPUs.
    pub row: usize,
    /// Index of the column.
    pub column: usize,
    /// Index of the treatment: a kernel and a number of threads, a page size, a load. It is 0 where
    /// there is only one.
    pub treatment: usize,
}

impl CellIndex {
    /// A cell of a matrix with one treatment.
    pub const fn new(row: usize, column: usize) -> Self {
        Self { row, column, treatment: 0 }
    }

    /// The same row and column with another treatment.
    pub const fn with_treatment(self, treatment: usize) -> Self {
        Self { treatment, ..self }
    }
}

impl fmt::Display for CellIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { row, column, treatment } = self;
        match treatment {
            0 => write!(f, "row {row}, column {column}"),
            _ => write!(f, "row {row}, column {column}, treatment {treatment}"),
        }
    }
}

/// The numbers of rows, columns and treatments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixShape {
    /// Rows: groups of CPUs.
    pub rows: usize,
    /// Columns: memory, or CPUs.
    pub columns: usize,
    /// Treatments of each row and column.
    pub treatments: usize,
}

impl MatrixShape {
    /// A matrix with one treatment.
    pub const fn new(rows: usize, columns: usize) -> Self {
        Self { rows, columns, treatments: 1 }
    }

    /// Whether a cell is inside.
    pub const fn contains(self, place: CellIndex) -> bool {
        place.row < self.rows && place.column < self.columns && place.treatment < self.treatments
    }

    /// The index of a cell within its row, column by column.
    pub const fn index_in_row(self, place: CellIndex) -> usize {
        place.column * self.treatments + place.treatment
    }
}

impl fmt::Display for MatrixShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, columns, treatments } = self;
        match treatments {
            1 => write!(f, "{rows} rows by {columns} columns"),
            _ => write!(f, "{rows} rows by {columns} columns by {treatments} treatments"),
        }
    }
}

/// One valid sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Number of the worker process that took it, counted over the whole plan.
    pub process: u32,
    /// Number of the round, counted over the whole plan. Each round visits every cell once.
    pub round: u32,
    /// The cell.
    pub place: CellIndex,
    /// The CPU that took it.
    pub cpu: CpuId,
    /// Index of the page (or line) within the column.
    pub page: u32,
    /// The measured value, finite and above 0. The unit is the instrument's: nanoseconds of an
    /// access or of a MiB.
    pub value: f64,
    /// Memory traffic of other CPUs meanwhile, in bytes a second, where the plan includes a load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<f64>,
}

impl Sample {
    /// A sample of the first page, on CPU 0, without traffic. Inference ignores these three.
    pub const fn new(process: u32, round: u32, place: CellIndex, value: f64) -> Self {
        Self { process, round, place, cpu: CpuId(0), page: 0, value, traffic: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_a_row_are_contiguous() {
        let shape = MatrixShape { rows: 1, columns: 3, treatments: 2 };
        let places = (0..3).flat_map(|column| {
            (0..2).map(move |treatment| CellIndex::new(0, column).with_treatment(treatment))
        });
        assert_eq!(
            places.map(|place| shape.index_in_row(place)).collect::<Vec<_>>(),
            [0, 1, 2, 3, 4, 5]
        );
        assert!(shape.contains(CellIndex::new(0, 2).with_treatment(1)));
        for outside in
            [CellIndex::new(1, 0), CellIndex::new(0, 3), CellIndex::new(0, 0).with_treatment(2)]
        {
            assert!(!shape.contains(outside), "{outside:?}");
        }
    }
}
