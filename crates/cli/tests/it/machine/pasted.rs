//! What people paste, with the answers of the corpus (`cases/*/EXPECT.txt`).

use std::path::PathBuf;

use serde_json::Value;

use super::corpus_folder::corpus;
use crate::user::{User, refusal, stderr, stdout};

/// A file of a case; `None` without the corpus.
fn case(name: &str) -> Option<PathBuf> {
    let path = corpus()?.join("cases").join(name);
    path.exists().then_some(path)
}

fn done(args: &[&str]) -> String {
    let output = User::new().run(args);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{args:?}");
    stdout(&output)
}

/// The matrix of a case's machine, beside a file of `nvidia-smi`.
fn matrix(case_name: &str, smi: Option<&str>) -> Option<String> {
    let folder = case(case_name)?;
    let root = folder.join("root.tar.gz");
    let mut args = vec!["devices", "--matrix", "--root", root.to_str().unwrap()];
    let smi = smi.map(|smi| folder.join(smi));
    args.extend(smi.iter().flat_map(|smi| ["--nvidia-smi", smi.to_str().unwrap()]));
    Some(done(&args))
}

fn irq(case_name: &str, args: &[&str]) -> Option<String> {
    let file = case(case_name)?.join("interrupts.txt");
    Some(done(&[&["irq", "--interrupts", file.to_str().unwrap()], args].concat()))
}

/// A row of the matrix by its columns.
fn row<'m>(matrix: &'m str, label: &str) -> Vec<&'m str> {
    let row = matrix.lines().find(|line| line.starts_with(&format!("{label}\t"))).unwrap();
    row.split('\t').collect()
}

#[test]
fn a_header_may_have_lost_its_blank() {
    let Some(trimmed) = matrix("14-topo-m-trimmed", Some("topo-m.txt")) else { return };
    assert_eq!(Some(&trimmed), matrix("14-topo-m-trimmed", Some("control.txt")).as_ref());
    assert_eq!(row(&trimmed, "GPU0")[1..3], [" X ", "NV18"]);
    assert!(!trimmed.contains("nvidia-smi gives"), "{trimmed}");
}

#[test]
fn other_facts_of_nvidia_smi_are_findings() {
    let name = "16-topo-m-other-facts";
    let Some(swapped) = matrix(name, Some("swapped-affinity.txt")) else { return };
    for finding in [
        "nvidia-smi gives GPU0 CPU Affinity 4-7; sysfs has CPUs 0-3.",
        "nvidia-smi gives GPU0 NUMA Affinity 1; sysfs has node 0.",
        "nvidia-smi gives GPU1 CPU Affinity 0-3; sysfs has CPUs 4-7.",
        "nvidia-smi gives GPU1 NUMA Affinity 0; sysfs has node 1.",
    ] {
        assert!(swapped.contains(finding), "{finding}: {swapped}");
    }
    let eight = matrix(name, Some("eight-gpus.txt")).unwrap();
    assert!(eight.contains("has 8 GPUs, this machine 2 of NVIDIA: not compared"), "{eight}");
    assert!(!eight.contains("NV18"), "{eight}");
}

#[test]
fn hops_of_xgmi_are_distinguished() {
    let Some(matrix) = matrix("31-xgmi-two-hops", None) else { return };
    assert_eq!(row(&matrix, "GPU0")[1..5], [" X ", "XGMI4", "XGMI1", "XGMI-2H"]);
    assert_eq!(row(&matrix, "GPU1")[1..5], ["XGMI4", " X ", "XGMI-2H", "XGMI1"]);
}

