//! Why the operating system sees its nodes: the verdict, then the sources, then the findings.

mod advice;
mod finding_sentence;
mod findings;
mod letter;
mod open_questions;
mod settings;
mod sources;
mod statements;
#[cfg(test)]
mod tests;
mod verdict_sentence;

use nearfar_view::terminal::printable;
use nearfar_view::text::{count, paragraph, sections};

use crate::{Diagnosis, DiagnosisVerdict, LogDifference, SourceVerdict};

pub use letter::letter;
pub use verdict_sentence::{sentence, without_hint};

/// The screen of `nearfar diagnose`.
pub fn text(diagnosis: &Diagnosis) -> String {
    sections([
        verdict(diagnosis),
        sources::text(&diagnosis.witnesses),
        accounts(diagnosis),
        findings::text(&diagnosis.findings),
    ])
}

fn verdict(diagnosis: &Diagnosis) -> String {
    let bold = anstyle::Style::new().bold();
    let headline = format!("NUMA: {} ({})", phrase(diagnosis.verdict), diagnosis.confidence.name());
    let cause = diagnosis.cause.as_ref().map_or_else(String::new, |cause| {
        let place = match (&cause.table, cause.offset) {
            (Some(table), Some(offset)) => format!(" ({table}, offset {offset})"),
            (Some(table), None) => format!(" ({table})"),
            (None, _) => String::new(),
        };
        format!("cause: {}\n", printable::line(&format!("{}{place}", cause.code)))
    });
    format!("{bold}{headline}{bold:#}\n{}{cause}", paragraph::of(&sentence(diagnosis), "", ""))
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
    let (predicted, observed) = (facts(&diagnosis.predicted), facts(&diagnosis.observed));
    if predicted == observed {
        return paragraph::of(&predicted, "Tables and kernel agree: ", "  ");
    }
    const INDENT: &str = "                           ";
    paragraph::of(&predicted, "Expected from its tables:  ", INDENT)
        + &paragraph::of(&observed, "Shown by the kernel:       ", INDENT)
}

fn facts(account: &SourceVerdict) -> String {
    let mut all = vec![account.verdict.name().to_owned()];
    all.extend(account.cause.as_ref().map(|cause| cause.code.clone()));
    all.extend(account.nodes.map(|nodes| count(nodes, "node")));
    let why: Vec<String> = account.why.iter().map(open_questions::clause).collect();
    let open = if why.is_empty() { String::new() } else { format!(" (open: {})", why.join("; ")) };
    all.join(", ") + &open
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
