//! A place that lines pass one after the other: a node's memory, a link. It gives bandwidth a meaning, and latency under load.

use std::sync::atomic::{AtomicU64, Ordering};

/// When the next line may pass, and how long each takes. Times in nanoseconds.
#[derive(Debug)]
pub(crate) struct Turnstile {
    free_at: AtomicU64,
    service_ns: f64,
}

impl Turnstile {
    pub(crate) fn new(service_ns: f64) -> Self {
        Self { free_at: AtomicU64::new(0), service_ns }
    }

    /// A line arrives at a time, and passes as soon as those before it have: returns when it begins to pass.
    pub(crate) fn pass(&self, arrives: u64) -> u64 {
        let service = self.service_ns.round() as u64;
        let mut free_at = self.free_at.load(Ordering::Relaxed);
        loop {
            let begins = arrives.max(free_at);
            match self.free_at.compare_exchange_weak(free_at, begins + service, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return begins,
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
    fn no_more_lines_pass_than_the_service_time_allows() {
        let memory = Turnstile::new(25.0);
        let last = (0..1000).map(|arrival| memory.pass(arrival)).last().unwrap();
        assert_eq!(last, 999 * 25);
    }
}
