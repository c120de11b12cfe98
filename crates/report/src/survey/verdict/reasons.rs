//! The reasons of a verdict, and what would settle it. Percentages are of the median of the fastest
//! memory.

use nearfar_infer::{ALPHA, MIN_SAMPLES, NumaReason, Remedy};
use nearfar_survey::measure::HIDDEN_SEARCH;
use nearfar_view::text::percent::percent;
use nearfar_view::text::{count_of, or_empty};

use crate::instruments::hidden::reasons::{line_reason, page_reason, page_remedy};
use crate::survey::Verbosity;

/// A reason as a clause.
pub(crate) fn reason(reason: &NumaReason, verbosity: Verbosity) -> String {
    use NumaReason::*;
    match reason {
        HiddenNodes { reason } => page_reason(reason),
        NoHiddenNodes { reason } => format!("hidden nodes: {}", page_reason(reason)),
        Lines { reason } => line_reason(reason, verbosity),
        &Uniform { effect, at_most, threshold } => uniform(effect, at_most, threshold),
        &Differs { effect, ci95, threshold, is_above } => {
            differs(effect, ci95, threshold, is_above)
        }
        &MayDiffer { effect, ci95 } => may_differ(effect, ci95),
        Detected { .. } if verbosity == Verbosity::Brief => "columns differ within rows".to_owned(),
        NotDetected { .. } if verbosity == Verbosity::Brief => {
            "no significant difference between columns within rows".to_owned()
        }
        Detected { p } => {
            format!("columns differ within rows (p = {p:.4}, significant up to {ALPHA})")
        }
        NotDetected { p } => format!(
            "no significant difference between columns within rows (p = {p:.2}, above {ALPHA})"
        ),
        DetectableFrom { effect } => format!(
            "a difference of {} or more would have been detected, a smaller one not",
            percent(*effect)
        ),
        NotMeasured => "latency was not measured".to_owned(),
        NothingToCompare => "no row has enough samples of two columns to compare".to_owned(),
        OneColumn => "one column only: rows may differ in memory or in clock frequency".to_owned(),
        &CellsLeftOut { left_out, cells } => format!(
            "{} excluded: fewer than {MIN_SAMPLES} samples, or one round only",
            count_of(left_out, cells, "cell", "were")
        ),
        OneProcess => {
            "one process only: the interval does not contain the variance between processes"
                .to_owned()
        }
        FewRounds { .. } if verbosity == Verbosity::Brief => {
            "few samples: medians and intervals are rough".to_owned()
        }
        FewRounds { rounds } => format!("{rounds} rounds only: medians and intervals are rough"),
        CpusDiffer { at_least } => format!(
            "the same memory is at least {} slower from some CPUs: they are farther from it, or \
             slower",
            percent(*at_least)
        ),
        &MemoryDrifts { by } => drifts(by),
        NotShown => "the system does not show these nodes".to_owned(),
        HiddenNotSearched => not_searched(),
        MemoryNotSeen => {
            "memory of some nodes may not have been seen: the difference may be larger".to_owned()
        }
        SeveralNodes { nodes } => format!("these are pages of nodes {nodes} together"),
        CpuMoved { cpus, jumps, series, before_ns, after_ns } => format!(
            "CPU {cpus} was moved during the search, or its clock changed ({jumps} jumps in \
             {series} series; the first from {before_ns:.0} to {after_ns:.0} ns)"
        ),
    }
}

/// What a quick survey leaves out, and the command that does it.
pub(crate) fn not_searched() -> String {
    format!("hidden nodes not searched {}", search())
}

/// The same as a sentence.
pub(crate) fn not_searched_sentence() -> String {
    format!("Hidden nodes were not searched {}.", search())
}

fn search() -> String {
    format!("(nearfar hidden, {} s)", HIDDEN_SEARCH.as_secs())
}

/// The latency of one memory changed during the survey.
fn drifts(by: f64) -> String {
    format!(
        "the latency of one memory drifted by about {} during the survey, as under load of another \
         program: smaller differences are undetermined",
        percent(by)
    )
}