#[test]
fn queues_in_words_belong_to_their_card() {
    let Some(text) = irq("23-cxgb4-queues", &["--json"]) else { return };
    let document: Value = serde_json::from_str(&text).unwrap();
    let devices = document["devices"].as_array().unwrap();
    assert_eq!((devices.len(), &devices[0]["label"]), (1, &Value::from("enp5s0f4d1")));
    let queues = devices[0]["interrupts"].as_array().unwrap().iter();
    let queues: Vec<&Value> = queues.map(|irq| &irq["queue"]["number"]).collect();
    assert_eq!(queues, [6, 7, 8, 9]);
    assert_eq!(document["findings"][0]["code"], "irq-queues-on-one-cpu");
    assert_eq!(document["findings"][0]["cpu"], 0);
}

#[test]
fn flows_apart_are_no_names() {
    let Some(text) = irq("25-flow-words", &["--json"]) else { return };
    let document: Value = serde_json::from_str(&text).unwrap();
    let mut handlers = Vec::new();
    for device in document["devices"].as_array().unwrap() {
        for irq in device["interrupts"].as_array().unwrap() {
            let handler = irq["actions"][0].as_str().unwrap();
            handlers.push((irq["number"].as_u64().unwrap(), device["label"].as_str(), handler));
        }
    }
    handlers.sort_unstable();
    let expected = [
        (26, Some("0000:00:19.0"), "eno1"),
        (27, Some("0000:00:14.0"), "xhci_hcd"),
        (32, Some("0000:00:1f.2"), "ahci[0000:00:1f.2]"),
    ];
    assert_eq!(handlers, expected);
    let others: Vec<&str> = document["others"]
        .as_array()
        .unwrap()
        .iter()
        .map(|irq| irq["actions"][0].as_str().unwrap())
        .collect();
    assert!(others.contains(&"EVL reschedule") && others.contains(&"in-band irq work"));
}

#[test]
fn two_tables_have_each_interrupt_once() {
    let Some(text) = irq("33-two-snapshots", &[]) else { return };
    let shown = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("5 interrupts of 1 device"), "{text}");
    assert!(shown.contains("counted between the 2 tables of the file"), "{text}");
}

/// A saved table that the corpus has; its busiest card is named after its interface alone.
#[test]
fn cards_without_queues_are_devices() {
    let Some(folder) = corpus() else { return };
    let file = folder.join("irq/ixgbe.E5645/interrupts");
    let text = done(&["irq", "--json", "--interrupts", file.to_str().unwrap()]);
    let document: Value = serde_json::from_str(&text).unwrap();
    let devices = document["devices"].as_array().unwrap();
    let busiest = devices.iter().max_by_key(|device| device["count"].as_u64()).unwrap();
    assert!(busiest["label"].as_str().unwrap().starts_with("eth"), "{busiest}");
    assert_eq!(devices.iter().filter(|device| device["label"] == "eth2").count(), 1);
}

#[test]
fn text_that_is_not_understood_is_refused() {
    let user = User::new();
    let notes = user.write("notes.txt", "hello\nworld\n");
    let (status, why) = refusal(&user.run(&["irq", "--interrupts", &notes]));
    assert_eq!(status, 1);
    assert!(why.contains("notes.txt is no /proc/interrupts: no line of it has the CPUs"), "{why}");
    let folded = user.write("folded.txt", "  CPU0 CPU1\n CPU2 CPU3\n 5: 1 2\n 3 4 X 5-edge a\n");
    let (status, why) = refusal(&user.run(&["irq", "--interrupts", &folded]));
    assert!(status == 1 && why.contains("a terminal folded the text"), "{why}");
}

#[test]
fn lines_of_other_text_are_counted() {
    let user = User::new();
    let text = "$ cat /proc/interrupts\n  CPU0 CPU1\n 5: 1 2 X 5-edge eth0\nhello\n";
    let file = user.write("saved.txt", text);
    let shown = done(&["irq", "--interrupts", &file]);
    assert!(shown.contains("2 of 4 lines are not of /proc/interrupts."), "{shown}");
    let output = user.run(&["irq", "--interrupts", &file, "--csv"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("2 of 4 lines are not of /proc/interrupts."));
}
