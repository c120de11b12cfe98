//! The progress of a measurement.

use std::time::Duration;

use nearfar_probe::PlanLimits;
use nearfar_probe::core_to_core::ExplorationProgress;

/// Shows progress, and knows whether the user interrupts.
pub trait Progress {
    /// Shows a task's progress. Called with every message, and several times per second without
    /// one.
    fn show(&mut self, status: &TaskProgress<'_>);

    /// The last shown task has ended.
    fn finish(&mut self);

    /// Whether the user interrupted the measurement.
    fn is_interrupted(&self) -> bool;
}

/// The progress of a task.
#[derive(Clone, Copy, Debug)]
pub struct TaskProgress<'s> {
    /// The task's name.
    pub task: &'s str,
    /// What it has done.
    pub state: TaskState,
    /// Time until the whole measurement ends, if known.
    pub left: Option<TimeLeft>,
}

/// What a task has done.
#[derive(Clone, Copy, Debug)]
pub enum TaskState {
    /// Rounds of a plan.
    Rounds {
        /// Its progress.
        plan: nearfar_probe::PlanProgress,
        /// Its limits.
        limits: PlanLimits,
    },
    /// Pairs of CPUs. Their total is unknown in advance.
    Pairs(ExplorationProgress),
}

/// Time until a measurement ends, from its start or from now.
#[derive(Clone, Copy, Debug)]
pub enum TimeLeft {
    /// By a budget: no longer than this.
    AtMost(Duration),
    /// Estimated; zero once it takes longer.
    About(Duration),
}

impl TimeLeft {
    /// The remaining time after this much has passed.
    pub(crate) fn after(self, passed: Duration) -> Self {
        match self {
            Self::AtMost(left) => Self::AtMost(left.saturating_sub(passed)),
            Self::About(left) => Self::About(left.saturating_sub(passed)),
        }
    }
}
