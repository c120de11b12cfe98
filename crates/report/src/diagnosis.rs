//! Why the operating system sees the nodes that it sees: the verdict first, then who was asked,
//! then what was found.

mod advice;
mod codes;
mod findings;
mod letter;
mod open_questions;
mod settings;
mod statements;
mod verdict_sentence;
mod what;
mod witnesses;

use nearfar_diagnose::{Diagnosis, DiagnosisVerdict, SourceVerdict};
use nearfar_terminal::printable;

use crate::count::count;
use crate::paragraph;
use crate::sections::sections;

pub use letter::letter;
pub(crate) use verdict_sentence::sentence;

/// The screen of `nearfar diagnose`.
pub fn text(diagnosis: &Diagnosis) -> String {
    let (witnesses, findings) =
        (witnesses::text(&diagnosis.witnesses), findings::text(&diagnosis.findings));
    sections([verdict(diagnosis), witnesses, stories(diagnosis), findings])
}

fn verdict(diagnosis: &Diagnosis) -> String {
    let bold = anstyle::Style::new().bold();
    let headline = format!("NUMA: {} ({})", words(diagnosis.verdict), diagnosis.confidence.name());
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

/// The verdict as one says it.
fn words(verdict: DiagnosisVerdict) -> &'static str {
    match verdict {
        DiagnosisVerdict::Uniform => "none; this machine is uniform",
        DiagnosisVerdict::WithheldByFirmware => "withheld by firmware",
        DiagnosisVerdict::WithheldByHypervisor => "not exposed by the hypervisor",
        DiagnosisVerdict::RefusedByKernel => "refused by the kernel",
        DiagnosisVerdict::TurnedOff => "turned off by the administrator",
        DiagnosisVerdict::ImpossibleInKernel => "impossible in this kernel",
        DiagnosisVerdict::Visible => "visible",
        DiagnosisVerdict::VisibleButDoubtful => "visible, but doubtful",
        DiagnosisVerdict::Unknown => "undetermined",
    }
}

/// What the tables promise, and what the kernel shows.
fn stories(diagnosis: &Diagnosis) -> String {
    const INDENT: &str = "                     ";
    paragraph::of(&story(&diagnosis.predicted), "By its tables alone  ", INDENT)
        + &paragraph::of(&story(&diagnosis.observed), "By what it shows     ", INDENT)
}

fn story(account: &SourceVerdict) -> String {
    let mut facts = vec![account.verdict.name().to_owned()];
    facts.extend(account.cause.as_ref().map(|cause| cause.code.clone()));
    facts.extend(account.nodes.map(|nodes| count(nodes, "node")));
    let why: Vec<String> = account.why.iter().map(open_questions::clause).collect();
    let open = if why.is_empty() { String::new() } else { format!(" (open: {})", why.join("; ")) };
    facts.join(", ") + &open
}

#[cfg(test)]
mod tests;
