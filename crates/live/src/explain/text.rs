//! What remote memory may cost a program, what may help, and whether it did: in sentences.

mod bounds;
mod cures;
mod forecast;
mod moved;
mod object_remedies;
mod object_words;
mod objects;
mod objects_picture;
mod obstacles;
mod response;
mod response_picture;
mod together;
mod trial;

use nearfar_view::terminal::printable;
use nearfar_view::terminal::screen::{MAX_LINES, Screen};
use nearfar_view::text::count;
use nearfar_view::text::paragraph;
use nearfar_view::text::percent::share;
use nearfar_view::text::sections;

use crate::Interval;
use crate::explain::{ExplainDocument, ExplainedProcess, NodeShare, ProcessVerdict};

pub use forecast::{forecast_screen, forecast_text};
pub use objects::{
    OBJECT_COLUMNS, object_rows, objects_answers, objects_csv, objects_method, objects_plan,
    objects_screen, objects_text, stage_title,
};
pub use objects_picture::objects_picture;
pub use obstacles::obstacle;
pub use response::{
    PLACEMENT_COLUMNS, placement_rows, response_answers, response_csv, response_method,
    response_screen, response_text,
};
pub use response_picture::response_picture;

/// The widest label, and the space after it.
const LABEL: usize = 9;
/// The label of a process's first detail.
const MEMORY: &str = "Memory";

/// All of it, as it goes into a file.
pub fn text(document: &ExplainDocument) -> String {
    screen(document).text()
}

/// First whether anything is lost and what may help, then how that is known, the verdict last.
/// Processes that lose less stand below.
pub fn screen(document: &ExplainDocument) -> Screen {
    let trial = document.trial.as_ref().map(trial::text).unwrap_or_default();
    let last = document.processes.first().map(|worst| last(document, worst)).unwrap_or_default();
    let mut first = sections([together::text(document), trial]);
    let mut rest = Vec::new();
    for process in &document.processes {
        let (answer, before) = (answer(process), obstacles::text(process));
        let detail = detail(document, process);
        let lines = |text: &str| text.lines().count() + 1;
        let room = MAX_LINES.saturating_sub(lines(&first) + lines(&last));
        let is_next = rest.iter().all(|text: &String| text.starts_with(MEMORY));
        if is_next && lines(&answer) + lines(&before) <= room {
            first = sections([first, answer + &before]);
            rest.push(detail);
        } else if rest.is_empty() && document.trial.is_none() {
            // The first process is never only in the rest.
            first = sections([first, answer]);
            rest.push(before + &detail);
        } else {
            rest.push(answer + &before + &detail);
        }
    }
    rest.push(document.unreadable.iter().map(|why| paragraph::of(why, "", "  ")).collect());
    Screen { first, rest: sections(rest), last }
}

/// The most that the place of its memory may cost; 0 if unknown.
pub fn most_cost(process: &ExplainedProcess) -> f64 {
    process.remote_cost.map_or(0.0, |cost| cost.most.change)
}

/// Whether anything is lost, by how much at most, and what may help.
fn answer(process: &ExplainedProcess) -> String {
    let name = printable::line(&process.name);
    let (size, threads) = (process.memory_bytes, count(process.threads, "thread"));
    let title = format!("{name} (process {}): {size}, {threads}", process.pid);
    let verdict = labelled("Verdict", &verdict(process));
    paragraph::of(&title, "", "  ") + &verdict + &cures::text(process)
}

/// Where its memory and its threads are, and the access times behind the bound.
fn detail(document: &ExplainDocument, process: &ExplainedProcess) -> String {
    let mut memory = places("on", &process.pages_by_node);
    if !process.all_pages_located && process.pages_located > 0 {
        memory += &format!(" {} were located.", count_pages(process));
    }
    labelled(MEMORY, &memory)
        + &labelled("Threads", &places("run on", &process.threads_by_node))
        + &process.remote_share.as_ref().map(remote).unwrap_or_default()
        + &cost(document, process)
}

/// The verdict of the process that may lose the most, or the trial's result.
fn last(document: &ExplainDocument, worst: &ExplainedProcess) -> String {
    let name = format!("{} (process {})", printable::line(&worst.name), worst.pid);
    let verdict = match &document.trial {
        Some(trial) => trial::verdict(trial),
        None => verdict(worst),
    };
    let others = match document.processes.len() {
        0 | 1 => String::new(),
        all => format!(" {} may lose no more.", count(all - 1, "other process")),
    };
    paragraph::bold(&format!("{name}: {verdict}{others}"))
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

/// Whether anything is lost, and the bound.
fn verdict(process: &ExplainedProcess) -> String {
    match process.verdict {
        ProcessVerdict::Misplaced => format!(
            "Something is lost{}: another placement makes each access faster, whichever pages it \
             uses.",
            bounds::loss(process)
        ),
        ProcessVerdict::DependsOnUse => format!(
            "Something may be lost{}: it depends on which pages it uses. 'nearfar explain {} \
             --try' measures it.",
            bounds::loss(process),
            process.pid
        ),
        ProcessVerdict::NothingToGain => nothing_to_gain(process),
        ProcessVerdict::OneNode => "Nothing is lost: this machine shows one node with memory \
                                    ('nearfar diagnose' has the reason)."
            .to_owned(),
        ProcessVerdict::Undetermined => "Not known: latencies of the kept survey are too \
                                       uncertain. 'nearfar survey --thorough' narrows them."
            .to_owned(),
        ProcessVerdict::CostUnknown => "What is lost is unknown: no kept survey of this machine \
                                        has all latencies. Run 'nearfar survey' first."
            .to_owned(),
        ProcessVerdict::NoPages => "Nothing to explain: no page is in memory.".to_owned(),
        ProcessVerdict::NodesUnknown => "Nothing to explain: no thread's node is known.".to_owned(),
    }
}

/// What holds of the pages that were located need not hold of others.
fn nothing_to_gain(process: &ExplainedProcess) -> String {
    let why = if process.remote_cost.is_some() {
        "no placement is faster by 2 %"
    } else {
        "its memory is local to its threads"
    };
    if process.all_pages_located {
        return format!("Nothing is lost: {why}, whichever pages it uses.");
    }
    format!(
        "Nothing is lost: {why}, whichever it uses of the {} that were located. Others may be \
         elsewhere.",
        count_pages(process)
    )
}

fn count_pages(process: &ExplainedProcess) -> String {
    count(usize::try_from(process.pages_located).unwrap_or(usize::MAX), "page")
}
