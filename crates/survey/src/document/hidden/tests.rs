//! Documents of machines that hide nodes, and of machines that do not.

use std::fmt::Write;

use nearfar_infer::hidden::LineReason;
use nearfar_infer::{Numa, NumaReason, NumaVerdict};
use nearfar_model::{CpuSet, Unit};

use super::*;
use crate::document::instrument_part::InstrumentPart;

/// Two CPUs and 32 pages; every second page is far by this factor, from the one CPU or the
/// other; three processes of four rounds. Lines are dealt out to the two nodes in turns by `lines`.
fn measured(pages: f64, lines: f64, jump: f64) -> Hidden {
    let noise = |at: usize| 1.0 + 0.004 * (((at * 7919) % 13) as f64 - 6.0) / 6.0;
    let far =
        |row: usize, item: usize, factor: f64| if item % 2 == row { 80.0 } else { 80.0 * factor };
    let (mut of_pages, mut of_reference, mut fingerprints) =
        (String::new(), String::new(), Vec::new());
    for process in 0..3usize {
        for round in 4 * process..4 * process + 4 {
            for row in 0..2 {
                for item in 0..32 {
                    let ns = far(row, item, pages) * noise(item + 37 * row + 101 * round);
                    let _ = write!(
                        of_pages,
                        ",[{process},{round},{row},{item},0,{row},{},{ns:.3}]",
                        100 + item
                    );
                }
                for again in 0..4 {
                    let moved = if process == 1 && round >= 6 && row == 1 { jump } else { 1.0 };
                    let ns = 80.0 * moved * noise(again + 3 * row + 11 * round);
                    let _ = write!(
                        of_reference,
                        ",[{process},{round},{row},{},0,{row},107,{ns:.3}]",
                        33 + again
                    );
                }
                let line = |item: usize| {
                    Some(200.0 + far(row, item, lines) * noise(item + 19 * row + 5 * round))
                };
                fingerprints.push(Fingerprint {
                    process: process as u32,
                    round: round as u32,
                    row,
                    ns: (0..128).map(line).collect(),
                });
            }
        }
    }
    let table = |lines: &str| {
        let text = format!(
            r#"{{"fields":["process","round","row","column","treatment","cpu","page","ns"],"data":[{}]}}"#,
            &lines[1..]
        );
        serde_json::from_str(&text).unwrap()
    };
    let row = |cpu: u32| MatrixRow {
        label: format!("core {cpu}"),
        cpus: CpuSet::from_id(nearfar_model::CpuId(cpu)),
        node: None,
        ghz: None,
        drift: None,
    };
    let mut hidden = Hidden {
        matrix: Matrix {
            probe: "hidden".to_owned(),
            unit: Unit::Nanoseconds,
            rows: vec![row(0), row(1)],
            columns: vec![MatrixColumn {
                label: ALL_PAGES.to_owned(),
                node: None,
                pages: 32,
                backing: Some("thp".to_owned()),
            }],
            cells: vec![],
        },
        finding: HiddenFinding::Undetermined,
        pages: HiddenPages { measured: 32, ..HiddenPages::unmeasured(PageReason::NoPages, 0.25) },
        lines: HiddenLines { found: LineStatement::unmeasured(), measured: 128 },
        timeline: PageTimeline::default(),
        samples: Some(HiddenSamples {
            pages: table(&of_pages),
            reference: table(&of_reference),
            fingerprints,
        }),
    };
    hidden.derive(1).unwrap();
    hidden
}

fn uniform() -> NumaVerdict {
    NumaVerdict {
        numa: Numa::No,
        detected: false,
        p: Some(0.5),
        effect: Some(0.01),
        ci95: Some([0.0, 0.02]),
        threshold: 0.05,
        reasons: vec![NumaReason::Uniform { effect: 0.01, at_most: 0.02, threshold: 0.05 }],
        would_settle: None,
    }
}

#[test]
fn empty_outcomes_measure_no_page_and_no_line() {
    let setup = HiddenSetup {
        rows: vec![CpuSet::from_id(nearfar_model::CpuId(0)); 2],
        memories: vec![],
        pages: 64,
        lines: 512,
        references: 2,
        hold: nearfar_model::Bytes::mib(128),
        touch_at_least: nearfar_model::Bytes(0),
        touch_for: std::time::Duration::from_secs(1),
    };
    let layout = Layout::default();
    let run = HiddenRun {
        layout: &layout,
        setup: &setup,
        share: 0.25,
        first_look: None,
        online: &CpuSet::new(),
        memory: &[],
        outcome: Err("no huge pages".to_owned()),
    };
    let hidden = Hidden::from_run(&run, 1).unwrap();
    assert_eq!((hidden.pages.measured, hidden.lines.measured), (0, 0));
    assert_eq!(measured(1.0, 1.0, 1.0).samples.unwrap().lines(), 128);
}

