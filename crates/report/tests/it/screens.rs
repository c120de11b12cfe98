//! The screens of surveys written by hand, against golden text. `SNAPSHOTS=overwrite cargo test`
//! writes them anew; look at the difference.

use nearfar_diagnose::{
    Confidence, Diagnosis, DiagnosisReason, Performance, PerformanceCell, SourceVerdict,
};
use nearfar_infer::Numa;
use nearfar_infer::hidden::PageRemedy;
use nearfar_infer::{NumaReason, NumaVerdict};
use nearfar_model::{DistanceMatrix, Instrument, NodeId};
use nearfar_report::survey::{Verbosity, part_text};
use nearfar_survey::{
    EnvironmentWarning, Knee, MatrixCell, SkippedWarning, Survey, Warning, WarningKind,
};
use snapbox::{assert_data_eq, file};

use crate::by_hand::{columns, matrix, rows, survey, verdict};
use crate::hidden_part;

/// A machine shaped like a two-package EPYC 7451; costs invented from its published ratios.
fn epyc_7451() -> Survey {
    let package = |node: usize| node / 4;
    let cost = |from: usize, to: usize| match (from == to, package(from) == package(to)) {
        (true, _) => 97.0,
        (_, true) => 165.0,
        // The directly linked partner.
        _ if from.abs_diff(to) == 4 => 308.0,
        _ => 330.0,
    };
    let claim = |from: usize, to: usize| match (from == to, package(from) == package(to)) {
        (true, _) => 10,
        (_, true) => 16,
        _ => 32,
    };
    let lists = [
        "0-5,48-53",
        "6-11,54-59",
        "12-17,60-65",
        "18-23,66-71",
        "24-29,72-77",
        "30-35,78-83",
        "36-41,84-89",
        "42-47,90-95",
    ];
    let costs = (0..8).map(|from| (0..8).map(|to| Some(cost(from, to))).collect()).collect();
    let claimed = (0..8).map(|from| (0..8).map(|to| claim(from, to)).collect()).collect();
    let distances = DistanceMatrix::new((0..8).map(NodeId).collect(), claimed).unwrap();
    let mut survey = survey(
        "AMD EPYC 7451 24-Core Processor",
        matrix(rows(&lists), columns(8), &costs),
        Some(distances),
        verdict(Numa::Yes, 2.43, [2.31, 2.55], 0.0005),
    );
    let kind = WarningKind::Environment(EnvironmentWarning::NumaBalancing { pages: 1204 });
    survey.warnings.push(Warning { kind, instrument: None });
    survey
}

#[test]
fn a_numa_machine_on_one_screen() {
    assert_data_eq!(
        plain(&nearfar_report::survey::text(&epyc_7451(), Verbosity::Brief).text()),
        file!["../golden/epyc-7451-2p.txt"]
    );
}

#[test]
fn a_numa_machine_with_its_colours() {
    assert_data_eq!(
        nearfar_report::survey::text(&epyc_7451(), Verbosity::Brief).text(),
        file!["../golden/epyc-7451-2p.ansi"]
    );
}

#[test]
fn cells_as_csv() {
    assert_data_eq!(nearfar_report::survey::csv(&epyc_7451()), file!["../golden/epyc-7451-2p.csv"]);
}

#[test]
fn a_node_without_memory_has_a_dash() {
    let costs = vec![vec![Some(85.0), None], vec![Some(137.0), None]];
    let mut survey = survey(
        "Odd",
        matrix(rows(&["0", "1"]), columns(2), &costs),
        None,
        verdict(Numa::Undetermined, 0.0, [0.0, 0.0], 1.0),
    );
    survey.verdict = NumaVerdict { p: None, effect: None, ci95: None, ..survey.verdict };
    survey.verdict.reasons.push(NumaReason::NothingToCompare);
    assert_data_eq!(
        plain(&nearfar_report::survey::text(&survey, Verbosity::Brief).text()),
        file!["../golden/memoryless.txt"]
    );
}

