//! Decides which experiment measures next, and for how long.
//!
//! Every experiment first has its minimal turn, in order of importance, as long as time permits.
//! The rest goes, turn by turn, to the experiment whose figures are farthest from their target.
//! Equally uncertain ones alternate, since one that never reaches its target would block the
//! others. A turn's time is estimated from earlier turns. Only precision ends it, never the
//! figures.
//!
//! Time is the backend's, so that any schedule can be replayed.

#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::time::Duration;

use crate::measure::{Backend, Effort, Experiment, MeasureError, TimeLeft, Turn};

/// The time allocated to an experiment.
#[derive(Debug, Default)]
pub(crate) struct Allocation {
    /// The time it measured.
    pub(crate) spent: Duration,
    /// The number of its turns.
    pub(crate) turns: u32,
    /// The time that its minimal turn needs, if there was too little.
    pub(crate) needs: Option<Duration>,
    /// Why it ended early.
    pub(crate) failed: Option<MeasureError>,
}

impl Allocation {
    /// Whether its first turn was completed.
    pub(crate) fn has_first_turn(&self) -> bool {
        self.turns > u32::from(self.failed.is_some())
    }

    /// Whether the user interrupted it.
    pub(crate) fn is_interrupted(&self) -> bool {
        matches!(self.failed, Some(MeasureError::Interrupted))
    }
}

/// Beyond this multiple of their target, figures are equally uncertain.
const VERY_UNCERTAIN: f64 = 4.0;
/// The multiple of its expected time that an experiment may take before later ones start.
const TOLERANCE: u32 = 3;
/// Consecutive turns with an unknown precision before others have precedence.
const MAX_UNKNOWN_TURNS: u32 = 2;

/// Allocates time to each experiment, the most important first. Without a budget each measures
/// until its figures are precise. The budget counts from the backend's zero.
///
/// The first experiment always starts; the caller checks the budget. A failed one is recorded and
/// has no further turn. An interruption is recorded, too, and ends everything: experiments keep
/// what they have measured.
pub(crate) fn schedule(
    experiments: &mut [Box<dyn Experiment>],
    budget: Option<Duration>,
    backend: &mut dyn Backend,
) -> Vec<Allocation> {
    let all_end = match budget {
        Some(budget) => Some(TimeLeft::AtMost(budget)),
        None if experiments.len() == 1 => None,
        None => Some(TimeLeft::About(backend.elapsed() + expected(experiments, Effort::Full))),
    };
    let records = experiments.iter().map(|_| ExperimentTime::default()).collect();
    let mut schedule =
        Schedule { experiments, records, budget, backend, page_sample: None, all_end };
    // Ends early if the user interrupted.
    let _ = schedule.run();
    schedule.records.into_iter().map(|record| record.allocation).collect()
}

/// The expected time of all first turns.
pub(crate) fn expected(experiments: &[Box<dyn Experiment>], effort: Effort) -> Duration {
    experiments.iter().map(|experiment| experiment.expected(effort)).sum()
}

/// First turns, and further ones.
#[derive(Clone, Copy)]
enum TurnKind {
    First,
    Further,
}

/// An experiment's times, by [`TurnKind`].
#[derive(Default)]
struct ExperimentTime {
    allocation: Allocation,
    /// The expected time of its turns.
    expected: [Duration; 2],
    taken: [Duration; 2],
    unknown_turns: u32,
}

impl ExperimentTime {
    /// The ratio of actual to expected time: of further turns, if there were any, or of the first.
    fn pace(&self) -> Option<f64> {
        [TurnKind::Further, TurnKind::First]
            .into_iter()
            .find_map(|kind| ratio(self.taken[kind as usize], self.expected[kind as usize]))
    }

    fn may_refine(&self) -> bool {
        self.allocation.turns > 0 && self.allocation.failed.is_none()
    }
}

