//! Why the operating system sees its nodes: the verdict, then the sources, then the findings.

mod advice;
mod finding_sentence;
mod findings;
mod open_questions;
mod settings;
mod sources;
mod statements;
mod support_report;
#[cfg(test)]
mod tests;
mod to_send;
mod verdict_sentence;

use nearfar_view::terminal::printable;
use nearfar_view::terminal::screen::Screen;
use nearfar_view::text::fitted::{ScreenParts, ToDo};
use nearfar_view::text::{count, paragraph};

use crate::{
    Diagnosis, DiagnosisFinding, DiagnosisVerdict, LogDifference, Severity, SourceVerdict, Witness,
    WitnessAvailability,
};

pub use support_report::support_report;
pub use verdict_sentence::{sentence, without_hint};

/// The screen of `nearfar diagnose`: why these nodes, and what to change.
pub fn text(diagnosis: &Diagnosis) -> Screen {
    text_of_files(diagnosis, &[])
}

/// The same, with what each file is.
pub fn text_of_files(diagnosis: &Diagnosis, files: &[String]) -> Screen {
    let mut sections = vec![
        findings::text(&diagnosis.findings),
        accounts(diagnosis),
        sources::text(&diagnosis.witnesses),
    ];
    if !files.is_empty() {
        let lines: Vec<String> =
            files.iter().map(|line| paragraph::of(line, "  ", "    ")).collect();
        sections.insert(0, "Files\n".to_owned() + &lines.concat());
    }
    let headline = format!("NUMA: {} ({})", phrase(diagnosis.verdict), diagnosis.confidence.name());
    let mut answer = vec![headline.clone(), sentence(diagnosis)];
    answer.extend(cause(diagnosis));
    ScreenParts {
        answer,
        to_do: to_do(diagnosis),
        sections: sections.iter().map(|section| printable::lines(section)).collect(),
        verdict: headline,
    }
    .screen()
}

fn cause(diagnosis: &Diagnosis) -> Option<String> {
    let cause = diagnosis.cause.as_ref()?;
    let place = match (&cause.table, cause.offset) {
        (Some(table), Some(offset)) => format!(" ({table}, offset {offset})"),
        (Some(table), None) => format!(" ({table})"),
        (None, _) => String::new(),
    };
    Some(format!("Cause: {}{place}", cause.code))
}

/// The advice of findings, that of the cause first, then what shows more.
fn to_do(diagnosis: &Diagnosis) -> Vec<ToDo> {
    let is_cause = |finding: &&DiagnosisFinding| {
        diagnosis.cause.as_ref().is_some_and(|cause| cause.code == finding.code)
    };
    let (deciding, others): (Vec<&DiagnosisFinding>, Vec<&DiagnosisFinding>) =
        diagnosis.findings.iter().partition(is_cause);
    let mut advice: Vec<String> = Vec::new();
    for sentence in deciding.into_iter().chain(others).filter_map(advice::sentence) {
        if !advice.contains(&sentence) {
            advice.push(sentence);
        }
    }
    let mut all: Vec<ToDo> = advice.into_iter().map(|why| ToDo::new("", why)).collect();
    let mut sources = diagnosis.witnesses.iter();
    if sources.any(|source| source.availability == WitnessAvailability::Denied) {
        all.push(ToDo::new("sudo nearfar diagnose", "reads what only root may read"));
    }
    let mut sources = diagnosis.witnesses.iter();
    let has_tables = sources.any(|source| {
        source.witness == Witness::Firmware && source.availability == WitnessAvailability::Available
    });
    let is_fault = diagnosis.findings.iter().any(|finding| finding.severity <= Severity::Warning);
    if is_fault && has_tables {
        let why = "the evidence for the vendor's support";
        all.push(ToDo::new("nearfar diagnose --support-report > report.txt", why));
    }
    let to_send = to_send::all(diagnosis);
    if diagnosis.findings.is_empty() && to_send.is_empty() {
        all.push(ToDo::new("nearfar survey", "measures what the nodes cost"));
    }
    all.extend(to_send);
    all
}

/// The verdict in plain words.
fn phrase(verdict: DiagnosisVerdict) -> &'static str {
    match verdict {
        DiagnosisVerdict::Uniform => "none; this machine is uniform",
        DiagnosisVerdict::WithheldByFirmware => "withheld by firmware",
        DiagnosisVerdict::WithheldByHypervisor => "not exposed by the hypervisor",
        DiagnosisVerdict::RefusedByKernel => "refused by the kernel",
        DiagnosisVerdict::TurnedOff => "turned off by the administrator",
        DiagnosisVerdict::ImpossibleInKernel => "impossible in this kernel",
        DiagnosisVerdict::Visible => "visible",
        DiagnosisVerdict::VisibleButDoubtful => "visible, with a defect",
        DiagnosisVerdict::Unknown => "undetermined",
    }
}

/// What the tables predict, and what the kernel shows.
fn accounts(diagnosis: &Diagnosis) -> String {
    let known = |one: &SourceVerdict| {
        let cause = one.cause.as_ref().map(|cause| cause.code.clone());
        (one.verdict, one.nodes, cause)
    };
    let (predicted, observed) = (facts(&diagnosis.predicted), facts(&diagnosis.observed));
    if known(&diagnosis.predicted) == known(&diagnosis.observed) {
        // Open questions of one of them are of both.
        let longer = if predicted.len() > observed.len() { predicted } else { observed };
        return paragraph::of(&longer, "Firmware's tables and the kernel agree: ", "  ");
    }
    const INDENT: &str = "                           ";
    paragraph::of(&predicted, "Expected from its tables:  ", INDENT)
        + &paragraph::of(&observed, "Shown by the kernel:       ", INDENT)
}

fn facts(account: &SourceVerdict) -> String {
    let mut all: Vec<String> =
        account.nodes.map(|nodes| count(nodes, "node")).into_iter().collect();
    // A defect is one of the joined verdict: one source alone may doubt what is meant so.
    let verdict = match account.verdict {
        DiagnosisVerdict::VisibleButDoubtful => "visible, but doubtful",
        verdict => phrase(verdict),
    };
    all.push(format!("NUMA {verdict}"));
    let cause = account.cause.as_ref().map(|cause| format!(" ({})", cause.code));
    let why: Vec<String> = account.why.iter().map(open_questions::clause).collect();
    let open =
        if why.is_empty() { String::new() } else { format!(". Not certain: {}", why.join("; ")) };
    all.join(", ") + &cause.unwrap_or_default() + &open
}

/// The difference, as the end of a sentence.
pub fn difference(difference: &LogDifference) -> String {
    match difference {
        LogDifference::Release { log, machine } => {
            format!("it is of Linux {log}, and the machine runs {machine}")
        }
        LogDifference::Architecture { log, machine } => {
            format!("it is of {log}, and the machine is {machine}")
        }
        LogDifference::Model { log, machine } => {
            format!("it is of \"{log}\", and the machine is \"{machine}\"")
        }
        LogDifference::CommandLine => "the options of the two kernels differ".to_owned(),
        LogDifference::Hypervisor { log } => {
            format!("it is of a guest of {log}, and the machine is none")
        }
        LogDifference::Nodes { log, machine } => {
            format!("it has memory on nodes {log}, and the machine has nodes {machine}")
        }
        LogDifference::NoRelease => "it does not name its kernel".to_owned(),
    }
}
