//! Counts, and counts a second.

/// A rate with three digits or all of its integer part: "0.5", "12.3", "84021".
pub(super) fn per_second(rate: f64) -> String {
    match rate {
        0.0 => "0".to_owned(),
        _ if rate < 100.0 => format!("{rate:.1}"),
        _ => format!("{rate:.0}"),
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
