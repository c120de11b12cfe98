//! The plan: randomised complete blocks, process by process, until every cell is precise enough.
//!
//! Each round visits every cell and control once, in random order. Rounds come in batches, each answered by a fresh process with
//! fresh memory, because runs differ more than samples within one do. The plan stops on precision or at a limit, never on a
//! p-value: who stops at the first p below a mark finds what is not there.
//!
//! It decides from answers, a seed and a clock that is handed in, so that any run replays.

mod outcome;
mod schedule;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use outcome::{Frequency, Outcome, Placed, Stop, Taken};

use crate::{Answer, Batch, Respondent};

/// When a plan stops, and how its rounds are spread over processes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanLimits {
    /// Rounds before precision is looked at.
    pub first_rounds: u32,
    /// How many of them one process makes.
    pub first_rounds_per_process: u32,
    /// Rounds of each further process.
    pub step_rounds: u32,
    /// Rounds after which the plan stops in any case.
    pub most_rounds: u32,
    /// The standard error that every cell must reach, as a fraction of its median.
    pub standard_error: f64,
    /// Time after which the plan stops in any case.
    pub deadline: Option<Duration>,
}

impl PlanLimits {
    /// Standard error 0.5 %, at most 60 rounds.
    pub const fn usual() -> Self {
        Self {
            first_rounds: 15,
            first_rounds_per_process: 3,
            step_rounds: 5,
            most_rounds: 60,
            standard_error: 0.005,
            deadline: None,
        }
    }

    /// Standard error 1 %, at most 25 rounds.
    pub const fn quick() -> Self {
        Self { most_rounds: 25, standard_error: 0.01, ..Self::usual() }
    }

    /// Standard error 0.25 %, at most 240 rounds.
    pub const fn thorough() -> Self {
        Self { most_rounds: 240, standard_error: 0.0025, ..Self::usual() }
    }
}

/// What is to be visited, and until when.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Rows of the matrix.
    pub rows: usize,
    /// Columns of the matrix.
    pub columns: usize,
    /// The cells to visit, as (row, column).
    pub cells: Vec<(usize, usize)>,
    /// A/A controls, as (row, column beyond the matrix's). Visited in every round; precision does not wait for them.
    pub controls: Vec<(usize, usize)>,
    /// When to stop.
    pub limits: PlanLimits,
    /// Seed of every order and every draw.
    pub seed: u64,
}

/// How far a plan is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Rounds finished.
    pub rounds: u32,
    /// Processes started.
    pub processes: u32,
    /// Samples heard.
    pub samples: usize,
    /// The worst standard error of a cell, as a fraction of its median; `None` while it is unknown.
    pub worst_standard_error: Option<f64>,
}

/// Carries a plan out. `elapsed` is the time since it began. `watch` hears of every answer; when it returns `false`, the plan ends as
/// interrupted, with what it has heard.
pub fn run<R: Respondent>(
    plan: &Plan,
    respondent: &mut R,
    elapsed: &dyn Fn() -> Duration,
    watch: &mut dyn FnMut(Progress) -> bool,
) -> Result<Outcome, R::Error> {
    let mut outcome = Outcome::default();
    let mut worst = None;
    loop {
        if let Some(stop) = reason_to_stop(plan, &outcome, worst, elapsed()) {
            outcome.finish(stop);
            return Ok(outcome);
        }
        let batch = schedule::next_batch(plan, &outcome);
        if let Some(stop) = hear(plan, respondent, &batch, &mut outcome, worst, elapsed, watch)? {
            outcome.finish(stop);
            return Ok(outcome);
        }
        outcome.rounds = batch.visits.last().map_or(outcome.rounds, |visit| visit.round + 1);
        worst = outcome.worst_standard_error(plan);
    }
}

fn reason_to_stop(plan: &Plan, outcome: &Outcome, worst: Option<f64>, elapsed: Duration) -> Option<Stop> {
    let limits = &plan.limits;
    if !plan.cells.iter().any(|&cell| outcome.is_available(cell)) {
        return Some(Stop::NothingToMeasure);
    }
    if outcome.rounds >= limits.first_rounds && worst.is_some_and(|error| error <= limits.standard_error) {
        return Some(Stop::Precise);
    }
    if outcome.rounds >= limits.most_rounds {
        return Some(Stop::RoundLimit);
    }
    let next = schedule::next_rounds(limits, outcome.rounds);
    let expected = elapsed + elapsed * next / outcome.rounds.max(1);
    let too_late = limits.deadline.is_some_and(|deadline| outcome.rounds > 0 && expected > deadline);
    too_late.then_some(Stop::TimeLimit)
}

/// Has one process answer one batch; tells why it was cut short, if it was.
fn hear<R: Respondent>(
    plan: &Plan,
    respondent: &mut R,
    batch: &Batch,
    outcome: &mut Outcome,
    worst: Option<f64>,
    elapsed: &dyn Fn() -> Duration,
    watch: &mut dyn FnMut(Progress) -> bool,
) -> Result<Option<Stop>, R::Error> {
    let mut stop = None;
    outcome.processes += 1;
    respondent.answer(batch, &mut |answer: Answer| {
        outcome.take(batch.process, answer);
        let Outcome { rounds, processes, .. } = *outcome;
        let progress = Progress { rounds, processes, samples: outcome.readings.len(), worst_standard_error: worst };
        if !watch(progress) {
            stop = Some(Stop::Interrupted);
        } else if plan.limits.deadline.is_some_and(|deadline| elapsed() > deadline) {
            stop = Some(Stop::TimeLimit);
        }
        stop.is_none()
    })?;
    Ok(stop)
}
