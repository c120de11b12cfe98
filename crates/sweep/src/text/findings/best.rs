//! Who is the best, and of whom.

use crate::Objective;
use crate::answers::{BestConfiguration, FailureCount, Lead};

use nearfar_view::text::percent::share;

pub(super) fn too_few_runs(best: &BestConfiguration) -> String {
    let (who, among) = (who(best), among(best));
    format!(
        "{who} has the best median{among}, but differences need six runs of each configuration \
         (--runs)."
    )
}

pub(super) fn alone(best: &BestConfiguration) -> String {
    format!("Only {} ran: there is nothing to compare it with.", who(best))
}

/// No other is distinguishable from the best; others still may differ from each other.
pub(super) fn all_alike(best: &BestConfiguration, others_differ: bool) -> String {
    let (who, among) = (who(best), among(best));
    match others_differ {
        true => format!("None of the others can be distinguished from the best{among}, {who}."),
        false => format!(
            "No difference is beyond chance: {who} has the best median{among}, and none of the \
             others can be distinguished from it."
        ),
    }
}

pub(super) fn fastest(
    best: &BestConfiguration,
    ahead: Option<&Lead>,
    ties: &[String],
    objective: &Objective,
) -> String {
    let is_time = objective.metric.is_none();
    let ahead = ahead.map_or_else(String::new, |ahead| than(ahead, is_time));
    let (who, among) = (who(best), among(best));
    match ties {
        [] => {
            let superlative = if is_time { "fastest" } else { "best" };
            format!("{who} is {superlative}{among}{ahead}.")
        }
        // Which of them is the fastest is unknown.
        ties => format!(
            "{who} has the best median{among}{ahead}; {} cannot be distinguished from it.",
            list(ties)
        ),
    }
}

fn who(best: &BestConfiguration) -> String {
    let FailureCount { id, failed, runs } = &best.failures;
    if *failed == 0 { id.clone() } else { format!("{id} ({failed} of {runs} runs failed)") }
}

fn among(best: &BestConfiguration) -> &'static str {
    match (best.others_failed_more, best.failures.failed) {
        (false, _) => "",
        (true, 0) => " of those that never failed",
        (true, _) => " of those that failed least",
    }
}

/// Half of the time is "50 % less time", and would be "100 % faster".
fn than(ahead: &Lead, is_time: bool) -> String {
    let (gain, of) = (share(ahead.gain), &ahead.of);
    match is_time {
        _ if !ahead.real => String::new(),
        true => format!(": it takes {gain} less time than {of}"),
        false => format!(", {gain} better than {of}"),
    }
}

fn list(ids: &[String]) -> String {
    match ids {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}
