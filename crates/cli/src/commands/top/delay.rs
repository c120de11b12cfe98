//! `--delay`: the length of an interval.

use std::str::FromStr;

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
