//! CPU time of this thread: what readings cost, however busy the machine is.

use rustix::time::{ClockId, clock_gettime};

/// Seconds of CPU time that this thread has used.
pub(super) fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
