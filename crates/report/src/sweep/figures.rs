//! Figures of a sweep as they are shown.

/// A figure with the four digits that tell something.
pub(crate) fn four_digits(value: f64) -> String {
    let digits = if value > 0.0 { 3 - value.abs().log10().floor() as i32 } else { 0 };
    format!("{value:.*}", usize::try_from(digits).unwrap_or(0).min(9))
}

/// "12.3 %"
pub(crate) fn percent(fraction: f64) -> String {
    format!("{:.1} %", 100.0 * fraction)
}

/// "+12.3 %"
pub(crate) fn change(ratio: f64) -> String {
    format!("{:+.1} %", 100.0 * ratio)
}
