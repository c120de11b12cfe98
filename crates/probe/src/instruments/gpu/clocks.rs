//! Whether the driver's clock and the host's agree about a copy.

use std::time::Duration;

/// A larger difference is not explained by the work between the clocks' readings.
const LARGEST_SHARE: f64 = 0.03;
/// The time to hand a copy to the driver, and to notice its end, on any machine.
const HANDING_OVER: Duration = Duration::from_micros(300);

/// The times of the same copies by both clocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct BothClocks {
    /// From the first event to the last.
    pub(super) driver: Duration,
    /// From before the first call to after the last copy's end.
    pub(super) host: Duration,
}

impl BothClocks {
    /// Whether they agree: the host's time is longer by what handing over takes.
    pub(super) fn agree(self) -> bool {
        let tolerance = self.host.mul_f64(LARGEST_SHARE);
        self.driver <= self.host + tolerance
            && self.host <= self.driver + tolerance + HANDING_OVER
    }

    /// Whether the driver's time is possible: it is part of the host's.
    pub(super) fn is_within(self) -> bool {
        self.driver <= self.host + self.host.mul_f64(LARGEST_SHARE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clocks(driver: u64, host: u64) -> BothClocks {
        BothClocks { driver: Duration::from_micros(driver), host: Duration::from_micros(host) }
    }

    #[test]
    fn handing_over_takes_time() {
        for (driver, host) in [(10_000, 10_040), (10_000, 10_290), (50, 300), (1_000, 1_000)] {
            assert!(clocks(driver, host).agree(), "{driver} {host}");
        }
    }

    #[test]
    fn a_lying_clock_is_noticed() {
        // Twice as fast, and twice as slow, as the host's clock.
        assert!(!clocks(10_000, 20_000).agree());
        assert!(!clocks(20_000, 10_000).agree());
        assert!(!clocks(20_000, 10_000).is_within());
        assert!(clocks(10, 20_000).is_within());
    }
}
