//! A measurement from settings to survey: layout, schedule, document.

#[cfg(test)]
mod tests;

use std::time::Duration;

use nearfar_model::Instrument;
use nearfar_probe::{PlanStopReason, ProbeKind, ProbeSpec};
use nearfar_view::terminal::error_line;

use crate::measure::instruments::{
    LatencyExperiment, PageSizeExperiment, add, add_others, shows_one_memory,
};
use crate::measure::live::{Live, WorkerCommand};
use crate::measure::schedule::{Allocation, expected, schedule};
use crate::measure::tenths;
use crate::measure::{
    Backend, Effort, Experiment, HiddenSettings, IoSettings, MeasureError, Progress, Scope,
    Session, Settings, SettingsError,
};
use crate::{InstrumentRun, Instruments, Mode, Provenance, Skipped, Survey};

/// The reason of instruments that an interruption skipped.
const INTERRUPTED: &str = "interrupted";

/// The usual time of a search for hidden nodes, longer than a quick survey.
pub const HIDDEN_SEARCH: Duration = Duration::from_secs(20);

/// The settings of a survey.
#[derive(Clone, Debug)]
pub struct SurveySettings {
    /// The probe of latency.
    pub probe: ProbeSpec,
    /// The smallest effect that counts as NUMA, as a fraction.
    pub threshold: f64,
    /// Instruments that measure beside latency, with their default settings. None: hidden nodes,
    /// where the system shows one (quick surveys leave them to `nearfar hidden`), and page sizes.
    pub others: Option<Vec<Instrument>>,
    /// Disks to measure beside all instruments; they cannot be chosen by default.
    pub io: Option<IoSettings>,
}

/// Adds the search for hidden nodes. A quick survey without a budget has no time for it; then its
/// "no" holds among the nodes shown.
fn search_or_defer(
    session: &Session,
    scope: &Scope,
    all: &mut Vec<Box<dyn Experiment>>,
) -> Option<Skipped> {
    if scope.mode == Mode::Quick && scope.budget.is_none() {
        let needs_s = Some(HIDDEN_SEARCH.as_secs_f64());
        return Some(Skipped {
            instrument: Instrument::Hidden.name().to_owned(),
            needs_s,
            why: None,
        });
    }
    add(Instrument::Hidden, HiddenSettings::default().experiment(session, scope), all)
}

/// A measurement whose settings fit this machine.
pub struct Measurement {
    session: Session,
    scope: Scope,
    /// The most important first.
    experiments: Vec<Box<dyn Experiment>>,
    /// Instruments that have nothing to measure here.
    absent: Vec<Skipped>,
    threshold: f64,
    /// Whether the document lists each instrument's run.
    lists_instruments: bool,
}

impl Measurement {
    /// Lays out a measurement by one instrument.
    pub fn new(scope: Scope, settings: impl Settings) -> Result<Self, MeasureError> {
        let session = Session::begin(scope.seed)?;
        let experiments = vec![settings.experiment(&session, &scope)?];
        let this = Self {
            session,
            scope,
            experiments,
            absent: vec![],
            threshold: nearfar_infer::THRESHOLD,
            lists_instruments: false,
        };
        this.check_budget()?;
        Ok(this)
    }

    /// Lays out a survey: latency, hidden nodes, page sizes, and others on request.
    pub fn survey(scope: Scope, settings: SurveySettings) -> Result<Self, MeasureError> {
        let session = Session::begin(scope.seed)?;
        let latency = LatencyExperiment::new(&session, &scope, settings.probe)?;
        let pages = PageSizeExperiment::beside(&latency);
        let mut experiments: Vec<Box<dyn Experiment>> = vec![Box::new(latency)];
        let mut absent = Vec::new();
        if let Some(others) = &settings.others {
            absent = add_others(&session, &scope, others, &mut experiments);
            if let Some(io) = settings.io {
                // A target that cannot be measured is the user's mistake, and known at once.
                experiments.push(io.experiment(&session, &scope)?);
            }
        } else if settings.probe.kind == ProbeKind::Page && shows_one_memory(&session.topology) {
            absent.extend(search_or_defer(&session, &scope, &mut experiments));
        }
        experiments.extend(pages.map(|pages| Box::new(pages) as Box<dyn Experiment>));
        let (threshold, lists_instruments) = (settings.threshold, settings.others.is_some());
        let this = Self { session, scope, experiments, absent, threshold, lists_instruments };
        this.check_budget()?;
        Ok(this)
    }

    /// The most important instrument.
    pub fn instrument(&self) -> Instrument {
        self.experiments[0].instrument()
    }

    /// A name for the survey's file: machine and time.
    pub fn name(&self) -> String {
        self.session.name()
    }

    /// The expected time without a budget on an ordinary machine.
    pub fn expected(&self) -> Duration {
        expected(&self.experiments, Effort::Full)
    }

    /// Measures. If the user interrupts, the survey has what was measured by then; an error if
    /// nothing was.
    pub fn run(
        self,
        worker: WorkerCommand<'_>,
        progress: &mut dyn Progress,
    ) -> Result<Survey, MeasureError> {
        let mut live = Live::new(self.session.begun, worker, progress);
        self.run_on(&mut live)
    }

