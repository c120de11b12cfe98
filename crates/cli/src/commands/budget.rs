//! `--budget`: the time limit of measuring commands.

use std::str::FromStr;
use std::time::Duration;

use clap::Args;

/// A limit of time.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct BudgetOption {
    /// Time limit (5m, 90s, 1h30m), spent on the least certain results first [default: none]
    #[arg(long, value_name = "TIME")]
    budget: Option<Budget>,
}

impl BudgetOption {
    /// The time, where it is limited.
    pub(super) fn time(self) -> Option<Duration> {
        self.budget.map(|budget| budget.0)
    }
}

/// A time from the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Budget(Duration);

/// A week: the largest accepted time.
const MAX_S: u64 = 7 * 24 * 3600;

impl From<Budget> for Duration {
    fn from(budget: Budget) -> Self {
        budget.0
    }
}

impl FromStr for Budget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "write a time such as 5m, 90s, 1h30m, or a number of seconds".to_owned();
        let text = text.trim();
        let seconds = match text.parse::<u64>() {
            Ok(seconds) => Some(seconds),
            Err(_) => in_units(text),
        };
        match seconds.ok_or_else(wrong)? {
            0 => Err("write a time above 0, such as 5m".to_owned()),
            seconds if seconds > MAX_S => Err("write a time of at most a week".to_owned()),
            seconds => Ok(Self(Duration::from_secs(seconds))),
        }
    }
}

/// "1h30m" in seconds: each unit once, the largest first.
fn in_units(text: &str) -> Option<u64> {
    let (mut rest, mut seconds) = (text, 0u64);
    for (unit, length) in [('h', 3600), ('m', 60), ('s', 1)] {
        if let Some((number, after)) = rest.split_once(unit) {
            let number =
                Some(number).filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()))?;
            seconds = seconds.checked_add(number.parse::<u64>().ok()?.checked_mul(length)?)?;
            rest = after;
        }
    }
    (rest.is_empty() && !text.is_empty()).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_units_and_plain_seconds() {
        let seconds = |text: &str| text.parse::<Budget>().map(|budget| budget.0.as_secs());
        for (text, expected) in [
            ("90", 90),
            ("90s", 90),
            ("5m", 300),
            ("1h30m", 5400),
            ("1h", 3600),
            ("1h0m5s", 3605),
            (" 2m30s ", 150),
        ] {
            assert_eq!(seconds(text), Ok(expected), "{text}");
        }
        for nonsense in [
            "",
            "m",
            "5",
            "5x",
            "-5s",
            "+5m",
            "1.5m",
            "30m1h",
            "5m5m",
            "5m5",
            "s",
            "0",
            "0m",
            "8d",
            "1000h",
            "99999999999999999999h",
        ] {
            assert_eq!(seconds(nonsense).is_ok(), nonsense == "5", "{nonsense}");
        }
    }
}