/// An effect within the threshold.
fn uniform(effect: f64, at_most: f64, threshold: f64) -> String {
    format!(
        "uniform within {}: the largest difference is {}, at most {}",
        percent(threshold),
        percent(effect),
        percent(at_most)
    )
}

/// An effect above the threshold, or around it.
fn differs(effect: f64, [low, high]: [f64; 2], threshold: f64, is_above: bool) -> String {
    format!(
        "the slowest memory of a row is {} slower than its fastest (95 % interval {} to {}), \
             {} the threshold of {}",
        percent(effect),
        percent(low),
        percent(high),
        if is_above { "above" } else { "around" },
        percent(threshold)
    )
}

/// An effect that chance can explain.
fn may_differ(effect: f64, [low, high]: [f64; 2]) -> String {
    format!(
        "the slowest memory of a row seems {} slower than its fastest ({} to {}), but \
             processes vary too much to exclude chance",
        percent(effect),
        percent(low),
        percent(high)
    )
}

/// What would settle a verdict, as a clause.
pub(crate) fn remedy(remedy: &Remedy, verbosity: Verbosity) -> String {
    let text: &str = match remedy {
        Remedy::MoreRounds { .. } if verbosity == Verbosity::Brief => "more samples",
        Remedy::OtherThreshold { threshold } if verbosity == Verbosity::Brief => &format!(
            "another threshold: the effect is so close to {} that more samples would hardly help",
            percent(*threshold)
        ),
        Remedy::QuieterMachine if verbosity == Verbosity::Brief => {
            "an idle machine: latency varies so much that more samples would hardly help"
        }
        Remedy::MoreSamples if verbosity == Verbosity::Brief => &format!(
            "at least {MIN_SAMPLES} undisturbed samples of two columns in one row; see why cells \
             have none"
        ),
        Remedy::Survey => "'nearfar survey'",
        Remedy::MoreSamples => &format!(
            "at least {MIN_SAMPLES} undisturbed samples of two columns in one row, from two rounds \
             or more; see why cells have none"
        ),
        Remedy::SecondMemory => {
            "a second memory: if the order of the CPUs is reversed on it, it is NUMA and not slow \
             cores"
        }
        Remedy::OtherPages => {
            "pages from elsewhere in this memory: if the order of the CPUs is reversed on them, \
             nodes are hidden"
        }
        Remedy::MoreRounds { rounds, so_far, standard_error, if_uniform } => {
            let error = or_empty(
                standard_error.map(|error| format!("; standard error then {}", percent(error))),
            );
            let condition = if *if_uniform { ", if memory is uniform" } else { "" };
            &format!("about {rounds} rounds with samples ({so_far} so far{error}){condition}")
        }
        Remedy::OtherThreshold { threshold } => &format!(
            "another threshold: the effect is so close to {} that more rounds would hardly help",
            percent(*threshold)
        ),
        Remedy::QuieterMachine => {
            "an idle machine: latency varies so much that more rounds would hardly help"
        }
        Remedy::SearchLonger => "'nearfar hidden --thorough'",
        Remedy::HiddenNodes { remedy } => &page_remedy(remedy),
    };
    text.to_owned()
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
        ]
        .map(|one| reason(&one, Verbosity::Brief));
        let expected = [
            "uniform within 5 %: the largest difference is 1.2 %, at most 4.7 %",
            "the slowest memory of a row is 72.1 % slower than its fastest (95 % interval 70 % to \
             74 %), above the threshold of 5 %",
            "a difference of 8.3 % or more would have been detected, a smaller one not",
            "the same memory is at least 45 % slower from some CPUs: they are farther from it, or \
             slower",
            "1 of 6 cells was excluded: fewer than 3 samples, or one round only",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn more_rounds_have_an_expected_standard_error() {
        let rounds = Remedy::MoreRounds {
            rounds: 150,
            so_far: 15,
            standard_error: Some(0.0043),
            if_uniform: true,
        };
        assert_eq!(
            remedy(&rounds, Verbosity::Verbose),
            "about 150 rounds with samples (15 so far; standard error then 0.43 %), if memory is \
             uniform"
        );
    }
}
