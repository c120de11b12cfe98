//! From values to places on the ramp: evenly, or with steps where values are known to differ.

/// The smallest distance of known steps on the ramp, so that each has a colour of its own.
const MIN_STEP: f64 = 0.2;
/// The largest share of the ramp that these distances may take together.
const ALL_STEPS: f64 = 0.5;

/// Which place of the ramp each value has: 0 for the lower end, 1 for the upper one.
#[derive(Clone, Debug, PartialEq)]
pub struct ColourScale {
    /// Values, ascending, with their places, ascending.
    stops: Vec<(f64, f64)>,
}

impl ColourScale {
    /// Places between two ends, in proportion to the values.
    pub fn even(ends: [f64; 2]) -> Self {
        Self::with_steps(ends, &[])
    }

    /// Places between two ends. Values that are known to differ (`steps`, such as the costs of
    /// distance classes) stay far enough apart to be distinguished by eye.
    pub fn with_steps(ends: [f64; 2], steps: &[f64]) -> Self {
        let [low, high] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        // Halves, because the distance of the ends may be more than a float can hold.
        let even = |value: f64| (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
        let mut steps: Vec<f64> =
            steps.iter().copied().filter(|step| (low..=high).contains(step)).collect();
        steps.sort_by(f64::total_cmp);
        steps.dedup();
        // A single step differs from nothing.
        if steps.len() < 2 {
            steps.clear();
        }
        let least = MIN_STEP.min(ALL_STEPS / steps.len().saturating_sub(1).max(1) as f64);
        let mut stops = vec![(low, 0.0)];
        let mut place = 0.0;
        for (at, step) in steps.iter().copied().enumerate() {
            place += match at.checked_sub(1) {
                Some(before) => (even(step) - even(steps[before])).max(least),
                None => even(step),
            };
            stops.push((step, place));
        }
        place += 1.0 - steps.last().map_or(0.0, |last| even(*last));
        stops.push((high, place));
        stops.dedup_by(|next, kept| next.0 <= kept.0);
        // What the steps take is taken from all alike.
        let whole = stops.last().map_or(1.0, |last| last.1).max(f64::MIN_POSITIVE);
        stops.iter_mut().for_each(|stop| stop.1 /= whole);
        Self { stops }
    }

    /// Both ends.
    pub fn ends(&self) -> [f64; 2] {
        let end = |stop: Option<&(f64, f64)>| stop.map_or(0.0, |stop| stop.0);
        [end(self.stops.first()), end(self.stops.last())]
    }

    /// The steps between the ends, with their places.
    pub(crate) fn steps(&self) -> &[(f64, f64)] {
        self.stops.get(1..self.stops.len().saturating_sub(1)).unwrap_or_default()
    }

    /// A value's place; the middle where all values are equal.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let after = self.stops.partition_point(|stop| stop.0 < value);
        let (Some(to), Some(last)) = (self.stops.get(after.max(1)), self.stops.last()) else {
            return if self.stops.len() > 1 && value.is_finite() { 1.0 } else { 0.5 };
        };
        let from = self.stops[after.max(1) - 1];
        let share = (value / 2.0 - from.0 / 2.0) / (to.0 / 2.0 - from.0 / 2.0);
        let place = from.1 + share.clamp(0.0, 1.0) * (to.1 - from.1);
        if place.is_finite() && last.0.is_finite() { place.clamp(0.0, 1.0) } else { 0.5 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_in_proportion_without_steps() {
        let scale = ColourScale::even([100.0, 300.0]);
        assert_eq!(
            [50.0, 100.0, 200.0, 300.0, 400.0].map(|v| scale.place(v)),
            [0.0, 0.0, 0.5, 1.0, 1.0]
        );
        assert_eq!(ColourScale::even([5.0, 5.0]).place(5.0), 0.5);
    }

    #[test]
    fn steps_keep_their_distance_and_their_order() {
        let scale = ColourScale::with_steps([89.8, 310.0], &[90.0, 153.0, 287.0, 306.0]);
        let places = [89.8, 90.0, 153.0, 287.0, 306.0, 310.0].map(|value| scale.place(value));
        assert!(places.windows(2).all(|two| two[0] < two[1]), "{places:?}");
        assert!(places[4] - places[3] > 0.12, "{places:?}");
        assert!(places[1] < 0.01 && places[0] == 0.0 && places[5] == 1.0, "{places:?}");
    }

    #[test]
    fn many_steps_leave_half_of_the_ramp_to_proportion() {
        let steps: Vec<f64> = (0..50).map(|k| 100.0 + f64::from(k) / 10.0).collect();
        let scale = ColourScale::with_steps([100.0, 300.0], &steps);
        assert!((0.3..0.4).contains(&scale.place(105.0)), "{}", scale.place(105.0));
    }

    #[test]
    fn extreme_ends_have_places() {
        for ends in [[f64::MIN, f64::MAX], [0.0, f64::MIN_POSITIVE], [-1.0, 1.0]] {
            let scale = ColourScale::with_steps(ends, &[0.0, f64::NAN]);
            assert!((0.0..=1.0).contains(&scale.place(0.0)), "{ends:?}");
        }
    }
}
