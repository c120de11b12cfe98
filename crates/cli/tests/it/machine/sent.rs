//! `nearfar diagnose FILE...` and `--root FILE`: what people have of a machine.

use std::io::Write;
use std::process::Stdio;

use crate::user::{User, document, refusal, stderr, stdout, success};

const LSCPU: &str = "Architecture: x86_64\nCPU(s): 8\nOn-line CPU(s) list: 0-7\n\
    Model name: AMD EPYC 7451 24-Core Processor\nThread(s) per core: 1\nCore(s) per socket: 4\n\
    Socket(s): 2\nNUMA node(s): 1\nNUMA node0 CPU(s): 0-7\n";
const LOG: &str = "[    0.000000] Linux version 6.1.0-28-amd64 (x@y)\n\
    [    0.000000] Command line: ro numa=off\n[    0.010000] NUMA turned off\n";
const NODES: &str = "available: 2 nodes (0-1)\nnode 0 cpus: 0 1 2 3\nnode 0 size: 100 MB\n\
    node 1 cpus: 4 5 6 7\nnode 1 size: 100 MB\nnode distances:\nnode 0 1\n 0: 10 21\n 1: 21 10\n";
const MATRIX: &str = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n\
    GPU0\t X \tNV4\t0-3\t0\nGPU1\tNV4\t X \t0-3\t0\n";
const FUNCTIONS: &str = "3c:00.0 3D controller [0302]: NVIDIA Corporation GA100 [10de:20b0]\n\
    \tNUMA node: 1\n";

#[test]
fn a_file_is_what_its_content_is() {
    let user = User::new();
    let answers: Vec<serde_json::Value> = ["x1", "lscpu.xml", "dmesg.json"]
        .iter()
        .map(|name| {
            let file = user.write(name, [LSCPU, LOG].concat());
            let mut answer = document(&user.run(&["diagnose", "--json", &file]));
            assert_eq!(answer["verdict"], "turned-off", "{answer}");
            answer["findings"].take()
        })
        .map(|findings| findings[0]["code"].clone())
        .collect();
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:?}");
    let text = success(&user.run(&["diagnose", &user.write("x3", LSCPU)]));
    let named = "x3: lscpu of an AMD EPYC 7451 24-Core Processor, 8 CPUs, 1 node";
    assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(named), "{text}");
    assert!(text.contains("dmesg | grep"), "{text}");
    assert!(text.contains("not sent") && !text.contains("there is none"), "{text}");
}

#[test]
fn a_paste_may_come_through_a_pipe() {
    let user = User::new();
    let mut command = user.command(&["diagnose", "--json", "-"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all([LOG, LSCPU].concat().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(document(&output)["verdict"], "turned-off", "{}", stderr(&output));
}

/// A matrix has the nodes of GPUs, and no PCI function to compare it with.
#[test]
fn a_matrix_of_gpus_is_no_machine() {
    let user = User::new();
    let matrix = user.write("a", MATRIX);
    let text = success(&user.run(&["diagnose", &matrix]));
    for part in ["Node 0 is named; ", "numactl -H", "    lspci -nnv"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let codes = |files: &[&str]| {
        let answer = document(&user.run(&[&["diagnose", "--json"], files].concat()));
        let findings = answer["findings"].as_array().unwrap().iter();
        let codes: Vec<String> =
            findings.map(|one| one["code"].as_str().unwrap().to_owned()).collect();
        (answer["verdict"].as_str().unwrap().to_owned(), codes)
    };
    assert_eq!(codes(&[&matrix]), ("unknown".to_owned(), vec![]));
    let nodes = user.write("b", NODES);
    assert_eq!(codes(&[&matrix, &nodes]), ("visible".to_owned(), vec![]));
    let functions = user.write("c", FUNCTIONS);
    let differ = vec!["smi-not-compared".to_owned()];
    assert_eq!(codes(&[&matrix, &functions, &nodes]), ("visible".to_owned(), differ));
    let text = success(&user.run(&["diagnose", &functions]));
    assert!(text.contains("Node 1 is named; ") && !text.contains("lspci -nnv"), "{text}");
    let text = success(&user.run(&["devices", "--root", &functions]));
    assert!(text.contains("node 1 by devices, no list of all nodes"), "{text}");
}

/// Standard input is not there again.
#[test]
fn no_command_reads_a_pipe_twice() {
    let user = User::new();
    let mut command = user.command(&["topology", "--root", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(NODES.as_bytes()).unwrap();
    let text = success(&child.wait_with_output().unwrap());
    let (_, to_do) = text.split_once("What to do\n").unwrap();
    assert!(to_do.starts_with("  On that machine:\n    nearfar survey"), "{text}");
    assert!(!text.contains("--root"), "{text}");
    let of_file = success(&user.run(&["topology", "--root", &user.write("a", NODES)]));
    assert!(of_file.contains("--root"), "{of_file}");
}

#[test]
fn disagreements_are_findings() {
    let user = User::new();
    let (lscpu, nodes) = (user.write("a", LSCPU), user.write("b", NODES));
    let answer = document(&user.run(&["diagnose", "--json", &lscpu, &nodes]));
    let findings = answer["findings"].as_array().unwrap();
    let differ: Vec<&str> = findings
        .iter()
        .filter(|finding| finding["code"] == "outputs-differ")
        .map(|finding| finding["what"]["about"].as_str().unwrap())
        .collect();
    assert_eq!(differ[0], "nodes", "{answer}");
    let output = user.run(&["topology", "--root", &lscpu, &nodes]);
    assert!(stderr(&output).contains("nodes 0; "), "{}", stderr(&output));
    assert!(stdout(&output).contains("2 packages"), "{}", stdout(&output));
}

#[test]
fn files_of_different_machines_are_refused() {
    let user = User::new();
    let lscpu = user.write("a", LSCPU);
    let other = user.write("b", NODES.replace("6 7", "6 7 8"));
    let (status, message) = refusal(&user.run(&["diagnose", &lscpu, &other]));
    assert_eq!(status, 1);
    assert!(message.contains("the CPUs are 0-7 in one, 0-8 in the other"), "{message}");
    let unknown = user.write("c", "hello\n");
    let (status, message) = refusal(&user.run(&["diagnose", &unknown]));
    assert!(status == 1 && message.contains("is a known output"), "{message}");
    let empty = user.write("d", "\n");
    let (status, message) = refusal(&user.run(&["diagnose", &empty]));
    assert!(status == 1 && message.contains("d is empty: "), "{message}");
}

#[test]
fn root_takes_what_a_program_printed() {
    let user = User::new();
    let nodes = user.write("a", NODES);
    for words in [&["diagnose", "--root", &nodes][..], &["--root", &nodes]] {
        let text = stdout(&user.run(words));
        assert!(text.contains("2 nodes"), "{words:?}: {text}");
        assert!(!text.contains("none is listed"), "{words:?}: {text}");
    }
}

#[test]
fn what_a_command_needs_was_not_sent() {
    let user = User::new();
    let log = user.write("a", LOG);
    for words in [&["topology", "--root", &log][..], &["plot", "machine", "--root", &log]] {
        let (status, message) = refusal(&user.run(words));
        assert_eq!(status, 1, "{message}");
        assert!(message.contains("a has no list of CPUs: give what lscpu printed"), "{message}");
    }
    for file in [log, user.write("b", LSCPU)] {
        let (status, message) = refusal(&user.run(&["firmware", "--root", &file]));
        assert!(status == 1 && message.contains("'sudo acpidump'"), "{message}");
    }
}
