//! CPU time of this thread: what readings cost, however busy the machine is.

use std::sync::LazyLock;
use std::time::Instant;

use nix::time::{ClockId, clock_gettime};

/// Where the clock of threads may not be read.
static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Seconds of CPU time that this thread has used; where a filter refuses that clock, seconds that
/// have passed, which are at least as many.
pub(crate) fn cpu_seconds() -> f64 {
    match clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID) {
        Ok(time) => time.tv_sec() as f64 + time.tv_nsec() as f64 / 1e9,
        Err(_) => STARTED.elapsed().as_secs_f64(),
    }
}