#[test]
fn each_hidden_node_has_a_column() {
    let hidden = measured(1.49, 1.0, 1.0);
    assert_eq!(
        (hidden.finding, hidden.pages.kinds.len()),
        (HiddenFinding::Found, 2),
        "{:?}",
        hidden.pages
    );
    let sides: Vec<(String, f64)> =
        hidden.pages.kinds.iter().map(|kind| (kind.near_cpus.to_string(), kind.share)).collect();
    assert_eq!(sides, [("0".to_owned(), 0.5), ("1".to_owned(), 0.5)]);
    assert_eq!(hidden.pages.kinds[0].address_bytes, Some([100 << 21, (131 << 21) - 1]));
    let median = |row, column| hidden.matrix.cell(row, column).unwrap().median.unwrap();
    assert!(
        (median(0, 0) - 80.0).abs() < 0.5
            && (median(0, 1) - 119.2).abs() < 0.5
            && (median(1, 0) - 119.2).abs() < 0.5
    );
    let mut verdict = uniform();
    hidden.bear_on(&mut verdict);
    assert_eq!((verdict.numa, verdict.detected), (Numa::Yes, true));
    assert!((verdict.effect.unwrap() - 0.49).abs() < 0.01, "{verdict:?}");
    assert_eq!(verdict.reasons.last(), Some(&NumaReason::NotShown));
}

/// A machine of two sockets whose memories are 90 % apart, and sub-NUMA nodes within one of them.
#[test]
fn hidden_nodes_add_reasons_to_a_yes() {
    let apart = || NumaVerdict {
        numa: Numa::Yes,
        detected: true,
        p: Some(0.001),
        effect: Some(0.9),
        ci95: Some([0.88, 0.92]),
        ..uniform()
    };
    for [low, high] in [[0.48, 0.5], [0.03, 0.06], [0.038, 0.045]] {
        let mut hidden = measured(1.49, 1.0, 1.0);
        (hidden.pages.found.effect, hidden.pages.found.ci95) =
            (Some((low + high) / 2.0), Some([low, high]));
        let mut verdict = apart();
        hidden.bear_on(&mut verdict);
        let added = verdict.reasons.split_off(1);
        assert_eq!(verdict, apart());
        assert_eq!(added.last(), Some(&NumaReason::NotShown));
        assert_eq!(added.len(), hidden.pages.found.reasons.len() + 1);
    }
}

#[test]
fn small_hidden_nodes_may_withdraw_a_no() {
    let judged = |numa, ci95: [f64; 2]| {
        let mut hidden = measured(1.49, 1.0, 1.0);
        hidden.pages.found.ci95 = Some(ci95);
        let mut verdict = NumaVerdict { numa, ..uniform() };
        hidden.bear_on(&mut verdict);
        (verdict.numa, verdict.ci95.unwrap())
    };
    let (doubtful, small) = ([0.03, 0.06], [0.038, 0.045]);
    assert_eq!(judged(Numa::No, doubtful), (Numa::Undetermined, doubtful));
    assert_eq!(judged(Numa::No, small), (Numa::No, [0.0, 0.02]));
    assert_eq!(judged(Numa::Undetermined, small), (Numa::Undetermined, [0.0, 0.02]));
}

/// Pages of several nodes differ without any node that is hidden.
#[test]
fn pages_of_shown_nodes_are_not_hidden() {
    let mut hidden = measured(1.49, 1.0, 1.0);
    hidden.pages.nodes = NodeSet::parse_list("0-1").ok();
    let mut verdict = uniform();
    hidden.bear_on(&mut verdict);
    assert_eq!(verdict.numa, Numa::Yes);
    let nodes = NodeSet::parse_list("0-1").unwrap();
    assert_eq!(verdict.reasons.last(), Some(&NumaReason::SeveralNodes { nodes }));
}

#[test]
fn more_memory_is_suggested_once() {
    let share = MAX_SHARE;
    let asked = |tried| {
        [Settling::Pages, Settling::OtherPages]
            .map(|settling: Settling| settling.remedy(tried, None))
    };
    assert_eq!(
        asked(0.25),
        [PageRemedy::LargerShare { share }, PageRemedy::OtherPagesByShare { share }]
    );
    assert_eq!(asked(share), [PageRemedy::FreePages, PageRemedy::OtherPages]);
    let mut hidden = measured(1.0, 1.0, 1.0);
    assert!(!hidden.asks_for_more_processes());
    hidden.finding = HiddenFinding::Undetermined;
    hidden.pages.found.settling = Some(Settling::MoreProcesses);
    assert!(hidden.asks_for_more_processes());
    let document = serde_json::to_value(&hidden.pages).unwrap();
    assert_eq!(document["settling"], "more-processes");
}

/// A cgroup of 64 MiB, whose quarter is 16 MiB: 64 pages of 2 MiB never fit.
#[test]
fn suggested_memory_holds_the_pages() {
    let [needed, quarter_of_64_mib, quarter_of_1_gib] = [128 << 20, 16 << 20, 256 << 20];
    assert!(!verdict::can_hold(needed, quarter_of_64_mib, 0.25));
    assert!(verdict::can_hold(needed, quarter_of_1_gib, 0.25));
    assert!(verdict::can_hold(needed, 96 << 20, MAX_SHARE) == (96 >= 128));
}

