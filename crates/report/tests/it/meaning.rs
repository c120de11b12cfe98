//! What the figures of known machines mean, whole screens of them, and that what is recommended can
//! be typed.

use nearfar_infer::Numa;
use nearfar_model::NodeId;
use nearfar_process::launch::{Dialect, LaunchRequest};
use nearfar_report::survey::Verbosity;
use nearfar_report::survey::meaning::sentences;
use nearfar_survey::Survey;
use proptest::prelude::*;
use snapbox::assert_data_eq;

use crate::cases::cases;
use crate::hidden_part;
use crate::measured::{Known, epyc_9224, xeon_2s};
use crate::replay::Model;

/// Sentences on one screen.
const MAX_SENTENCES: usize = 8;

/// The CPUs of eight nodes.
const EIGHT: [&str; 8] = ["0-5", "6-11", "12-17", "18-23", "24-29", "30-35", "36-41", "42-47"];

/// Two packages of four nodes each, as firmware of EPYC 7451 describes them.
fn two_packages() -> Vec<Vec<u32>> {
    let claim = |a: usize, b: usize| {
        if a == b {
            10
        } else if a / 4 == b / 4 {
            16
        } else {
            32
        }
    };
    (0..8).map(|a| (0..8).map(|b| claim(a, b)).collect()).collect()
}

fn epyc_7451() -> Survey {
    let costs = Model::epyc_7451().costs;
    let model = "AMD EPYC 7451 24-Core Processor";
    Known { model, cpus: &EIGHT, costs, slit: Some(two_packages()), scatter: 0.008 }.survey()
}

/// Memory that is the same everywhere, below a table of eight nodes.
fn uma_that_claims_8_nodes() -> Survey {
    let costs = vec![vec![90.0; 8]; 8];
    Known { model: "QEMU TCG CPU", cpus: &EIGHT, costs, slit: Some(two_packages()), scatter: 0.008 }
        .survey()
}

/// One node with four sets of pages, as guests and small machines are.
pub(crate) fn one_node() -> Survey {
    let costs = vec![vec![116.0; 4]; 2];
    let mut survey =
        Known { model: "Xeon", cpus: &["0", "1"], costs, slit: None, scatter: 0.004 }.survey();
    survey.machine.nodes = 1;
    survey.claims.nodes.truncate(1);
    survey.latency.rows.iter_mut().for_each(|row| row.node = Some(NodeId(0)));
    for (set, column) in survey.latency.columns.iter_mut().enumerate() {
        (column.node, column.label) = (Some(NodeId(0)), format!("set {set}"));
    }
    judged(survey)
}

fn judged(mut survey: Survey) -> Survey {
    survey.judge().unwrap();
    survey
}

fn hidden_found() -> Survey {
    let mut survey = one_node();
    survey.hidden = Some(serde_json::from_value(hidden_part::found()).unwrap());
    judged(survey)
}

fn interleaved() -> Survey {
    let mut survey = one_node();
    let mut part = hidden_part::found();
    part["finding"] = "interleaved".into();
    part["columns"].as_array_mut().unwrap().truncate(1);
    part["cells"].as_array_mut().unwrap().retain(|cell| cell["column"] == 0);
    part["pages"]["kinds"] = serde_json::json!([]);
    (part["pages"]["finding"], part["pages"]["effect"], part["pages"]["ci95"]) =
        ("none".into(), serde_json::Value::Null, serde_json::Value::Null);
    part["pages"]["reasons"] = serde_json::json!([{"code": "one-kind", "detectable_from": 0.045}]);
    part["timeline"]["jumps"] = serde_json::json!([]);
    (part["lines"]["finding"], part["lines"]["effect"]) = ("interleaved".into(), 0.47.into());
    part["lines"]["reasons"] = serde_json::json!([
        {"code": "interleaved", "kinds": 2, "apart": 0.47, "correlation": -0.75}
    ]);
    survey.hidden = Some(serde_json::from_value(part).unwrap());
    judged(survey)
}

