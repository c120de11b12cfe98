//! Does a survey match the modelled machine? The figures of a survey made inside against what the
//! plugin charged, cell by cell.

mod json;
pub(crate) mod judged;
mod text;
mod truth;

use std::time::Duration;

use nearfar_lab_cost::Ledger;
use nearfar_survey::Survey;

pub(crate) use json::document;
pub(crate) use text::text;

use crate::machine::LabMachine;
use crate::sentences::{self, Slack};
use judged::{Judged, Statements};
use truth::{Charge, charge};

/// How far a measured cell may lie from what was charged, as a fraction.
pub(crate) const CELL_TOLERANCE: f64 = 0.05;
/// The same of figures in sentences: costs contain the emulator's own time.
const GUEST_SLACK: Slack = Slack { ns: CELL_TOLERANCE, ratio: 0.04 };
/// How far half of the cells may.
pub(crate) const MEDIAN_TOLERANCE: f64 = 0.02;

/// What came out of a guest.
#[derive(Debug)]
pub(crate) struct GuestMeasurement {
    pub(crate) survey: Survey,
    pub(crate) ledger: Ledger,
    /// From power-on to the command.
    pub(crate) boot: Duration,
}

/// A survey beside the truth.
#[derive(Debug)]
pub(crate) struct TruthComparison<'a> {
    pub(crate) machine: &'a LabMachine,
    pub(crate) seen: &'a GuestMeasurement,
    /// Cells in the survey's order.
    pub(crate) cells: Vec<JudgedCell>,
    /// What else was stated.
    pub(crate) judged: Vec<Judged>,
    /// What users read of it.
    pub(crate) sentences: Vec<Judged>,
}

/// One cell beside the truth.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct JudgedCell {
    pub(crate) row: usize,
    pub(crate) column: usize,
    /// What was charged; absent where nothing was.
    pub(crate) charge: Option<Charge>,
    /// The survey's median in the guest's nanoseconds, or why there is none.
    pub(crate) measured: Result<f64, String>,
    /// Its 95 % interval.
    pub(crate) ci95: Option<[f64; 2]>,
}

impl JudgedCell {
    /// How far the measured cost lies from the charged, as a fraction of it.
    pub(crate) fn error(&self) -> Option<f64> {
        let measured = *self.measured.as_ref().ok()?;
        self.charge.map(|charge| charge.error(measured))
    }
}

impl<'a> TruthComparison<'a> {
    pub(crate) fn new(machine: &'a LabMachine, seen: &'a GuestMeasurement) -> Self {
        let survey = &seen.survey;
        let cells = survey.latency.cells.iter().map(|cell| JudgedCell {
            row: cell.row,
            column: cell.column,
            charge: charge(machine, &seen.ledger, &cell.cpus, cell.node),
            measured: cell.median.ok_or_else(|| cell.why.clone().unwrap_or_default()),
            ci95: cell.ci95,
        });
        Self {
            machine,
            seen,
            cells: cells.collect(),
            judged: Statements::from_survey(survey).judged(machine),
            sentences: sentences::survey::judged(survey, machine, GUEST_SLACK),
        }
    }

    /// The cells' errors without their signs, smallest first.
    fn errors(&self) -> Vec<f64> {
        let mut errors: Vec<f64> =
            self.cells.iter().filter_map(JudgedCell::error).map(f64::abs).collect();
        errors.sort_by(f64::total_cmp);
        errors
    }

    /// Half of the cells lie no farther from the truth; absent without measured cells.
    pub(crate) fn median_error(&self) -> Option<f64> {
        let errors = self.errors();
        errors.get(errors.len() / 2).copied()
    }

    /// The cell that lies farthest from the truth.
    pub(crate) fn worst(&self) -> Option<&JudgedCell> {
        let size = |cell: &&JudgedCell| cell.error().unwrap_or_default().abs();
        self.cells
            .iter()
            .filter(|cell| cell.error().is_some())
            .max_by(|a, b| size(a).total_cmp(&size(b)))
    }

    /// What does not hold, a sentence each; nothing when the survey matches the modelled machine.
    pub(crate) fn objections(&self) -> Vec<String> {
        let mut objections = Vec::new();
        let percent = |share: f64| share * 100.0;
        match (self.worst().and_then(JudgedCell::error), self.median_error()) {
            (Some(worst), _) if worst.abs() > CELL_TOLERANCE => objections.push(format!(
                "a cell lies {:+.1} % from what was charged ({:.0} % are allowed)",
                percent(worst),
                percent(CELL_TOLERANCE)
            )),
            (None, _) => objections.push("no cell could be compared".to_owned()),
            _ => {}
        }
        // What the plugin did not see costs what the emulator takes: no figure to be glad of.
        let uncharged =
            self.cells.iter().filter(|cell| cell.measured.is_ok() && cell.charge.is_none()).count();
        if uncharged > 0 {
            objections.push(format!("nothing was charged for {uncharged} of the measured cells"));
        }
        if let Some(median) = self.median_error().filter(|&median| median > MEDIAN_TOLERANCE) {
            objections.push(format!(
                "half of the cells lie {:.1} % or more from what was charged ({:.0} % are allowed)",
                percent(median),
                percent(MEDIAN_TOLERANCE)
            ));
        }
        objections.extend(judged::objections(&self.judged));
        objections.extend(self.sentences.iter().flat_map(|judged| judged.wrong.clone()));
        objections
    }

    /// What the machine has and the survey does not report.
    pub(crate) fn missed(&self) -> Vec<String> {
        // Hidden nodes that were not found are an objection.
        let others = self.judged.iter().filter(|judged| judged.what != judged::HIDDEN_NODES);
        let others = others.chain(&self.sentences);
        others
            .flat_map(|judged| {
                judged.missed.iter().map(|missed| format!("{}: {missed}", judged.what))
            })
            .collect()
    }

    /// How many intervals of absolute costs hold what was charged, of how many; and how far cells
    /// lie above it in the median, in nanoseconds: the emulator's own time, which intervals do not
    /// know.
    pub(crate) fn absolute(&self) -> ([usize; 2], f64) {
        let known = || {
            self.cells
                .iter()
                .filter_map(|cell| Some((cell.charge?, cell.ci95?, cell.measured.as_ref().ok()?)))
        };
        let holds =
            |charge: Charge, [low, high]: [f64; 2]| low <= charge.high && charge.low <= high;
        let held = known().filter(|(charge, ci95, _)| holds(*charge, *ci95)).count();
        let mut above: Vec<f64> = known()
            .map(|(charge, _, measured)| measured - measured.clamp(charge.low, charge.high))
            .collect();
        above.sort_by(f64::total_cmp);
        ([held, above.len()], above.get(above.len() / 2).copied().unwrap_or(0.0))
    }
}
