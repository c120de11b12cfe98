//! A place that lines pass one after the other: a node's memory, a link. It gives bandwidth a meaning, and latency under load.

use std::sync::atomic::{AtomicU64, Ordering};

/// A line of fast memory takes a few nanoseconds, of which fractions matter.
const PS_PER_NS: u64 = 1000;

/// When the next line may pass, and how long each takes.
#[derive(Debug)]
pub(crate) struct Turnstile {
    free_at_ps: AtomicU64,
    service_ps: u64,
}

impl Turnstile {
    pub(crate) fn new(service_ns: f64) -> Self {
        Self { free_at_ps: AtomicU64::new(0), service_ps: (service_ns * PS_PER_NS as f64).round() as u64 }
    }

    /// A line arrives at a time, and passes as soon as those before it have: returns when it begins to pass. Times in nanoseconds.
    pub(crate) fn pass(&self, arrives: u64) -> u64 {
        let arrives = arrives.saturating_mul(PS_PER_NS);
        let mut free_at = self.free_at_ps.load(Ordering::Relaxed);
        loop {
            let begins = arrives.max(free_at);
            let ends = begins.saturating_add(self.service_ps);
            match self.free_at_ps.compare_exchange_weak(free_at, ends, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return begins.div_ceil(PS_PER_NS),
                Err(now) => free_at = now,
            }
        }
    }
}

#[cfg(test)]
mod tests {
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
}
