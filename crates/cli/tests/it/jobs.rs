//! `nearfar help JOB`: the commands of every job work.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::user::{User, nearfar, refusal, stderr, success};

/// Commands that measure, wait, or change a process: only that they are accepted is tested, by a
/// unit test.
const NOT_RUN: [&str; 10] = [
    "nearfar survey",
    "nearfar hidden",
    "nearfar check",
    "nearfar explain",
    "nearfar move",
    "nearfar top",
    "nearfar io",
    "nearfar sweep PROGRAM",
    "nearfar sweep --jobs",
    "nearfar sweep --recipe",
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn help(user: &User, words: &[&str]) -> String {
    success(&user.run(&[&["help"], words].concat()))
}

/// Names of the jobs that `nearfar help` lists.
fn jobs(user: &User) -> Vec<String> {
    let list = help(user, &[]);
    let jobs = list.lines().skip(1).take_while(|line| !line.is_empty());
    jobs.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

/// The commands of a job, without their comments.
fn commands(user: &User, job: &str) -> Vec<String> {
    let text = help(user, &[job]);
    let lines = text.lines().filter_map(|line| line.strip_prefix("  nearfar "));
    lines.map(|line| format!("nearfar {}", line.split("  # ").next().unwrap().trim())).collect()
}

#[test]
fn the_commands_of_every_job_work() {
    let user = User::new();
    for name in ["before.json", "after.json"] {
        let survey = repository().join("docs/gallery/documents/lab-epyc-7451-2p.json");
        fs::copy(survey, user.folder().join(name)).unwrap();
    }
    let jobs = jobs(&user);
    assert_eq!(jobs.len(), 10, "{jobs:?}");
    let mut ran = 0;
    for job in &jobs {
        let commands = commands(&user, job);
        assert!((2..=4).contains(&commands.len()), "{job}: {commands:?}");
        for command in commands {
            if !NOT_RUN.iter().any(|start| command.starts_with(start)) {
                run(&user, &command);
                ran += 1;
            }
        }
    }
    assert!(ran >= 20, "{ran}");
}

/// Runs a command in the user's folder, as a shell does.
fn run(user: &User, command: &str) {
    let pid = std::process::id().to_string();
    let line = command
        .replacen("nearfar", nearfar(), 1)
        .replace("--near DEVICE PROGRAM", "--near / --near-anyway 0 --explain")
        .replace("PID", &pid)
        .replace("PROGRAM", "true");
    let data = user.folder().join("data");
    let output = Command::new("sh")
        .args(["-c", &line])
        .current_dir(user.folder())
        .env("XDG_DATA_HOME", data)
        .output()
        .unwrap();
    assert!(output.status.success(), "{command}: {}", stderr(&output));
}

#[test]
fn words_find_jobs_and_commands() {
    let user = User::new();
    assert!(help(&user, &["why", "one", "node"]).starts_with("Why does the kernel show"));
    assert!(help(&user, &["irq", "set"]).contains("nearfar irq set"));
    assert!(help(&user, &["survey"]).contains("--thorough"));
    let several = help(&user, &["topology", "pid"]);
    assert!(several.contains("picture ") && several.contains("slow "), "{several}");
    let (status, line) = refusal(&user.run(&["help", "hardwear"]));
    assert_eq!(status, 2);
    assert!(
        line.contains("no job and no command 'hardwear'") && line.contains("hardware"),
        "{line}"
    );
}
