//! An instrument's table of a survey without its samples.
//!
//! The survey's own types flatten a table into its part, which makes serde keep the whole part in
//! memory first, samples included. These types ignore what they do not name while it is read.

use std::collections::BTreeMap;
use std::fmt;

use nearfar_infer::fleet::FleetFigure;
use nearfar_model::{Instrument, Unit, is_cost};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use crate::fleet::FleetCellName;
use crate::fleet::open_value::OpenValue;

/// A table of figures.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct FigureTable {
    probe: String,
    unit: Unit,
    rows: Vec<TableLabel>,
    columns: Vec<TableLabel>,
    cells: Vec<TableCell>,
    #[serde(default)]
    treatments: Vec<BTreeMap<String, IgnoredAny>>,
    /// Of bandwidth alone.
    #[serde(default)]
    peak: Option<DimmPeak>,
}

/// What DIMMs could deliver at most.
#[derive(Debug, Deserialize)]
struct DimmPeak {
    dimms: String,
}

/// A row or a column.
#[derive(Debug, Deserialize)]
struct TableLabel {
    label: String,
    #[serde(default)]
    backing: Option<String>,
}

/// The tables of an instrument that has several.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct FigureTables {
    #[serde(default)]
    bandwidth: Option<FigureTable>,
    #[serde(default)]
    latency: Option<FigureTable>,
    #[serde(default)]
    throughput: Option<FigureTable>,
    #[serde(default)]
    peer_bandwidth: Option<FigureTable>,
    #[serde(default)]
    peer_latency: Option<FigureTable>,
}

impl FigureTables {
    pub(crate) fn into_tables(self) -> impl Iterator<Item = FigureTable> {
        let Self { bandwidth, latency, throughput, peer_bandwidth, peer_latency } = self;
        [latency, bandwidth, throughput, peer_latency, peer_bandwidth].into_iter().flatten()
    }
}

impl FigureTable {
    /// What carries the memory: "thp", "4k"; null where nothing could be placed.
    pub(crate) fn backing(&self) -> Option<String> {
        let mut kinds: Vec<&str> =
            self.columns.iter().filter_map(|column| column.backing.as_deref()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        (!kinds.is_empty()).then(|| kinds.join(", "))
    }

    /// Channels and transfer rate of the DIMMs: "8x4800"; none where they are unknown.
    pub(crate) fn dimms(&self) -> Option<&str> {
        self.peak.as_ref().map(|peak| peak.dimms.as_str())
    }

    /// The cells that have a figure with an interval, in their order.
    pub(crate) fn into_figures(
        self,
        instrument: Instrument,
    ) -> Result<Vec<(FleetCellName, FleetFigure)>, String> {
        let mut figures = Vec::new();
        for cell in &self.cells {
            let (Some(row), Some(column)) =
                (self.rows.get(cell.row), self.columns.get(cell.column))
            else {
                let (row, column) = (cell.row, cell.column);
                return Err(format!("{instrument}: cell ({row}, {column}) has no row or column"));
            };
            let name = || FleetCellName {
                instrument: instrument.name().to_owned(),
                probe: self.probe.clone(),
                unit: self.unit,
                row: row.label.clone(),
                column: column.label.clone(),
                treatment: self.spelled(&cell.treatment),
            };
            let figure =
                cell.figure(self.unit).map_err(|why| format!("{instrument}: {}: {why}", name()))?;
            figures.extend(figure.map(|figure| (name(), figure)));
        }
        Ok(figures)
    }

    /// A treatment in words: indexes of rows and columns by their labels.
    fn spelled(&self, treatment: &[(String, Value)]) -> BTreeMap<String, String> {
        let Some(names) = self.treatments.first() else { return BTreeMap::new() };
        let spelled = |(name, value): &(String, Value)| {
            let label = |labels: &[TableLabel]| {
                let index = usize::try_from(value.as_u64()?).ok()?;
                labels.get(index).map(|found| found.label.clone())
            };
            let text = match (name.as_str(), value) {
                (_, Value::Null) => return None,
                ("aggressors", _) => label(&self.rows)?,
                ("aggressors_column", _) => label(&self.columns)?,
                (_, Value::String(text)) => text.clone(),
                _ => value.to_string(),
            };
            Some((name.clone(), text))
        };
        treatment.iter().filter(|(name, _)| names.contains_key(name)).filter_map(spelled).collect()
    }
}

/// The logarithm of a figure's cost: of a time, or of the inverse of a rate.
fn cost(unit: Unit, figure: f64) -> f64 {
    if unit.more_is_better() { figure.recip() } else { figure }
}

/// The figure of a cost.
pub(crate) fn figure_of_cost(unit: Unit, log: f64) -> f64 {
    if unit.more_is_better() { (-log).exp() } else { log.exp() }
}

/// A cell's figure and what it was visited with.
#[derive(Debug, Default)]
struct TableCell {
    row: usize,
    column: usize,
    median: Option<f64>,
    se: Option<f64>,
    ci95: Option<[f64; 2]>,
    /// All fields that are no figures.
    treatment: Vec<(String, Value)>,
}

impl TableCell {
    /// The figure as a cost, and its error: that of the interval, which contains the drift between
    /// processes.
    fn figure(&self, unit: Unit) -> Result<Option<FleetFigure>, String> {
        let figures = self.median.into_iter().chain(self.ci95.into_iter().flatten());
        if let Some(wrong) = figures.into_iter().find(|figure| !is_cost(*figure)) {
            return Err(format!("{wrong} is no figure: figures are finite and above 0"));
        }
        if let Some([low, high]) = self.ci95.filter(|[low, high]| low > high) {
            return Err(format!("an interval runs backwards, from {low} to {high}"));
        }
        Ok(self.median.and_then(|median| FleetFigure::new(cost(unit, median), self.ci95, self.se)))
    }
}

impl<'de> Deserialize<'de> for TableCell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(CellVisitor)
    }
}

