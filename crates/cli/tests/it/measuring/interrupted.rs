//! Ctrl-C at any moment, and readers that go away.

use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use crate::user::{User, send, stderr, stdout, success, wait_for};

/// Processes that have this user's folder in their environment.
fn workers_of(user: &User) -> usize {
    let marker = user.folder().to_str().unwrap().to_owned();
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let environments =
        processes.filter_map(|process| std::fs::read(process.path().join("environ")).ok());
    environments.filter(|text| String::from_utf8_lossy(text).contains(&marker)).count()
}

/// The moments are arbitrary: the command ends cleanly at any of them.
#[test]
fn ctrl_c_at_any_moment_leaves_nothing() {
    for milliseconds in [0, 5, 50, 200, 600] {
        let user = User::new();
        let mut command = user.command(&["survey", "--thorough", "--seed", "1"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        sleep(Duration::from_millis(milliseconds));
        send("INT", &child);
        let output = child.wait_with_output().unwrap();
        // Before the command listens, the signal itself ends it.
        if let Some(status) = output.status.code() {
            assert_eq!(status, 130, "{}", stderr(&output));
            assert_eq!(stderr(&output), "nearfar: interrupted: nothing was kept\n");
        }
        assert!(output.stdout.is_empty());
        let is_document = |path: &std::path::PathBuf| path.extension().is_some_and(|e| e == "json");
        assert!(!user.kept().iter().any(is_document), "{:?}", user.kept());
        wait_for("no worker is left behind", || workers_of(&user) == 0);
    }
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let user = User::new();
    let mut child = user
        .command(&["topology", "--maps"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
}

#[test]
fn a_survey_without_a_reader_is_saved() {
    let user = User::new();
    let cheap = ["--probe", "chase", "--size", "1M", "--accesses", "10000", "--budget", "5s"];
    let mut command = user.command(&[&["survey", "--quick", "--seed", "1"], &cheap[..]].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    success(&child.wait_with_output().unwrap());
    let [kept] = user.kept().try_into().unwrap();
    let (folder, name) = (kept.parent().unwrap(), kept.file_name().unwrap());
    let listed = stdout(&user.run(&["show"]));
    assert!(listed.starts_with(&format!("Surveys in {}\n", folder.display())), "{listed}");
    assert!(listed.contains(&format!("  {}\n", name.to_str().unwrap())), "{listed}");
    success(&user.run(&["show", kept.to_str().unwrap()]));
}
