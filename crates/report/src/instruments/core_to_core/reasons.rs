//! Why costs of pairs leave groups undetermined.

use nearfar_infer::core_to_core::PairsReason;

/// The reason as a clause.
pub(super) fn reason(reason: &PairsReason) -> String {
    use PairsReason::*;
    let text: &str = match reason {
        TooManyCpus { cpus, most } => {
            &format!("{cpus} CPUs are more than {most}: measure some of them")
        }
        OneCpu => "one CPU has no pairs",
        OnePair => "two CPUs are one pair, so there is no other pair to compare",
        NotMeasured => "no pair of CPUs could be measured",
        NoGroups { pairs } => {
            &format!("undetermined: the costs of {pairs} pairs do not form groups")
        }
        SameInsideAndBeyond { shares, groups } => {
            let shares = shares.name();
            &format!(
                "undetermined: the machine claims {groups} {shares}s, but pairs cost the same \
                 inside and between them"
            )
        }
        TooFewMeasurements { measurements, of_all_pairs } => {
            // All pairs were allowed: too many measurements were disturbed.
            let instead = if *of_all_pairs {
                "measure on an idle machine"
            } else {
                "allow more pairs, or all of them"
            };
            &format!("{measurements} measurements did not suffice: {instead}")
        }
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_pairs_are_advised_only_where_there_are_more() {
        let text = |of_all_pairs| {
            reason(&PairsReason::TooFewMeasurements { measurements: 523, of_all_pairs })
        };
        assert_eq!(
            text(false),
            "523 measurements did not suffice: allow more pairs, or all of them"
        );
        assert_eq!(text(true), "523 measurements did not suffice: measure on an idle machine");
    }
}
