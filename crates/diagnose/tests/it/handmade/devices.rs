//! Findings about devices, on machines written by hand.

use nearfar_diagnose::{Diagnosis, DiagnosisFinding, Severity};

use super::machine::Machine;

/// Two nodes, a network card without a node and one on node 1.
fn with_cards(log: &str) -> Diagnosis {
    let mut machine = Machine::new(2, &["0-1", "2-3"]);
    for (address, node) in [("0000:3b:00.0", "-1"), ("0000:3c:00.0", "1")] {
        let folder = format!("/sys/bus/pci/devices/{address}");
        machine.file(&format!("{folder}/uevent"), "PCI_CLASS=20000\nPCI_ID=15B3:1017\n");
        machine.file(&format!("{folder}/numa_node"), node);
    }
    machine.log(log);
    machine.diagnosis()
}

fn finding<'d>(diagnosis: &'d Diagnosis, code: &str) -> Option<&'d DiagnosisFinding> {
    let mut all = diagnosis.findings.iter().filter(|finding| finding.code == code);
    let first = all.next();
    assert!(all.next().is_none(), "{code} is repeated: {diagnosis:#?}");
    first
}

#[test]
fn device_findings_quote_their_devices() {
    let diagnosis = with_cards("");
    let finding = finding(&diagnosis, "device-without-node").unwrap();
    let evidence: Vec<_> = finding
        .evidence
        .iter()
        .map(|one| (one.source.as_str(), one.place.as_str(), one.excerpt.as_str()))
        .collect();
    assert_eq!(evidence, [("sysfs", "NIC0 (0000:3b:00.0), numa_node", "-1")]);
    assert_eq!(finding.severity, Severity::Warning);
}

#[test]
fn the_logs_buses_are_not_repeated_by_device() {
    let line = "[    0.5] pci_bus 0000:3b: Unknown NUMA node; performance will be reduced\n";
    let diagnosis = with_cards(line);
    assert!(finding(&diagnosis, "pci-without-node").is_some(), "{diagnosis:#?}");
    assert!(finding(&diagnosis, "device-without-node").is_none(), "{diagnosis:#?}");
}
