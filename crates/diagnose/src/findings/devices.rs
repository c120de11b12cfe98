//! PCI buses without a node in firmware.

use nearfar_linux::LogEventKind;

use super::FindingInput;
use crate::document::DiagnosisFinding;
use crate::{codes, evidence};

const CODE: &str = "pci-without-node";

/// The kernel's log lines about such buses. With one node they have no effect, and the kernel logs
/// none.
pub(super) fn all(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    let without = |kind: &LogEventKind| matches!(kind, LogEventKind::PciWithoutNode { .. });
    let mut lines =
        seen.witnesses.log.events.iter().filter(|event| without(&event.kind)).peekable();
    lines.peek()?;
    let mut finding = DiagnosisFinding::new(CODE, codes::severity(CODE));
    finding.evidence.extend(lines.take(4).map(|event| evidence::event(seen.witnesses, event)));
    finding.advice = codes::advice(CODE, seen.facts);
    Some(finding)
}
