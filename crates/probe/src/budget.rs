//! One time for several instruments: who measures next.
//!
//! Every instrument first gets its least portion, in order of importance, as long as there is time for it. What is left goes, a portion at a
//! time, to the instrument whose figures are least certain, measured by what each of them aims at; those that are farthest from it take turns, or
//! one that never gets there would keep all others waiting. What a portion will take is told from what those before it took. Precision alone
//! stops it, never what figures say.
//!
//! It decides from what instruments tell, and a clock that is handed in, so that any sharing replays.

#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::time::Duration;

/// How far an instrument goes at its first turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// As far as is useful at all.
    Least,
    /// To what it aims at.
    Whole,
}

/// An instrument that measures in portions.
pub trait Portions {
    /// Why a portion failed.
    type Error;

    /// What its first turn takes on an ordinary machine that does nothing else.
    fn expected(&self, extent: Extent) -> Duration;

    /// Its first turn. It ends when `allowed` is over, with what it has.
    fn begin(&mut self, extent: Extent, allowed: Option<Duration>) -> Result<(), Self::Error>;

    /// Its worst standard error over the one it aims at; `None` while that is unknown.
    fn uncertainty(&self) -> Option<f64>;

    /// What a further portion takes on an ordinary machine; `None` where it would bring nothing.
    fn further(&self) -> Option<Duration>;

    /// A further portion. It ends when `allowed` is over, with what it has.
    fn go_on(&mut self, allowed: Duration) -> Result<(), Self::Error>;

    /// Whether nobody shall measure any more.
    fn ends_all(error: &Self::Error) -> bool;
}

impl<E> Share<E> {
    /// Whether its first turn came to its end.
    pub fn has_first_turn(&self) -> bool {
        self.portions > u32::from(self.failed.is_some())
    }
}

/// What an instrument got.
#[derive(Clone, Debug, PartialEq)]
pub struct Share<E> {
    /// How long it measured.
    pub spent: Duration,
    /// In how many portions.
    pub portions: u32,
    /// The time for which it was left out: what its least portion would have taken.
    pub left_out: Option<Duration>,
    /// Why it ended before its time.
    pub failed: Option<E>,
}

/// More than so many times their aim, figures are equally uncertain.
const VERY_UNCERTAIN: f64 = 4.0;
/// So many times what is expected, before later ones are to have their turn.
const PATIENCE: u32 = 3;
/// Portions in a row that leave the uncertainty unknown; after these, others come first.
const MOST_IN_VAIN: u32 = 2;

/// Shares time out among instruments, the most important first; without a budget each goes to what it aims at. `elapsed` is the time since the
/// budget began to count.
///
/// The first instrument always begins: whether that makes sense is for the caller to say. One that fails is noted and left alone. An error
/// that ends all is noted, too, and ends the sharing with what the instruments have by then.
pub fn share_out<P: Portions>(
    instruments: &mut [P],
    budget: Option<Duration>,
    elapsed: &dyn Fn() -> Duration,
) -> Vec<Share<P::Error>> {
    let mut course = Course { runs: instruments.iter().map(|_| Run::default()).collect(), budget, elapsed };
    // Broken off early where an error ends all.
    let _ = course.share_all(instruments);
    course.runs.into_iter().map(|run| run.share).collect()
}

/// What is known of an instrument's time.
struct Run<E> {
    share: Share<E>,
    /// What its first turn, and all further ones, should have taken.
    expected: [Duration; 2],
    /// What they took.
    taken: [Duration; 2],
    in_vain: u32,
}

impl<E> Default for Run<E> {
    fn default() -> Self {
        Self {
            share: Share { spent: Duration::ZERO, portions: 0, left_out: None, failed: None },
            expected: [Duration::ZERO; 2],
            taken: [Duration::ZERO; 2],
            in_vain: 0,
        }
    }
}

impl<E> Run<E> {
    /// How many times what was expected its turns took: further turns by the further turns, if there were any.
    fn pace(&self) -> Option<f64> {
        [1, 0].into_iter().find_map(|kind| ratio(self.taken[kind], self.expected[kind]))
    }

    fn may_go_on(&self) -> bool {
        self.share.portions > 0 && self.share.failed.is_none()
    }
}

/// Who has measured for how long.
struct Course<'c, E> {
    runs: Vec<Run<E>>,
    budget: Option<Duration>,
    elapsed: &'c dyn Fn() -> Duration,
}

