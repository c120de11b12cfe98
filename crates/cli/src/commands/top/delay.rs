//! `--delay`: the length of an interval.

use std::str::FromStr;
use std::time::{Duration, Instant};

/// Seconds between two readings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delay(f64);

impl Delay {
    pub(super) const fn seconds(self) -> f64 {
        self.0
    }
}

impl FromStr for Delay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let seconds = text.parse().ok().filter(|seconds| (0.1..=3600.0).contains(seconds));
        seconds
            .map(Self)
            .ok_or_else(|| "give seconds from 0.1 to 3600, such as 1 or 0.5".to_owned())
    }
}

/// The next time, a delay after this one. What was missed on a busy machine is not made up: a short
/// interval has no rates.
pub(super) fn after(time: Instant, delay_s: f64) -> Instant {
    let delay = Duration::from_secs_f64(delay_s);
    let (next, now) = (time + delay, Instant::now());
    if next > now { next } else { now + delay }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missed_intervals_are_not_made_up() {
        let now = Instant::now();
        assert_eq!(after(now, 3600.0), now + Duration::from_secs(3600));
        let Some(long_ago) = now.checked_sub(Duration::from_secs(5)) else { return };
        assert!(after(long_ago, 1.0) >= now + Duration::from_secs(1));
    }
}
