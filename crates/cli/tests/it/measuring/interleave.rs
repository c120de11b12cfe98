//! `nearfar interleave` run on this machine: figures where there are several nodes, a sentence
//! where there is one.

use std::collections::BTreeSet;
use std::process::Output;

use serde_json::Value;

use crate::measured::assert_cells_are_consistent;
use crate::user::{User, is_done, stderr};

fn nearfar(arguments: &[&str]) -> Output {
    User::new().measure(arguments)
}

fn quickly(more: &[&str]) -> Output {
    let size = ["--size", "4M", "--accesses", "4096", "--seed", "3"];
    nearfar(&[&["interleave", "--quick"], &size[..], more].concat())
}

#[test]
fn one_node_has_nothing_to_interleave() {
    let output = quickly(&["--json"]);
    assert!(is_done(&output), "{}", stderr(&output));
    let survey: Value = serde_json::from_slice(&output.stdout).unwrap();
    let spread = &survey["interleave"];
    let nodes = spread["nodes"].as_array().unwrap().len();
    if nodes < 2 {
        assert!(spread["why"].as_str().unwrap().contains("interleave") || nodes == 0, "{spread}");
        assert!(spread["bandwidth"].is_null() && spread["latency"].is_null(), "{spread}");
        assert_eq!(spread["best"].as_array().unwrap().len(), 0);
        return;
    }
    assert!(spread["why"].is_null(), "{spread}");
    assert_cells_are_consistent(&spread["bandwidth"]);
    let cells = spread["bandwidth"]["cells"].as_array().unwrap();
    let has_figures = |kernel: &&str| {
        cells.iter().any(|cell| cell["kernel"] == **kernel && cell["median"].is_number())
    };
    let measured: BTreeSet<&str> = ["read", "copy"].into_iter().filter(has_figures).collect();
    let best = spread["best"].as_array().unwrap();
    assert_eq!(
        best.iter().map(|best| best["kernel"].as_str().unwrap()).collect::<BTreeSet<_>>(),
        measured
    );
    assert!(
        best.iter().all(|best| best["run_by"].as_str().unwrap().starts_with("nearfar run ")),
        "{best:?}"
    );
}

#[test]
fn one_node_is_a_sentence_and_an_empty_csv() {
    let output = quickly(&["--nodes", "0"]);
    assert!(is_done(&output), "{}", stderr(&output));
    let screen = String::from_utf8(output.stdout).unwrap();
    // Without nodes in the kernel the sentence is another one.
    assert!(
        screen.contains("nothing to interleave") || screen.contains("has no nodes"),
        "{screen}"
    );
    let output = quickly(&["--nodes", "0", "--csv"]);
    assert!(is_done(&output) && output.stdout.is_empty(), "{}", stderr(&output));
}

#[test]
fn a_kept_document_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("spread.json");
    let output = quickly(&["--nodes", "0", "--no-samples", "-o", file.to_str().unwrap()]);
    assert!(is_done(&output), "{}", stderr(&output));
    let shown = nearfar(&["show", file.to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("interleave"), "{}", stderr(&shown));
}

#[test]
fn what_cannot_be_had_is_refused_in_one_line() {
    let refused: [(&[&str], i32, &str); 6] = [
        (&["--size", "4k"], 2, "too small"),
        (&["--nodes", "900"], 2, "node 900"),
        (&["--cpus", "60000"], 2, "CPU 60000"),
        (&["--kernels", "sing"], 2, "unknown kernel 'sing'"),
        (&["--largest-weight", "256"], 2, "255"),
        (&["--window", "0"], 2, "--window"),
    ];
    for (options, status, expected) in refused {
        let mut arguments = vec!["interleave"];
        arguments.extend(options);
        let output = nearfar(&arguments);
        assert_eq!(output.status.code(), Some(status), "{options:?}");
        let message = stderr(&output);
        assert!(message.contains(expected), "{options:?}: {message}");
        assert!(!message.contains("panicked"), "{message}");
    }
}

#[test]
fn help_shows_examples() {
    let output = nearfar(&["interleave", "--help"]);
    let help = String::from_utf8(output.stdout).unwrap();
    assert!(help.contains("Examples:") && help.contains("--largest-weight"), "{help}");
}