#[test]
fn a_uniform_machine_is_not_numa() {
    let costs = vec![vec![Some(106.9), Some(106.9)], vec![Some(107.2), Some(107.2)]];
    let distances =
        DistanceMatrix::new(vec![NodeId(0), NodeId(1)], vec![vec![10, 21], vec![21, 10]]).unwrap();
    let survey = survey(
        "Intel(R) Xeon(R) CPU E5-2630 v4 @ 2.20GHz",
        matrix(rows(&["0-9", "10-19"]), columns(2), &costs),
        Some(distances),
        verdict(Numa::No, 0.002, [0.0, 0.011], 0.84),
    );
    assert_data_eq!(
        plain(&nearfar_report::survey::text(&survey, Verbosity::Brief).text()),
        file!["../golden/interleaved.txt"]
    );
}

/// A diagnosis as an Arm board's device tree gives it.
fn tree_without_nodes() -> Diagnosis {
    let account = |verdict| SourceVerdict { verdict, cause: None, nodes: Some(1), why: vec![] };
    Diagnosis {
        schema: nearfar_diagnose::SCHEMA.to_owned(),
        verdict: nearfar_diagnose::DiagnosisVerdict::Uniform,
        confidence: Confidence::Likely,
        reason: Some(DiagnosisReason::OneMemoryModel),
        cause: None,
        predicted: account(nearfar_diagnose::DiagnosisVerdict::Uniform),
        observed: account(nearfar_diagnose::DiagnosisVerdict::Uniform),
        witnesses: vec![],
        findings: vec![],
    }
}

#[test]
fn the_diagnosis_follows_the_verdict() {
    let matrix = matrix(rows(&["0-23"]), columns(1), &vec![vec![Some(142.0)]]);
    let mut survey =
        survey("Cortex-A53", matrix, None, verdict(Numa::Undetermined, 0.0, [0.0, 0.07], 0.4));
    survey.verdict.reasons.push(NumaReason::NothingToCompare);
    survey.claims.diagnosis = Some(tree_without_nodes());
    assert_data_eq!(
        plain(&nearfar_report::survey::text(&survey, Verbosity::Brief).text()),
        file!["../golden/tree-without-nodes.txt"]
    );
}

/// Two packages, and memory behind CXL that the HMAT knows from one of them only.
fn with_hmat() -> Survey {
    let costs = vec![
        vec![Some(110.0), Some(190.0), Some(260.0)],
        vec![Some(188.0), Some(109.0), Some(330.0)],
    ];
    let claimed = vec![vec![10, 21, 24], vec![21, 10, 34], vec![24, 34, 10]];
    let distances = DistanceMatrix::new((0..3).map(NodeId).collect(), claimed).unwrap();
    let verdict = verdict(Numa::Yes, 2.0, [1.9, 2.1], 0.0005);
    let mut survey = survey(
        "Xeon",
        matrix(rows(&["0-9", "10-19"]), columns(3), &costs),
        Some(distances),
        verdict,
    );
    let cell = |(initiator, target, ns)| PerformanceCell {
        initiator: NodeId(initiator),
        target: NodeId(target),
        read_latency_ns: Some(ns),
        write_latency_ns: None,
        read_bandwidth_bytes_per_s: None,
        write_bandwidth_bytes_per_s: None,
    };
    let cells =
        [(0, 0, 100), (0, 1, 200), (1, 0, 200), (1, 1, 100), (0, 2, 250)].map(cell).to_vec();
    survey.claims.hmat = Some(Performance { from: "HMAT".to_owned(), cells });
    survey
}

#[test]
fn claims_stand_beside_measured_ratios() {
    assert_data_eq!(
        plain(&nearfar_report::survey::text(&with_hmat(), Verbosity::Brief).text()),
        file!["../golden/hmat.txt"]
    );
    assert_data_eq!(nearfar_report::survey::csv(&with_hmat()), file!["../golden/hmat.csv"]);
}

