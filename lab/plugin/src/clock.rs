//! The host's time, and waiting for it.

use std::hint::spin_loop;
use std::time::{Duration, Instant};

use nearfar_lab_cost::Wait;

/// Waits longer than this are slept through, up to what the host may wake us late.
const WORTH_SLEEPING: Duration = Duration::from_micros(120);
const WAKES_LATE: Duration = Duration::from_micros(60);

/// Nanoseconds since the guest began.
#[derive(Debug)]
pub(crate) struct Clock {
    began: Instant,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self { began: Instant::now() }
    }

    pub(crate) fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Waits as long as there is a reason to.
    pub(crate) fn wait(&self, wait: Option<Wait>) {
        match wait {
            None => {}
            Some(Wait { until, may_oversleep: true }) => {
                std::thread::sleep(Duration::from_nanos(until.saturating_sub(self.now())));
            }
            Some(Wait { until, may_oversleep: false }) => self.wait_until(until),
        }
    }

    /// Returns not before a time: asleep while it is far, awake when it is near.
    pub(crate) fn wait_until(&self, then: u64) {
        let left = Duration::from_nanos(then.saturating_sub(self.now()));
        if left > WORTH_SLEEPING {
            std::thread::sleep(left - WAKES_LATE);
        }
        while self.now() < then {
            spin_loop();
        }
    }
}
