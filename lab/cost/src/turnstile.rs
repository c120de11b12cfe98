//! A place that lines pass one after the other: a node's memory, a link. It gives bandwidth a
//! meaning, and latency under load.
//!
//! Lines do not come in the order of their times: the host runs one CPU of the guest now and
//! another a few milliseconds later, though both are at the same moment of the machine's time. A
//! line that comes late passes in a gap that others left, if there was one when it would have come;
//! so what a busy host takes from a CPU costs the machine no bandwidth.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// A line of fast memory takes a few nanoseconds, and fractions matter.
const PS_PER_NS: u64 = 1000;

/// Gaps that are remembered: some milliseconds of memory that is half busy.
const MAX_GAPS: usize = 4096;

/// When lines may pass, and how long each takes.
#[derive(Debug)]
pub(crate) struct Turnstile {
    schedule: Mutex<TurnstileSchedule>,
    service_ps: u64,
}

/// What is taken already. Times in picoseconds.
#[derive(Debug, Default)]
struct TurnstileSchedule {
    /// From here on nothing is taken.
    free_from: u64,
    /// What was left free before that, by time: (start, end).
    gaps: VecDeque<(u64, u64)>,
}

impl Turnstile {
    pub(crate) fn new(service_ns: f64) -> Self {
        let service_ps = (service_ns * PS_PER_NS as f64).round() as u64;
        Self { schedule: Mutex::default(), service_ps }
    }

    /// A line arrives at a time, and passes as soon as nothing else does: returns when it begins to
    /// pass. Times in nanoseconds.
    pub(crate) fn pass(&self, arrives: u64) -> u64 {
        let arrives = arrives.saturating_mul(PS_PER_NS);
        let mut schedule = self.schedule.lock().unwrap_or_else(PoisonError::into_inner);
        schedule.pass(arrives, self.service_ps).div_ceil(PS_PER_NS)
    }
}

impl TurnstileSchedule {
    /// Takes as much free time as a line needs, piece by piece. Returns when it begins to pass, had
    /// it passed in one piece.
    fn pass(&mut self, arrives: u64, service: u64) -> u64 {
        let (mut needs, mut ends) = (service, arrives);
        let mut index = self.gaps.partition_point(|&(_, end)| end <= arrives);
        while needs > 0 && index < self.gaps.len() {
            let (start, end) = self.gaps[index];
            let from = start.max(arrives);
            ends = end.min(from + needs);
            needs -= ends - from;
            self.gaps.remove(index);
            self.leave(index, (ends, end));
            self.leave(index, (start, from));
            index += usize::from(start < from);
        }
        if needs > 0 {
            let begins = arrives.max(self.free_from);
            self.leave(self.gaps.len(), (self.free_from, begins));
            self.free_from = begins.saturating_add(needs);
            ends = self.free_from;
        }
        if self.gaps.len() > MAX_GAPS {
            self.gaps.pop_front();
        }
        ends - service
    }

    /// Remembers a gap, if there is one.
    fn leave(&mut self, index: usize, (start, end): (u64, u64)) {
        if start < end {
            self.gaps.insert(index, (start, end));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_that_come_seldom_do_not_wait() {
        let memory = Turnstile::new(10.0);
        assert_eq!([100, 110, 200].map(|arrives| memory.pass(arrives)), [100, 110, 200]);
    }

    #[test]
    fn lines_that_come_together_pass_one_after_the_other() {
        let memory = Turnstile::new(10.0);
        assert_eq!([100, 100, 100, 105].map(|arrives| memory.pass(arrives)), [100, 110, 120, 130]);
    }

    #[test]
    fn fractions_of_a_nanosecond_add_up() {
        let memory = Turnstile::new(3.2);
        let last = (0..=1000).map(|_| memory.pass(0)).last();
        assert_eq!(last, Some(3200));
    }

    #[test]
    fn no_more_lines_pass_than_the_service_time_allows() {
        let memory = Turnstile::new(25.0);
        let last = (0..1000).map(|arrival| memory.pass(arrival)).last().unwrap();
        assert_eq!(last, 999 * 25);
    }

    #[test]
    fn a_cpu_that_comes_late_passes_where_others_left_room() {
        let memory = Turnstile::new(10.0);
        (0..100).for_each(|line| assert_eq!(memory.pass(1000 + 20 * line), 1000 + 20 * line));
        let late: Vec<u64> = (0..100).map(|line| memory.pass(1010 + 20 * line)).collect();
        assert_eq!(late, (0..100).map(|line| 1010 + 20 * line).collect::<Vec<_>>());
        assert_eq!(memory.pass(1000), 3000, "nothing is left before");
    }

    proptest! {
        #[test]
        fn no_more_lines_pass_in_any_time_than_fit_and_none_before_it_comes(
            arrivals in prop::collection::vec(0_u64..3000, 1..200),
            service in 1_u64..60,
        ) {
            let memory = Turnstile::new(service as f64);
            let passes = |arrives| (arrives, memory.pass(arrives));
            let passed: Vec<(u64, u64)> = arrivals.into_iter().map(passes).collect();
            prop_assert!(passed.iter().all(|&(arrives, begins)| begins >= arrives));
            for &(from, _) in &passed {
                for &(_, last) in passed.iter().filter(|&&(_, begins)| begins >= from) {
                    let is_within = |&&(arrives, begins): &&(u64, u64)| {
                        arrives >= from && begins <= last
                    };
                    let within = passed.iter().filter(is_within).count() as u64;
                    prop_assert!(
                        within * service <= last + service - from,
                        "{} to {}: {:?}", from, last, passed
                    );
                }
            }
        }

        #[test]
        fn no_time_is_lost_while_lines_wait(
            arrivals in prop::collection::vec(0_u64..100, 1..200),
            service in 1_u64..60,
        ) {
            let memory = Turnstile::new(service as f64);
            let last = arrivals.iter().map(|&arrives| memory.pass(arrives)).max().unwrap();
            prop_assert!(last <= 100 + arrivals.len() as u64 * service);
        }

        #[test]
        fn lines_that_come_in_order_queue_in_order(
            steps in prop::collection::vec(0_u64..100, 1..300),
            service in 1_u64..60,
        ) {
            let memory = Turnstile::new(service as f64);
            let (mut arrives, mut free_from) = (0, 0);
            for step in steps {
                arrives += step;
                let begins = memory.pass(arrives);
                prop_assert_eq!(begins, arrives.max(free_from));
                free_from = begins + service;
            }
        }
    }
}
