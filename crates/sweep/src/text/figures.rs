//! Figures of a sweep as they are shown.

use crate::ConfigurationResult;

use nearfar_view::text::percent;

/// A figure with four significant digits.
pub fn four_digits(value: f64) -> String {
    let digits = if value > 0.0 { 3 - value.abs().log10().floor() as i32 } else { 0 };
    format!("{value:.*}", usize::try_from(digits).unwrap_or(0).min(9))
}

/// An interval of such figures.
pub(crate) fn interval([low, high]: [f64; 2]) -> String {
    format!("{} to {}", four_digits(low), four_digits(high))
}

/// The interval of a configuration's median; of fewer than six runs only their range.
pub fn interval_or_range(one: &ConfigurationResult) -> Option<String> {
    let range = one.min.zip(one.max).map(|(low, high)| interval([low, high]) + " (range)");
    one.ci95.map(interval).or(range)
}

/// "+12.3 %"; "+12.3 % ?" where that may be chance.
pub fn change(ratio: f64, real: bool) -> String {
    percent::change(ratio) + if real { "" } else { " ?" }
}
