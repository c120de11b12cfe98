//! This machine as a backend: worker processes execute plans.

use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use nearfar_infer::core_to_core::Explorer;
use nearfar_probe::core_to_core::{self, Exploration, PairSetup};
use nearfar_probe::{Plan, PlanOutcome, PlanStopReason, ProcessExecutor, Work};

use crate::measure::time_left::PlanClock;
use crate::measure::{
    Backend, MeasureError, PlanTask, Progress, StartSpacing, TaskProgress, TaskState,
};

/// The interval of checks for an interruption.
const POLL: Duration = Duration::from_millis(100);

/// Returns the command that runs [`nearfar_probe::serve`] for this work.
pub type WorkerCommand<'w> = &'w dyn Fn(&Work) -> Command;

/// Starts worker processes and shows their progress.
pub(crate) struct Live<'p> {
    begun: Instant,
    worker: WorkerCommand<'p>,
    progress: &'p mut dyn Progress,
    /// The start of the last plan with spaced processes.
    last_spaced: Option<Instant>,
    /// The time of the last plan's processes over that of an ordinary idle machine.
    pace: f64,
}

impl<'p> Live<'p> {
    pub(crate) fn new(
        begun: Instant,
        worker: WorkerCommand<'p>,
        progress: &'p mut dyn Progress,
    ) -> Self {
        Self { begun, worker, progress, last_spaced: None, pace: 1.0 }
    }

    fn check_interrupted(&self) -> Result<(), MeasureError> {
        if self.progress.is_interrupted() { Err(MeasureError::Interrupted) } else { Ok(()) }
    }
}

impl Backend for Live<'_> {
    fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    fn wait_for_spacing(&mut self, spacing: Duration) -> Result<(), MeasureError> {
        while let Some(wait) =
            self.last_spaced.and_then(|begun| spacing.checked_sub(begun.elapsed()))
        {
            self.check_interrupted()?;
            thread::sleep(wait.min(POLL));
        }
        self.last_spaced = Some(Instant::now());
        Ok(())
    }

    fn run(
        &mut self,
        plan: &Plan,
        work: Work,
        spacing: StartSpacing,
        task: &PlanTask,
    ) -> Result<PlanOutcome, MeasureError> {
        let is_spaced = spacing == StartSpacing::Spaced;
        let spacing = if is_spaced { plan.limits.spacing } else { Duration::ZERO };
        let worker = self.worker;
        let launch = {
            let work = work.clone();
            move || worker(&work)
        };
        let mut executor = ProcessExecutor::new(work, Box::new(launch), spacing);
        let (begun, all_begun) = (Instant::now(), self.begun);
        let mut clock = PlanClock::new(task.cost, self.pace);
        let outcome =
            nearfar_probe::run(plan, &mut executor, &|| begun.elapsed(), &mut |progress| {
                let state = TaskState::Rounds { plan: progress, limits: plan.limits };
                let plan_left = clock.left(plan, spacing, &progress, begun.elapsed());
                let target = plan.limits.standard_error;
                let elapsed = all_begun.elapsed();
                let left = task.left(plan_left, &progress, target, elapsed, clock.pace());
                self.progress.show(&TaskProgress { task: &task.name, state, left });
                !self.progress.is_interrupted()
            });
        self.progress.finish();
        self.pace = clock.finish();
        let outcome = outcome?;
        if outcome.stopped == PlanStopReason::Interrupted {
            Err(MeasureError::Interrupted)
        } else {
            Ok(outcome)
        }
    }

    fn explore(
        &mut self,
        explorer: Explorer,
        setup: &PairSetup,
        task: &PlanTask,
    ) -> Result<Exploration, MeasureError> {
        let (worker, work) = (self.worker, Work::CoreToCore(setup.clone()));
        let launch = {
            let work = work.clone();
            move || worker(&work)
        };
        let mut executor = ProcessExecutor::new(work, Box::new(launch), Duration::ZERO);
        let begun = self.begun;
        let explored = core_to_core::explore(explorer, task.seed, &mut executor, &mut |explored| {
            let left = task.all_end.map(|end| end.after(begun.elapsed()));
            self.progress.show(&TaskProgress {
                task: &task.name,
                state: TaskState::Pairs(explored),
                left,
            });
            !self.progress.is_interrupted() && task.ends.is_none_or(|ends| begun.elapsed() < ends)
        });
        self.progress.finish();
        let mut explored = explored?;
        self.check_interrupted()?;
        if explored.outcome.stopped == PlanStopReason::Interrupted {
            explored.outcome.stopped = PlanStopReason::TimeLimit;
        }
        Ok(explored)
    }
}
