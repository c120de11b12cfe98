//! Is a change beyond what is accepted?

use super::RatioChange;

/// What is not accepted any more: ratios above a figure, or below it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangeLimit {
    /// Whether what is above is not accepted, rather than what is below.
    pub above: bool,
    /// The ratio minus 1: 0.05 for a twentieth more.
    pub ratio: f64,
}

/// Whether a change is beyond a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitExceeded {
    /// The change is real, and its ratio is beyond.
    Yes,
    /// The whole interval is on the accepted side.
    No,
    /// The interval reaches beyond.
    Undetermined,
}

impl ChangeLimit {
    /// Of a change that is real or not.
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
