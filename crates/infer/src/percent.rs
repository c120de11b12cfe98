//! How fractions are written in sentences.

/// A fraction in per cent, with as many decimals as matter: "0.43 %", "5 %", "72.1 %".
pub(crate) fn percent(fraction: f64) -> String {
    let percent = 100.0 * fraction;
    let decimals = if percent < 1.0 { 2 } else { 1 };
    let digits = format!("{percent:.decimals$}");
    let short = digits.trim_end_matches('0').trim_end_matches('.');
    format!("{} %", if short.is_empty() { "0" } else { short })
}
