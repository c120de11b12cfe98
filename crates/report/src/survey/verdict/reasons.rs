//! Why a verdict is what it is, and what would settle it. Percentages are of the nearest memory's
//! median.

use nearfar_infer::{ALPHA, MIN_SAMPLES, NumaReason, Remedy};

use crate::instruments::hidden::reasons::{line_reason, page_reason, page_remedy};
use crate::optional::or_empty;
use crate::percent::percent;

/// A reason as a sentence.
pub(crate) fn reason(reason: &NumaReason) -> String {
    use NumaReason::*;
    let said: &str = match reason {
        NotMeasured => "latency was not measured",
        NothingToCompare => "no row has enough samples of two columns to compare",
        OneColumn => "one column only: differences between rows may be memory or clocks",
        Detected { p } => &format!("columns differ within rows (p = {p:.4}, at most {ALPHA})"),
        NotDetected { p } => &format!(
            "no difference between columns within rows was detected (p = {p:.2}, above {ALPHA})"
        ),
        CellsLeftOut { left_out, cells } => &format!(
            "{left_out} of {cells} cells have fewer than {MIN_SAMPLES} samples, or of one round \
             only, and were left out"
        ),
        OneProcess => {
            "one process only: the interval knows how rounds scatter, not how fresh processes do"
        }
        FewRounds { rounds } => &format!("{rounds} rounds only: medians and intervals are rough"),
        Uniform { effect, at_most, threshold } => {
            let [effect, most, threshold] =
                [effect, at_most, threshold].map(|share| percent(*share));
            &format!(
                "uniform within {threshold}: the largest difference is {effect}, and at most \
                 {most}"
            )
        }
        Differs { effect, ci95: [low, high], threshold, is_above } => {
            let [effect, low, high, threshold] =
                [effect, low, high, threshold].map(|share| percent(*share));
            let side = if *is_above { "above" } else { "which holds" };
            &format!(
                "the farthest memory costs a row {effect} more than its nearest (95 % interval \
                 {low} to {high}), {side} the threshold of {threshold}"
            )
        }
        MayDiffer { effect, ci95: [low, high] } => {
            let [effect, low, high] = [effect, low, high].map(|share| percent(*share));
            &format!(
                "the farthest memory seems to cost a row {effect} more than its nearest ({low} to \
                 {high}), but processes scatter so much that chance cannot be ruled out"
            )
        }
        DetectableFrom { effect } => &format!(
            "a difference of {} or more would have been seen; smaller ones not",
            percent(*effect)
        ),
        CpusDiffer { at_least } => {
            let least = percent(*at_least);
            &format!(
                "the same memory costs some CPUs at least {least} more than others: they are \
                 farther from it, or slower"
            )
        }
        MemoryDrifts { by } => &format!(
            "a memory's own cost drifted by about {} during the survey, as where another program \
             loads its node: smaller differences are not told from that",
            percent(*by)
        ),
        HiddenNodes { reason } => &page_reason(reason),
        NotShown => "the system does not show these nodes",
        SeveralNodes { nodes } => &format!("these are pages of nodes {nodes}, taken together"),
        NoHiddenNodes { reason } => &format!("hidden nodes: {}", page_reason(reason)),
        Lines { reason } => &line_reason(reason),
        CpuMoved { cpus, jumps, series, before_ns, after_ns } => &format!(
            "CPU {cpus} was moved while it was looked at, or its speed jumped ({jumps} jumps in \
             {series} series; the first from {before_ns:.0} to {after_ns:.0} ns)"
        ),
        Sentence(sentence) => sentence,
    };
    said.to_owned()
}

/// What would settle a verdict, as a sentence.
pub(crate) fn remedy(remedy: &Remedy) -> String {
    let said: &str = match remedy {
        Remedy::Survey => "nearfar survey",
        Remedy::MoreSamples => &format!(
            "at least {MIN_SAMPLES} undisturbed samples, of two rounds or more, of two columns in \
             one row: see why cells have none"
        ),
        Remedy::SecondMemory => {
            "a second memory: one on which the order of the CPUs turns round tells NUMA from slow \
             cores"
        }
        Remedy::OtherPages => {
            "pages from elsewhere in this memory: if the order of the CPUs turns round on them, \
             NUMA is hidden"
        }
        Remedy::MoreRounds { rounds, so_far, standard_error, if_uniform } => {
            let then = or_empty(
                standard_error.map(|error| format!("; standard error then {}", percent(error))),
            );
            let condition = if *if_uniform { ", if memory is uniform" } else { "" };
            &format!("about {rounds} rounds with samples ({so_far} so far{then}){condition}")
        }
        Remedy::OtherThreshold { threshold } => {
            let threshold = percent(*threshold);
            &format!(
                "another threshold: the effect lies so close to {threshold} that more rounds \
                 would hardly tell"
            )
        }
        Remedy::QuieterMachine => {
            "a quieter machine: costs scatter so much that more rounds would hardly tell"
        }
        Remedy::SearchLonger => "nearfar hidden --thorough",
        Remedy::HiddenNodes { remedy } => &page_remedy(remedy),
        Remedy::Sentence(sentence) => sentence,
    };
    said.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_have_their_figures() {
        let texts = [
            NumaReason::Uniform { effect: 0.012, at_most: 0.047, threshold: 0.05 },
            NumaReason::Differs {
                effect: 0.721,
                ci95: [0.7, 0.74],
                threshold: 0.05,
                is_above: true,
            },
            NumaReason::DetectableFrom { effect: 0.083 },
            NumaReason::CpusDiffer { at_least: 0.45 },
            NumaReason::CellsLeftOut { left_out: 1, cells: 6 },
            NumaReason::Sentence("as it was".to_owned()),
        ]
        .map(|one| reason(&one));
        let expected = [
            "uniform within 5 %: the largest difference is 1.2 %, and at most 4.7 %",
            "the farthest memory costs a row 72.1 % more than its nearest (95 % interval 70 % to \
             74 %), above the threshold of 5 %",
            "a difference of 8.3 % or more would have been seen; smaller ones not",
            "the same memory costs some CPUs at least 45 % more than others: they are farther \
             from it, or slower",
            "1 of 6 cells have fewer than 3 samples, or of one round only, and were left out",
            "as it was",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn more_rounds_are_promised_with_their_standard_error() {
        let rounds = Remedy::MoreRounds {
            rounds: 150,
            so_far: 15,
            standard_error: Some(0.0043),
            if_uniform: true,
        };
        assert_eq!(
            remedy(&rounds),
            "about 150 rounds with samples (15 so far; standard error then 0.43 %), if memory is \
             uniform"
        );
    }
}
