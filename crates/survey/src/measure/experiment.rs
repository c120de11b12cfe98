//! The interface of the instruments: a first turn, further turns, and their costs.

use std::time::Duration;

use nearfar_model::Instrument;
use nearfar_probe::PlanLimits;

use crate::Instruments;
use crate::measure::run::minimal;
use crate::measure::{ExperimentRun, MeasureError, RunSummary, Scope, Session, Turn};

/// The effort of a first turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// The cheapest that gives figures with intervals: three processes of two rounds; for latency
    /// five of three, for disks and GPUs six of one.
    Minimal,
    /// Until figures reach the mode's precision.
    Full,
}

impl Effort {
    /// The limits of a first turn: the full ones, or minimally `rounds` rounds, `per_process` in
    /// each process.
    pub(crate) const fn limits(
        self,
        full: PlanLimits,
        rounds: u32,
        per_process: u32,
    ) -> PlanLimits {
        match self {
            Self::Minimal => minimal(full, rounds, per_process),
            Self::Full => full,
        }
    }
}

/// The measurement of one instrument on one machine, turn by turn.
pub trait Experiment {
    /// The options, and what was measured.
    fn run(&self) -> &ExperimentRun;

    /// Which instrument.
    fn instrument(&self) -> Instrument {
        self.run().instrument
    }

    /// The expected time of its first turn on an ordinary idle machine.
    fn expected(&self, effort: Effort) -> Duration;

    /// Makes its first turn. When the turn's time is over, it ends with what it has.
    fn begin(&mut self, turn: &mut Turn<'_>, effort: Effort) -> Result<(), MeasureError>;

    /// The expected time of a further turn on an ordinary machine; `None` if it would bring
    /// nothing.
    fn next_turn_cost(&self) -> Option<Duration>;

    /// Makes a further turn: one process over everything measured before. When the turn's time is
    /// over, it ends with what it has.
    fn refine(&mut self, turn: &mut Turn<'_>) -> Result<(), MeasureError>;

    /// The target standard error of its figures, as a fraction.
    fn target_error(&self) -> f64 {
        self.run().limits.standard_error
    }

    /// Its worst standard error, as a fraction; `None` while unknown.
    fn worst_error(&self) -> Option<f64> {
        self.run().worst_error()
    }

    /// Whether it searches for something that is not found yet, whatever the precision.
    fn is_searching(&self) -> bool {
        false
    }

    /// The sums of its rounds and processes.
    fn done(&self) -> RunSummary {
        RunSummary::from_outcomes([&self.run().outcome])
    }

    /// Adds its results to the document, if there are any.
    fn record_into<'e>(&'e self, document: &mut Instruments<'e>);
}

/// An experiment that is laid out, or why there is none.
pub type NewExperiment = Result<Box<dyn Experiment>, MeasureError>;

/// Settings of an instrument, which make its experiment.
pub trait Settings {
    /// Lays out the measurement. Fails if the settings do not fit the machine; touches nothing.
    fn experiment(self, session: &Session, scope: &Scope) -> NewExperiment;
}