impl<E> Course<'_, E> {
    /// The time that is left, where it is limited.
    fn left(&self) -> Option<Duration> {
        self.budget.map(|budget| budget.saturating_sub((self.elapsed)()))
    }

    /// How many times what was expected all turns so far took.
    fn pace(&self) -> Option<f64> {
        let sum = |of: fn(&Run<E>) -> [Duration; 2]| self.runs.iter().flat_map(of).sum();
        ratio(sum(|run| run.taken), sum(|run| run.expected))
    }

    fn share_all<P: Portions<Error = E>>(&mut self, instruments: &mut [P]) -> ControlFlow<()> {
        for index in 0..instruments.len() {
            self.first_turn(instruments, index)?;
        }
        loop {
            if let Some(index) = self.late_first_turn(instruments) {
                self.first_turn(instruments, index)?;
            } else if let Some((index, allowed)) = self.next(instruments) {
                self.further_turn(&mut instruments[index], index, allowed)?;
            } else {
                return ControlFlow::Continue(());
            }
        }
    }

    fn first_turn<P: Portions<Error = E>>(&mut self, instruments: &mut [P], index: usize) -> ControlFlow<()> {
        let Some(left) = self.left() else {
            let done = self.timed(index, 0, instruments[index].expected(Extent::Whole), || {
                instruments[index].begin(Extent::Whole, None)
            });
            return self.note::<P>(index, done);
        };
        let pace = self.pace().unwrap_or(1.0);
        let expected = instruments[index].expected(Extent::Least);
        let is_late = index > 0 && expected.mul_f64(pace) > left;
        self.runs[index].share.left_out = is_late.then(|| expected.mul_f64(pace));
        if is_late {
            return ControlFlow::Continue(());
        }
        let later = instruments.iter().zip(&self.runs).skip(index + 1).filter(|(_, run)| run.share.portions == 0);
        let later: Duration = later.map(|(later, _)| later.expected(Extent::Least)).sum();
        let allowed = allowance(left, expected.mul_f64(pace), later.mul_f64(pace));
        let done = self.timed(index, 0, expected, || instruments[index].begin(Extent::Least, Some(allowed)));
        self.note::<P>(index, done)
    }

    /// One that was left out, and for which there is time after all: the machine was not as slow as it seemed.
    fn late_first_turn<P: Portions<Error = E>>(&self, instruments: &[P]) -> Option<usize> {
        let (left, pace) = (self.left()?, self.pace()?);
        let fits = |index: &usize| instruments[*index].expected(Extent::Least).mul_f64(pace) <= left;
        (0..instruments.len()).filter(|&index| self.runs[index].share.left_out.is_some()).find(fits)
    }

    /// Whose figures are least certain of those that a further portion would help and that have time for it, and how long it may measure.
    fn next<P: Portions<Error = E>>(&self, instruments: &[P]) -> Option<(usize, Duration)> {
        let left = self.left()?;
        let open = instruments.iter().zip(&self.runs).enumerate().filter(|(_, (_, run))| run.may_go_on());
        let fits = open.filter_map(|(index, (instrument, run))| {
            let further = instrument.further()?.mul_f64(run.pace().unwrap_or(1.0));
            let need = need(instrument.uncertainty(), run.in_vain)?;
            (further <= left).then_some((index, need, run.taken[1]))
        });
        // Of two that are as uncertain, the one that had less time for it; then the more important one, which is the first.
        let before = |a: (usize, f64, Duration), b: (usize, f64, Duration)| a.1 > b.1 || (a.1 == b.1 && a.2 < b.2);
        let worst = fits.reduce(|worst, other| if before(other, worst) { other } else { worst });
        worst.map(|(index, ..)| (index, left))
    }

    fn further_turn<P: Portions<Error = E>>(
        &mut self,
        instrument: &mut P,
        index: usize,
        allowed: Duration,
    ) -> ControlFlow<()> {
        let expected = instrument.further().unwrap_or_default();
        let done = self.timed(index, 1, expected, || instrument.go_on(allowed));
        let run = &mut self.runs[index];
        run.in_vain = if instrument.uncertainty().is_none() { run.in_vain + 1 } else { 0 };
        self.note::<P>(index, done)
    }

    fn timed(
        &mut self,
        index: usize,
        kind: usize,
        expected: Duration,
        turn: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        let begun = (self.elapsed)();
        let done = turn();
        let taken = (self.elapsed)().saturating_sub(begun);
        let run = &mut self.runs[index];
        run.expected[kind] += expected;
        run.taken[kind] += taken;
        run.share.spent += taken;
        run.share.portions += 1;
        done
    }

    fn note<P: Portions<Error = E>>(&mut self, index: usize, done: Result<(), E>) -> ControlFlow<()> {
        let Err(error) = done else { return ControlFlow::Continue(()) };
        let ends_all = P::ends_all(&error);
        self.runs[index].share.failed = Some(error);
        if ends_all { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// How urgent a further portion is; `None` once figures are as certain as they should be.
fn need(uncertainty: Option<f64>, in_vain: u32) -> Option<f64> {
    match uncertainty {
        None if in_vain < MOST_IN_VAIN => Some(VERY_UNCERTAIN),
        // Perhaps it will never be known: others come first.
        None => Some(0.0),
        Some(certain) if certain <= 1.0 => None,
        Some(uncertain) => Some(uncertain.min(VERY_UNCERTAIN)),
    }
}

/// How long a first turn may take: as much as leaves time for all later ones. If it takes longer than expected, later ones are rather left out than
/// this one cut short, within reason.
fn allowance(left: Duration, expected: Duration, later: Duration) -> Duration {
    left.saturating_sub(later).max(expected * PATIENCE).min(left)
}

fn ratio(taken: Duration, expected: Duration) -> Option<f64> {
    (!expected.is_zero()).then(|| taken.as_secs_f64() / expected.as_secs_f64())
}
