//! Where plans are carried out: on this machine, or on a simulated one.

use std::time::Duration;

use nearfar_infer::core_to_core::Explorer;
use nearfar_probe::core_to_core::{Exploration, PairSetup};
use nearfar_probe::{Plan, PlanOutcome, Work};

use crate::{MeasureError, TimeLeft};

/// Carries out plans.
pub trait Backend {
    /// Time since the measurement began.
    fn elapsed(&self) -> Duration;

    /// Waits until a process may start that is [spaced](Spacing::Spaced).
    fn wait_for_spacing(&mut self) -> Result<(), MeasureError> {
        Ok(())
    }

    /// Carries out a plan. It ends by the plan's own deadline, with what it has.
    fn run(
        &mut self,
        plan: &Plan,
        work: Work,
        spacing: Spacing,
        task: &Task,
    ) -> Result<PlanOutcome, MeasureError>;

    /// Measures pairs of CPUs as an explorer asks for them, until it knows the structure or the
    /// task's time is over.
    fn explore(
        &mut self,
        explorer: Explorer,
        setup: &PairSetup,
        task: &Task,
    ) -> Result<Exploration, MeasureError>;
}

/// How far apart worker processes start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// A second apart at least. A machine's speed drifts over about that time, and intervals should
    /// contain the drift.
    Spaced,
    /// At once: for what is compared within processes.
    AtOnce,
}

/// What a plan is for.
#[derive(Clone, Debug)]
pub struct Task {
    /// Its name in progress: "bandwidth: kernels", or "kernels" where one instrument measures.
    pub name: String,
    /// Seed of what is drawn beside the plan.
    pub seed: u64,
    /// When the turn ends, on the backend's clock.
    pub ends: Option<Duration>,
    /// When the whole measurement ends, on the backend's clock.
    pub all_end: Option<TimeLeft>,
}