struct Schedule<'s> {
    experiments: &'s mut [Box<dyn Experiment>],
    records: Vec<ExperimentTime>,
    budget: Option<Duration>,
    backend: &'s mut dyn Backend,
    page_sample: Option<Duration>,
    all_end: Option<TimeLeft>,
}

impl Schedule<'_> {
    fn run(&mut self) -> ControlFlow<()> {
        for index in 0..self.experiments.len() {
            self.first_turn(index)?;
        }
        loop {
            if let Some(index) = self.late_first_turn() {
                self.first_turn(index)?;
            } else if let Some((index, allowed)) = self.least_certain() {
                self.further_turn(index, allowed)?;
            } else {
                return ControlFlow::Continue(());
            }
        }
    }

    /// The remaining time, if limited.
    fn left(&self) -> Option<Duration> {
        self.budget.map(|budget| budget.saturating_sub(self.backend.elapsed()))
    }

    /// The ratio of actual to expected time over all turns.
    fn pace(&self) -> Option<f64> {
        let sum = |of: fn(&ExperimentTime) -> [Duration; 2]| self.records.iter().flat_map(of).sum();
        ratio(sum(|record| record.taken), sum(|record| record.expected))
    }

    fn first_turn(&mut self, index: usize) -> ControlFlow<()> {
        let Some(left) = self.left() else {
            let expected = self.experiments[index].expected(Effort::Full);
            let promised = self.experiments[index].promised();
            return self.turn(index, TurnKind::First, expected, promised, |experiment, turn| {
                experiment.begin(turn, Effort::Full)
            });
        };
        let pace = self.pace().unwrap_or(1.0);
        let expected = self.experiments[index].expected(Effort::Minimal);
        let needs = expected.mul_f64(pace);
        let is_too_long = index > 0 && needs > left;
        self.records[index].allocation.needs = is_too_long.then_some(needs);
        if is_too_long {
            return ControlFlow::Continue(());
        }
        let later = self.experiments.iter().zip(&self.records).skip(index + 1);
        let later = later.filter(|(_, record)| record.allocation.turns == 0);
        let later: Duration =
            later.map(|(experiment, _)| experiment.expected(Effort::Minimal)).sum();
        let allowed = allowance(left, needs, later.mul_f64(pace));
        self.turn(index, TurnKind::First, expected, Some(allowed), |experiment, turn| {
            experiment.begin(turn, Effort::Minimal)
        })
    }

    /// A skipped experiment for which there is time after all, since the machine proved faster.
    fn late_first_turn(&self) -> Option<usize> {
        let (left, pace) = (self.left()?, self.pace()?);
        let fits = |index: &usize| {
            self.experiments[*index].expected(Effort::Minimal).mul_f64(pace) <= left
        };
        (0..self.experiments.len())
            .filter(|&index| self.records[index].allocation.needs.is_some())
            .find(fits)
    }

    /// The least precise experiment that a further turn would improve and that has time for it, and
    /// its time limit.
    fn least_certain(&self) -> Option<(usize, Duration)> {
        let left = self.left()?;
        let open = self.experiments.iter().zip(&self.records).enumerate();
        let open = open.filter(|(_, (_, record))| record.may_refine());
        let fits = open.filter_map(|(index, (experiment, record))| {
            let cost = experiment.next_turn_cost()?.mul_f64(record.pace().unwrap_or(1.0));
            let need = need(uncertainty(&**experiment), record.unknown_turns)?;
            (cost <= left).then_some((index, need, record.taken[TurnKind::Further as usize]))
        });
        // Of two equally uncertain ones, the one with less time; then the more important one, which
        // is the first.
        let before = |a: (usize, f64, Duration), b: (usize, f64, Duration)| {
            a.1 > b.1 || (a.1 == b.1 && a.2 < b.2)
        };
        let worst = fits.reduce(|worst, other| if before(other, worst) { other } else { worst });
        worst.map(|(index, ..)| (index, left))
    }

    fn further_turn(&mut self, index: usize, allowed: Duration) -> ControlFlow<()> {
        let expected = self.experiments[index].next_turn_cost().unwrap_or_default();
        let flow =
            self.turn(index, TurnKind::Further, expected, Some(allowed), |experiment, turn| {
                experiment.refine(turn)
            });
        let is_unknown = uncertainty(&*self.experiments[index]).is_none();
        let record = &mut self.records[index];
        record.unknown_turns = if is_unknown { record.unknown_turns + 1 } else { 0 };
        flow
    }

    /// The expected time of first turns after this one.
    fn later(&self, index: usize) -> Duration {
        let later = self.experiments.iter().zip(&self.records).skip(index + 1);
        let later = later.filter(|(_, record)| record.allocation.turns == 0);
        later.map(|(experiment, _)| experiment.expected(Effort::Full)).sum()
    }

    /// The least time of a further turn that would improve a figure.
    fn least_turn(&self) -> Duration {
        let open = self.experiments.iter().zip(&self.records);
        let open = open.filter(|(_, record)| record.may_refine());
        let costs = open.filter_map(|(experiment, record)| {
            need(uncertainty(&**experiment), record.unknown_turns)?;
            Some(experiment.next_turn_cost()?.mul_f64(record.pace().unwrap_or(1.0)))
        });
        costs.min().unwrap_or(Duration::MAX)
    }

    /// Runs a turn of an experiment, and records its time.
    fn turn(
        &mut self,
        index: usize,
        kind: TurnKind,
        expected: Duration,
        allowed: Option<Duration>,
        measure: impl FnOnce(&mut dyn Experiment, &mut Turn<'_>) -> Result<(), MeasureError>,
    ) -> ControlFlow<()> {
        let is_one_of_several = self.experiments.len() > 1;
        let later = self.later(index);
        let is_further = matches!(kind, TurnKind::Further);
        let least_next = is_further.then(|| self.least_turn());
        let experiment = &mut self.experiments[index];
        let begun = self.backend.elapsed();
        let mut turn = Turn {
            backend: &mut *self.backend,
            page_sample: &mut self.page_sample,
            instrument: is_one_of_several.then(|| experiment.instrument()),
            ends: allowed.map(|allowed| begun + allowed),
            all_end: self.all_end,
            later,
            cost: None,
            least_next,
            uncertainty: uncertainty(&**experiment),
        };
        let done = measure(&mut **experiment, &mut turn);
        let taken = self.backend.elapsed().saturating_sub(begun);
        let record = &mut self.records[index];
        record.expected[kind as usize] += expected;
        record.taken[kind as usize] += taken;
        record.allocation.spent += taken;
        record.allocation.turns += 1;
        record.allocation.failed = done.err();
        if record.allocation.is_interrupted() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// The worst standard error over its target; `None` while unknown.
fn uncertainty(experiment: &dyn Experiment) -> Option<f64> {
    let worst = experiment.worst_error()? / experiment.target_error();
    // An unfinished search is as uncertain as figures at twice their target.
    Some(if experiment.is_searching() { worst.max(2.0) } else { worst })
}

/// The urgency of a further turn; `None` once figures are precise enough.
fn need(uncertainty: Option<f64>, unknown_turns: u32) -> Option<f64> {
    match uncertainty {
        None if unknown_turns < MAX_UNKNOWN_TURNS => Some(VERY_UNCERTAIN),
        // It may remain unknown: others have precedence.
        None => Some(0.0),
        Some(certain) if certain <= 1.0 => None,
        Some(uncertain) => Some(uncertain.min(VERY_UNCERTAIN)),
    }
}

/// The time limit of a first turn: it leaves time for all later ones. If it takes longer than
/// expected, later ones are skipped rather than this one interrupted, within limits.
fn allowance(left: Duration, expected: Duration, later: Duration) -> Duration {
    left.saturating_sub(later).max(expected * TOLERANCE).min(left)
}

fn ratio(taken: Duration, expected: Duration) -> Option<f64> {
    (!expected.is_zero()).then(|| taken.as_secs_f64() / expected.as_secs_f64())
}