#[test]
fn an_hmat_of_local_memory_only_is_left_out() {
    let mut survey = with_hmat();
    survey.claims.hmat.as_mut().unwrap().cells.retain(|cell| cell.initiator == cell.target);
    assert!(
        nearfar_report::survey::text(&survey, Verbosity::Brief)
            .text()
            .contains("ratio to local, measured|firmware\n")
    );
}

/// A machine of one claimed node whose pages are of two kinds.
fn hidden_nodes() -> Survey {
    let costs = vec![vec![Some(67.0)], vec![Some(101.0)]];
    let verdict = verdict(Numa::Yes, 0.49, [0.45, 0.53], 0.005);
    let mut survey =
        survey("Xeon", matrix(rows(&["0-1", "2-3"]), columns(1), &costs), None, verdict);
    survey.hidden = Some(serde_json::from_value(hidden_part::found()).unwrap());
    survey
}

#[test]
fn a_search_for_hidden_nodes_is_not_suggested_twice() {
    let golden: Survey = serde_json::from_str(include_str!("../golden/several.json")).unwrap();
    let mut diagnosis = golden.claims.diagnosis.unwrap();
    diagnosis.reason = Some(DiagnosisReason::Guest { hypervisor: None });
    let mut survey = hidden_nodes();
    survey.claims.diagnosis = Some(diagnosis);
    let is_suggested = |survey: &Survey| {
        plain(&nearfar_report::survey::text(survey, Verbosity::Brief).text())
            .contains("'nearfar hidden' can find")
    };
    assert!(!is_suggested(&survey));
    survey.hidden = None;
    assert!(is_suggested(&survey));
}

#[test]
fn kinds_of_pages_have_shares_addresses_and_latencies() {
    let text = plain(
        &nearfar_report::survey::part_text(&hidden_nodes(), Instrument::Hidden, Verbosity::Brief)
            .text(),
    );
    assert!(
        text.contains(
            "hidden nodes: found. Measured: 64 pages out of 0.47 GiB in each process, at \
             physical"
        ),
        "{text}"
    );
    assert!(
        text.contains("A first search held 0.16 GiB and decided nothing. This one used up to 75 %"),
        "{text}"
    );
    let head = text.lines().find(|line| line.starts_with("addresses  ")).unwrap();
    assert!(head.contains("0.03 GiB to 0.37 GiB  0.38 GiB to 0.75 GiB"), "{head}");
    assert!(
        text.lines().any(|line| line.starts_with("core 1")
            && line.contains("2-3")
            && line.contains("101 ±1")),
        "{text}"
    );
    assert!(
        text.contains("CPU 1 jumped from 67 to 100 ns") && !text.contains("left out"),
        "{text}"
    );
    let csv = nearfar_report::survey::part_csv(&hidden_nodes(), Instrument::Hidden);
    assert_eq!(csv.lines().count(), 5);
    assert!(
        csv.contains("core 0,kind 1,0,,found,0.5,402653184,805306367,100,100,0.01,99,101,96,0,"),
        "{csv}"
    );
}

#[test]
fn a_damaged_part_of_hidden_nodes_is_shown_without_panic() {
    let mut survey = hidden_nodes();
    let hidden = survey.hidden.as_mut().unwrap();
    hidden.matrix.columns.truncate(1);
    hidden.matrix.cells.truncate(1);
    hidden.pages.kinds.push(hidden.pages.kinds[0].clone());
    hidden.pages.would_settle = Some(PageRemedy::MoreMemory);
    let text = plain(&nearfar_report::survey::text(&survey, Verbosity::Brief).text());
    assert!(text.contains("hidden nodes: found") && !text.contains('\u{1b}'), "{text}");
    nearfar_report::survey::part_csv(&survey, Instrument::Hidden);
}

