use nearfar_diagnose::{Account, Cause, Confidence, Evidence, Finding, Hearing, Severity, Testimony, Witness};
use snapbox::{assert_data_eq, str};

use super::*;

fn refused() -> Diagnosis {
    let cause = Cause {
        code: "nodes-overlap".to_owned(),
        table: Some("SRAT".to_owned()),
        offset: Some(112),
        message: Some("node 0 overlaps with node 1".to_owned()),
    };
    let says = |witness, heard, says: &[&str]| Testimony {
        witness,
        heard,
        says: says.iter().map(|&text| text.to_owned()).collect(),
    };
    let account = Account { verdict: Verdict::RefusedByKernel, cause: Some(cause.clone()), nodes: Some(1), why: None };
    let evidence = |source: &str, place: &str, excerpt: &str| Evidence {
        source: source.to_owned(),
        place: place.to_owned(),
        excerpt: excerpt.to_owned(),
    };
    Diagnosis {
        schema: nearfar_diagnose::SCHEMA.to_owned(),
        verdict: Verdict::RefusedByKernel,
        confidence: Confidence::Certain,
        sentence: "Firmware names nodes, and the kernel does not take them.".to_owned(),
        cause: Some(cause),
        predicted: Account { why: Some("the distances".to_owned()), ..account.clone() },
        observed: account,
        witnesses: vec![
            says(Witness::Firmware, Hearing::Heard, &["SRAT: 2 domains, 4 CPUs, 2 ranges of memory", "there are SLIT"]),
            says(Witness::DimmSlots, Hearing::Denied, &[]),
        ],
        findings: vec![Finding {
            code: "nodes-overlap".to_owned(),
            severity: Severity::Error,
            what: "Two nodes claim the same memory.".to_owned(),
            evidence: vec![
                evidence("SRAT", "srat.dat, offset 112 (0x70)", "01 28 00"),
                evidence("kernel log", "dmesg, line 7", "node 0 overlaps with node 1"),
            ],
            advice: Some("Look for a newer BIOS.".to_owned()),
        }],
    }
}

#[test]
fn the_verdict_stands_first_then_who_says_so() {
    assert_data_eq!(
        anstream_free(&text(&refused())),
        str![[r#"
NUMA: refused by the kernel (certain)
Firmware names nodes, and the kernel does not take them.
cause: nodes-overlap (SRAT, offset 112)

Witnesses
  firmware       SRAT: 2 domains, 4 CPUs, 2 ranges of memory; there are SLIT
  memory slots   there, and for root only

By its tables alone  refused-by-kernel, nodes-overlap, 1 node (open: the distances)
By what it shows     refused-by-kernel, nodes-overlap, 1 node

Findings
  1  Two nodes claim the same memory. [error, nodes-overlap]
       - SRAT, srat.dat, offset 112 (0x70): 01 28 00
       - kernel log, dmesg, line 7: node 0 overlaps with node 1
     > Look for a newer BIOS.

"#]]
    );
}

#[test]
fn nothing_that_strangers_wrote_is_obeyed() {
    let mut diagnosis = refused();
    let hostile = "\u{1b}[2J\n\u{202e}";
    diagnosis.sentence = hostile.to_owned();
    diagnosis.witnesses[0].says = vec![hostile.to_owned()];
    diagnosis.findings[0].what = hostile.to_owned();
    diagnosis.findings[0].evidence[0].excerpt = hostile.to_owned();
    diagnosis.findings[0].evidence[0].place = hostile.to_owned();
    diagnosis.findings[0].advice = Some(hostile.to_owned());
    if let Some(cause) = &mut diagnosis.cause {
        cause.table = Some(hostile.to_owned());
    }
    let text = anstream_free(&text(&diagnosis));
    assert!(!text.contains(|c: char| c != '\n' && c.is_control() || c == '\u{202e}'), "{text:?}");
    assert_eq!(text.lines().count(), 16, "{text}");
}

/// Without the headline's bold.
fn anstream_free(text: &str) -> String {
    let bold = anstyle::Style::new().bold();
    text.replace(&bold.to_string(), "").replace(&format!("{bold:#}"), "")
}
