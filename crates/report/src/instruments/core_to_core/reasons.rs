//! What costs of pairs do not tell, and why.

use nearfar_infer::core_to_core::PairsReason;

/// A sentence.
pub(super) fn reason(reason: &PairsReason) -> String {
    use PairsReason::*;
    let said: &str = match reason {
        TooManyCpus { cpus, most } => {
            &format!("{cpus} CPUs are more than {most}: measure some of them")
        }
        OneCpu => "one CPU has no pairs: nothing to tell apart",
        OnePair => "two CPUs are one pair: nothing to compare it with",
        NotMeasured => "no pair of CPUs could be measured",
        NoGroups { pairs } => {
            &format!("cannot tell: the costs of {pairs} pairs do not separate into groups")
        }
        SameInsideAndBeyond { shares, groups } => {
            let shares = shares.name();
            &format!(
                "cannot tell: {groups} claimed {shares}s, but pairs inside them cost as much as \
                 pairs beyond"
            )
        }
        TooFewMeasurements { measurements, of_all_pairs } => {
            // Of all pairs no more can be allowed: then too many were disturbed, or scattered.
            let instead = if *of_all_pairs {
                "a quieter machine needs fewer"
            } else {
                "allow more pairs, or all of them"
            };
            &format!("{measurements} measurements did not suffice: {instead}")
        }
        Sentence(sentence) => sentence,
    };
    said.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_all_pairs_nobody_is_told_to_allow_more() {
        let text = |of_all_pairs| {
            reason(&PairsReason::TooFewMeasurements { measurements: 523, of_all_pairs })
        };
        assert_eq!(
            text(false),
            "523 measurements did not suffice: allow more pairs, or all of them"
        );
        assert_eq!(text(true), "523 measurements did not suffice: a quieter machine needs fewer");
    }
}
