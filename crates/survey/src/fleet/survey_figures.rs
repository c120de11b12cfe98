//! What a fleet needs of a survey: identity, settings, figures.

use jiff::Timestamp;
use nearfar_infer::fleet::FleetFigure;
use nearfar_model::{Instrument, Unit, is_cost};

use crate::fleet::FleetCellName;
use crate::fleet::built::built;
use crate::fleet::statement::{Statements, statements};
use crate::{Figure, InstrumentTable, MachineSummary, Survey};

/// A survey without its samples.
#[derive(Debug, Default)]
pub struct SurveyFigures {
    pub(crate) machine: MachineSummary,
    pub(crate) node_cpus: Vec<String>,
    pub(crate) started: String,
    pub(crate) duration_s: f64,
    pub(crate) built: Option<Timestamp>,
    pub(crate) statements: Statements,
    pub(crate) figures: Vec<(FleetCellName, FleetFigure)>,
}

impl SurveyFigures {
    /// Those of a survey; or the first contradiction in them.
    pub(crate) fn new(survey: Survey) -> Result<Self, String> {
        let mut figures = Vec::new();
        for table in survey.tables().filter(|table| table.instrument != Instrument::Hidden) {
            add_figures(table, &mut figures)?;
        }
        Ok(Self {
            node_cpus: survey.claims.nodes.iter().map(|node| node.cpus.to_string()).collect(),
            statements: statements(&survey),
            duration_s: survey.provenance.duration_s,
            built: built(&survey.environment),
            machine: survey.machine,
            started: survey.provenance.started,
            figures,
        })
    }
}

/// Adds the figures that have an interval, in their order.
fn add_figures(
    table: InstrumentTable<'_>,
    figures: &mut Vec<(FleetCellName, FleetFigure)>,
) -> Result<(), String> {
    let (instrument, probe, unit) = (table.instrument, table.probe, table.unit);
    for figure in table {
        let (Some(row), Some(column)) = (figure.row(), figure.column()) else {
            let (row, column) = (figure.place.row, figure.place.column);
            return Err(format!("{instrument}: cell ({row}, {column}) has no row or column"));
        };
        let name = || FleetCellName {
            instrument: instrument.name().to_owned(),
            probe: probe.to_owned(),
            unit,
            row: row.label.clone(),
            column: column.label.clone(),
            treatment: figure.treatment(),
        };
        let cost = cost(&figure).map_err(|why| format!("{instrument}: {}: {why}", name()))?;
        figures.extend(cost.map(|cost| (name(), cost)));
    }
    Ok(())
}

/// The figure as a cost (a time, or the inverse of a rate), and its error: that of the interval,
/// which contains the drift between processes.
fn cost(figure: &Figure<'_>) -> Result<Option<FleetFigure>, String> {
    let mut figures = figure.median.into_iter().chain(figure.ci95.into_iter().flatten());
    if let Some(wrong) = figures.find(|figure| !is_cost(*figure)) {
        return Err(format!("{wrong} is no figure: figures are finite and above 0"));
    }
    if let Some([low, high]) = figure.ci95.filter(|[low, high]| low > high) {
        return Err(format!("an interval runs backwards, from {low} to {high}"));
    }
    let cost = |median: f64| if figure.unit.more_is_better() { median.recip() } else { median };
    Ok(figure.median.and_then(|median| FleetFigure::new(cost(median), figure.ci95, figure.se)))
}

/// The figure of a cost.
pub(crate) fn figure_of_cost(unit: Unit, log: f64) -> f64 {
    if unit.more_is_better() { (-log).exp() } else { log.exp() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Loaded;

    /// Memory of node 1, under load from node 1.
    const LOADED: &str = r#"{"probe":"loaded","unit":"ns","isa":"avx2","kernel":"read",
        "footprint_bytes":1,"curves":[],"shared_links":[],
        "rows":[{"label":"node 0","cpus":"0","node":0,"ghz":null,"wander":null},
                {"label":"node 1","cpus":"1","node":1,"ghz":null,"wander":null}],
        "columns":[{"label":"node 0","node":0,"pages":1,"backing":"thp"},
                   {"label":"node 1","node":1,"pages":1,"backing":"4k"}],
        "cells":[
            {"row":0,"column":1,"cpus":"0","node":1,"aggressors":1,"delay":null,"q25":99,
             "median":100,"se":0.01,"ci95":[98,102.04],"dropped":{"stalled":2},"samples":3},
            {"row":1,"column":1,"cpus":"0","node":1,"aggressors":null,"delay":7,"q25":null,
             "median":null,"se":null,"ci95":null,"dropped":{},"samples":0,"why":"no memory"}],
        "treatments":[{"aggressors":1,"delay":null}],
        "samples":null}"#;

    fn figures(text: &str) -> Result<Vec<(FleetCellName, FleetFigure)>, String> {
        let loaded: Loaded = serde_json::from_str(text).unwrap();
        SurveyFigures::new(Survey { loaded: Some(loaded), ..Survey::default() })
            .map(|survey| survey.figures)
    }

    #[test]
    fn cells_with_figures_have_names() {
        let figures = figures(LOADED).unwrap();
        let [(name, figure)] = &figures[..] else { panic!("{figures:?}") };
        assert_eq!(name.to_string(), "node 0 to node 1, load from node 1");
        assert!((figure.log - 100f64.ln()).abs() < 1e-12);
        assert!((figure.error - 0.0103).abs() < 1e-3, "{figure:?}");
    }

    #[test]
    fn contradictions_are_errors() {
        let error = |from: &str, to: &str| figures(&LOADED.replace(from, to)).unwrap_err();
        assert_eq!(
            error(
                "\"column\":1,\"cpus\":\"0\",\"node\":1,\"aggressors\":1",
                "\"column\":7,\"cpus\":\"0\",\"node\":1,\"aggressors\":1"
            ),
            "loaded: cell (0, 7) has no row or column"
        );
        assert!(error("[98,102.04]", "[102,98]").contains("runs backwards, from 102 to 98"));
        assert!(error("\"median\":100", "\"median\":-1").ends_with("above 0"));
    }
}
