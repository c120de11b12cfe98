//! From joined machines to the document.

use nearfar_infer::changes::{BETWEEN, BETWEEN_GUESTS};
use nearfar_infer::fleet::{
    BatchDifference, FALSE_DISCOVERY_RATE, FleetFigure, FleetOutlier, FleetVerdict, MIN_MACHINES,
    SmallestSlowdown, fleet_against_reference, fleet_outliers,
};

use crate::fleet::FleetCellName;
use crate::fleet::FleetDirection;
use crate::fleet::Interned;
use crate::fleet::boards::board_changes;
use crate::fleet::cause::{causes, shared};
use crate::fleet::compared_cell::ComparedCell;
use crate::fleet::doubts::doubts;
use crate::fleet::drift::drift;
use crate::fleet::fleet_group::{
    FleetBatch, FleetCellSummary, FleetFinding, FleetGroup, FleetMachine, GroupState,
};
use crate::fleet::joined::{JoinedMachine, joined};
use crate::fleet::survey_figures::figure_of_cost;
use crate::fleet::surveys::{FleetSettings, FleetSurvey, FleetSurveys, NotJudged};
use crate::fleet::{FleetDocument, SCHEMA};
use crate::fleet::{ShapeGroup, groups, row_of};

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
    let FleetSurveys { cells, texts, surveys, mut skipped, reference, .. } = fleet;
    let boards = board_changes(&surveys);
    let doubts = doubts(&surveys);
    let (machines, unused) = joined(surveys, &boards);
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
        unclear: Vec::new(),
        causes: Vec::new(),
        drift: drift(&groups, reference.as_ref(), &texts),
        boards,
        doubts,
        skipped: skipped.into_iter().map(|(_, skipped)| skipped).collect(),
        history: None,
    };
    for group in groups {
        let number = document.groups.len();
        let judged = JudgedGroup::new(group, reference.as_ref(), &cells, settings.floor);
        document.findings.extend(judged.findings(&judged.outliers, number));
        document.unclear.extend(judged.findings(&judged.unclear, number));
        document.groups.push(judged.into_group(number));
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
    /// Of each batch: logarithms of what each cell is compared with. A reference is one.
    centers: Vec<Vec<Option<f64>>>,
    batch_of: Vec<usize>,
    /// Machines that may be of another batch.
    unsure: Vec<usize>,
    smallest: Option<SmallestSlowdown>,
    outliers: Vec<FleetOutlier>,
    unclear: Vec<FleetOutlier>,
    differences: Vec<BatchDifference>,
}

