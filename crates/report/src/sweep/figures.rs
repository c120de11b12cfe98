//! Figures of a sweep as they are shown.

use crate::percent;

/// A figure with four significant digits.
pub(crate) fn four_digits(value: f64) -> String {
    let digits = if value > 0.0 { 3 - value.abs().log10().floor() as i32 } else { 0 };
    format!("{value:.*}", usize::try_from(digits).unwrap_or(0).min(9))
}

/// An interval of such figures.
pub(crate) fn interval([low, high]: [f64; 2]) -> String {
    format!("{} to {}", four_digits(low), four_digits(high))
}

/// "+12.3 %"; "+12.3 % ?" where that may be chance.
pub(crate) fn change(ratio: f64, real: bool) -> String {
    percent::change(ratio) + if real { "" } else { " ?" }
}
