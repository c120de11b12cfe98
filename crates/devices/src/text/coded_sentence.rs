//! Findings as lines: severity, sentence, and what to do once for all of a code.

use crate::DeviceSeverity;

use nearfar_view::text::{codes, paragraph};

/// A finding, in a sentence or two.
pub(crate) struct CodedSentence {
    pub(crate) code: &'static str,
    pub(crate) severity: DeviceSeverity,
    pub(crate) sentence: String,
}

/// Each finding, wrapped; below the last of a code its remedy.
pub(crate) fn lines(findings: &[CodedSentence]) -> impl ExactSizeIterator<Item = String> + '_ {
    findings.iter().enumerate().map(|(index, finding)| {
        let kind = match finding.severity {
            DeviceSeverity::Warning => "warning",
            DeviceSeverity::Note => "note",
        };
        let text = paragraph::of(&finding.sentence, &format!("{kind}: "), "  ");
        let is_last = findings[index + 1..].iter().all(|one| one.code != finding.code);
        match codes::remedy(finding.code) {
            remedy if is_last && !remedy.is_empty() => {
                text + &paragraph::of(remedy, "  > ", "    ")
            }
            _ => text,
        }
    })
}
