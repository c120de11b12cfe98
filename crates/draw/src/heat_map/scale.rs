//! From a cell's value to its colour.

use colorous::Color;

use super::HeatMap;
use crate::axis::extremes;
use crate::ramp::ramp;

/// The values of the two ends of the ramp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    pub(super) low: f64,
    pub(super) high: f64,
    more_is_better: bool,
}

impl Scale {
    /// The map's own, or the one it is told; none where it holds no number.
    pub(super) fn of(map: &HeatMap) -> Option<Self> {
        let told = map.scale.filter(|ends| ends.iter().all(|end| end.is_finite()));
        let values = map.cells.iter().flatten().flatten().map(|cell| cell.value);
        let [low, high] = told.or_else(|| extremes(values))?;
        Some(Self { low: low.min(high), high: low.max(high), more_is_better: map.more_is_better })
    }

    /// How far a value is from good (0) to bad (1). The middle where all values are equal.
    pub(super) fn badness(&self, value: f64) -> f64 {
        // Halves, because the distance of the ends may be more than a float can hold.
        let share = (value / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0);
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.5 };
        if self.more_is_better { 1.0 - share } else { share }
    }

    /// Its colour.
    pub(super) fn colour(&self, value: f64) -> Color {
        ramp(self.badness(value))
    }

    /// A value some share of the way from the low end to the high one.
    pub(super) fn at(&self, share: f64) -> f64 {
        self.low * (1.0 - share) + self.high * share
    }

    /// Which values are good.
    pub(super) fn words(&self) -> &'static str {
        if self.more_is_better { "more is better" } else { "less is better" }
    }
}
