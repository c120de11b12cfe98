//! Counts, and counts a second.

/// A rate with three digits or all of its integer part: "0.5", "12.3", "84021".
pub(super) fn per_second(rate: f64) -> String {
    match rate {
        0.0 => "0".to_owned(),
        _ if rate < 100.0 => format!("{rate:.1}"),
        _ => format!("{rate:.0}"),
    }
}

/// A number with two or three digits: "5.2", "890", "1.2k", "12M".
pub fn short(number: f64) -> String {
    let (scaled, unit) = match number {
        _ if number < 999.5 => (number, ""),
        _ if number < 999_500.0 => (number / 1e3, "k"),
        _ if number < 999.5e6 => (number / 1e6, "M"),
        _ => (number / 1e9, "G"),
    };
    if scaled < 9.95 && (scaled.fract() != 0.0 || !unit.is_empty()) {
        format!("{scaled:.1}{unit}")
    } else {
        format!("{scaled:.0}{unit}")
    }
}

/// A rate, else a count since boot, else "?".
pub(super) fn cell(per_second_rate: Option<f64>, count: Option<u64>) -> String {
    match (per_second_rate, count) {
        (Some(rate), _) => per_second(rate),
        (None, Some(count)) => count.to_string(),
        (None, None) => "?".to_owned(),
    }
}

/// "over 2.0 s" or "since boot".
pub(super) fn when(seconds: Option<f64>) -> String {
    seconds.map_or_else(|| "since boot".to_owned(), |seconds| format!("in {seconds:.1} s"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_have_two_or_three_digits() {
        let numbers = [0.0, 4.0, 5.25, 9.96, 999.4, 999.6, 12_345.0, 999_600.0, 2.5e9];
        let texts = numbers.map(short);
        assert_eq!(texts, ["0", "4", "5.2", "10", "999", "1.0k", "12k", "1.0M", "2.5G"]);
    }
}
