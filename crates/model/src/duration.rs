//! Text form of durations.

use std::time::Duration;

/// "45s", "1m40s", "1h30m": rounded up to whole seconds, in at most two units.
pub fn format_duration(time: Duration) -> String {
    let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes, rest) {
        (0, 0, _) => format!("{rest}s"),
        (0, _, 0) => format!("{minutes}m"),
        (0, ..) => format!("{minutes}m{rest:02}s"),
        (_, 0, _) => format!("{hours}h"),
        _ => format!("{hours}h{minutes:02}m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_two_units_at_most() {
        assert_eq!(
            [0.2, 45.0, 60.0, 61.5, 100.0, 3600.0, 5400.0]
                .map(|seconds| format_duration(Duration::from_secs_f64(seconds))),
            ["1s", "45s", "1m", "1m02s", "1m40s", "1h", "1h30m"]
        );
    }
}