    fn run_on(mut self, backend: &mut dyn Backend) -> Result<Survey, MeasureError> {
        let mut allocations = schedule(&mut self.experiments, self.scope.budget, backend);
        let interrupted = allocations.iter().any(Allocation::is_interrupted);
        if interrupted && !allocations[0].has_first_turn() {
            return Err(MeasureError::Interrupted);
        }
        let instrument_runs = self.instrument_runs(&allocations, interrupted);
        // A failure of the first instrument is an error, if it is alone or nothing could be
        // measured at all.
        if !interrupted && (instrument_runs.is_empty() || !self.lists_instruments) {
            if let Some(error) = allocations[0].failed.take() {
                return Err(error);
            }
        }
        let mut left_out = self.left_out(&allocations, interrupted);
        left_out.append(&mut self.absent);
        let first = &*self.experiments[0];
        let stopped =
            if interrupted { PlanStopReason::Interrupted.name() } else { self.stopped(first) };
        let provenance = Provenance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed: self.session.seed,
            started: self.session.started.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            duration_s: tenths(self.session.begun.elapsed().as_secs_f64()),
            processes: first.done().processes,
            rounds: first.done().rounds,
            stopped: stopped.to_owned(),
            budget_s: self.scope.budget.map(|budget| budget.as_secs_f64()),
            instruments: if self.lists_instruments { instrument_runs } else { vec![] },
            left_out,
            options: first.run().options.clone(),
        };
        self.session.document(self.measured(&allocations, interrupted), self.threshold, provenance)
    }

    /// Fails if the budget is too small for the first instrument, with the time it needs.
    fn check_budget(&self) -> Result<(), SettingsError> {
        let first = &self.experiments[0];
        let needs = first.expected(Effort::Minimal);
        match self.scope.budget {
            Some(budget) if needs > budget => Err(SettingsError::BudgetTooSmall {
                budget,
                first: first.instrument(),
                needs,
                all: (self.experiments.len() > 1)
                    .then(|| expected(&self.experiments, Effort::Minimal)),
            }),
            _ => Ok(()),
        }
    }

    /// The results of each experiment. An interrupted first turn gives none.
    fn measured(&self, allocations: &[Allocation], interrupted: bool) -> Instruments<'_> {
        let mut measured = Instruments::default();
        for (experiment, allocation) in self.experiments.iter().zip(allocations) {
            if interrupted && !allocation.has_first_turn() {
                continue;
            }
            experiment.record_into(&mut measured);
            measured.set_target(experiment.instrument(), experiment.target_error());
            let failed = allocation
                .failed
                .as_ref()
                .filter(|_| experiment.instrument() == Instrument::PageSize);
            if let Some(error) = failed.filter(|_| measured.latency.is_some()) {
                measured.page_size = Some(Err(error.to_string()));
            }
        }
        measured
    }

    /// The time and the precision of each experiment.
    fn instrument_runs(&self, allocations: &[Allocation], interrupted: bool) -> Vec<InstrumentRun> {
        let mut instrument_runs = Vec::new();
        for (experiment, allocation) in self.experiments.iter().zip(allocations) {
            let done = experiment.done();
            if done.processes == 0 || interrupted && !allocation.has_first_turn() {
                continue;
            }
            instrument_runs.push(InstrumentRun {
                instrument: experiment.instrument().name().to_owned(),
                rounds: done.rounds,
                processes: done.processes,
                duration_s: tenths(allocation.spent.as_secs_f64()),
                stopped: self.stopped(&**experiment).to_owned(),
                standard_error: experiment.worst_error(),
                aim: experiment.target_error(),
            });
        }
        instrument_runs
    }

    /// Instruments that did not measure, or not to the end. Latency's part of the document reports
    /// page sizes.
    fn left_out(&self, allocations: &[Allocation], interrupted: bool) -> Vec<Skipped> {
        let mut left_out = Vec::new();
        for (experiment, allocation) in self.experiments.iter().zip(allocations) {
            let instrument = experiment.instrument();
            let failed = allocation.failed.as_ref().filter(|_| !allocation.is_interrupted());
            let why = match failed {
                _ if interrupted && allocation.needs.is_none() && !allocation.has_first_turn() => {
                    Some(INTERRUPTED.to_owned())
                }
                Some(error) if instrument != Instrument::PageSize => Some(error_line(error)),
                _ => None,
            };
            let needs_s = allocation.needs.map(|needs| needs.as_secs_f64().ceil());
            if needs_s.is_some() || why.is_some() {
                left_out.push(Skipped { instrument: instrument.name().to_owned(), needs_s, why });
            }
        }
        left_out
    }

    /// Why an experiment stopped. With a budget its turns are short plans, and the end of the last
    /// one is not the end of the experiment.
    fn stopped(&self, experiment: &dyn Experiment) -> &'static str {
        let stopped = experiment.done().stopped;
        let is_precise =
            || experiment.worst_error().is_some_and(|worst| worst <= experiment.target_error());
        match (self.scope.budget, stopped) {
            (
                Some(_),
                PlanStopReason::RoundLimit | PlanStopReason::Precise | PlanStopReason::TimeLimit,
            ) if is_precise() => PlanStopReason::Precise.name(),
            (Some(_), PlanStopReason::RoundLimit | PlanStopReason::Precise)
                if experiment.next_turn_cost().is_some() =>
            {
                PlanStopReason::TimeLimit.name()
            }
            _ => stopped.name(),
        }
    }
}
