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
    Advice, Diagnosis, DiagnosisFinding, DiagnosisVerdict, LogDifference, Severity, SourceVerdict,
    Witness, WitnessAvailability,
};

pub use support_report::support_report;
pub use verdict_sentence::{sentence, without_hint};

/// The screen of `nearfar diagnose`: why these nodes, and what to change.
pub fn text(diagnosis: &Diagnosis) -> Screen {
    text_of_files(diagnosis, &[], false)
}

/// The same, with what each file is, and whether PCI functions are missing among them.
pub fn text_of_files(diagnosis: &Diagnosis, files: &[String], lacks_pci_functions: bool) -> Screen {
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
    let headline = headline(diagnosis);
    let mut answer = vec![headline.clone(), sentence(diagnosis)];
    answer.extend(cause(diagnosis));
    ScreenParts {
        answer,
        to_do: to_do(diagnosis, lacks_pci_functions),
        sections: sections.iter().map(|section| printable::lines(section)).collect(),
        verdict: headline,
    }
    .screen()
}

/// The verdict, and how sure it is. What is undetermined has no certainty.
pub fn headline(diagnosis: &Diagnosis) -> String {
    let phrase = phrase(diagnosis.verdict);
    match diagnosis.verdict {
        DiagnosisVerdict::Unknown => format!("NUMA: {phrase}"),
        _ => format!("NUMA: {phrase} ({})", diagnosis.confidence.name()),
    }
}

/// Its code; its table where tables were read.
fn cause(diagnosis: &Diagnosis) -> Option<String> {
    let cause = diagnosis.cause.as_ref()?;
    let place = match (&cause.table, cause.offset) {
        (Some(table), Some(offset)) => format!(" ({table}, offset {offset})"),
        (Some(table), None) if has_tables(diagnosis) => format!(" ({table})"),
        _ => String::new(),
    };
    Some(format!("Cause: {}{place}", cause.code))
}

/// The advice of findings, that of the cause first, then what shows more.
fn to_do(diagnosis: &Diagnosis, lacks_pci_functions: bool) -> Vec<ToDo> {
    let mut all = advice_by_finding(diagnosis);
    let mut sources = diagnosis.witnesses.iter();
    if sources.any(|source| source.availability == WitnessAvailability::Denied) {
        all.push(ToDo::new("sudo nearfar diagnose", "reads what only root may read"));
    }
    let is_fault = diagnosis.findings.iter().any(|finding| finding.severity <= Severity::Warning);
    let asks_vendor =
        |finding: &DiagnosisFinding| matches!(finding.advice, Some(Advice::NewerFirmware { .. }));
    if is_fault && has_tables(diagnosis) || diagnosis.findings.iter().any(asks_vendor) {
        let why = "the evidence for the vendor's support";
        all.push(ToDo::new("nearfar diagnose --support-report > report.txt", why));
    }
    let to_send = to_send::all(diagnosis, lacks_pci_functions);
    if diagnosis.findings.is_empty() && to_send.is_empty() {
        all.push(ToDo::new("nearfar survey", "measures what the nodes cost"));
    }
    all.extend(to_send);
    all
}

fn has_tables(diagnosis: &Diagnosis) -> bool {
    diagnosis.witnesses.iter().any(|source| {
        source.witness == Witness::Firmware && source.availability == WitnessAvailability::Available
    })
}

/// The advice of each finding after its number, that of the cause first; the same advice once.
fn advice_by_finding(diagnosis: &Diagnosis) -> Vec<ToDo> {
    let is_cause = |(finding, _): &(&DiagnosisFinding, usize)| {
        diagnosis.cause.as_ref().is_some_and(|cause| cause.code == finding.code)
    };
    let (deciding, others): (Vec<_>, Vec<_>) =
        diagnosis.findings.iter().zip(1..).partition(is_cause);
    let mut advice: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    for (finding, number) in deciding.into_iter().chain(others) {
        let lines = advice::lines(finding);
        match advice.iter_mut().find(|(known, _)| *known == lines) {
            _ if lines.is_empty() => {}
            Some((_, numbers)) => numbers.push(number.to_string()),
            None => advice.push((lines, vec![number.to_string()])),
        }
    }
    let is_numbered = diagnosis.findings.len() > 1;
    let items = advice.into_iter().flat_map(|(lines, numbers)| {
        let mark = if is_numbered { format!("({}) ", numbers.join(", ")) } else { String::new() };
        let marks = std::iter::once(mark).chain(std::iter::repeat(String::new()));
        marks.zip(lines).map(|(mark, line)| ToDo::new("", mark + &line)).collect::<Vec<_>>()
    });
    items.collect()
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
    // Two sources that are unknown do not agree.
    let is_known = diagnosis.predicted.verdict != DiagnosisVerdict::Unknown;
    if is_known && known(&diagnosis.predicted) == known(&diagnosis.observed) {
        // Open questions of one of them are of both.
        let longer = if predicted.len() > observed.len() { predicted } else { observed };
        return paragraph::of(&longer, "Firmware's tables and the kernel agree: ", "  ");
    }
    const INDENT: &str = "                       ";
    paragraph::of(&predicted, "From firmware tables:  ", INDENT)
        + &paragraph::of(&observed, "From the kernel:       ", INDENT)
}

fn facts(account: &SourceVerdict) -> String {
    let open: Vec<String> = account.why.iter().map(open_questions::clause).collect();
    if account.verdict == DiagnosisVerdict::Unknown {
        let nodes = account.nodes.map(|nodes| count(nodes, "node") + ", ").unwrap_or_default();
        return format!("{nodes}unknown: {}.", open.join("; "));
    }
    let mut all: Vec<String> =
        account.nodes.map(|nodes| count(nodes, "node")).into_iter().collect();
    // A defect is one of the joined verdict: one source alone may doubt what is meant so.
    let verdict = match account.verdict {
        DiagnosisVerdict::VisibleButDoubtful => "visible, but doubtful",
        verdict => phrase(verdict),
    };
    all.push(format!("NUMA {verdict}"));
    let cause = account.cause.as_ref().map(|cause| format!(" ({})", cause.code));
    let known = all.join(", ") + &cause.unwrap_or_default() + ".";
    let open = open.iter().map(|clause| paragraph::sentence(clause));
    std::iter::once(known).chain(open).collect::<Vec<_>>().join(" ")
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
