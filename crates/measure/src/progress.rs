//! What is shown of a measurement while it goes on.

use std::time::Duration;

use nearfar_probe::PlanLimits;
use nearfar_probe::core_to_core::ExplorationProgress;

/// Shows progress, and knows whether the user wants the measurement to end.
pub trait Progress {
    /// Shows how far a task is. Called with every answer, and several times a second without one.
    fn show(&mut self, status: &TaskStatus<'_>);

    /// The task that was shown last has ended.
    fn finish(&mut self);

    /// Whether the user interrupted the measurement.
    fn is_interrupted(&self) -> bool;
}

/// How far a task is.
#[derive(Clone, Copy, Debug)]
pub struct TaskStatus<'s> {
    /// The task's name.
    pub task: &'s str,
    /// What it has done.
    pub state: TaskState,
    /// Time until the whole measurement ends, where that is known.
    pub left: Option<TimeLeft>,
}

/// What a task has done.
#[derive(Clone, Copy, Debug)]
pub enum TaskState {
    /// Rounds of a plan.
    Rounds {
        /// How far it is.
        plan: nearfar_probe::PlanProgress,
        /// When it stops.
        limits: PlanLimits,
    },
    /// Pairs of CPUs. How many it will be is not known beforehand.
    Pairs(ExplorationProgress),
}

/// Time until a measurement ends, from its beginning or from now.
#[derive(Clone, Copy, Debug)]
pub enum TimeLeft {
    /// By a budget: no longer than this.
    AtMost(Duration),
    /// By what such measurements take; zero once it takes longer than that.
    About(Duration),
}

impl TimeLeft {
    /// What is left of it once this much has passed.
    pub(crate) fn after(self, passed: Duration) -> Self {
        match self {
            Self::AtMost(left) => Self::AtMost(left.saturating_sub(passed)),
            Self::About(left) => Self::About(left.saturating_sub(passed)),
        }
    }
}
