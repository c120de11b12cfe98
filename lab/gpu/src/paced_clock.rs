//! How simulated time follows the host's: only while a thread waits.
//!
//! What the host does between its calls takes no simulated time, so that a busy host changes no
//! copy's duration. While a thread waits, simulated time runs as fast as the host's clock.

/// When simulated time began to run, on both clocks.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Anchor {
    host_ns: f64,
    simulated_ns: f64,
}

/// A clock that runs while threads wait.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PacedClock {
    anchor: Option<Anchor>,
    waiting: usize,
}

impl PacedClock {
    /// The simulated time, if it runs.
    pub(crate) fn now(&self, host_ns: f64) -> Option<f64> {
        self.anchor.map(|anchor| anchor.simulated_ns + (host_ns - anchor.host_ns))
    }

    /// A thread begins to wait. Returns the host's time at which `until` will be reached.
    pub(crate) fn begin_wait(&mut self, host_ns: f64, simulated_ns: f64, until: f64) -> f64 {
        self.waiting += 1;
        let anchor = *self.anchor.get_or_insert(Anchor { host_ns, simulated_ns });
        anchor.host_ns + (until - anchor.simulated_ns)
    }

    /// A thread has waited. Returns the simulated time: not later than `until` where no other
    /// thread waits, however late this one woke up.
    pub(crate) fn end_wait(&mut self, host_ns: f64, until: f64) -> f64 {
        let now = self.now(host_ns).unwrap_or(until);
        self.waiting -= 1;
        if self.waiting > 0 {
            return now;
        }
        self.anchor = None;
        now.min(until)
    }
}

#[cfg(test)]
mod tests {
    use super::PacedClock;

    #[test]
    fn one_thread_that_wakes_late_changes_nothing() {
        let mut clock = PacedClock::default();
        assert_eq!(clock.now(500.0), None);
        assert_eq!(clock.begin_wait(1000.0, 0.0, 300.0), 1300.0);
        assert_eq!(clock.now(1100.0), Some(100.0));
        assert_eq!(clock.end_wait(9000.0, 300.0), 300.0);
        assert_eq!(clock.now(9500.0), None);
        assert_eq!(clock.begin_wait(9500.0, 300.0, 400.0), 9600.0);
    }

    #[test]
    fn time_runs_on_while_another_thread_waits() {
        let mut clock = PacedClock::default();
        assert_eq!(clock.begin_wait(1000.0, 0.0, 300.0), 1300.0);
        assert_eq!(clock.begin_wait(1100.0, 100.0, 900.0), 1900.0);
        assert_eq!(clock.end_wait(1350.0, 300.0), 350.0);
        assert_eq!(clock.end_wait(2500.0, 900.0), 900.0);
    }
}