#[test]
fn control_characters_of_a_document_are_replaced() {
    let mut survey = epyc_7451();
    survey.machine.kernel = Some("6.12\u{1b}[2J\u{7}".to_owned());
    let hypervisor = Some("\u{1b}[2J\n".to_owned());
    let reason = Some(DiagnosisReason::Guest { hypervisor });
    survey.claims.diagnosis = Some(Diagnosis { reason, ..tree_without_nodes() });
    let why = "line\r\nbreak\u{9b}31m".to_owned();
    survey.warnings[0].kind = WarningKind::Skipped(SkippedWarning::InstrumentFailed { why });
    let text = plain(&nearfar_report::survey::text(&survey, Verbosity::Brief).text());
    assert!(!text.contains(['\u{1b}', '\u{7}', '\r', '\u{9b}']), "{text:?}");
}

/// The text without its own colour codes.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("\u{1b}[") {
        let colour = rest[start..].find('m').filter(|end| {
            rest[start + 2..start + end].chars().all(|c| c.is_ascii_digit() || c == ';')
        });
        let Some(end) = colour else { break };
        plain.push_str(&rest[..start]);
        rest = &rest[start + end + 1..];
    }
    plain + rest
}

/// A thorough survey of a virtual machine with two CPUs, without its samples.
fn several() -> Survey {
    serde_json::from_str(include_str!("../golden/several.json")).unwrap()
}

#[test]
fn several_instruments_start_with_their_answers() {
    let text = plain(&nearfar_report::survey::text(&several(), Verbosity::Brief).text());
    assert_data_eq!(&text, file!["../golden/several.txt"]);
    assert!(!text.contains("ns per access by size"), "the curve of caches has a screen of its own");
    let caches = plain(&part_text(&several(), Instrument::Caches, Verbosity::Brief).text());
    assert!(caches.contains("ns per access by size") && !caches.contains("What to do"), "{caches}");
    // A level is one line, whether its claim holds or is undetermined.
    assert_eq!(caches.lines().filter(|line| line.starts_with("L2 ")).count(), 1, "{caches}");
    assert!(!caches.contains("level 2"), "{caches}");
}

#[test]
fn kernels_of_many_groups_share_a_table_that_fits_the_screen() {
    let mut survey = several();
    let bandwidth = survey.bandwidth.as_mut().unwrap();
    let (cells, knees) = (bandwidth.part.matrix.cells.clone(), bandwidth.knees.clone());
    for row in 1..16 {
        bandwidth.part.matrix.rows.push(bandwidth.part.matrix.rows[0].clone());
        bandwidth
            .part
            .matrix
            .cells
            .extend(cells.iter().cloned().map(|cell| MatrixCell { row, ..cell }));
        bandwidth.knees.extend(knees.iter().map(|knee| Knee { row, ..*knee }));
    }
    let text = plain(&nearfar_report::survey::text(&survey, Verbosity::Brief).text());
    let table: Vec<&str> =
        text.lines().skip_while(|line| !line.starts_with("by kernel")).take(18).collect();
    assert_eq!(
        table.iter().filter(|line| line.starts_with("node 0  node 0")).count(),
        16,
        "{text}"
    );
    assert!(table.iter().all(|line| line.chars().count() <= 120), "{text}");
}

#[test]
fn kernels_have_a_line_for_each_thread_count() {
    let mut survey = several();
    let part = &mut survey.bandwidth.as_mut().unwrap().part;
    let lines = |survey: &Survey, kernel: &str| -> Vec<String> {
        let text = plain(&part_text(survey, Instrument::Bandwidth, Verbosity::Brief).text());
        let words = text.lines().map(|line| line.split_whitespace().take(2).collect::<Vec<_>>());
        let counts =
            words.filter(|words| words.first() == Some(&kernel)).map(|words| words[1].to_owned());
        counts.filter(|threads| threads.parse::<usize>().is_ok()).collect()
    };
    let at_the_knee: Vec<_> =
        part.matrix.cells.iter().filter(|cell| cell.treatment.kernel == "write").cloned().collect();
    assert_eq!(at_the_knee.len(), 1);
    let mut with_seven = at_the_knee[0].clone();
    with_seven.treatment.threads = 7;
    part.matrix.cells.push(with_seven);
    let knee = at_the_knee[0].treatment.threads.to_string();
    assert_eq!(lines(&survey, "write"), [knee.as_str(), "7"]);
    assert_eq!(lines(&survey, "read"), [knee], "reading was not measured with seven");
}

