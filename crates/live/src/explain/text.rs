//! What remote memory may cost a program, what may help, and whether it did: in sentences.

mod bounds;
mod cures;
mod obstacles;
mod trial;

use nearfar_view::terminal::printable;
use nearfar_view::text::count;
use nearfar_view::text::paragraph;
use nearfar_view::text::percent::share;
use nearfar_view::text::sections;

use crate::Interval;
use crate::explain::{ExplainDocument, ExplainedProcess, NodeShare, ProcessVerdict};

pub use obstacles::obstacle;

/// The widest label, and the space after it.
const LABEL: usize = 9;

/// Everything.
pub fn text(document: &ExplainDocument) -> String {
    let mut all: Vec<String> =
        document.processes.iter().map(|process| for_process(document, process)).collect();
    all.extend(document.trial.as_ref().map(trial::text));
    all.push(document.unreadable.iter().map(|why| paragraph::of(why, "", "  ")).collect());
    sections(all)
}

/// The most that the place of its memory may cost; 0 if unknown.
pub fn most_cost(process: &ExplainedProcess) -> f64 {
    process.remote_cost.map_or(0.0, |cost| cost.most.change)
}

fn for_process(document: &ExplainDocument, process: &ExplainedProcess) -> String {
    let name = printable::line(&process.name);
    let mut text = format!(
        "{name} (process {}): {}, {}\n",
        process.pid,
        process.memory_bytes,
        count(process.threads, "thread")
    );
    let mut memory = places("on", &process.pages_by_node);
    if !process.all_pages_located && process.pages_located > 0 {
        memory += &format!(" {} were located.", count_pages(process));
    }
    text += &labelled("Memory", &memory);
    text += &labelled("Threads", &places("run on", &process.threads_by_node));
    text += &process.remote_share.as_ref().map(remote).unwrap_or_default();
    text += &cost(document, process);
    text += &labelled("Verdict", &verdict(process));
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
    let (Some(sentence), Some(survey)) = (bounds::cost(process), document.survey.as_ref()) else {
        return String::new();
    };
    let (file, started) = (printable::line(&survey.file), printable::line(&survey.started));
    labelled("Cost", &format!("{sentence} By the survey of {started} ({file})."))
}

fn verdict(process: &ExplainedProcess) -> String {
    let sentence = match process.verdict {
        ProcessVerdict::Misplaced => {
            "Misplaced: another placement makes each access faster, whichever pages it uses."
        }
        ProcessVerdict::DependsOnUse => {
            "It depends on which pages it uses: 'nearfar explain --try' measures it."
        }
        ProcessVerdict::NothingToGain => return nothing_to_gain(process),
        ProcessVerdict::OneNode => {
            "Nothing to gain: this machine shows one node with memory ('nearfar diagnose' has the \
             reason)."
        }
        ProcessVerdict::Undetermined => {
            "Undetermined: latencies of the kept survey are too uncertain. 'nearfar survey \
             --thorough' narrows them."
        }
        ProcessVerdict::CostUnknown => {
            "What that costs is unknown: no kept survey of this machine has all latencies. Run \
             'nearfar survey' first."
        }
        ProcessVerdict::NoPages => "Nothing to explain: no page is in memory.",
        ProcessVerdict::NodesUnknown => "Nothing to explain: no thread's node is known.",
    };
    sentence.to_owned()
}

/// What holds of the pages that were located need not hold of others.
fn nothing_to_gain(process: &ExplainedProcess) -> String {
    let why = if process.remote_cost.is_some() {
        "no placement is faster by 2 %"
    } else {
        "its memory is local to its threads"
    };
    if process.all_pages_located {
        return format!("Nothing to gain: {why}, whichever pages it uses.");
    }
    format!(
        "Nothing to gain: {why}, whichever it uses of the {} that were located. Others may be \
         elsewhere.",
        count_pages(process)
    )
}

fn count_pages(process: &ExplainedProcess) -> String {
    count(usize::try_from(process.pages_located).unwrap_or(usize::MAX), "page")
}
