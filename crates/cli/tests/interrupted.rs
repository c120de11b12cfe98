//! Ctrl-C at any moment, and readers that go away.

mod running;

use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use running::{User, stderr};

/// As a terminal does: the signal goes to the command. The shell's own `kill` sends it: a bare Debian has no other.
fn interrupt(child: &Child) {
    let status = std::process::Command::new("sh").args(["-c", &format!("kill -s INT {}", child.id())]).status();
    assert!(status.expect("sh starts").success());
}

/// Processes whose parent is gone would show the command's name.
fn workers_of(user: &User) -> usize {
    let marker = user.folder().to_str().unwrap().to_owned();
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let environments = processes.filter_map(|process| std::fs::read(process.path().join("environ")).ok());
    environments.filter(|text| String::from_utf8_lossy(text).contains(&marker)).count()
}

#[test]
fn ctrl_c_at_any_moment_leaves_nothing() {
    for milliseconds in [5, 50, 200, 600, 1500] {
        let user = User::new();
        let mut command = user.command(&["survey", "--thorough", "--seed", "1"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        sleep(Duration::from_millis(milliseconds));
        interrupt(&child);
        let output = child.wait_with_output().unwrap();
        // Before the command listens, the signal itself ends it.
        if let Some(status) = output.status.code() {
            assert_eq!(status, 130, "{}", stderr(&output));
            assert_eq!(stderr(&output), "nearfar: interrupted: nothing was kept\n");
        }
        assert!(output.stdout.is_empty());
        let left: Vec<_> =
            user.kept().into_iter().filter(|path| path.extension().is_some_and(|e| e == "json")).collect();
        assert!(left.is_empty(), "{left:?}");
        let patience = Instant::now() + Duration::from_secs(5);
        while workers_of(&user) > 0 && Instant::now() < patience {
            sleep(Duration::from_millis(20));
        }
        assert_eq!(workers_of(&user), 0, "no worker is left behind");
    }
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let user = User::new();
    let mut child =
        user.command(&["topology", "--maps"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
}

#[test]
fn a_survey_is_kept_when_nobody_reads_it() {
    let user = User::new();
    let mut command = user.command(&["survey", "--quick", "--seed", "1"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(user.kept().len(), 1);
}