#[test]
fn the_first_look_keeps_its_share() {
    let mut hidden = measured(1.0, 1.0, 1.0);
    assert_eq!(hidden.asks_for_more_memory(), None);
    (hidden.finding, hidden.pages.held_bytes) = (HiddenFinding::Undetermined, 7 << 21);
    let expected =
        FirstLook { share: 0.25, held_bytes: 7 << 21, reasons: hidden.pages.found.reasons.clone() };
    for settling in [Settling::Pages, Settling::OtherPages] {
        hidden.pages.found.settling = Some(settling);
        assert_eq!(hidden.asks_for_more_memory(), Some(expected.clone()));
    }
    hidden.pages.found.settling = Some(Settling::OtherCpus);
    assert_eq!(hidden.asks_for_more_memory(), None, "no memory settles that");
    hidden.pages.share = MAX_SHARE;
    hidden.pages.found.settling = Some(Settling::OtherPages);
    assert_eq!(hidden.asks_for_more_memory(), None, "it was tried");
}

#[test]
fn interleaved_lines_leave_the_verdict() {
    let hidden = measured(1.0, 1.4, 1.0);
    assert_eq!(
        (hidden.finding, hidden.pages.found.finding),
        (HiddenFinding::Interleaved, PageFinding::None),
        "{:?}",
        hidden.lines
    );
    let mut verdict = uniform();
    hidden.bear_on(&mut verdict);
    assert_eq!(verdict.numa, Numa::No);
    let lines = &hidden.lines.found.reasons[0];
    assert!(matches!(lines, LineReason::Interleaved { .. }), "{lines:?}");
    assert_eq!(verdict.reasons[1], NumaReason::Lines { reason: lines.clone() });
}

#[test]
fn interleaved_lines_do_not_settle_open_pages() {
    let mut hidden = measured(1.0, 1.4, 1.0);
    hidden.pages.found.finding = PageFinding::Undetermined;
    assert_eq!(hidden.overall(), HiddenFinding::Undetermined);
    hidden.pages.found.finding = PageFinding::Found;
    assert_eq!(hidden.overall(), HiddenFinding::Found);
}

#[test]
fn other_cpus_are_suggested_if_some_were_skipped() {
    let asked = |left_out: Option<&str>| {
        let cpus = left_out.map(|list| CpuSet::parse_list(list).unwrap());
        Settling::OtherCpus.remedy(0.25, cpus.as_ref())
    };
    assert_eq!(asked(Some("")), PageRemedy::FirmwareTables);
    assert_eq!(asked(Some("4-7")), PageRemedy::OtherCpus { cpus: CpuSet::parse_list("4-7").ok() });
    assert_eq!(asked(None), PageRemedy::OtherCpus { cpus: None });
}

#[test]
fn one_memory_stays_a_no() {
    let hidden = measured(1.0, 1.0, 1.0);
    assert_eq!(
        (hidden.finding, hidden.matrix.columns.len()),
        (HiddenFinding::None, 1),
        "{:?}",
        hidden.timeline
    );
    assert_eq!(hidden.timeline.series, 6);
    let mut verdict = uniform();
    hidden.bear_on(&mut verdict);
    assert_eq!((verdict.numa, verdict.would_settle), (Numa::No, None));
    let reason = hidden.pages.found.reasons[0].clone();
    assert!(matches!(reason, PageReason::OneKind { .. }), "{reason:?}");
    assert_eq!(verdict.reasons[1], NumaReason::NoHiddenNodes { reason });
}

#[test]
fn moved_cpus_withdraw_a_no() {
    let hidden = measured(1.0, 1.0, 1.4);
    assert_eq!((hidden.finding, hidden.timeline.jumps.len()), (HiddenFinding::Undetermined, 1));
    let jump = &hidden.timeline.jumps[0];
    assert_eq!((jump.process, jump.row, jump.round), (1, 1, 6));
    let mut verdict = uniform();
    hidden.bear_on(&mut verdict);
    assert_eq!(verdict.numa, Numa::Undetermined);
    let Some(NumaReason::CpuMoved { cpus, jumps: 1, series: 6, .. }) = verdict.reasons.last()
    else {
        panic!("{:?}", verdict.reasons)
    };
    assert_eq!(cpus.to_string(), "1");
}

#[test]
fn parts_survive_their_text() {
    let mut hidden = measured(1.49, 1.0, 1.0);
    let again: Hidden = serde_json::from_str(&serde_json::to_string(&hidden).unwrap()).unwrap();
    assert_eq!(again, hidden);
    hidden.strip_samples();
    let before = hidden.clone();
    hidden.derive(2).unwrap();
    assert_eq!(hidden, before);
}
