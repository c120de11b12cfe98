//! Interrupts: the warnings of nearfar-devices, by counts since boot.

use nearfar_devices::DevicesDocument;
use nearfar_devices::irq::{CpuFact, Irq, IrqDocument, IrqFinding};
use nearfar_model::Severity;

use super::FindingInput;
use crate::codes;
use crate::document::{DiagnosisFinding, Evidence, FindingDetail};
use crate::interrupts::assessed;

/// One finding for each code. Devices without a node have a finding of their own.
pub(super) fn warnings(seen: FindingInput<'_>, devices: &DevicesDocument) -> Vec<DiagnosisFinding> {
    let Some(now) = &seen.witnesses.interrupts else { return Vec::new() };
    let document = assessed(seen.witnesses, devices, now, None);
    let is_reported = |finding: &&IrqFinding| {
        finding.severity() == Severity::Warning
            && !matches!(finding, IrqFinding::IrqDeviceNodeUnknown { .. })
    };
    let mut findings: Vec<DiagnosisFinding> = Vec::new();
    for found in document.findings.iter().filter(is_reported) {
        let joined = DiagnosisFinding {
            evidence: evidence_of(found, &document),
            advice: codes::advice(found.code(), seen.facts),
            what: Some(FindingDetail::Interrupt { finding: found.clone() }),
            ..DiagnosisFinding::new(found.code(), codes::severity(found.code()))
        };
        DiagnosisFinding::join(&mut findings, joined);
    }
    findings
}

/// A quotation for each interrupt of a finding: where it runs now, and its count since boot.
fn evidence_of(finding: &IrqFinding, document: &IrqDocument) -> Vec<Evidence> {
    const MOST: usize = 8;
    let device_interrupts = document.devices.iter().flat_map(|device| &device.interrupts);
    let numbers = finding.interrupts();
    let named =
        device_interrupts.chain(&document.others).filter(|irq| numbers.contains(&irq.number));
    let quoted = |irq: &Irq| {
        let place = format!("irq {} ({})", irq.number, irq.actions.join(", "));
        let cpus = match (&irq.effective, &irq.allowed) {
            (CpuFact::Cpus { cpus }, _) if !cpus.is_empty() => format!("runs on CPUs {cpus}"),
            (_, CpuFact::Cpus { cpus }) => format!("allowed on CPUs {cpus}"),
            _ => "CPUs unknown".to_owned(),
        };
        let count = irq.count.unwrap_or_default();
        Evidence::new("procfs", place, format!("{cpus}; {count} since boot"))
    };
    named.take(MOST).map(quoted).collect()
}
