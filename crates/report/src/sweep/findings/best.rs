//! Who is the best, and of whom.

use nearfar_sweep::Objective;
use nearfar_sweep::answers::{Ahead, Best, Failures};

use crate::percent::share;

pub(super) fn too_few_runs(best: &Best) -> String {
    let (who, among) = (who(best), among(best));
    format!(
        "{who} has the best median{among}, but there are too few runs to compare it with the \
         others."
    )
}

pub(super) fn alone(best: &Best) -> String {
    format!("Only {} ran: there is nothing to compare it with.", who(best))
}

/// Nobody can be told from the best; others still may differ from each other.
pub(super) fn all_alike(best: &Best, others_differ: bool) -> String {
    let (who, among) = (who(best), among(best));
    match others_differ {
        true => format!("None of the others can be told from the best{among}, {who}."),
        false => format!(
            "No difference is real: {who} has the best median{among}, and none of the others can \
             be told from it."
        ),
    }
}

pub(super) fn fastest(
    best: &Best,
    ahead: Option<&Ahead>,
    ties: &[String],
    objective: &Objective,
) -> String {
    let is_time = objective.metric.is_none();
    let ties = match ties {
        [] => String::new(),
        ties => format!("; {} cannot be told from it", list(ties)),
    };
    let ahead = ahead.map_or_else(String::new, |ahead| than(ahead, is_time));
    let superlative = if is_time { "fastest" } else { "best" };
    format!("{} is {superlative}{}{ahead}{ties}.", who(best), among(best))
}

fn who(best: &Best) -> String {
    let Failures { id, failed, runs } = &best.failures;
    if *failed == 0 { id.clone() } else { format!("{id} ({failed} of {runs} runs failed)") }
}

fn among(best: &Best) -> &'static str {
    match (best.others_failed_more, best.failures.failed) {
        (false, _) => "",
        (true, 0) => " of those that never failed",
        (true, _) => " of those that failed least",
    }
}

/// Half of the time is "50 % less time", and would be "100 % faster".
fn than(ahead: &Ahead, is_time: bool) -> String {
    let (gain, of) = (share(ahead.gain), &ahead.of);
    let doubt = if ahead.real { "" } else { " (not beyond chance)" };
    match is_time {
        true => format!(": it takes {gain} less time than {of}{doubt}"),
        false => format!(", {gain} better than {of}{doubt}"),
    }
}

fn list(ids: &[String]) -> String {
    match ids {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}
