//! What a fleet needs of a survey: identity, settings, figures.

use nearfar_infer::fleet::FleetFigure;

use crate::MachineSummary;
use crate::fleet::FleetCellName;
use crate::fleet::parsed_survey::ParsedSurvey;
use crate::fleet::statement::{Statements, statements};

/// A survey without its samples.
#[derive(Debug, Default)]
pub struct SurveyFigures {
    pub(crate) machine: MachineSummary,
    pub(crate) node_cpus: Vec<String>,
    pub(crate) started: String,
    pub(crate) statements: Statements,
    pub(crate) figures: Vec<(FleetCellName, FleetFigure)>,
}

impl ParsedSurvey {
    /// Its figures; or the first contradiction in them.
    pub(crate) fn into_figures(mut self) -> Result<SurveyFigures, String> {
        self.tables.sort_by_key(|(instrument, _)| *instrument);
        let statements = statements(&self);
        let mut figures = Vec::new();
        for (instrument, table) in self.tables {
            figures.extend(table.into_figures(instrument)?);
        }
        Ok(SurveyFigures {
            machine: self.machine.unwrap_or_default(),
            node_cpus: self.claims.nodes.iter().map(|node| node.cpus.to_string()).collect(),
            started: self.provenance.started,
            statements,
            figures,
        })
    }
}
