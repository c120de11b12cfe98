//! The cells of a part by their names, as two surveys are compared: by labels and treatment, never
//! by index.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_infer::changes::CellEstimate;
use nearfar_model::{CellIndex, Instrument, Unit};
use serde::Serialize;
use serde_json::Value;

use crate::{Matrix, MatrixCell, Samples, Treatment, TreatmentMatrix};

/// A part whose cells have names.
pub(crate) struct Comparable {
    pub(crate) part: &'static str,
    /// Instrument and unit: streams and loads of interleaved memory differ by the unit.
    pub(crate) key: (Instrument, Unit),
    pub(crate) probe: String,
    /// In their order.
    pub(crate) cells: Vec<(ComparisonKey, Figure)>,
    /// Labels, and what stands before them in words.
    pub(crate) labels: Vec<String>,
}

/// Row, column, treatment.
pub(crate) type ComparisonKey = (String, String, BTreeMap<String, String>);

#[derive(Clone)]
pub(crate) struct Figure {
    pub(crate) median: Option<f64>,
    pub(crate) known: Option<CellEstimate>,
    pub(crate) row: usize,
    pub(crate) why: Option<String>,
}

impl<T: Treatment + Serialize> TreatmentMatrix<T> {
    /// As comparisons take it.
    pub(crate) fn compared(&self, processes: usize) -> Comparable {
        let treatments: Vec<BTreeMap<String, Value>> =
            self.treatments.iter().map(words_of).collect();
        named(T::INSTRUMENT, &self.matrix, self.samples.as_ref(), processes, &treatments)
    }
}

fn words_of<T: Serialize>(treatment: &T) -> BTreeMap<String, Value> {
    serde_json::to_value(treatment)
        .ok()
        .and_then(|value| serde_json::from_value(value).ok())
        .unwrap_or_default()
}

pub(crate) fn named<T: Serialize>(
    instrument: Instrument,
    matrix: &Matrix<T>,
    samples: Option<&Samples>,
    processes: usize,
    treatments: &[BTreeMap<String, Value>],
) -> Comparable {
    let by_place = samples.map(processes_by_place);
    let mut seen = BTreeSet::new();
    let mut cells = Vec::new();
    let mut labels = Vec::new();
    for cell in &matrix.cells {
        let (Some(row), Some(column)) =
            (matrix.rows.get(cell.row), matrix.columns.get(cell.column))
        else {
            continue;
        };
        let words = words_of(&cell.treatment);
        let at = treatments.iter().position(|known| *known == words).unwrap_or_default();
        let place = CellIndex::new(cell.row, cell.column).with_treatment(at);
        let processes = by_place
            .as_ref()
            .map_or(processes, |by_place| by_place.get(&place).copied().unwrap_or(0));
        let treatment = spelled(&words, matrix);
        labels.extend([format!("row {}", row.label), format!("column {}", column.label)]);
        labels.extend(treatment.iter().map(|(name, value)| format!("{name} {value}")));
        let key = (row.label.clone(), column.label.clone(), treatment);
        if seen.insert(key.clone()) {
            let known = known(cell, row.drift, processes);
            cells.push((
                key,
                Figure { median: cell.median, known, row: cell.row, why: cell.why.clone() },
            ));
        }
    }
    Comparable {
        part: instrument.name(),
        key: (instrument, matrix.unit),
        probe: matrix.probe.clone(),
        cells,
        labels,
    }
}

/// How many processes have samples of each place.
pub(super) fn processes_by_place(samples: &Samples) -> BTreeMap<CellIndex, usize> {
    let mut seen: BTreeMap<CellIndex, BTreeSet<u32>> = BTreeMap::new();
    for sample in samples.each() {
        seen.entry(sample.place).or_default().insert(sample.process);
    }
    seen.into_iter().map(|(place, processes)| (place, processes.len())).collect()
}

/// A treatment in words: indexes of rows and columns by their labels, and nothing of what it has
/// not.
fn spelled<T>(words: &BTreeMap<String, Value>, matrix: &Matrix<T>) -> BTreeMap<String, String> {
    let named = |(name, value): (&String, &Value)| {
        let index = value.as_u64().and_then(|index| usize::try_from(index).ok());
        let text = match (name.as_str(), value) {
            (_, Value::Null) => return None,
            ("aggressors", _) => matrix.rows.get(index?)?.label.clone(),
            ("aggressors_column", _) => matrix.columns.get(index?)?.label.clone(),
            (_, Value::String(text)) => text.clone(),
            _ => value.to_string(),
        };
        Some((name.clone(), text))
    };
    words.iter().filter_map(named).collect()
}

fn known<T>(cell: &MatrixCell<T>, drift: Option<f64>, processes: usize) -> Option<CellEstimate> {
    let (median, se) = (cell.median?, cell.se?);
    // Parts without rows of their own keep drift in the interval alone.
    let drift =
        drift.or_else(|| Some(nearfar_infer::changes::drift_of(median, se, cell.ci95?, processes)));
    Some(CellEstimate { median, se, drift: drift.unwrap_or_default(), processes })
}