struct CellVisitor;

impl<'de> Visitor<'de> for CellVisitor {
    type Value = TableCell;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a cell of a matrix")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut fields: M) -> Result<TableCell, M::Error> {
        let mut cell = TableCell::default();
        while let Some(name) = fields.next_key::<String>()? {
            match name.as_str() {
                "row" => cell.row = fields.next_value()?,
                "column" => cell.column = fields.next_value()?,
                "median" => cell.median = fields.next_value()?,
                "se" => cell.se = fields.next_value()?,
                "ci95" => cell.ci95 = fields.next_value()?,
                "cpus" | "node" | "q25" | "samples" | "dropped" | "why" | "traffic_bytes_per_s" => {
                    fields.next_value::<IgnoredAny>()?;
                }
                _ => cell.treatment.push((name, fields.next_value::<OpenValue>()?.0)),
            }
        }
        // Most pairs of a large machine have no interval: nothing is compared, and no name needed.
        if cell.median.is_none() || (cell.ci95.is_none() && cell.se.is_none()) {
            cell.treatment = Vec::new();
        }
        Ok(cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = r#"{"probe":"loaded","unit":"ns","isa":"avx2",
        "rows":[{"label":"node 0"},{"label":"node 1"}],
        "columns":[{"label":"node 0","backing":"thp"},{"label":"node 1","backing":"4k"}],
        "cells":[
            {"row":0,"column":1,"cpus":"0","node":1,"aggressors":1,"delay":null,"q25":99,
             "median":100,"se":0.01,"ci95":[98,102.04],"dropped":{"stalled":2},"samples":3},
            {"row":1,"column":1,"aggressors":null,"delay":7,"median":null,"why":"no memory"}],
        "treatments":[{"aggressors":1,"delay":null}],
        "samples":{"fields":["ns"],"data":[[1],[2]]}}"#;

    fn figures(text: &str) -> Result<Vec<(FleetCellName, FleetFigure)>, String> {
        serde_json::from_str::<FigureTable>(text).unwrap().into_figures(Instrument::Loaded)
    }

    #[test]
    fn cells_with_figures_have_names() {
        let figures = figures(TABLE).unwrap();
        let [(name, figure)] = &figures[..] else { panic!("{figures:?}") };
        assert_eq!(name.to_string(), "node 0 to node 1, load from node 1");
        assert!((figure.log - 100f64.ln()).abs() < 1e-12);
        assert!((figure.error - 0.0103).abs() < 1e-3, "{figure:?}");
    }

    #[test]
    fn contradictions_are_errors() {
        let error = |from: &str, to: &str| figures(&TABLE.replace(from, to)).unwrap_err();
        assert_eq!(
            error("\"column\":1,\"cpus\"", "\"column\":7,\"cpus\""),
            "loaded: cell (0, 7) has no row or column"
        );
        assert!(error("[98,102.04]", "[102,98]").contains("runs backwards, from 102 to 98"));
        assert!(error("\"median\":100", "\"median\":-1").ends_with("above 0"));
    }
}
