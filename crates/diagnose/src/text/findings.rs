//! Findings with their evidence; what to do stands above them, with their numbers.

use nearfar_view::text::first_lines;
use nearfar_view::text::paragraph;

use super::finding_sentence;
use crate::{DiagnosisFinding, Evidence};

/// Pieces of evidence shown of a finding; JSON has all.
const MAX_EVIDENCE: usize = 6;
/// Characters shown of a piece of evidence.
const LONGEST: usize = 120;

/// A paragraph for each finding.
pub(super) fn text(findings: &[DiagnosisFinding]) -> String {
    if findings.is_empty() {
        return String::new();
    }
    let found = findings.iter().zip(1..).map(|(finding, number)| one(finding, number));
    "Findings\n".to_owned() + &found.collect::<String>()
}

fn one(finding: &DiagnosisFinding, number: usize) -> String {
    let head = format!("  {number:<3}");
    let mark = finding.severity.name();
    let text = paragraph::of(
        &format!("{} [{mark}, {}]", finding_sentence::sentence(finding), finding.code),
        &head,
        "     ",
    );
    let evidence =
        finding.evidence.iter().map(|one| paragraph::of(&piece(one), "       - ", "         "));
    text + &first_lines(evidence, MAX_EVIDENCE, "       - ")
}

fn piece(evidence: &Evidence) -> String {
    let mut excerpt: String = evidence.excerpt.chars().take(LONGEST).collect();
    if excerpt.len() < evidence.excerpt.len() {
        excerpt.push_str(" ...");
    }
    let colon = if excerpt.is_empty() { "" } else { ": " };
    format!("{}, {}{colon}{excerpt}", evidence.source, evidence.place)
}