#[test]
fn each_part_of_several_is_named_in_csv() {
    let csv = nearfar_report::survey::csv(&several());
    let parts: Vec<&str> = csv.lines().map(|line| line.split(',').next().unwrap()).collect();
    let headers = parts.iter().filter(|part| **part == "part").count();
    assert_eq!(
        headers, 6,
        "curves have one of their own, and interleaving has no table on one node"
    );
    assert!(
        csv.lines().any(|line| line.starts_with("part,row,column,aggressors,idle_ns,")),
        "{csv}"
    );
    let alone = nearfar_report::survey::part_csv(&several(), Instrument::Bandwidth);
    assert_eq!(
        parts.iter().filter(|part| **part == "bandwidth").count(),
        alone.lines().count() - 1
    );
}

#[test]
fn a_document_of_one_instrument_is_its_part() {
    let mut survey = several();
    survey.latency.rows.clear();
    survey.latency.cells.clear();
    (survey.bandwidth, survey.loaded, survey.caches, survey.interleave) = (None, None, None, None);
    let text = nearfar_report::survey::text(&survey, Verbosity::Brief).text();
    assert_eq!(
        text,
        nearfar_report::survey::part_text(&survey, Instrument::CoreToCore, Verbosity::Brief).text()
    );
    assert!(!text.contains("NUMA: ") && plain(&text).contains("core-to-core · "), "{text}");
    assert_eq!(
        nearfar_report::survey::csv(&survey),
        nearfar_report::survey::part_csv(&survey, Instrument::CoreToCore)
    );
}

#[test]
fn a_part_has_its_own_time_and_precision_only() {
    let text = plain(&part_text(&several(), Instrument::Caches, Verbosity::Verbose).text());
    let table: Vec<&str> =
        text.lines().skip_while(|line| !line.starts_with("time and precision")).skip(2).collect();
    assert!(table[0].starts_with("caches  "), "{text}");
    assert_eq!(table[1], "", "{text}");
}

#[test]
fn latency_by_size_has_intervals() {
    let text = plain(&part_text(&several(), Instrument::Caches, Verbosity::Brief).text());
    let curve: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("ns per access"))
        .skip(2)
        .take_while(|line| !line.is_empty())
        .collect();
    assert!(
        curve.len() > 30
            && curve
                .iter()
                .all(|line| line.matches('±').count() + line.matches("undetermined").count() == 2),
        "{text}"
    );
}

#[test]
fn sizes_without_a_figure_are_counted() {
    let mut survey = several();
    let caches = survey.caches.as_mut().unwrap();
    for cell in caches.part.matrix.cells.iter_mut().filter(|cell| cell.column < 3) {
        (cell.median, cell.ci95, cell.why) =
            (None, None, Some("too few undisturbed samples".to_owned()));
        cell.dropped = [("stalled".to_owned(), 2)].into();
    }
    let text = plain(&part_text(&survey, Instrument::Caches, Verbosity::Brief).text());
    assert!(text.contains("3 sizes without a figure") && !text.contains("    4 KiB"), "{text}");
    assert!(text.contains("-  too few undisturbed samples (dropped: 12 stalled)"), "{text}");
}

#[test]
fn loaded_latency_without_a_curve_has_no_empty_table() {
    let mut survey = several();
    survey.loaded.as_mut().unwrap().curves.clear();
    let text = plain(&part_text(&survey, Instrument::Loaded, Verbosity::Brief).text());
    assert!(
        text.contains("latency under load: no figure") && !text.contains("knee GB/s"),
        "{text}"
    );
}
