//! Devices: PCI buses without a node in firmware, and the findings of nearfar-devices.

use nearfar_devices::{DeviceFinding, DevicesDocument};
use nearfar_linux::LogEventKind;
use nearfar_machine::{InventoryScope, PciNames};

use super::FindingInput;
use crate::devices::DevicesInput;
use crate::document::{DiagnosisFinding, Evidence, FindingDetail};
use crate::{codes, evidence};

const CODE: &str = "pci-without-node";

/// The kernel's log lines about such buses. With one node they have no effect, and the kernel logs
/// none.
pub(super) fn without_node(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    let without = |kind: &LogEventKind| matches!(kind, LogEventKind::PciWithoutNode { .. });
    let mut lines =
        seen.witnesses.log.events.iter().filter(|event| without(&event.kind)).peekable();
    lines.peek()?;
    let mut finding = DiagnosisFinding::new(CODE, codes::severity(CODE));
    finding.evidence.extend(lines.take(4).map(|event| evidence::event(seen.witnesses, event)));
    finding.advice = codes::advice(CODE, seen.facts);
    Some(finding)
}

/// What is known of the devices themselves, one finding for each code. The log's lines about buses
/// are not repeated.
pub(super) fn of_devices(seen: FindingInput<'_>) -> Vec<DiagnosisFinding> {
    let Some(inventory) = &seen.witnesses.inventory else { return Vec::new() };
    let names = PciNames::default();
    let input = DevicesInput { inventory, scope: InventoryScope::Usual, names: &names, smi: None };
    let document = input.assess(seen.witnesses, seen.facts.hypervisor.is_some(), seen.prediction);
    let mut findings: Vec<DiagnosisFinding> = Vec::new();
    let logged = without_node(seen).is_some();
    let repeats =
        |found: &&DeviceFinding| logged && matches!(found, DeviceFinding::DeviceWithoutNode { .. });
    for found in document.findings.iter().filter(|found| !repeats(found)) {
        let evidence = evidence_of(found, &document);
        match findings.iter_mut().find(|one| one.code == found.code()) {
            Some(first) => first.evidence.extend(evidence),
            None => findings.push(DiagnosisFinding {
                evidence,
                advice: codes::advice(found.code(), seen.facts),
                what: Some(FindingDetail::Device { finding: found.clone() }),
                ..DiagnosisFinding::new(found.code(), codes::severity(found.code()))
            }),
        }
    }
    findings
}

/// A quotation for each device of a finding.
fn evidence_of(finding: &DeviceFinding, document: &DevicesDocument) -> Vec<Evidence> {
    const MOST: usize = 8;
    let named = |label: &String| document.devices.iter().find(|device| device.label == *label);
    let quoted = |device: &nearfar_devices::Device| {
        let place = device.address.clone().unwrap_or_else(|| device.names.join(", "));
        let node = device.node.node.map_or_else(|| "-1".to_owned(), |node| node.to_string());
        Evidence::new("sysfs", format!("{} ({place}), numa_node", device.label), node)
    };
    finding.devices().iter().filter_map(named).take(MOST).map(quoted).collect()
}
