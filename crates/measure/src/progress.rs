//! What is shown of a measurement while it goes on.

use std::time::Duration;

/// Shows progress, and knows whether the user wants the measurement to end.
pub trait Progress {
    /// Shows how far a task is. Called with every answer, and several times a second without one.
    fn show(&mut self, status: &Status<'_>);

    /// The task that was shown last has ended.
    fn finish(&mut self);

    /// Whether the user interrupted the measurement.
    fn is_interrupted(&self) -> bool;
}

/// How far a task is.
#[derive(Clone, Copy, Debug)]
pub struct Status<'s> {
    /// The task's name.
    pub task: &'s str,
    /// What it has done.
    pub state: State,
    /// Time until the whole measurement ends, where that is known.
    pub left: Option<TimeLeft>,
}

/// What a task has done.
#[derive(Clone, Copy, Debug)]
pub enum State {
    /// Rounds of a plan.
    Rounds {
        /// Rounds finished.
        done: u32,
        /// Rounds after which it stops in any case.
        most: u32,
        /// The worst standard error, as a fraction, once it is known.
        error: Option<f64>,
        /// The standard error at which it stops.
        target: f64,
    },
    /// Pairs of CPUs. How many it will be is not known beforehand.
    Pairs {
        /// Pairs measured.
        measured: usize,
        /// Samples of the pairs that are being measured.
        samples: usize,
        /// Samples that these ask for.
        wanted: usize,
    },
}

/// Time until a measurement ends.
#[derive(Clone, Copy, Debug)]
pub enum TimeLeft {
    /// By a budget: no longer than this.
    AtMost(Duration),
    /// By what such measurements take; zero once it takes longer than that.
    About(Duration),
}

/// When a whole measurement ends, on the backend's clock.
#[derive(Clone, Copy, Debug)]
pub enum End {
    /// By a budget.
    By(Duration),
    /// By what such measurements take.
    About(Duration),
}

impl End {
    /// The time from `now` on.
    pub(crate) fn left(self, now: Duration) -> TimeLeft {
        match self {
            Self::By(end) => TimeLeft::AtMost(end.saturating_sub(now)),
            Self::About(end) => TimeLeft::About(end.saturating_sub(now)),
        }
    }
}
