//! From values to places: linear and logarithmic axes with round ticks.

use crate::draw::figure::scientific;
use crate::draw::{AxisScale, Numbers, Quantity};

/// An axis: what it shows and how values become places.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    spacing: AxisScale,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis over these values, from one place to another (user units). Values that it cannot
    /// hold are left out; nothing at all gives 0 to 1. Linear axes that start `from_zero` do so;
    /// others leave a twentieth free on both sides.
    pub(crate) fn over(
        values: impl IntoIterator<Item = f64>,
        quantity: &Quantity,
        (from, to): (f64, f64),
    ) -> Self {
        let Quantity { spacing, from_zero, .. } = *quantity;
        let values = values.into_iter().chain(quantity.reach.into_iter().flatten());
        let nothing = if spacing == AxisScale::Logarithmic { [1.0, 10.0] } else { [0.0, 1.0] };
        let [mut low, mut high] =
            extremes(values.filter(|v| quantity.can_hold(*v))).unwrap_or(nothing);
        match spacing {
            AxisScale::Linear => {
                if from_zero {
                    low = low.min(0.0);
                    high = high.max(0.0);
                }
                if high - low <= high.abs().max(low.abs()) * 1e-9 {
                    let room = if high == 0.0 { 1.0 } else { high.abs() * 0.05 };
                    high += room;
                    low -= if from_zero && low == 0.0 { 0.0 } else { room };
                }
                let free = (high - low) / 20.0;
                high += free;
                low -= if from_zero && low == 0.0 { 0.0 } else { free };
            }
            AxisScale::Logarithmic => {
                let free = ((high.ln() - low.ln()) * 0.04).exp().max(1.05);
                // Neither end leaves the floats.
                (low, high) = ((low / free).max(f64::from_bits(1)), (high * free).min(f64::MAX));
            }
        }
        Self { spacing, low, high, from, to }
    }

    /// Where a value stands, kept on the axis.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let share = match self.spacing {
            AxisScale::Linear => (value - self.low) / (self.high - self.low),
            // Logarithms are subtracted, because the ratio of the ends may be more than a float can
            // hold.
            AxisScale::Logarithmic => {
                (value.max(self.low).ln() - self.low.ln()) / (self.high.ln() - self.low.ln())
            }
        };
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        self.from + share * (self.to - self.from)
    }

    /// Whether a value is on the axis.
    pub(crate) fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Round values on the axis, about `wanted` of them and never more than thrice that. Sizes
    /// stand at powers of two, or at equal steps of a power of two where the axis is linear or
    /// narrow.
    pub(crate) fn ticks(&self, numbers: Numbers, wanted: usize) -> Vec<f64> {
        let (wanted, in_bytes) = (wanted.max(2), numbers == Numbers::Bytes);
        let decades = self.high.log10() - self.low.log10();
        if self.spacing == AxisScale::Logarithmic && decades > 0.9 {
            return self.powers(wanted, if in_bytes || decades < 4.0 { 2.0 } else { 10.0 });
        }
        let rough = (self.high - self.low) / wanted as f64;
        if in_bytes {
            return self.multiples(wanted, 2f64.powf(rough.log2().ceil()));
        }
        let magnitude = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0]
            .into_iter()
            .map(|m| m * magnitude)
            .find(|s| *s >= rough)
            .unwrap_or(rough);
        self.multiples(wanted, step)
    }

    fn multiples(&self, wanted: usize, step: f64) -> Vec<f64> {
        if !step.is_normal() {
            return Vec::new();
        }
        let first = (self.low / step).ceil();
        (0..wanted * 3).map(|k| (first + k as f64) * step).take_while(|v| *v <= self.high).collect()
    }

    /// Powers of a base, or every second, third and so on, such that they are not many more than
    /// wanted.
    fn powers(&self, wanted: usize, base: f64) -> Vec<f64> {
        let thinned = |every: i32| -> Vec<f64> {
            let first = (self.low.log10() / base.log10()).ceil().clamp(-2000.0, 2000.0) as i32;
            (0..4000)
                .map(|k| base.powi(first + k * every))
                .take_while(|v| *v <= self.high)
                .collect()
        };
        [1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128]
            .into_iter()
            .map(thinned)
            .find(|ticks| ticks.len() <= wanted + wanted / 2)
            .unwrap_or_default()
    }
}

/// The least and the greatest finite value.
pub(crate) fn extremes(values: impl IntoIterator<Item = f64>) -> Option<[f64; 2]> {
    let finite = values.into_iter().filter(|value| value.is_finite()).map(|value| [value; 2]);
    finite.reduce(|[low, high], [value, _]| [low.min(value), high.max(value)])
}

/// A tick's value in as few digits as its neighbours need.
pub(crate) fn tick_label(value: f64, step: f64) -> String {
    let magnitude = value.abs().max(step.abs());
    if magnitude != 0.0 && !(1e-4..1e7).contains(&magnitude) {
        return scientific(&format!("{value:.1e}"));
    }
    let exact = |digits: &usize| {
        let shifted = step.abs() * [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6][*digits];
        step != 0.0 && shifted >= 0.5 && (shifted - shifted.round()).abs() < 1e-6
    };
    let digits = (0..=6).find(exact).unwrap_or(if step == 0.0 { 2 } else { 6 });
    let text = format!("{value:.digits$}");
    if text.trim_matches(['-', '0', '.']).is_empty() { "0".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logarithmic(values: &[f64], to: f64) -> Axis {
        let quantity = Quantity { spacing: AxisScale::Logarithmic, ..Quantity::default() };
        Axis::over(values.iter().copied(), &quantity, (0.0, to))
    }

    #[test]
    fn a_tick_keeps_the_digits_of_its_step() {
        assert_eq!(
            [tick_label(0.25, 0.25), tick_label(7.5, 2.5), tick_label(-0.0, 0.1)],
            ["0.25", "7.5", "0"]
        );
    }

    #[test]
    fn sizes_stand_at_powers_of_two() {
        let axis = logarithmic(&[4096.0, 1e9], 1.0);
        let ticks = axis.ticks(Numbers::Bytes, 8);
        assert!(ticks.len() > 4 && ticks.iter().all(|v| v.log2().fract() == 0.0), "{ticks:?}");
    }

    #[test]
    fn all_positive_floats_have_their_own_places() {
        let values = [5e-324, 1e-100, 1.0, 1e100, 1e299];
        let axis = logarithmic(&values, 100.0);
        let places = values.map(|v| axis.place(v));
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] > 10.0), "{places:?}");
        assert!(places[0] >= 0.0 && values.iter().all(|v| axis.holds(*v)), "{places:?}");
        assert!(axis.ticks(Numbers::Plain, 8).len() > 3);
    }
}
