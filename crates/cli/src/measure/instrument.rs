//! What the instruments have in common: a first turn, further ones, and what these take.
//!
//! An instrument's *least* turn is the cheapest that gives figures with intervals: three processes of two rounds, latency's five of three. Further turns
//! are one process each, over all that was measured before.

use std::time::Duration;

use nearfar_probe::PlanLimits;
use nearfar_probe::budget::Extent;
use nearfar_survey::Instruments;

use super::Session;
use super::done::Done;
use super::session::SPACING;

/// An instrument that measures in turns.
pub(super) trait Instrument {
    /// What users call it.
    fn name(&self) -> &'static str;

    /// What its first turn takes on an ordinary machine that does nothing else.
    fn expected(&self, extent: Extent) -> Duration;

    /// Its first turn.
    fn begin(&mut self, session: &Session, extent: Extent) -> anyhow::Result<()>;

    /// The standard error that it aims at, as a fraction.
    fn aim(&self) -> f64;

    /// Its worst standard error, as a fraction; `None` while it is unknown.
    fn worst(&self, session: &Session) -> Option<f64>;

    /// Whether what it looks for has not been found, however certain its figures are.
    fn still_looks(&self) -> bool {
        false
    }

    /// What a further turn takes; `None` where it would bring nothing.
    fn further(&self) -> Option<Duration>;

    /// A further turn.
    fn go_on(&mut self, session: &Session) -> anyhow::Result<()>;

    /// How far it went.
    fn done(&self) -> Done;

    /// Adds what it heard to what goes into the document, once it heard anything.
    fn tell<'i>(&'i self, document: &mut Instruments<'i>);
}

/// So many rounds in all, in processes of so many: no more, however uncertain figures are.
pub(super) const fn least(limits: PlanLimits, rounds: u32, per_process: u32) -> PlanLimits {
    PlanLimits { first_rounds: rounds, first_rounds_per_process: per_process, most_rounds: rounds, ..limits }
}

/// One process of a further turn.
pub(super) const fn one_process(limits: PlanLimits) -> PlanLimits {
    let rounds = limits.step_rounds;
    PlanLimits { first_rounds: rounds, first_rounds_per_process: rounds, most_rounds: rounds, ..limits }
}

/// So many processes of further turns come to the rounds at which a plan stops in any case.
pub(super) const fn most_turns(limits: PlanLimits) -> u32 {
    limits.most_rounds / limits.step_rounds
}

/// Seeds of further turns: none that a first turn uses.
pub(super) const fn seed_of_turn(seed: u64, turn: u32) -> u64 {
    seed.wrapping_add(0x5eed_0000).wrapping_add(turn as u64)
}

/// What a process takes to begin, and what a visit takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    pub(super) process: Duration,
    pub(super) visit: Duration,
}

impl Cost {
    /// What a plan takes that ends somewhere between the fewest and the most rounds.
    pub(super) fn of(self, limits: PlanLimits, cells: usize) -> Duration {
        let rounds = limits.first_rounds + (limits.most_rounds.saturating_sub(limits.first_rounds)) / 3;
        let further = rounds.saturating_sub(limits.first_rounds).div_ceil(limits.step_rounds.max(1));
        let processes = limits.first_rounds.div_ceil(limits.first_rounds_per_process.max(1)) + further;
        let visits = u32::try_from(cells).unwrap_or(u32::MAX).saturating_mul(rounds);
        let busy = self.process.saturating_mul(processes).saturating_add(self.visit.saturating_mul(visits));
        let spaced = SPACING.saturating_mul(processes.saturating_sub(1));
        let most = limits.deadline.unwrap_or(Duration::MAX);
        busy.max(spaced).min(most)
    }
}

/// How long it takes to place so much memory.
pub(super) fn placing(bytes: u64) -> Duration {
    const BYTES_PER_S: f64 = 2e9;
    Duration::from_millis(100) + Duration::from_secs_f64(bytes as f64 / BYTES_PER_S)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_takes_its_visits_or_the_time_between_its_processes() {
        let cost = Cost { process: Duration::from_millis(100), visit: Duration::from_millis(2) };
        let few = least(PlanLimits::quick(), 15, 3);
        assert_eq!(cost.of(few, 1), Duration::from_secs(4));
        assert_eq!(cost.of(few, 1_000), Duration::from_millis(30_500));
        let patient = PlanLimits { deadline: Some(Duration::from_secs(9)), ..few };
        assert_eq!(cost.of(patient, usize::MAX), Duration::from_secs(9));
    }

    #[test]
    fn a_further_turn_is_one_process() {
        let limits = one_process(PlanLimits::usual());
        assert_eq!((limits.first_rounds, limits.most_rounds, limits.first_rounds_per_process), (5, 5, 5));
        assert_eq!(most_turns(PlanLimits::usual()), 12);
    }
}