/// Pages of several visible nodes differ, too.
#[test]
fn pages_of_visible_nodes_are_not_hidden() {
    let meaning = |nodes: Option<&str>, finding: &str| {
        let mut part = hidden_part::found();
        (part["pages"]["nodes"], part["finding"]) = (nodes.into(), finding.into());
        let hidden = Some(serde_json::from_value(part).unwrap());
        sentences(&Survey { hidden, ..one_node() }).concat()
    };
    let shown = "This machine hides 2 nodes: CPUs 0-1 are near 50 % of the pages, CPUs 2-3 are";
    assert!(meaning(None, "found").contains(shown), "{}", meaning(None, "found"));
    for (nodes, finding) in [(Some("0-1"), "found"), (None, "none")] {
        assert!(!meaning(nodes, finding).contains("hides"), "{nodes:?} {finding}");
    }
}

/// Two nodes that differ by 4 %, on a noisy machine.
fn undetermined() -> Survey {
    let costs = vec![vec![100.0, 104.0], vec![104.0, 100.0]];
    Known { scatter: 0.09, costs, ..xeon_2s() }.survey()
}

fn known() -> [(&'static str, Survey); 8] {
    [
        ("xeon-2s", xeon_2s().survey()),
        ("epyc-7451", epyc_7451()),
        ("epyc-9224-cxl", epyc_9224().survey()),
        ("uma-claims-8-nodes", uma_that_claims_8_nodes()),
        ("hidden", hidden_found()),
        ("interleaved", interleaved()),
        ("undetermined", undetermined()),
        ("one-node", one_node()),
    ]
}

#[test]
fn screens_of_known_machines_have_advice() {
    for (name, survey) in known() {
        let text = plain(&nearfar_report::survey::text(&survey, Verbosity::Brief).text());
        let golden = format!("{}/tests/golden/meaning-{name}.txt", env!("CARGO_MANIFEST_DIR"));
        assert_data_eq!(text, snapbox::Data::read_from(golden.as_ref(), None));
        check_sentences(&survey);
    }
}

#[test]
fn verdicts_of_known_machines_are_right() {
    let expected = [
        Numa::Yes,
        Numa::Yes,
        Numa::Yes,
        Numa::No,
        Numa::Yes,
        Numa::No,
        Numa::Undetermined,
        Numa::No,
    ];
    for ((name, survey), expected) in known().into_iter().zip(expected) {
        assert_eq!(survey.verdict.numa, expected, "{name}: {:?}", survey.verdict);
    }
}

/// There are few sentences, each with a figure, and all commands are valid.
fn check_sentences(survey: &Survey) {
    let sentences = sentences(survey);
    assert!((1..=MAX_SENTENCES).contains(&sentences.len()), "{sentences:#?}");
    for sentence in &sentences {
        assert!(sentence.contains(|c: char| c.is_ascii_digit()), "{sentence}");
        for command in commands(sentence) {
            let words = command.split_whitespace().map(Into::into).collect();
            let request = LaunchRequest::parse(words, Dialect::Run);
            assert!(request.is_ok(), "{command}: {request:?}");
        }
    }
}

/// The arguments of "nearfar run" in a sentence.
fn commands(sentence: &str) -> Vec<&str> {
    sentence
        .split("'nearfar run ")
        .skip(1)
        .filter_map(|rest| rest.split_once('\''))
        .map(|(command, _)| command)
        .collect()
}

#[test]
fn most_advice_has_a_command() {
    let survey = epyc_9224().survey();
    let sentences = sentences(&survey);
    let with_command = sentences.iter().filter(|sentence| !commands(sentence).is_empty()).count();
    assert!(with_command >= 4, "{sentences:#?}");
}

/// A machine of nodes with these costs, without a table of distances.
fn machine_of(costs: &[&[f64]]) -> Survey {
    let costs = costs.iter().map(|row| row.to_vec()).collect::<Vec<Vec<f64>>>();
    let cpus = &EIGHT[..costs.len()];
    Known { model: "Xeon", cpus, costs, slit: None, scatter: 0.004 }.survey()
}

/// Each node's own memory is the slower one.
#[test]
fn advice_does_not_contradict_a_matrix_whose_own_memory_is_slower() {
    let sentences = sentences(&machine_of(&[&[150.0, 100.0], &[100.0, 150.0]]));
    let all = sentences.join("\n");
    for right in ["'nearfar run -N 0 -m 1 PROGRAM' (100 ns)", "'nearfar run -N 1 -m 0 PROGRAM'"] {
        assert!(all.contains(right), "{all}");
    }
    for wrong in ["-N 0 -m 0", "-N 1 -m 1"] {
        assert!(!all.contains(wrong), "{all}");
    }
    assert!(all.contains("Memory of node 0 costs these CPUs 50 % more"), "{all}");
}

/// One direction of one link is slower: 241 ns are node 1's alone.
#[test]
fn one_slow_direction_is_named_as_such() {
    let costs: [&[f64]; 3] = [&[90.0, 241.0, 144.0], &[144.0, 90.0, 144.0], &[144.0, 144.0, 90.0]];
    let all = sentences(&machine_of(&costs)).join("\n");
    assert!(!all.contains("run -i"), "{all}");
    let shared = "Put memory that all CPUs use on node 0: 'nearfar run -m 0 PROGRAM'. Its latency \
                  is 126 ns on average and 144 ns at most";
    assert!(all.contains(shared), "{all}");
    let place = "Memory of node 2 costs these CPUs 60 % more (95 % interval 59 to 61). Memory of \
                 node 1 costs them 168 % more (167 to 169)";
    assert!(all.contains(place), "{all}");
}

/// Memory of node 0 is slow for everybody.
#[test]
fn memory_that_is_slow_for_all_is_not_recommended() {
    let all = sentences(&machine_of(&[&[180.0, 150.0], &[170.0, 100.0]])).join("\n");
    for right in [
        "on one node: 'nearfar run -N 1 -m 1 PROGRAM' (100 ns)",
        "of the CPUs of node 0 is node 1's: 'nearfar run -N 0 -m 1 PROGRAM' (150 ns)",
        "Put memory that all CPUs use on node 1: 'nearfar run -m 1 PROGRAM'",
    ] {
        assert!(all.contains(right), "{all}");
    }
    for wrong in ["-m 0", "-p 0", "-i "] {
        assert!(!all.contains(wrong), "{all}");
    }
}

/// Cells with one wrong claim differ from each other.
#[test]
fn a_wrong_claim_has_the_figure_of_the_cell_that_it_names() {
    let far = [[282.0, 340.0], [320.0, 330.0]];
    let cost = |a: usize, b: usize| match (a == b, a / 2 == b / 2) {
        (true, _) => 100.0,
        (_, true) => 160.0,
        _ => far[a % 2][b % 2],
    };
    let costs: Vec<Vec<f64>> = (0..4).map(|a| (0..4).map(|b| cost(a, b)).collect()).collect();
    let claim = |a: usize, b: usize| match (a == b, a / 2 == b / 2) {
        (true, _) => 10,
        (_, true) => 16,
        _ => 50,
    };
    let slit = Some((0..4).map(|a| (0..4).map(|b| claim(a, b)).collect()).collect());
    let survey = Known { model: "Xeon", cpus: &EIGHT[..4], costs, slit, scatter: 0.004 }.survey();
    let all = sentences(&survey).join("\n");
    let expected = "For node 2 from node 0, SLIT claims 5.00 times the local latency. Measured: \
                    2.8";
    assert!(all.contains(expected), "{all}");
    assert!(all.contains("7 more cells contradict this claim: 2.8"), "{all}");
}

/// The text without colours (ESC, numbers, m).
fn plain(text: &str) -> String {
    let mut pieces = text.split('\u{1b}');
    let first = pieces.next().unwrap_or_default().to_owned();
    first
        + &pieces
            .filter_map(|piece| piece.split_once('m'))
            .map(|(_, rest)| rest)
            .collect::<String>()
}

proptest! {
    #![proptest_config(cases(16))]

    /// Random machines with random tables.
    #[test]
    fn recommended_commands_are_valid(
        costs in prop::collection::vec(
            prop::collection::vec(prop::sample::select(vec![80.0, 120.0, 160.0, 250.0]), 4),
            2..5
        ),
        slit in prop::collection::vec(
            prop::collection::vec(prop::sample::select(vec![10, 12, 21, 32, 255]), 4),
            4
        ),
    ) {
        let cpus = &["0", "1", "2", "3"][..costs.len()];
        let machine = Known { model: "Any", cpus, costs, slit: Some(slit), scatter: 0.004 };
        check_sentences(&machine.survey());
    }
}
