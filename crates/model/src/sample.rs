//! One measured value, and where it belongs: the coordinates that everything from a worker's loop
//! to a document shares.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::CpuId;

/// What is visited once a round: CPUs of a row, at the memory (or CPU) of a column, in one of
/// several ways.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Place {
    /// Index of the row: a group of CPUs.
    pub row: usize,
    /// Index of the column.
    pub column: usize,
    /// Index of the treatment: a kernel and a number of threads, a size of pages, a load; 0 where
    /// there is one only.
    pub treatment: usize,
}

impl Place {
    /// A row and column of a matrix with one treatment.
    pub const fn new(row: usize, column: usize) -> Self {
        Self { row, column, treatment: 0 }
    }

    /// The same row and column with another treatment.
    pub const fn with_treatment(self, treatment: usize) -> Self {
        Self { treatment, ..self }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { row, column, treatment } = self;
        match treatment {
            0 => write!(f, "row {row}, column {column}"),
            _ => write!(f, "row {row}, column {column}, treatment {treatment}"),
        }
    }
}

/// How many rows, columns and treatments there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Treatments of each row and column.
    pub treatments: usize,
}

impl Shape {
    /// A matrix with one treatment.
    pub const fn new(rows: usize, columns: usize) -> Self {
        Self { rows, columns, treatments: 1 }
    }

    /// Whether a place is inside.
    pub const fn contains(self, place: Place) -> bool {
        place.row < self.rows && place.column < self.columns && place.treatment < self.treatments
    }

    /// The index of a place among all of its row, column by column.
    pub const fn index_in_row(self, place: Place) -> usize {
        place.column * self.treatments + place.treatment
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, columns, treatments } = self;
        match treatments {
            1 => write!(f, "{rows} rows by {columns} columns"),
            _ => write!(f, "{rows} rows by {columns} columns by {treatments} treatments"),
        }
    }
}

/// One undisturbed sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The freshly started process that took it, counted over the whole plan.
    pub process: u32,
    /// The round it belongs to, counted over the whole plan. Each round visits every place once.
    pub round: u32,
    /// Where.
    pub place: Place,
    /// The CPU it was taken on.
    pub cpu: CpuId,
    /// Index of the page (or line) within the column.
    pub page: u32,
    /// What was measured, finite and above 0. Its unit is the instrument's: today nanoseconds, of
    /// an access or of a MiB.
    pub value: f64,
    /// What other CPUs moved meanwhile, where that was arranged: bytes a second, as memory sees
    /// them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<f64>,
}

impl Sample {
    /// A sample of the first page, on CPU 0, without traffic: inference looks at none of them.
    pub const fn new(process: u32, round: u32, place: Place, value: f64) -> Self {
        Self { process, round, place, cpu: CpuId(0), page: 0, value, traffic: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_a_row_stand_side_by_side() {
        let shape = Shape { rows: 1, columns: 3, treatments: 2 };
        let places = (0..3).flat_map(|column| {
            (0..2).map(move |treatment| Place::new(0, column).with_treatment(treatment))
        });
        assert_eq!(
            places.map(|place| shape.index_in_row(place)).collect::<Vec<_>>(),
            [0, 1, 2, 3, 4, 5]
        );
        assert!(shape.contains(Place::new(0, 2).with_treatment(1)));
        for outside in [Place::new(1, 0), Place::new(0, 3), Place::new(0, 0).with_treatment(2)] {
            assert!(!shape.contains(outside), "{outside:?}");
        }
    }
}
