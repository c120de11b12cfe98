//! Which experiment measures next, and for how long.
//!
//! Every experiment first has its minimal turn, in order of importance, as long as there is time
//! for it. The rest goes, a turn at a time, to the experiment whose figures are farthest from their
//! target; several that are equally far take turns, or one that never gets there would block the
//! others. What a turn will take is estimated from the turns before it. Precision alone ends it,
//! never what figures say.
//!
//! Time is the backend's, so that any schedule can be replayed.

#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::time::Duration;

use crate::{Backend, Effort, Experiment, MeasureError, TimeLeft, Turn};

/// The time that an experiment got.
#[derive(Debug, Default)]
pub(crate) struct Allocation {
    /// How long it measured.
    pub(crate) spent: Duration,
    /// In how many turns.
    pub(crate) turns: u32,
    /// What its minimal turn would have taken, where there was no time for it.
    pub(crate) needs: Option<Duration>,
    /// Why it ended before its time.
    pub(crate) failed: Option<MeasureError>,
}

impl Allocation {
    /// Whether its first turn came to its end.
    pub(crate) fn has_first_turn(&self) -> bool {
        self.turns > u32::from(self.failed.is_some())
    }

    /// Whether the user ended it.
    pub(crate) fn is_interrupted(&self) -> bool {
        matches!(self.failed, Some(MeasureError::Interrupted))
    }
}

/// Beyond this many times their target, figures are equally uncertain.
const VERY_UNCERTAIN: f64 = 4.0;
/// An experiment may take this many times what is expected before later ones have their turn.
const TOLERANCE: u32 = 3;
/// Turns in a row after which the uncertainty is still unknown; after these, others come first.
const MAX_UNKNOWN_TURNS: u32 = 2;

/// Gives each experiment its time, the most important first. Without a budget each measures until
/// its figures are certain enough. The budget counts from the backend's zero.
///
/// The first experiment always begins: the caller decides whether that makes sense. One that fails
/// is recorded and has no further turn. An interruption is recorded, too, and ends all: experiments
/// keep what they have measured by then.
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
    // Broken off where the user interrupted.
    let _ = schedule.run();
    schedule.records.into_iter().map(|record| record.allocation).collect()
}

/// What first turns of all experiments take.
pub(crate) fn expected(experiments: &[Box<dyn Experiment>], effort: Effort) -> Duration {
    experiments.iter().map(|experiment| experiment.expected(effort)).sum()
}

/// First turns, and further ones.
#[derive(Clone, Copy)]
enum TurnKind {
    First,
    Further,
}

/// What is known of an experiment's time; by [`TurnKind`] of turn.
#[derive(Default)]
struct ExperimentTime {
    allocation: Allocation,
    /// What its turns should have taken.
    expected: [Duration; 2],
    /// What they took.
    taken: [Duration; 2],
    unknown_turns: u32,
}

impl ExperimentTime {
    /// How many times what was expected its turns took: further turns by further turns, if there
    /// were any.
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

    /// The time that is left, where it is limited.
    fn left(&self) -> Option<Duration> {
        self.budget.map(|budget| budget.saturating_sub(self.backend.elapsed()))
    }

    /// How many times what was expected all turns so far took.
    fn pace(&self) -> Option<f64> {
        let sum = |of: fn(&ExperimentTime) -> [Duration; 2]| self.records.iter().flat_map(of).sum();
        ratio(sum(|record| record.taken), sum(|record| record.expected))
    }

    fn first_turn(&mut self, index: usize) -> ControlFlow<()> {
        let Some(left) = self.left() else {
            let expected = self.experiments[index].expected(Effort::Full);
            return self.turn(index, TurnKind::First, expected, None, |experiment, turn| {
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

    /// One that there seemed to be no time for, and for which there is after all: the machine was
    /// not as slow as it seemed.
    fn late_first_turn(&self) -> Option<usize> {
        let (left, pace) = (self.left()?, self.pace()?);
        let fits = |index: &usize| {
            self.experiments[*index].expected(Effort::Minimal).mul_f64(pace) <= left
        };
        (0..self.experiments.len())
            .filter(|&index| self.records[index].allocation.needs.is_some())
            .find(fits)
    }

    /// Whose figures are least certain of those that a further turn would help and that have time
    /// for it, and how long it may measure.
    fn least_certain(&self) -> Option<(usize, Duration)> {
        let left = self.left()?;
        let open = self.experiments.iter().zip(&self.records).enumerate();
        let open = open.filter(|(_, (_, record))| record.may_refine());
        let fits = open.filter_map(|(index, (experiment, record))| {
            let cost = experiment.next_turn_cost()?.mul_f64(record.pace().unwrap_or(1.0));
            let need = need(uncertainty(&**experiment), record.unknown_turns)?;
            (cost <= left).then_some((index, need, record.taken[TurnKind::Further as usize]))
        });
        // Of two that are as uncertain, the one that had less time for it; then the more important
        // one, which is the first.
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

    /// Has an experiment measure, and records what that took.
    fn turn(
        &mut self,
        index: usize,
        kind: TurnKind,
        expected: Duration,
        allowed: Option<Duration>,
        measure: impl FnOnce(&mut dyn Experiment, &mut Turn<'_>) -> Result<(), MeasureError>,
    ) -> ControlFlow<()> {
        let is_one_of_several = self.experiments.len() > 1;
        let experiment = &mut self.experiments[index];
        let begun = self.backend.elapsed();
        let mut turn = Turn {
            backend: &mut *self.backend,
            page_sample: &mut self.page_sample,
            instrument: is_one_of_several.then(|| experiment.instrument()),
            ends: allowed.map(|allowed| begun + allowed),
            all_end: self.all_end,
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

/// The worst standard error over its target; `None` while that is unknown.
fn uncertainty(experiment: &dyn Experiment) -> Option<f64> {
    let worst = experiment.worst_error()? / experiment.target_error();
    // What has not been found is as uncertain as figures at twice their target.
    Some(if experiment.is_searching() { worst.max(2.0) } else { worst })
}

/// How urgent a further turn is; `None` once figures are as certain as they should be.
fn need(uncertainty: Option<f64>, unknown_turns: u32) -> Option<f64> {
    match uncertainty {
        None if unknown_turns < MAX_UNKNOWN_TURNS => Some(VERY_UNCERTAIN),
        // Perhaps it will never be known: others come first.
        None => Some(0.0),
        Some(certain) if certain <= 1.0 => None,
        Some(uncertain) => Some(uncertain.min(VERY_UNCERTAIN)),
    }
}

/// How long a first turn may take: as much as leaves time for all later ones. If it takes longer
/// than expected, later ones are left out rather than this one cut short, within reason.
fn allowance(left: Duration, expected: Duration, later: Duration) -> Duration {
    left.saturating_sub(later).max(expected * TOLERANCE).min(left)
}

fn ratio(taken: Duration, expected: Duration) -> Option<f64> {
    (!expected.is_zero()).then(|| taken.as_secs_f64() / expected.as_secs_f64())
}
