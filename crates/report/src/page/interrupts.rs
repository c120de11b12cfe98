//! The interrupts of a survey: what was found about them, by device and by node.

use maud::html;
use nearfar_devices::irq::IrqDocument;
use nearfar_devices::irq::text as irq;
use nearfar_devices::irq::text::{by_device, by_node};
use nearfar_model::Severity;

use super::figure::table;
use super::sentence::sentence;
use super::shell::Section;

/// Findings that are shown.
const MAX_FINDINGS: usize = 20;

/// The section; none without devices that have interrupts.
pub(super) fn section(document: &IrqDocument) -> Option<Section> {
    let findings = &document.findings;
    let left_out = document.folded.map_or(0, |folded| folded.findings);
    let more = findings.len().saturating_sub(MAX_FINDINGS) + left_out;
    let device_table = by_device::table(document);
    let node_table = by_node(document);
    let is_marked = by_device::has_mark(document);
    let body = html! {
        p { (sentence(&irq::summary(document))) }
        @if !findings.is_empty() {
            ul {
                @for finding in findings.iter().take(MAX_FINDINGS) {
                    li {
                        @if finding.severity() == Severity::Warning { strong { "warning: " } }
                        (sentence(&irq::finding_sentence(finding)))
                    }
                }
                @if more > 0 { li { "and " (more) " more" } }
            }
        }
        @if !device_table.rows.is_empty() {
            (table("Interrupts of each device", &device_table))
            @if is_marked {
                p class="note" {
                    (by_device::MARK) ": CPUs far from the device served most of them."
                }
            }
        }
        @if let Some(node_table) = &node_table {
            (table("Interrupts by the node that served them", node_table))
        }
        @if let Some(left_out) = by_device::left_out(document) {
            p class="note" { (sentence(&left_out)) }
        }
    };
    let has_any = document.devices.iter().any(|device| device.count > 0);
    let has_any = has_any || document.totals.iter().any(|total| total.count > 0);
    has_any.then(|| Section::new("interrupts", "Interrupts", body))
}
