//! The devices of a survey: what was found about them, and their table.

use maud::html;
use nearfar_devices::DevicesDocument;
use nearfar_devices::text::{HEADS, finding_sentence, rows, used_marks};
use nearfar_model::Severity;
use nearfar_view::draw::FigureTable;

use super::figure::table;
use super::sentence::sentence;
use super::shell::Section;

/// Findings that are shown.
const MAX_FINDINGS: usize = 20;

/// The section; none without devices.
pub(super) fn section(document: &DevicesDocument) -> Option<Section> {
    let findings = &document.findings;
    let more = findings.len().saturating_sub(MAX_FINDINGS);
    let figures = FigureTable {
        columns: HEADS.map(str::to_owned).to_vec(),
        rows: rows(document).into_iter().map(|row| row.to_vec()).collect(),
    };
    let body = html! {
        @if !findings.is_empty() {
            ul {
                @for finding in findings.iter().take(MAX_FINDINGS) {
                    li {
                        @if finding.severity() == Severity::Warning { strong { "warning: " } }
                        (sentence(&finding_sentence(finding)))
                    }
                }
                @if more > 0 { li { "and " (more) " more, which the document has" } }
            }
        }
        (table("Node, link and interrupts of each device", &figures))
        @for (mark, meaning) in used_marks(document) {
            p class="note" { (mark) ": " (meaning) }
        }
    };
    (!document.devices.is_empty()).then(|| Section::new("devices", "Devices", body))
}
