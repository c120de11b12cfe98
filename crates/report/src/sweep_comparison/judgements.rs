//! What a condition found.

use nearfar_sweep::compare::{Judgement, Reach};

use crate::percent::{change, changes};

/// "local:0 (+3.2 %)"
pub fn phrase(Judgement { id, reach }: &Judgement) -> String {
    match reach {
        Reach::Ratio(ratio) => format!("{id} ({})", change(*ratio)),
        Reach::Interval(interval) => format!("{id} ({})", changes(*interval)),
        Reach::TooFewRuns => format!("{id} (too few runs)"),
        Reach::SecondFails => format!("{id} (every run of the second failed)"),
        Reach::BothFail => format!("{id} (no run succeeded in either)"),
        Reach::OnlyInFirst => format!("{id}: only the first has it"),
        Reach::SecondNeverRan => format!("{id}: the second has no run of it"),
        Reach::FirstFails => format!("{id}: the first has no run that succeeded"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judgement_says_which_and_how_far() {
        for (reach, expected) in [
            (Reach::Ratio(0.032), "local:0 (+3.2 %)"),
            (Reach::Interval([-0.01, 0.02]), "local:0 (-1.0 % to +2.0 %)"),
            (Reach::TooFewRuns, "local:0 (too few runs)"),
            (Reach::SecondFails, "local:0 (every run of the second failed)"),
            (Reach::BothFail, "local:0 (no run succeeded in either)"),
            (Reach::OnlyInFirst, "local:0: only the first has it"),
            (Reach::SecondNeverRan, "local:0: the second has no run of it"),
            (Reach::FirstFails, "local:0: the first has no run that succeeded"),
        ] {
            assert_eq!(phrase(&Judgement { id: "local:0".to_owned(), reach }), expected);
        }
    }
}
