//! Findings as lines: severity, sentence, and what to do once for all of a code.

use nearfar_model::FindingCode;
use nearfar_view::text::paragraph;

/// A finding, in a sentence or two.
pub(crate) struct CodedSentence {
    pub(crate) declared: &'static FindingCode,
    pub(crate) sentence: String,
}

/// Each finding, wrapped; below the last of a code its remedy.
pub(crate) fn lines(findings: &[CodedSentence]) -> impl ExactSizeIterator<Item = String> + '_ {
    findings.iter().enumerate().map(|(index, finding)| {
        let FindingCode { code, severity, remedy, .. } = *finding.declared;
        let text = paragraph::of(&finding.sentence, &format!("{}: ", severity.name()), "  ");
        let is_last = findings[index + 1..].iter().all(|finding| finding.declared.code != code);
        if is_last { text + &paragraph::of(remedy, "  > ", "    ") } else { text }
    })
}
