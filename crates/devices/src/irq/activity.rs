//! Whether an interrupt or device has enough to do that its place matters.

/// Interrupts a second of an active interrupt, and at least so often.
const ACTIVE_PER_SECOND: f64 = 10.0;
const ACTIVE_AT_LEAST: u64 = 10;
/// Counts since boot, or of an unknown time: an interrupt that was set up, or had one burst, stays
/// below.
const ACTIVE_SINCE_BOOT: u64 = 10_000;
/// Below it an interrupt or device is idle.
pub(crate) const IDLE_PER_SECOND: f64 = 1.0;
const IDLE_SINCE_BOOT: u64 = 1_000;
/// The same for a busy device.
const BUSY_PER_SECOND: f64 = 1_000.0;
const BUSY_SINCE_BOOT: u64 = 1_000_000;

/// The time that counts are of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Span {
    SinceBoot,
    Seconds(f64),
    /// Between two saved tables: how long is unknown.
    Between,
}

impl Span {
    pub(crate) fn seconds(self) -> Option<f64> {
        match self {
            Self::Seconds(seconds) => Some(seconds),
            Self::SinceBoot | Self::Between => None,
        }
    }

    pub(crate) fn is_active(self, count: u64) -> bool {
        match self.seconds() {
            Some(seconds) => {
                count >= ACTIVE_AT_LEAST && count as f64 >= ACTIVE_PER_SECOND * seconds
            }
            None => count >= ACTIVE_SINCE_BOOT,
        }
    }

    pub(crate) fn is_idle(self, count: u64) -> bool {
        match self.seconds() {
            Some(seconds) => (count as f64) < IDLE_PER_SECOND * seconds,
            None => count < IDLE_SINCE_BOOT,
        }
    }

    pub(crate) fn is_busy(self, count: u64) -> bool {
        match self.seconds() {
            Some(seconds) => self.is_active(count) && count as f64 >= BUSY_PER_SECOND * seconds,
            None => count >= BUSY_SINCE_BOOT,
        }
    }

    pub(crate) fn per_second(self, count: u64) -> Option<f64> {
        self.seconds().filter(|seconds| *seconds > 0.0).map(|seconds| count as f64 / seconds)
    }
}