impl JudgedGroup {
    fn new(
        mut group: ShapeGroup,
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
        // Of a large fleet, figures are kept once.
        let taken = |machine: &mut JoinedMachine| std::mem::take(&mut machine.figures);
        let machines = group.machines.iter_mut();
        let figures: Vec<_> =
            machines.map(|machine| row(&row_of(&taken(machine), &numbers))).collect();
        let names: Vec<FleetCellName> = compared.iter().map(|cell| cell.name.clone()).collect();
        let verdict = fleet_outliers(&figures, &ComparedCell::kinds(&compared), floor);
        let golden = reference.filter(|golden| *golden.shape == group.shape);
        let state = match (reference, golden) {
            (Some(_), None) => GroupState::OtherThanReference,
            (None, _) if group.machines.len() < MIN_MACHINES => GroupState::TooFew,
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
        let cells = summaries(&names, &verdict, &centers[0]);
        let mut batch_of = vec![0; figures.len()];
        let has_batches = centers.len() > 1 && state == GroupState::Compared;
        let unsure = verdict.batches.iter().flat_map(|batch| batch.unsure.clone()).collect();
        let is_alone = state == GroupState::Compared && golden_row.is_none();
        let smallest = verdict.smallest.filter(|_| is_alone);
        let unclear = if is_alone { verdict.unclear } else { Vec::new() };
        for (batch, of_batch) in verdict.batches.iter().enumerate().filter(|_| has_batches) {
            of_batch.machines.iter().for_each(|&machine| batch_of[machine] = batch);
        }
        let differences = if has_batches { verdict.differences } else { Vec::new() };
        Self {
            group,
            state,
            names,
            figures,
            cells,
            centers,
            batch_of,
            unsure,
            smallest,
            outliers,
            unclear,
            differences,
        }
    }

    fn findings(&self, outliers: &[FleetOutlier], group: usize) -> Vec<FleetFinding> {
        let finding = |outlier: &FleetOutlier| {
            let cell = self.names[outlier.cell].clone();
            let figure = self.figures[outlier.machine][outlier.cell];
            FleetFinding {
                machine: self.group.machines[outlier.machine].name.clone(),
                group,
                direction: direction(outlier.ratio),
                figure: figure.map(|figure| figure_of_cost(cell.unit, figure.log)),
                ratio: outlier.ratio,
                cell_ratio: self.ratio(outlier.machine, outlier.cell),
                other_cells: outlier.other_cells,
                is_relative: outlier.other_cells.is_some(),
                ci95: [outlier.low, outlier.high],
                p: outlier.p_value,
                q: outlier.q_value,
                cause: None,
                cell,
            }
        };
        outliers.iter().map(finding).collect()
    }

    /// How this batch differs from the first.
    fn differences(&self, group: usize, batch: usize, machine: &str) -> Vec<FleetFinding> {
        let of_batch = self.differences.iter().filter(|difference| difference.batch == batch);
        let finding = |one: &BatchDifference| {
            let cell = self.names[one.cell].clone();
            let center = self.centers[batch][one.cell];
            FleetFinding {
                machine: machine.to_owned(),
                group,
                direction: direction(one.ratio),
                figure: center.map(|log| figure_of_cost(cell.unit, log)),
                ratio: one.ratio,
                cell_ratio: Some(rounded(one.ratio * one.other_cells.unwrap_or(1.0))),
                other_cells: one.other_cells,
                is_relative: one.other_cells.is_some(),
                ci95: [one.low, one.high],
                p: one.p_value,
                q: one.p_value,
                cause: None,
                cell,
            }
        };
        of_batch.map(finding).collect()
    }

    fn batches(&self, group: usize) -> Vec<FleetBatch> {
        if self.differences.is_empty() {
            return Vec::new();
        }
        let batch = |(batch, centers): (usize, &Vec<Option<f64>>)| {
            let members: Vec<usize> =
                (0..self.batch_of.len()).filter(|&at| self.batch_of[at] == batch).collect();
            let name = |at: usize| self.group.machines[at].name.clone();
            let unsure = members.iter().copied().filter(|at| self.unsure.contains(at)).map(name);
            let unsure = unsure.collect();
            let machines: Vec<String> = members.into_iter().map(name).collect();
            let first = machines.first().map_or("", |name| name);
            let mut differences = self.differences(group, batch, first);
            let singles = self.names.iter().filter(|name| !name.is_of_all_rows());
            let mut causes = Vec::new();
            shared(&singles.collect::<Vec<_>>(), &mut differences, &mut causes);
            let cells = centers.iter().zip(&self.names);
            let centers =
                cells.map(|(log, name)| log.map(|log| figure_of_cost(name.unit, log))).collect();
            FleetBatch { machines, unsure, centers, differences, causes }
        };
        self.centers.iter().enumerate().map(batch).collect()
    }

    /// A cell's cost divided by that of its center.
    fn ratio(&self, machine: usize, cell: usize) -> Option<f64> {
        let center = self.centers[self.batch_of[machine]][cell]?;
        let ratio = (self.figures[machine][cell]?.log - center).exp();
        (self.state == GroupState::Compared).then(|| rounded(ratio))
    }

    fn into_group(self, number: usize) -> FleetGroup {
        let batches = self.batches(number);
        let ratios: Vec<Vec<Option<f64>>> = (0..self.figures.len())
            .map(|machine| (0..self.names.len()).map(|cell| self.ratio(machine, cell)).collect())
            .collect();
        let Self { group, state, cells, batch_of, smallest, .. } = self;
        let machines = group.machines.into_iter().zip(ratios.into_iter().zip(batch_of));
        let machines = machines.map(|(machine, (ratios, batch))| FleetMachine {
            name: machine.name,
            name_source: machine.name_source,
            started: machine.started,
            surveys: machine.sources,
            ratios,
            batch: (!batches.is_empty()).then_some(batch),
        });
        let machines = machines.collect();
        FleetGroup { shape: group.shape, state, machines, cells, batches, smallest }
    }
}

fn direction(ratio: f64) -> FleetDirection {
    if ratio > 1.0 { FleetDirection::Slower } else { FleetDirection::Faster }
}

fn rounded(ratio: f64) -> f64 {
    (ratio * RATIO_DECIMALS).round() / RATIO_DECIMALS
}

/// What each cell is compared with, of each batch; none in cells with too few machines, or no
/// reference's figure.
fn centers(
    verdict: &FleetVerdict,
    reference: Option<&[Option<FleetFigure>]>,
) -> Vec<Vec<Option<f64>>> {
    if let Some(row) = reference {
        return vec![row.iter().map(|figure| Some((*figure)?.log)).collect()];
    }
    let is_compared = |cell: usize| verdict.cells[cell].machines >= MIN_MACHINES;
    let batch = |batch: &nearfar_infer::fleet::FleetBatch| {
        let centers = batch.center_logs.iter().enumerate();
        centers.map(|(cell, log)| log.filter(|_| is_compared(cell))).collect()
    };
    verdict.batches.iter().map(batch).collect()
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
            spread: (cell.machines >= MIN_MACHINES).then_some(cell.spread_log),
        })
        .collect()
}
