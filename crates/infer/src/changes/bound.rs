//! Limits of accepted changes.

use super::RatioChange;

/// A limit: ratios above it, or below it, are not accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangeLimit {
    /// Whether ratios above the limit are rejected, rather than those below.
    pub above: bool,
    /// The ratio minus 1: 0.05 for 5 % more.
    pub ratio: f64,
}

/// Whether a change exceeds a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitExceeded {
    /// The change is real, and its ratio exceeds the limit.
    Yes,
    /// The whole interval is within the limit.
    No,
    /// The interval includes the limit.
    Undetermined,
}

impl ChangeLimit {
    /// Compares a change, real or not, with the limit.
    pub fn judge(&self, moved: &RatioChange) -> LimitExceeded {
        let is_beyond =
            |ratio: f64| if self.above { ratio > self.ratio } else { ratio < self.ratio };
        if moved.real && is_beyond(moved.ratio) {
            LimitExceeded::Yes
        } else if is_beyond(moved.ci95[usize::from(self.above)]) {
            LimitExceeded::Undetermined
        } else {
            LimitExceeded::No
        }
    }
}
