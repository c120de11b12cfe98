//! PCI buses of which firmware does not say where they hang.

use nearfar_linux::LogEventKind;

use super::Seen;
use crate::document::Finding;
use crate::{codes, evidence};

const CODE: &str = "pci-without-node";

/// The kernel's lines about such buses. Where there is one node, nothing is lost by it, and the
/// kernel is silent.
pub(super) fn all(seen: Seen<'_>) -> Option<Finding> {
    let without = |kind: &LogEventKind| matches!(kind, LogEventKind::PciWithoutNode { .. });
    let mut lines =
        seen.witnesses.log.events.iter().filter(|event| without(&event.kind)).peekable();
    lines.peek()?;
    let mut finding = Finding::new(CODE, codes::severity(CODE));
    finding.evidence.extend(lines.take(4).map(|event| evidence::event(seen.witnesses, event)));
    finding.advice = codes::advice(CODE, seen.facts);
    Some(finding)
}
