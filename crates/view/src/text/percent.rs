//! Fractions as people read them.

/// A fraction in per cent, with as many decimals as matter: "0.43 %", "5 %", "72.1 %". All but a
/// little is not all: ">99.9 %".
pub fn percent(fraction: f64) -> String {
    let percent = 100.0 * fraction;
    if (99.95..100.0).contains(&percent) {
        return ">99.9 %".to_owned();
    }
    let decimals = if percent < 1.0 { 2 } else { 1 };
    let digits = format!("{percent:.decimals$}");
    let short = digits.trim_end_matches('0').trim_end_matches('.');
    format!("{} %", if short.is_empty() { "0" } else { short })
}

/// A fraction with one decimal: "12.3 %".
pub fn share(fraction: f64) -> String {
    format!("{:.1} %", 100.0 * fraction)
}

/// By how much something changed: "+12.3 %".
pub fn change(ratio: f64) -> String {
    format!("{:+.1} %", 100.0 * ratio)
}

/// From where to where that may be: "-1.0 % to +2.0 %".
pub fn changes([low, high]: [f64; 2]) -> String {
    format!("{} to {}", change(low), change(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_have_the_decimals_that_matter() {
        let texts: Vec<String> =
            [0.0, 0.0043, 0.05, 0.721, 1.6, 0.1, 0.9999, 1.0].into_iter().map(percent).collect();
        let expected = ["0 %", "0.43 %", "5 %", "72.1 %", "160 %", "10 %", ">99.9 %", "100 %"];
        assert_eq!(texts, expected);
    }
}
