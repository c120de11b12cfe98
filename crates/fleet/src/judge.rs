//! From joined machines to the document.

use std::collections::BTreeSet;

use crate::FleetCellName;
use crate::cause::causes;
use crate::compared_cell::ComparedCell;
use crate::document::{FleetDocument, SCHEMA};
use crate::drift::drift;
use crate::figure_table::figure_of_cost;
use crate::fleet_group::{
    FleetCellSummary, FleetDirection, FleetFinding, FleetGroup, FleetMachine, GroupState,
};
use crate::group::{ShapeGroup, groups, row_of};
use crate::interned::Interned;
use crate::joined::joined;
use crate::surveys::{FleetSettings, FleetSurvey, FleetSurveys, NotJudged};
use nearfar_infer::changes::{BETWEEN, BETWEEN_GUESTS};
use nearfar_infer::fleet::{
    FALSE_DISCOVERY_RATE, FEWEST_MACHINES, FleetFigure, FleetOutlier, FleetVerdict,
    fleet_against_reference, fleet_outliers,
};

/// Decimals of ratios in the document.
const RATIO_DECIMALS: f64 = 1e5;

impl FleetSurveys {
    /// Joins surveys of one machine, groups machines, and compares them.
    ///
    /// # Errors
    /// If there is no survey.
    pub fn judge(self, settings: FleetSettings) -> Result<FleetDocument, NotJudged> {
        if self.surveys.is_empty() { Err(NotJudged::NoSurvey) } else { Ok(judge(self, settings)) }
    }
}

fn judge(fleet: FleetSurveys, settings: FleetSettings) -> FleetDocument {
    let FleetSurveys { cells, texts, surveys, mut skipped, reference } = fleet;
    let (machines, unused) = joined(surveys);
    skipped.extend(unused);
    skipped.sort_by_key(|(place, skipped)| (place.number, skipped.line));
    let groups = groups(machines);
    let mut document = FleetDocument {
        schema: SCHEMA.to_owned(),
        reference: reference.as_ref().map(|golden| golden.place.file.to_string()),
        floor: settings.floor,
        false_discovery_rate: FALSE_DISCOVERY_RATE,
        groups: Vec::new(),
        findings: Vec::new(),
        causes: Vec::new(),
        drift: drift(&groups, reference.as_ref(), &texts),
        skipped: skipped.into_iter().map(|(_, skipped)| skipped).collect(),
    };
    for group in groups {
        let number = document.groups.len();
        let judged = JudgedGroup::new(group, reference.as_ref(), &cells, settings.floor);
        document.findings.extend(judged.findings(number));
        document.groups.push(judged.into_group());
    }
    document.causes = causes(&document.groups, &mut document.findings);
    document
}

/// A group and what was inferred of it.
struct JudgedGroup {
    group: ShapeGroup,
    state: GroupState,
    names: Vec<FleetCellName>,
    figures: Vec<Vec<Option<FleetFigure>>>,
    cells: Vec<FleetCellSummary>,
    /// Logarithms of what each cell is compared with.
    centers: Vec<Option<f64>>,
    outliers: Vec<FleetOutlier>,
}

impl JudgedGroup {
    fn new(
        group: ShapeGroup,
        reference: Option<&FleetSurvey>,
        cells: &Interned<FleetCellName>,
        floor: f64,
    ) -> Self {
        let numbers = group.cells();
        let names: Vec<FleetCellName> =
            numbers.iter().map(|&number| cells.name(number).clone()).collect();
        let compared = ComparedCell::all(&names);
        let row = |figures: &[Option<FleetFigure>]| -> Vec<Option<FleetFigure>> {
            compared.iter().map(|cell| cell.figure(figures)).collect()
        };
        let figures: Vec<_> = group.matrix(&numbers).iter().map(|figures| row(figures)).collect();
        let names: Vec<FleetCellName> = compared.iter().map(|cell| cell.name.clone()).collect();
        let verdict = fleet_outliers(&figures, &kinds(&names), floor);
        let golden = reference.filter(|golden| golden.shape == group.shape);
        let state = match (reference, golden) {
            (Some(_), None) => GroupState::OtherThanReference,
            (None, _) if group.machines.len() < FEWEST_MACHINES => GroupState::TooFew,
            _ => GroupState::Compared,
        };
        let golden_row = golden.map(|golden| row(&row_of(&golden.figures, &numbers)));
        let outliers = match &golden_row {
            _ if state != GroupState::Compared => Vec::new(),
            None => verdict.outliers.clone(),
            Some(row) => {
                let is_guest = group.machines.iter().any(|machine| machine.is_guest);
                let between = if is_guest { BETWEEN_GUESTS } else { BETWEEN };
                fleet_against_reference(row, &figures, Some(between), floor)
            }
        };
        let centers = centers(&verdict, golden_row.as_deref());
        let cells = summaries(&names, &verdict, &centers);
        Self { group, state, names, figures, cells, centers, outliers }
    }

