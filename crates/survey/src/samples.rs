//! The raw samples, so that any figure can be recomputed.

mod schema;
mod table;

use std::collections::BTreeMap;

use nearfar_infer::{InferError, SampleMatrix};
use nearfar_model::{CellIndex, MatrixShape, Sample, Unit};
use nearfar_probe::PlanOutcome;

use crate::{ControlComparison, MatrixCell};

/// Every undisturbed sample of a survey, in the order they were taken. In documents: a table,
/// `{fields[], data[][]}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    lines: Vec<Sample>,
}

impl Samples {
    /// The samples of a plan, to a thousandth of a nanosecond.
    pub fn from_outcome(outcome: &PlanOutcome) -> Self {
        Self::rounded(outcome.samples.iter())
    }

    /// These samples, to a thousandth of a nanosecond.
    pub(crate) fn rounded<'s>(samples: impl Iterator<Item = &'s Sample>) -> Self {
        let lines = samples.map(|sample| Sample {
            value: (sample.value * 1000.0).round() / 1000.0,
            traffic: sample.traffic.map(f64::round),
            ..*sample
        });
        Self { lines: lines.collect() }
    }

    #[cfg(test)]
    pub(crate) fn from_lines(lines: Vec<Sample>) -> Self {
        Self { lines }
    }

    /// Every sample, in the order they were taken.
    pub fn each(&self) -> impl Iterator<Item = &Sample> + Clone {
        self.lines.iter()
    }

    /// The samples inside a matrix of this shape, as inference takes them.
    pub fn readings(&self, shape: MatrixShape) -> Result<SampleMatrix, InferError> {
        self.figures(shape, Some, Unit::Nanoseconds)
    }

    /// The samples as figures in a unit, at the places that `moved` gives; those that it has no
    /// place for, and those outside the shape, are left out.
    pub(crate) fn figures(
        &self,
        shape: MatrixShape,
        moved: impl Fn(CellIndex) -> Option<CellIndex>,
        unit: Unit,
    ) -> Result<SampleMatrix, InferError> {
        let converted = |sample: &Sample| {
            let place = moved(sample.place).filter(|place| shape.contains(*place))?;
            Some(Sample { place, value: unit.figure(sample.value), ..*sample })
        };
        SampleMatrix::new(shape, &self.lines.iter().filter_map(converted).collect::<Vec<_>>())
    }

    /// The samples of these places, as one row with a column for each.
    pub(crate) fn in_one_row(&self, places: &[CellIndex]) -> Result<SampleMatrix, InferError> {
        SampleMatrix::from_places(places, self.lines.iter())
    }

    /// The samples of one place.
    pub(crate) fn at(&self, place: CellIndex) -> Vec<Sample> {
        self.lines.iter().filter(|sample| sample.place == place).copied().collect()
    }

    /// The values at each of these places, ascending, by the place's number.
    pub(crate) fn values(&self, places: &[CellIndex]) -> BTreeMap<usize, Vec<f64>> {
        let numbers: BTreeMap<CellIndex, usize> = places.iter().copied().zip(0..).collect();
        let mut values: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for sample in &self.lines {
            if let Some(number) = numbers.get(&sample.place) {
                values.entry(*number).or_default().push(sample.value);
            }
        }
        values.values_mut().for_each(|values| values.sort_by(f64::total_cmp));
        values
    }

    /// (samples that cost more than `times` their cell's median, all samples) of these cells.
    pub(crate) fn above(&self, cells: &[MatrixCell], times: f64) -> (usize, usize) {
        let median = |sample: &Sample| {
            let is_its = |cell: &&MatrixCell| CellIndex::new(cell.row, cell.column) == sample.place;
            cells.iter().find(is_its).and_then(|cell| cell.median)
        };
        let ratios = self
            .lines
            .iter()
            .filter_map(|sample| median(sample).map(|median| sample.value / median));
        ratios.fold((0, 0), |(above, all), ratio| (above + usize::from(ratio > times), all + 1))
    }

    /// The samples of an A/A pair, as one row and two columns.
    pub fn pair(&self, pair: &ControlComparison) -> Result<SampleMatrix, InferError> {
        self.in_one_row(&[pair.column, pair.again].map(|column| CellIndex::new(pair.row, column)))
    }
}
