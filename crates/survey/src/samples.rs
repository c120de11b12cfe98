//! The raw samples, as a table: one line a sample, so that any figure can be recomputed.

use nearfar_infer::{InferError, Reading, Readings};
use nearfar_probe::Outcome;
use serde::{Deserialize, Serialize};

use crate::Compared;

/// Names of the numbers in each line.
const FIELDS: [&str; 7] = ["process", "round", "row", "column", "cpu", "page", "ns"];

/// One sample: process, round, row, column, CPU, page within the column, ns per access.
type Line = (u32, u32, usize, usize, u32, u32, f64);

/// Every undisturbed sample of a survey, in the order they were taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Samples {
    /// Names of the numbers in each line. Columns beyond the matrix's are A/A controls.
    pub fields: Vec<String>,
    /// The lines.
    pub data: Vec<Line>,
}

impl Samples {
    /// The samples a plan heard, to a thousandth of a nanosecond.
    pub fn of(outcome: &Outcome) -> Self {
        let data = outcome.readings.iter().map(|taken| {
            let (visit, reading) = (taken.reading.visit, taken.reading);
            let ns = (reading.ns.0 * 1000.0).round() / 1000.0;
            (taken.process, visit.round, visit.row, visit.column, reading.cpu.0, reading.page, ns)
        });
        Self { fields: FIELDS.map(str::to_owned).to_vec(), data: data.collect() }
    }

    /// The samples of the first `rows` x `columns` cells, as inference takes them.
    pub fn readings(&self, rows: usize, columns: usize) -> Result<Readings, InferError> {
        let inside = self.data.iter().filter(|line| line.2 < rows && line.3 < columns);
        let readings =
            inside.map(|&(process, round, row, column, _, _, ns)| Reading { row, column, process, round, ns });
        Readings::new(rows, columns, readings.collect())
    }

    /// The samples of an A/A pair, as one row and two columns.
    pub fn pair(&self, pair: &Compared) -> Result<Readings, InferError> {
        let side = |column| [pair.column, pair.again].iter().position(|&of_pair| of_pair == column);
        let of_row = self.data.iter().filter(|line| line.2 == pair.row);
        let readings = of_row.filter_map(|&(process, round, _, column, _, _, ns)| {
            Some(Reading { row: 0, column: side(column)?, process, round, ns })
        });
        Readings::new(1, 2, readings.collect())
    }
}