    fn findings(&self, group: usize) -> Vec<FleetFinding> {
        let finding = |outlier: &FleetOutlier| {
            let cell = self.names[outlier.cell].clone();
            let figure = self.figures[outlier.machine][outlier.cell];
            FleetFinding {
                machine: self.group.machines[outlier.machine].name.clone(),
                group,
                direction: if outlier.ratio > 1.0 {
                    FleetDirection::Slower
                } else {
                    FleetDirection::Faster
                },
                figure: figure.map(|figure| figure_of_cost(cell.unit, figure.log)),
                ratio: outlier.ratio,
                is_relative: outlier.is_relative,
                ci95: [outlier.low, outlier.high],
                p: outlier.p_value,
                q: outlier.q_value,
                cause: None,
                cell,
            }
        };
        self.outliers.iter().map(finding).collect()
    }

    fn into_group(self) -> FleetGroup {
        let Self { group, state, figures, cells, centers, .. } = self;
        let ratio = |(figure, center): (&Option<FleetFigure>, &Option<f64>)| {
            let ratio = (figure.as_ref()?.log - (*center)?).exp();
            (state == GroupState::Compared)
                .then_some((ratio * RATIO_DECIMALS).round() / RATIO_DECIMALS)
        };
        let machines =
            group.machines.into_iter().zip(&figures).map(|(machine, figures)| FleetMachine {
                name: machine.name,
                name_source: machine.name_source,
                started: machine.started,
                surveys: machine.sources,
                ratios: figures.iter().zip(&centers).map(ratio).collect(),
            });
        FleetGroup { shape: group.shape, state, machines: machines.collect(), cells }
    }
}

/// A number for each kind of cells: those of one instrument's table resemble each other, and so do
/// their means.
fn kinds(names: &[FleetCellName]) -> Vec<usize> {
    let kinds = || names.iter().map(|name| (name.table(), name.is_of_all_rows()));
    let known: BTreeSet<_> = kinds().collect();
    let number = |kind| known.iter().position(|other| *other == kind).unwrap_or_default();
    kinds().map(number).collect()
}

/// What each cell is compared with; none in cells with too few machines, or no reference's figure.
fn centers(verdict: &FleetVerdict, reference: Option<&[Option<FleetFigure>]>) -> Vec<Option<f64>> {
    let cells = verdict.cells.iter().enumerate();
    cells
        .map(|(at, cell)| match reference {
            Some(row) => row[at].map(|figure| figure.log),
            None => (cell.machines >= FEWEST_MACHINES).then_some(cell.center_log),
        })
        .collect()
}

fn summaries(
    names: &[FleetCellName],
    verdict: &FleetVerdict,
    centers: &[Option<f64>],
) -> Vec<FleetCellSummary> {
    let cells = names.iter().zip(verdict.cells.iter().zip(centers));
    cells
        .map(|(name, (cell, center))| FleetCellSummary {
            name: name.clone(),
            machines: cell.machines,
            center: center.map(|log| figure_of_cost(name.unit, log)),
            spread: (cell.machines >= FEWEST_MACHINES).then_some(cell.spread_log),
        })
        .collect()
}
