//! A part that another instrument made: the latency matrix's skeleton with one axis more.
//!
//! Each cell is visited with several *treatments*: a kernel and a number of threads for bandwidth,
//! a delay for loaded latency.

use nearfar_infer::{InferError, SampleMatrix};
use nearfar_model::{CellIndex, Instrument, MatrixShape, Unit};
use nearfar_probe::{Layout, PlanOutcome};
use serde::{Deserialize, Serialize};

use crate::figures::DisturbedPlaces;
use crate::{Matrix, MatrixCell, MatrixColumn, MatrixRow, Samples};

/// What a cell is visited with.
pub trait Treatment: Clone + Default + PartialEq {
    /// Which instrument visits cells with it.
    const INSTRUMENT: Instrument;
    /// The unit of its figures.
    const UNIT: Unit = Unit::Nanoseconds;
}

/// Figures by row, column and treatment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TreatmentMatrix<T> {
    /// The figures.
    #[serde(flatten)]
    pub matrix: Matrix<T>,
    /// What cells were visited with: a sample's `treatment` is an index here.
    pub treatments: Vec<T>,
    /// Every undisturbed sample; `ns` is the time of one unit of work. Null when they were left
    /// out.
    pub samples: Option<Samples>,
}

impl<T: Treatment> TreatmentMatrix<T> {
    /// The part before its figures. `visited` are the plan's places.
    pub(crate) fn new(
        layout: &Layout,
        outcome: &PlanOutcome,
        treatments: Vec<T>,
        visited: &[CellIndex],
    ) -> Self {
        let disturbed = DisturbedPlaces::new(outcome, T::UNIT);
        let cell = |&place: &CellIndex| {
            let treatment = treatments[place.treatment].clone();
            MatrixCell::empty(layout, outcome, &disturbed, place, treatment)
        };
        let matrix = Matrix {
            probe: T::INSTRUMENT.name().to_owned(),
            unit: T::UNIT,
            rows: MatrixRow::all_of(layout, outcome),
            columns: MatrixColumn::all_of(layout, outcome),
            cells: visited.iter().map(cell).collect(),
        };
        Self { matrix, treatments, samples: Some(Samples::from_outcome(outcome)) }
    }

    /// Derives its figures from its samples. Without samples nothing changes.
    pub(crate) fn judge(&mut self, seed: u64) -> Result<(), InferError> {
        let Some(readings) = self.readings()? else { return Ok(()) };
        let estimates = nearfar_infer::estimates(&readings, seed);
        let (shape, places) = (self.shape(), self.places());
        self.matrix.take(&estimates, |number, _| shape.index_in_row(places[number]));
        Ok(())
    }

    /// Its samples as inference takes them, in the part's unit.
    pub(crate) fn readings(&self) -> Result<Option<SampleMatrix>, InferError> {
        self.samples
            .as_ref()
            .map(|samples| samples.figures(self.shape(), Some, T::UNIT))
            .transpose()
    }

    pub(crate) fn shape(&self) -> MatrixShape {
        let (rows, columns) = (self.matrix.rows.len(), self.matrix.columns.len());
        MatrixShape { rows, columns, treatments: self.treatments.len() }
    }

    /// Which of its treatments this is.
    pub(crate) fn index_of(&self, treatment: &T) -> Option<usize> {
        self.treatments.iter().position(|known| known == treatment)
    }

    /// The index of each cell's samples.
    pub(crate) fn places(&self) -> Vec<CellIndex> {
        let index = |cell: &MatrixCell<T>| self.index_of(&cell.treatment).unwrap_or_default();
        self.matrix
            .cells
            .iter()
            .map(|cell| CellIndex::new(cell.row, cell.column).with_treatment(index(cell)))
            .collect()
    }

    /// The cell at a row and column, visited with a treatment.
    pub fn cell(&self, row: usize, column: usize, treatment: &T) -> Option<&MatrixCell<T>> {
        self.matrix
            .cells
            .iter()
            .find(|cell| (cell.row, cell.column, &cell.treatment) == (row, column, treatment))
    }
}
