//! The raw samples, so that any figure can be recomputed.

#[cfg(feature = "schema")]
mod schema;
mod table;

use std::collections::BTreeMap;

use nearfar_infer::cache_levels::SweepSample;
use nearfar_infer::{InferError, Reading, Readings};
use nearfar_probe::{Outcome, Taken};

use crate::{Cell, Compared};

/// Every undisturbed sample of a survey, in the order they were taken. In documents: a table, `{fields[], data[][]}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    lines: Vec<Sample>,
}

/// One sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sample {
    pub(crate) process: u32,
    pub(crate) round: u32,
    pub(crate) row: usize,
    /// Columns beyond the matrix's are A/A controls.
    pub(crate) column: usize,
    pub(crate) cpu: u32,
    /// Index within the column.
    pub(crate) page: u32,
    /// Cost of one access.
    pub(crate) ns: f64,
    /// What others moved meanwhile.
    traffic_bytes_per_s: Option<f64>,
}

impl Samples {
    /// The samples a plan heard, to a thousandth of a nanosecond.
    pub fn of(outcome: &Outcome) -> Self {
        Self::of_taken(outcome.readings.iter())
    }

    /// The same of some of them.
    pub(crate) fn of_taken<'t>(taken: impl Iterator<Item = &'t Taken>) -> Self {
        let lines = taken.map(|taken| {
            let (visit, reading) = (taken.reading.visit, taken.reading);
            Sample {
                process: taken.process,
                round: visit.round,
                row: visit.row,
                column: visit.column,
                cpu: reading.cpu.0,
                page: reading.page,
                ns: (reading.ns.0 * 1000.0).round() / 1000.0,
                traffic_bytes_per_s: reading.traffic_bytes_per_s.map(f64::round),
            }
        });
        Self { lines: lines.collect() }
    }

    /// Every sample, in the order they were taken.
    pub(crate) fn each(&self) -> impl Iterator<Item = &Sample> + Clone {
        self.lines.iter()
    }

    /// The samples of the first `rows` x `columns` cells, as inference takes them.
    pub fn readings(&self, rows: usize, columns: usize) -> Result<Readings, InferError> {
        let inside = self.lines.iter().filter(|sample| sample.row < rows && sample.column < columns);
        Readings::new(rows, columns, inside.map(Sample::reading).collect())
    }

    /// The same as figures in another unit.
    pub(crate) fn figures(
        &self,
        rows: usize,
        columns: usize,
        figure: impl Fn(f64) -> f64,
    ) -> Result<Readings, InferError> {
        let inside = self.lines.iter().filter(|sample| sample.row < rows && sample.column < columns);
        let converted = inside.map(|sample| Reading { ns: figure(sample.ns), ..sample.reading() });
        Readings::new(rows, columns, converted.collect())
    }

    /// The samples of some places, (row, column), as figures in another unit; `column` says in which column of the readings each of them stands.
    pub(crate) fn placed(
        &self,
        rows: usize,
        columns: usize,
        column: impl Fn((usize, usize)) -> Option<usize>,
        figure: impl Fn(f64) -> f64,
    ) -> Result<Readings, InferError> {
        let reading = |sample: &Sample| {
            let column = column((sample.row, sample.column))?;
            Some(Reading { column, ns: figure(sample.ns), ..sample.reading() })
        };
        Readings::new(rows, columns, self.lines.iter().filter_map(reading).collect())
    }

    /// The samples of these places, (row, column) to a number, as one row with a column for each.
    pub(crate) fn in_one_row(&self, places: &BTreeMap<(usize, usize), usize>) -> Result<Readings, InferError> {
        let reading = |sample: &Sample| {
            let column = *places.get(&(sample.row, sample.column))?;
            Some(Reading { row: 0, column, ..sample.reading() })
        };
        Readings::new(1, places.len(), self.lines.iter().filter_map(reading).collect())
    }

    /// The samples of one place, as a sweep takes them.
    pub(crate) fn at(&self, row: usize, column: usize) -> Vec<SweepSample> {
        let here = self.lines.iter().filter(|sample| (sample.row, sample.column) == (row, column));
        here.map(|sample| SweepSample { process: sample.process, round: sample.round, ns: sample.ns }).collect()
    }

    /// The costs at these places, ascending, by the place's number.
    pub(crate) fn costs(&self, places: &BTreeMap<(usize, usize), usize>) -> BTreeMap<usize, Vec<f64>> {
        let mut costs: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for sample in &self.lines {
            if let Some(place) = places.get(&(sample.row, sample.column)) {
                costs.entry(*place).or_default().push(sample.ns);
            }
        }
        costs.values_mut().for_each(|costs| costs.sort_by(f64::total_cmp));
        costs
    }

    /// The samples of one place, and what others moved meanwhile, as far as that is known.
    pub(crate) fn beside(&self, row: usize, column: usize) -> (Vec<SweepSample>, Vec<f64>) {
        let here = || self.lines.iter().filter(move |sample| (sample.row, sample.column) == (row, column));
        let sample = |sample: &Sample| SweepSample { process: sample.process, round: sample.round, ns: sample.ns };
        (here().map(sample).collect(), here().filter_map(|sample| sample.traffic_bytes_per_s).collect())
    }

    /// (samples that cost more than `times` their cell's median, all samples) of these cells.
    pub(crate) fn above(&self, cells: &[Cell], times: f64) -> (usize, usize) {
        let median = |sample: &Sample| {
            cells
                .iter()
                .find(|cell| (cell.row, cell.column) == (sample.row, sample.column))
                .and_then(|cell| cell.median)
        };
        let ratios = self.lines.iter().filter_map(|sample| median(sample).map(|median| sample.ns / median));
        ratios.fold((0, 0), |(above, all), ratio| (above + usize::from(ratio > times), all + 1))
    }

    /// The samples of an A/A pair, as one row and two columns.
    pub fn pair(&self, pair: &Compared) -> Result<Readings, InferError> {
        let side = |column| [pair.column, pair.again].iter().position(|&of_pair| of_pair == column);
        let of_row = self.lines.iter().filter(|sample| sample.row == pair.row);
        let readings =
            of_row.filter_map(|sample| Some(Reading { row: 0, column: side(sample.column)?, ..sample.reading() }));
        Readings::new(1, 2, readings.collect())
    }
}

impl Sample {
    fn reading(&self) -> Reading {
        let Self { process, round, row, column, ns, .. } = *self;
        Reading { row, column, process, round, ns }
    }
}
