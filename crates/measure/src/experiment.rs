//! What the instruments have in common: a first turn, further turns, and what these take.

use std::time::Duration;

use nearfar_model::Instrument;
use nearfar_probe::PlanLimits;
use nearfar_survey::Instruments;

use crate::run::minimal;
use crate::{MeasureError, Run, RunSummary, Scope, Session, Turn};

/// How far a first turn goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// The cheapest that gives figures with intervals: three processes of two rounds, latency's
    /// five of three.
    Minimal,
    /// Until figures are as certain as the mode asks for.
    Full,
}

impl Effort {
    /// When a first turn's plans stop that have these limits in full, and minimally so many rounds,
    /// some of them in each process.
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

/// One instrument at work on one machine: what it measures, turn by turn.
pub trait Experiment {
    /// What was asked for, and what it has measured.
    fn run(&self) -> &Run;

    /// Which instrument.
    fn instrument(&self) -> Instrument {
        self.run().instrument
    }

    /// What its first turn takes on an ordinary machine that does nothing else.
    fn expected(&self, effort: Effort) -> Duration;

    /// Its first turn. It ends when the turn's time is over, with what it has.
    fn begin(&mut self, turn: &mut Turn<'_>, effort: Effort) -> Result<(), MeasureError>;

    /// What a further turn takes on an ordinary machine; `None` where it would bring nothing.
    fn next_turn_cost(&self) -> Option<Duration>;

    /// A further turn: one process, over all that was measured before. It ends when the turn's time
    /// is over, with what it has.
    fn refine(&mut self, turn: &mut Turn<'_>) -> Result<(), MeasureError>;

    /// The standard error at which its figures are certain enough, as a fraction.
    fn target_error(&self) -> f64 {
        self.run().limits.standard_error
    }

    /// Its worst standard error, as a fraction; `None` while it is unknown.
    fn worst_error(&self) -> Option<f64> {
        self.run().worst_error()
    }

    /// Whether it searches for something and has not found it, however certain its figures are.
    fn is_searching(&self) -> bool {
        false
    }

    /// How far it went.
    fn done(&self) -> RunSummary {
        RunSummary::of([&self.run().outcome])
    }

    /// Puts what it measured into the document, if it measured anything.
    fn record_into<'e>(&'e self, document: &mut Instruments<'e>);
}

/// Settings of an instrument, which make its experiment.
pub trait Settings {
    /// Lays out the measurement. Settings that do not fit the machine are an error, before anything
    /// is touched.
    fn experiment(
        self,
        session: &Session,
        scope: &Scope,
    ) -> Result<Box<dyn Experiment>, MeasureError>;
}
