//! `nearfar` without a command.

use std::path::Path;
use std::process::Command;

use crate::user::{User, nearfar, refusal, skip, stderr, success};

fn capture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/captures");
    folder.join(name).to_str().unwrap().to_owned()
}

#[test]
fn a_captured_machine_is_described_in_five_lines() {
    for (name, parts) in [
        ("lab-devices-2s.tar.gz", ["3 nodes", "2 GPUs, 3 network cards, 7 disks; 10 on a known"]),
        ("lab-epyc-7451-2p.tar.gz", ["8 nodes", "NUMA: visible"]),
        ("cloud-guest.tar.gz", ["1 node", "NUMA: not exposed by the hypervisor"]),
    ] {
        let path = capture(name);
        let text = success(&User::new().run(&["--root", &path]));
        for part in parts {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(text.contains(&format!("nearfar diagnose --root {path}")), "{text}");
        let (answer, _) = text.split_once("\n\n").unwrap();
        assert!(answer.lines().count() <= 6, "{answer}");
    }
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let path = capture("lab-devices-2s.tar.gz");
    let folder = Path::new(&path).parent().unwrap();
    for columns in [40, 60, 80] {
        let mut command = User::new().command(&["--root", "lab-devices-2s.tar.gz"]);
        let command = command.current_dir(folder).env("COLUMNS", columns.to_string());
        let text = success(&command.output().unwrap());
        let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > columns).collect();
        assert!(wide.is_empty(), "{columns} columns: {wide:#?}");
    }
}

#[test]
fn a_terminal_gets_this_machine_and_three_commands() {
    if Command::new("script").arg("--version").output().is_err() {
        return skip("no script");
    }
    let line = format!("stty cols 80 rows 24; exec {}", nearfar());
    let output = User::new().through("script", &["-qec", &line, "/dev/null"]).output().unwrap();
    let text = success(&output).replace('\r', "");
    let (_, commands) = text.split_once("What to do").expect("commands");
    let commands = commands.lines().filter(|line| line.trim_start().starts_with("nearfar "));
    assert_eq!(commands.count(), 3, "{text}");
    assert!(text.contains("Not measured yet.") && text.contains("'nearfar help'"), "{text}");
}

#[test]
fn a_pipe_gets_the_help() {
    let output = User::new().run(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("\nMeasure:\n"), "{}", stderr(&output));
}

#[test]
fn wrong_usage_is_explained() {
    let user = User::new();
    let (status, line) = refusal(&user.run(&["--root", "/nonexistent"]));
    assert!(status == 1 && line.contains("cannot open /nonexistent"), "{line}");
    let (status, line) = refusal(&user.run(&["--root", "x", "topology"]));
    assert!(status == 2 && line.contains("nearfar topology --root PATH"), "{line}");
    let output = user.run(&["--quiet"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("a command is missing"), "{}", stderr(&output));
}
