//! What a condition found.

use crate::compare::{CheckedChange, CheckedConfiguration};

use nearfar_view::text::percent::{change, changes};

/// "local:0 (+3.2 %)"
pub fn phrase(CheckedConfiguration { id, reach }: &CheckedConfiguration) -> String {
    match reach {
        CheckedChange::Ratio(ratio) => format!("{id} ({})", change(*ratio)),
        CheckedChange::Interval(interval) => format!("{id} ({})", changes(*interval)),
        CheckedChange::TooFewRuns => format!("{id} (too few runs)"),
        CheckedChange::SecondFails => format!("{id} (every run of the second failed)"),
        CheckedChange::BothFail => format!("{id} (no run succeeded in either)"),
        CheckedChange::OnlyInFirst => format!("{id}: only the first has it"),
        CheckedChange::SecondNeverRan => format!("{id}: the second has no run of it"),
        CheckedChange::FirstFails => format!("{id}: the first has no run that succeeded"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judgements_name_configuration_and_change() {
        for (reach, expected) in [
            (CheckedChange::Ratio(0.032), "local:0 (+3.2 %)"),
            (CheckedChange::Interval([-0.01, 0.02]), "local:0 (-1.0 % to +2.0 %)"),
            (CheckedChange::TooFewRuns, "local:0 (too few runs)"),
            (CheckedChange::SecondFails, "local:0 (every run of the second failed)"),
            (CheckedChange::BothFail, "local:0 (no run succeeded in either)"),
            (CheckedChange::OnlyInFirst, "local:0: only the first has it"),
            (CheckedChange::SecondNeverRan, "local:0: the second has no run of it"),
            (CheckedChange::FirstFails, "local:0: the first has no run that succeeded"),
        ] {
            assert_eq!(phrase(&CheckedConfiguration { id: "local:0".to_owned(), reach }), expected);
        }
    }
}
