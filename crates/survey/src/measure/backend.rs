//! Executes plans: on this machine, or on a simulated one.

use std::time::Duration;

use nearfar_infer::core_to_core::Explorer;
use nearfar_probe::core_to_core::{Exploration, PairSetup};
use nearfar_probe::{Plan, PlanOutcome, Work};

use crate::measure::{MeasureError, TimeLeft};

/// Executes plans.
pub trait Backend {
    /// Time since the measurement began.
    fn elapsed(&self) -> Duration;

    /// Waits until a [spaced](Spacing::Spaced) process may start.
    fn wait_for_spacing(&mut self) -> Result<(), MeasureError> {
        Ok(())
    }

    /// Executes a plan. At its deadline it ends with what it has measured.
    fn run(
        &mut self,
        plan: &Plan,
        work: Work,
        spacing: StartSpacing,
        task: &PlanTask,
    ) -> Result<PlanOutcome, MeasureError>;

    /// Measures the pairs of CPUs that an explorer requests, until the structure is known or the
    /// task's time is over.
    fn explore(
        &mut self,
        explorer: Explorer,
        setup: &PairSetup,
        task: &PlanTask,
    ) -> Result<Exploration, MeasureError>;
}

/// How far apart worker processes start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartSpacing {
    /// At least a second apart. A machine's speed drifts over about that time, and intervals should
    /// include the drift.
    Spaced,
    /// At once: for what is compared within processes.
    AtOnce,
}

/// The purpose of a plan.
#[derive(Clone, Debug)]
pub struct PlanTask {
    /// Its name in progress: "bandwidth: kernels", or "kernels" with a single instrument.
    pub name: String,
    /// The seed of choices outside the plan.
    pub seed: u64,
    /// When the turn ends, on the backend's clock.
    pub ends: Option<Duration>,
    /// When the whole measurement ends, on the backend's clock.
    pub all_end: Option<TimeLeft>,
}
