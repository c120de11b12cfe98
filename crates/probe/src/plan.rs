//! The plan: randomised complete blocks, process by process, until every place is precise enough.
//!
//! Each round visits every place and control once, in random order. Rounds come in batches. Each
//! batch goes to a fresh process with fresh memory, because processes differ more than samples
//! within one. The plan stops on precision or at a limit, never on a p-value: stopping at the first
//! small p-value finds differences that do not exist.
//!
//! Temporary failures are tolerated: a process that dies is replaced, and a column that one process
//! could not measure is skipped for that process only. A failure in the first process, or in two in
//! a row, is permanent.
//!
//! It depends on messages, a seed and a given clock only, so that any run can be replayed.

mod failure_history;
mod outcome;
mod schedule;
mod state;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use nearfar_model::{CellIndex, CpuId, Sample};

use crate::io::IoRecord;
use crate::{
    Batch, BatchExecutor, DropReason, Dropped, LoadFills, PlacedMemory, PlanScope, WorkerMessage,
};
use state::PlanState;

pub(crate) use outcome::by_place;
pub use outcome::{Frequency, PlanOutcome, PlanStopReason};

/// When a plan stops, and how its rounds are distributed over processes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanLimits {
    /// Rounds before the first check of precision.
    pub first_rounds: u32,
    /// Rounds per process among these.
    pub first_rounds_per_process: u32,
    /// Rounds of each further process.
    pub step_rounds: u32,
    /// The limit on rounds.
    pub max_rounds: u32,
    /// The target standard error of every cell, as a fraction of its median.
    pub standard_error: f64,
    /// The time limit, from the plan's own start. It interrupts a running process, and no process
    /// starts that would exceed it.
    pub deadline: Option<Duration>,
    /// How far apart processes start at least, where they are spaced: a machine's speed drifts over
    /// about a second, and its drift has no preferred time.
    pub spacing: Duration,
    /// The time that a quick plan promises, and the fewest processes. Where others disturb it, no
    /// further process starts that would exceed this time.
    pub promised: Option<(Duration, u32)>,
}

/// One disturbed attempt in this many is an idle machine's.
const DISTURBED: usize = 20;

impl PlanLimits {
    /// Standard error 0.5 %, at most 60 rounds.
    pub const fn usual() -> Self {
        Self {
            first_rounds: 15,
            first_rounds_per_process: 3,
            step_rounds: 5,
            max_rounds: 60,
            standard_error: 0.005,
            deadline: None,
            spacing: Duration::from_secs(1),
            promised: None,
        }
    }

    /// Standard error 1 %, at most 25 rounds, processes half a second apart.
    pub const fn quick() -> Self {
        let spacing = Duration::from_millis(500);
        Self { max_rounds: 25, standard_error: 0.01, spacing, ..Self::usual() }
    }

    /// The time limit after these processes, from the plan's own start.
    pub fn time_limit(&self, processes: u32, is_disturbed: bool) -> Option<Duration> {
        let promised = self.promised.filter(|(_, fewest)| is_disturbed && processes >= *fewest);
        [self.deadline, promised.map(|(time, _)| time)].into_iter().flatten().min()
    }

    /// Rounds of the next process.
    pub fn next_rounds(&self, done: u32) -> u32 {
        let wanted = if done < self.first_rounds {
            self.first_rounds_per_process.min(self.first_rounds - done)
        } else {
            self.step_rounds
        };
        wanted.min(self.max_rounds.saturating_sub(done)).max(1)
    }

    /// Standard error 0.25 %, at most 240 rounds.
    pub const fn thorough() -> Self {
        Self { max_rounds: 240, standard_error: 0.0025, ..Self::usual() }
    }
}

/// The places to visit, and the limits.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Places that are visited in every round and must become precise.
    pub places: Vec<CellIndex>,
    /// A/A controls: columns beyond the matrix's, visited in every round. Precision does not depend
    /// on them.
    pub controls: Vec<CellIndex>,
    /// When to stop.
    pub limits: PlanLimits,
    /// The seed of every order and random choice.
    pub seed: u64,
}

/// The progress of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanProgress {
    /// Rounds finished.
    pub rounds: u32,
    /// Processes started.
    pub processes: u32,
    /// Samples received.
    pub samples: usize,
    /// Visits of the current process that were answered, with a sample or without.
    pub visits: usize,
    /// Whether the processes before had more disturbed attempts than an idle machine's.
    pub is_disturbed: bool,
    /// The worst standard error of a cell, as a fraction of its median; `None` while unknown.
    pub worst_standard_error: Option<f64>,
}

/// Executes a plan. `elapsed` is the time since its start. `watch` is called with every message,
/// and regularly without one. When it returns `false`, the plan ends as interrupted and keeps its
/// samples.
///
/// A process that fails is recorded as lost and replaced. It is an error if nothing was measured
/// before it, or if it is the second in a row.
pub fn run<R: BatchExecutor>(
    plan: &Plan,
    executor: &mut R,
    elapsed: &dyn Fn() -> Duration,
    watch: &mut dyn FnMut(PlanProgress) -> bool,
) -> Result<PlanOutcome, R::Error> {
    let mut state = PlanState::default();
    let mut cut_short = |progress| {
        if !watch(progress) {
            return Some(PlanStopReason::Interrupted);
        }
        let is_late = plan.limits.deadline.is_some_and(|deadline| elapsed() > deadline);
        is_late.then_some(PlanStopReason::TimeLimit)
    };
    loop {
        if let Some(stop) = reason_to_stop(plan, &state, elapsed()) {
            return Ok(state.finish(stop));
        }
        let batch = schedule::next_batch(plan, &state.outcome);
        state.outcome.processes += 1;
        let (batch_result, stop) = match execute(executor, &batch, state.progress(), &mut cut_short)
        {
            Ok(batch_result) => batch_result,
            Err(death) if state.continue_after(&batch, &death) => continue,
            Err(death) => return Err(death),
        };
        state.add(&batch, batch_result);
        if let Some(stop) = stop {
            return Ok(state.finish(stop));
        }
        state.end_of(&batch, plan);
    }
}

