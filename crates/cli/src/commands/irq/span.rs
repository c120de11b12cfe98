//! `--for`: how long interrupts are counted.

use std::str::FromStr;
use std::time::Duration;

/// A time, or none for counts since boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span(Option<Duration>);

/// A day: the longest time, in milliseconds.
const MAX_MS: f64 = 86_400_000.0;
/// The shortest: counters of idle interrupts need longer.
const MIN_MS: f64 = 10.0;

impl Span {
    /// The time; `None` for counts since boot.
    pub(super) fn time(self) -> Option<Duration> {
        self.0
    }
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let units = [("ms", 1.0), ("s", 1_000.0), ("m", 60_000.0), ("h", 3_600_000.0)];
        let in_unit =
            units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)));
        let (number, factor) = in_unit.unwrap_or((text, 1_000.0));
        let is_plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let number: Option<f64> = number.parse().ok().filter(|_| is_plain);
        match number.map(|number| number * factor) {
            Some(0.0) => Ok(Self(None)),
            Some(ms) if (MIN_MS..=MAX_MS).contains(&ms) => {
                Ok(Self(Some(Duration::from_secs_f64(ms / 1_000.0))))
            }
            Some(_) => Err("write a time from 10ms to 24h, or 0 for counts since boot".to_owned()),
            None => Err("write a time such as 500ms, 2s, 1m, or a number of seconds".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit_or_are_seconds() {
        let ms = |text: &str| {
            let span = text.parse::<Span>().map(Span::time);
            span.map(|time| time.map(|time| time.as_millis()))
        };
        for (text, expected) in
            [("2", 2_000), ("2s", 2_000), ("500ms", 500), ("0.5", 500), ("1m", 60_000)]
        {
            assert_eq!(ms(text), Ok(Some(expected)), "{text}");
        }
        assert_eq!((ms("0"), ms("0s")), (Ok(None), Ok(None)));
        for text in ["", "-1", "1e9", "25h", "1ms", "2x", "nan", "s", "..s"] {
            assert!(ms(text).is_err(), "{text}");
        }
    }
}
