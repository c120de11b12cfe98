//! What remote memory costs a program, what would help, and whether it did: in sentences.

mod cures;
mod obstacles;
mod trial;

use nearfar_explain::{ExplainDocument, ExplainedProcess, NodeShare, ProcessVerdict};
use nearfar_live::Interval;
use nearfar_terminal::printable;

use crate::count::count;
use crate::paragraph;
use crate::percent::share;
use crate::sections::sections;

pub use obstacles::obstacle;

/// The widest label, and the space after it.
const LABEL: usize = 9;

/// Everything.
pub fn text(document: &ExplainDocument) -> String {
    let mut all: Vec<String> =
        document.processes.iter().map(|process| of_process(document, process)).collect();
    all.extend(document.trial.as_ref().map(trial::text));
    all.push(document.unreadable.iter().map(|why| paragraph::of(why, "", "  ")).collect());
    sections(all)
}

/// The share of an average access's time that the best cure saves; 0 without one.
pub fn most_saved(process: &ExplainedProcess) -> f64 {
    let savings = process.cures.iter().filter_map(|cure| cure.saving);
    savings.map(|saving| saving.value).fold(0.0, f64::max)
}

fn of_process(document: &ExplainDocument, process: &ExplainedProcess) -> String {
    let name = printable::line(&process.name);
    let mut text = format!(
        "{name} (process {}): {}, {}\n",
        process.pid,
        process.memory_bytes,
        count(process.threads, "thread")
    );
    text += &labelled("Memory", &places("on", &process.pages_by_node));
    text += &labelled("Threads", &places("run on", &process.threads_by_node));
    text += &process.remote_share.as_ref().map(remote).unwrap_or_default();
    text += &cost(document, process);
    text += &labelled("Verdict", verdict(process));
    text + &cures::text(process) + &obstacles::text(process)
}

/// A sentence after its label.
fn labelled(label: &str, sentence: &str) -> String {
    paragraph::of(sentence, &format!("{label:<LABEL$}"), &" ".repeat(LABEL))
}

/// "on node 0 (91.2 %) and node 1 (8.8 %)".
fn places(verb: &str, shares: &[NodeShare]) -> String {
    let place = |one: &NodeShare| match shares.len() {
        1 => format!("node {}", one.node),
        _ => format!("node {} ({})", one.node, share(one.share)),
    };
    match shares {
        [] => "unknown.".to_owned(),
        _ => format!("{verb} {}.", shares.iter().map(place).collect::<Vec<_>>().join(" and ")),
    }
}

fn remote(remote: &Interval) -> String {
    let sentence =
        format!("{} of its memory is remote to its threads{}.", share(remote.value), range(remote));
    labelled("Remote", &sentence)
}

/// " (12.0 % to 13.1 %)", or nothing where it is exact.
fn range(interval: &Interval) -> String {
    let [low, high] = interval.ci95;
    if low == high { String::new() } else { format!(" ({} to {})", share(low), share(high)) }
}

fn cost(document: &ExplainDocument, process: &ExplainedProcess) -> String {
    // On one node nothing can be remote.
    if process.verdict == ProcessVerdict::OneNode {
        return String::new();
    }
    let (Some(cost), Some(ns), Some(survey)) =
        (process.remote_cost.as_ref(), process.access_ns, document.survey.as_ref())
    else {
        return String::new();
    };
    let longer = if cost.ci95[0] > 0.0 {
        format!("{} longer than if all were local{}", share(cost.value), range(cost))
    } else {
        format!("as long as if all were local, within {}", share(cost.ci95[1].abs()))
    };
    let (file, started) = (printable::line(&survey.file), printable::line(&survey.started));
    let sentence = format!(
        "An average access to it takes {ns:.0} ns, {longer}: by the survey of {started} ({file})."
    );
    labelled("Cost", &sentence)
}

fn verdict(process: &ExplainedProcess) -> &'static str {
    match process.verdict {
        ProcessVerdict::Misplaced => "Its memory and its threads are apart, and that costs time.",
        ProcessVerdict::NothingToGain => "Nothing to gain: no placement is better by 2 %.",
        ProcessVerdict::OneNode => {
            "Nothing to gain: this machine shows one node with memory ('nearfar diagnose' has the \
             reason)."
        }
        ProcessVerdict::Undetermined => {
            "Undetermined: latencies of the kept survey, or the sample of pages, are too \
             uncertain. 'nearfar survey --thorough' narrows them."
        }
        ProcessVerdict::CostUnknown => {
            "What that costs is unknown: no kept survey of this machine has all latencies. Run \
             'nearfar survey' first."
        }
        ProcessVerdict::NoPages => "Nothing to explain: no page is in memory.",
        ProcessVerdict::NodesUnknown => "Nothing to explain: no thread's node is known.",
    }
}
