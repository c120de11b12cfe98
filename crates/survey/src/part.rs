//! A part that another instrument made: the latency matrix's skeleton with one axis more.
//!
//! Each cell is visited with several *treatments*: a kernel and a number of threads for bandwidth, a delay for loaded latency. Plans
//! and samples know rows and columns only, so a treatment's samples stand in a column of their own: `column × treatments + treatment`.

use std::collections::BTreeMap;

use nearfar_infer::{InferError, Readings};
use nearfar_probe::{Layout, Outcome};
use serde::{Deserialize, Serialize};

use crate::{Cell, Column, Matrix, Row, Samples};

/// What a cell is visited with.
pub trait Treatment: Clone + PartialEq {
    /// The instrument's name.
    const INSTRUMENT: &'static str;
    /// The unit of its figures.
    const UNIT: &'static str;

    /// A sample's figure in that unit: of the nanoseconds that one unit of work took.
    fn figure(cost_ns: f64) -> f64;
}

/// Figures by row, column and treatment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Part<T> {
    /// The figures.
    #[serde(flatten)]
    pub matrix: Matrix<T>,
    /// What cells were visited with. A sample's `column` is its cell's column × the number of treatments + the treatment's index here.
    pub treatments: Vec<T>,
    /// Every undisturbed sample; `ns` is the time of one unit of work. Null when they were left out.
    pub samples: Option<Samples>,
}

/// Where a treatment's samples of a column stand.
pub(crate) fn place(column: usize, treatments: usize, treatment: usize) -> usize {
    column * treatments + treatment
}

/// The number of each of these cells by where its samples stand: (row, column).
pub(crate) fn places<T: PartialEq>(cells: &[Cell<T>], treatments: &[T]) -> BTreeMap<(usize, usize), usize> {
    let index = |cell: &Cell<T>| treatments.iter().position(|known| *known == cell.treatment).unwrap_or_default();
    let numbered = cells.iter().enumerate();
    numbered.map(|(number, cell)| ((cell.row, place(cell.column, treatments.len(), index(cell))), number)).collect()
}

impl<T: Treatment> Part<T> {
    /// The part before its figures. `visited` are the plan's cells: rows and columns as samples count them.
    pub(crate) fn new(layout: &Layout, outcome: &Outcome, treatments: Vec<T>, visited: &[(usize, usize)]) -> Self {
        let count = treatments.len();
        let cells = visited
            .iter()
            .map(|&(row, at)| Cell::empty(layout, outcome, (row, at / count), treatments[at % count].clone(), at));
        let columns = layout.columns.iter().enumerate();
        let matrix = Matrix {
            probe: T::INSTRUMENT.to_owned(),
            unit: T::UNIT.to_owned(),
            rows: layout.rows.iter().enumerate().map(|(index, row)| Row::of(row, index, outcome)).collect(),
            columns: columns.map(|(index, column)| Column::of(column, place(index, count, 0), outcome)).collect(),
            cells: cells.collect(),
        };
        Self { matrix, treatments, samples: Some(Samples::of(outcome)) }
    }

    /// Derives its figures from its samples. Without samples nothing changes.
    pub(crate) fn judge(&mut self, seed: u64) -> Result<(), InferError> {
        let Some(readings) = self.readings()? else { return Ok(()) };
        let estimates = nearfar_infer::estimates(&readings, seed);
        let treatments = self.treatments.clone();
        let index = |treatment: &T| treatments.iter().position(|known| known == treatment).unwrap_or_default();
        self.matrix.take(&estimates, |cell| place(cell.column, treatments.len(), index(&cell.treatment)));
        Ok(())
    }

    /// Its samples as inference takes them, in the part's unit, a column for each column and treatment.
    pub(crate) fn readings(&self) -> Result<Option<Readings>, InferError> {
        let columns = self.matrix.columns.len() * self.treatments.len();
        let readings = |samples: &Samples| samples.figures(self.matrix.rows.len(), columns, T::figure);
        self.samples.as_ref().map(readings).transpose()
    }

    /// The cell at a row and column, visited with a treatment.
    pub fn cell(&self, row: usize, column: usize, treatment: &T) -> Option<&Cell<T>> {
        self.matrix.cells.iter().find(|cell| (cell.row, cell.column, &cell.treatment) == (row, column, treatment))
    }
}
