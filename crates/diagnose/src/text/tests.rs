use snapbox::{assert_data_eq, str};

use super::*;
use crate::{
    Advice, Cause, Confidence, DiagnosisFinding, Evidence, FindingDetail, OpenQuestion, Severity,
    SourceVerdict, Vendor, Witness, WitnessAvailability, WitnessReport, WitnessStatement,
};

fn refused() -> Diagnosis {
    let cause = Cause {
        code: "nodes-overlap".to_owned(),
        table: Some("SRAT".to_owned()),
        offset: Some(112),
        message: Some("node 0 overlaps with node 1".to_owned()),
    };
    let report =
        |witness, availability, statements| WitnessReport { witness, availability, statements };
    let also = WitnessStatement::AlsoTables { tables: vec!["SLIT".to_owned()] };
    let account = SourceVerdict {
        verdict: DiagnosisVerdict::RefusedByKernel,
        cause: Some(cause.clone()),
        nodes: Some(1),
        why: vec![],
    };
    let evidence = |source: &str, place: &str, excerpt: &str| Evidence::new(source, place, excerpt);
    Diagnosis {
        schema: crate::SCHEMA.to_owned(),
        verdict: DiagnosisVerdict::RefusedByKernel,
        confidence: Confidence::Certain,
        reason: None,
        cause: Some(cause),
        predicted: SourceVerdict {
            why: vec![OpenQuestion::SlitNotSent, OpenQuestion::NoLog],
            ..account.clone()
        },
        observed: account,
        witnesses: vec![
            report(
                Witness::Firmware,
                WitnessAvailability::Available,
                vec![WitnessStatement::Srat { domains: 2, cpus: 4, ranges: 2 }, also],
            ),
            report(Witness::DimmSlots, WitnessAvailability::Denied, vec![]),
        ],
        findings: vec![DiagnosisFinding {
            code: "nodes-overlap".to_owned(),
            severity: Severity::Error,
            what: None,
            evidence: vec![
                evidence("SRAT", "srat.dat, offset 112 (0x70)", "01 28 00"),
                evidence("kernel log", "dmesg, line 7", "node 0 overlaps with node 1"),
            ],
            advice: Some(Advice::NewerFirmware { vendor: Some(Vendor::AsRock) }),
        }],
    }
}

#[test]
fn the_verdict_is_first_then_its_sources() {
    assert_data_eq!(
        text(&refused()).plain(),
        str![[r#"
NUMA: refused by the kernel (certain)
Firmware lists nodes, and the kernel rejects them. Two nodes claim the same memory.
Cause: nodes-overlap (SRAT, offset 112)

What to do
  Look for a newer BIOS. If the newest has the fault too, report it to ASRock.
  sudo nearfar diagnose  # reads what only root may read
  nearfar diagnose --support-report > report.txt  # the evidence for the vendor's support

Findings
  1  Two nodes claim the same memory. [error, nodes-overlap]
       - SRAT, srat.dat, offset 112 (0x70): 01 28 00
       - kernel log, dmesg, line 7: node 0 overlaps with node 1

Firmware's tables and the kernel agree: 1 node, NUMA refused by the kernel (nodes-overlap).
  Distances are unknown: the files have no SLIT. No log shows why there is one node.

Sources
  firmware       SRAT: 2 domains, 4 CPUs, 2 ranges of memory; also SLIT
  memory slots   readable by root only

NUMA: refused by the kernel (certain)

"#]]
    );
}

#[test]
fn control_characters_are_replaced() {
    let mut diagnosis = refused();
    let hostile = "\u{1b}[2J\n\u{202e}";
    diagnosis.witnesses[0].statements =
        vec![WitnessStatement::CpuModel { name: hostile.to_owned() }];
    diagnosis.findings[0].what = Some(FindingDetail::Rule { clause: hostile.to_owned() });
    diagnosis.findings[0].evidence[0].excerpt = hostile.to_owned();
    diagnosis.findings[0].evidence[0].place = hostile.to_owned();
    diagnosis.findings[0].advice = Some(Advice::VirtualMemory { hypervisor: hostile.to_owned() });
    if let Some(cause) = &mut diagnosis.cause {
        cause.table = Some(hostile.to_owned());
    }
    let text = text(&diagnosis).plain();
    assert!(!text.contains(|c: char| c != '\n' && c.is_control() || c == '\u{202e}'), "{text:?}");
}