fn reason_to_stop(plan: &Plan, state: &PlanState, elapsed: Duration) -> Option<PlanStopReason> {
    let (limits, outcome) = (&plan.limits, &state.outcome);
    if !plan.places.iter().any(|&place| outcome.is_available(place)) {
        return Some(PlanStopReason::NothingToMeasure);
    }
    if outcome.rounds >= limits.first_rounds
        && state.worst.is_some_and(|error| error <= limits.standard_error)
    {
        return Some(PlanStopReason::Precise);
    }
    if outcome.rounds >= limits.max_rounds {
        return Some(PlanStopReason::RoundLimit);
    }
    let next = limits.next_rounds(outcome.rounds);
    let expected = elapsed + elapsed * next / outcome.rounds.max(1);
    let limit = limits.time_limit(outcome.processes, state.is_disturbed());
    let is_late = limit.is_some_and(|limit| outcome.rounds > 0 && expected > limit);
    is_late.then_some(PlanStopReason::TimeLimit)
}

/// Executes one batch in a process: its result, and why it was interrupted, if so.
fn execute<R: BatchExecutor>(
    executor: &mut R,
    batch: &Batch,
    before: PlanProgress,
    cut_short: &mut dyn FnMut(PlanProgress) -> Option<PlanStopReason>,
) -> Result<(BatchResult, Option<PlanStopReason>), R::Error> {
    let mut batch_result = BatchResult::default();
    let mut stop = None;
    let (mut visits, mut last) = (0, None);
    let ended = executor.execute(batch, &mut |answer| {
        let visit = answer.as_ref().and_then(WorkerMessage::visit);
        visits += usize::from(visit.is_some() && visit != last);
        last = visit.or(last);
        answer.into_iter().for_each(|answer| batch_result.take(answer));
        let samples = before.samples + batch_result.samples.len();
        stop = cut_short(PlanProgress { samples, visits, ..before });
        stop.is_none()
    });
    match stop {
        // The exit of an interrupted process does not matter.
        Some(_) => Ok((batch_result, stop)),
        None => ended.map(|()| (batch_result, None)),
    }
}

/// Everything that one process has sent.
#[derive(Debug, Default)]
pub(crate) struct BatchResult {
    pub(crate) samples: Vec<Sample>,
    /// Attempts that were disturbed.
    pub(crate) dropped: Vec<Dropped>,
    /// Disturbed windows of visits that have a sample.
    windows_dropped: Vec<(DropReason, u32)>,
    /// The page size under each column, by column and treatment.
    placed: BTreeMap<(usize, usize), PlacedMemory>,
    /// Speeds in cycles per nanosecond: row, CPU, speed.
    frequencies: Vec<(usize, CpuId, f64)>,
    /// Latencies of disks, and who served their interrupts.
    io: Vec<IoRecord>,
    /// Fills of each place, where the PMU counts them.
    fills: BTreeMap<CellIndex, LoadFills>,
    /// What it could not measure, or not to the end, and why.
    pub(crate) failed: BTreeMap<PlanScope, String>,
}

impl BatchResult {
    pub(crate) fn take(&mut self, answer: WorkerMessage) {
        match answer {
            WorkerMessage::Sample(sample) => self.samples.push(sample),
            WorkerMessage::Dropped(dropped) => self.dropped.push(dropped),
            WorkerMessage::WindowsDropped { reason, windows, .. } => {
                self.windows_dropped.push((reason, windows));
            }
            WorkerMessage::Placed { column, treatment, placed } => {
                self.placed.insert((column, treatment), placed);
            }
            WorkerMessage::Unavailable { scope, why } => {
                self.failed.entry(scope).or_insert(why);
            }
            WorkerMessage::Io(record) => record.collect(&mut self.io),
            WorkerMessage::Fills { place, counted } => {
                *self.fills.entry(place).or_default() += counted;
            }
            WorkerMessage::Frequency { row, cpu, ghz } => self.frequencies.push((row, cpu, ghz)),
        }
    }

    /// The samples of rows, columns and cells that did not fail.
    fn believed(&self) -> impl Iterator<Item = Sample> + '_ {
        self.samples.iter().copied().filter(|sample| !self.has_failed(sample.place))
    }

    /// The records of rows, columns and cells that did not fail.
    fn believed_io(&self) -> impl Iterator<Item = &IoRecord> + '_ {
        self.io.iter().filter(|record| !self.has_failed(record.place))
    }

    /// The fills of rows, columns and cells that did not fail.
    fn believed_fills(&self) -> impl Iterator<Item = (CellIndex, LoadFills)> + '_ {
        let all = self.fills.iter().map(|(place, counted)| (*place, *counted));
        all.filter(|(place, _)| !self.has_failed(*place))
    }

    fn has_failed(&self, place: CellIndex) -> bool {
        PlanScope::containing(place).iter().any(|scope| self.failed.contains_key(scope))
    }
}
