//! Estimates of a plan's time, for scheduling before anything is measured.

use std::time::Duration;

use nearfar_probe::PlanLimits;

/// The start-up time of a process, and the time of a visit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VisitCost {
    pub(crate) process: Duration,
    pub(crate) visit: Duration,
}

impl VisitCost {
    /// The time of a process with this many visits.
    pub(crate) fn process(self, visits: usize) -> Duration {
        self.process + self.visit.saturating_mul(u32::try_from(visits).unwrap_or(u32::MAX))
    }

    /// The cost at this multiple of the time.
    pub(crate) fn at_pace(self, pace: f64) -> Self {
        let Self { process, visit } = self;
        Self { process: process.mul_f64(pace), visit: visit.mul_f64(pace) }
    }

    /// The time of a plan that ends between its fewest and its most rounds.
    pub(crate) fn of(self, limits: PlanLimits, places: usize) -> Duration {
        let rounds =
            limits.first_rounds + (limits.max_rounds.saturating_sub(limits.first_rounds)) / 3;
        let further =
            rounds.saturating_sub(limits.first_rounds).div_ceil(limits.step_rounds.max(1));
        let processes =
            limits.first_rounds.div_ceil(limits.first_rounds_per_process.max(1)) + further;
        let visits = u32::try_from(places).unwrap_or(u32::MAX).saturating_mul(rounds);
        let busy = self
            .process
            .saturating_mul(processes)
            .saturating_add(self.visit.saturating_mul(visits));
        let spaced = limits.spacing.saturating_mul(processes.saturating_sub(1));
        let most = limits.deadline.unwrap_or(Duration::MAX);
        busy.max(spaced).min(most)
    }
}

/// The time to place this much memory.
pub(crate) fn placing(bytes: u64) -> Duration {
    const BYTES_PER_S: f64 = 2e9;
    Duration::from_millis(100) + Duration::from_secs_f64(bytes as f64 / BYTES_PER_S)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::run::minimal;

    #[test]
    fn a_plan_takes_its_visits_or_its_spacing() {
        let cost =
            VisitCost { process: Duration::from_millis(100), visit: Duration::from_millis(2) };
        let few = minimal(PlanLimits::quick(), 15, 3);
        assert_eq!(cost.of(few, 1), Duration::from_secs(2));
        assert_eq!(cost.of(few, 1_000), Duration::from_millis(30_500));
        let short = PlanLimits { deadline: Some(Duration::from_secs(9)), ..few };
        assert_eq!(cost.of(short, usize::MAX), Duration::from_secs(9));
    }
}
