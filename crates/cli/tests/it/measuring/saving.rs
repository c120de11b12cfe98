//! Results are printed and saved, each even if the other fails.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::user::{
    User, document, nearfar, refusal, send, skip, stderr, stdout, success, unchanged_settings,
    wait_for,
};

/// A survey of seconds.
const CHEAP: [&str; 10] = [
    "survey",
    "--quick",
    "--seed=1",
    "--probe",
    "chase",
    "--size",
    "1M",
    "--accesses",
    "10000",
    "--budget=5s",
];

fn read(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

fn run(mut command: Command) -> Output {
    let _settings = unchanged_settings();
    command.output().expect("it starts")
}

/// The survey was printed; stderr reports that it was not saved.
fn printed_and_not_kept(output: &Output, why: &str) {
    assert_eq!(output.status.code(), Some(1), "{}", stderr(output));
    assert!(stdout(output).contains("NUMA: "), "{}", stdout(output));
    let last = stderr(output).lines().last().unwrap_or_default().to_owned();
    assert!(last.starts_with("nearfar: ") && last.contains(why), "{last}");
}

#[test]
fn without_a_home_a_survey_is_printed() {
    let mut command = User::new().command(&CHEAP);
    command.env_remove("HOME").env_remove("XDG_DATA_HOME");
    let output = run(command);
    printed_and_not_kept(&output, "neither XDG_DATA_HOME nor HOME is set");
    assert!(
        stderr(&output).starts_with("the survey will be printed, but not saved: "),
        "{}",
        stderr(&output)
    );
}

/// A file with the name of the data folder simulates a home that cannot be written.
#[test]
fn an_unwritable_home_still_prints_the_survey() {
    let user = User::new();
    let file = user.write("file", "");
    let mut command = user.command(&CHEAP);
    command.env("XDG_DATA_HOME", file);
    printed_and_not_kept(&run(command), "Not a directory");
}

/// A limit on file sizes simulates a full disk: writing fails after the measurement.
#[test]
fn a_full_disk_still_prints_all_figures() {
    let user = User::new();
    let file = user.folder().join("s.json");
    let kept = ["-o", file.to_str().unwrap()];
    let limited = ["-c", "ulimit -f 1; exec \"$@\"", "sh", nearfar()];
    let output = run(user.through("sh", &[&limited[..], &CHEAP, &kept].concat()));
    printed_and_not_kept(&output, "File too large");
    assert_eq!(fs::read_dir(user.folder()).unwrap().count(), 0, "nothing half-written");
}

#[test]
fn a_dash_stands_for_standard_output() {
    let user = User::new();
    let survey = document(&run(user.command(&[&CHEAP[..], &["-o", "-"]].concat())));
    assert_eq!(survey["schema"], "nearfar.survey/2");
    assert!(user.kept().is_empty(), "nor in the store");
    let sweep = ["sweep", "--placement", "unbound", "--runs=1", "-o", "-", "--", "true"];
    let sweep = document(&user.run(&sweep));
    assert!(sweep["configurations"].is_array());
}

/// Whether a worker of this user streams: its threads are called team.
fn streams(user: &User) -> bool {
    let marker = user.folder().to_str().unwrap();
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok).map(|entry| entry.path());
    let is_own = |process: &PathBuf| {
        fs::read(process.join("environ"))
            .is_ok_and(|text| String::from_utf8_lossy(&text).contains(marker))
    };
    let threads =
        processes.filter(is_own).filter_map(|process| fs::read_dir(process.join("task")).ok());
    let mut names = threads
        .flatten()
        .filter_map(Result::ok)
        .map(|task| fs::read_to_string(task.path().join("comm")));
    names.any(|name| name.is_ok_and(|name| name.starts_with("team ")))
}

#[test]
fn ctrl_c_keeps_the_instruments_that_are_done() {
    let user = User::new();
    let latency = ["--probe", "chase", "--size", "1M", "--accesses", "10000"];
    let mut command = user
        .command(&[&["survey", "--thorough", "--budget=300s", "--seed=1"], &latency[..]].concat());
    let _settings = unchanged_settings();
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for("bandwidth follows latency", || {
        assert_eq!(child.try_wait().unwrap(), None, "it measures");
        streams(&user)
    });
    send("INT", &child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let lines = stderr(&output);
    assert!(
        lines.ends_with("nearfar: interrupted: all results so far are printed and saved\n"),
        "{lines}"
    );
    assert!(stdout(&output).contains("NUMA: "), "{}", stdout(&output));
    let [kept] = user.kept().try_into().expect("one survey");
    let survey = read(&kept);
    assert_eq!(survey["provenance"]["stopped"], "interrupted");
    assert!(
        survey["latency"]["cells"]
            .as_array()
            .unwrap()
            .iter()
            .all(|cell| cell["median"].is_number() || cell["why"].is_string())
    );
    let missing = survey["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|warning| warning["code"] == "interrupted");
    let missing = missing.expect("a warning")["instruments"].as_array().unwrap();
    // Its first turn was over only if the signal was late.
    assert_eq!(survey["bandwidth"].is_null(), missing.contains(&"bandwidth".into()), "{missing:?}");
    // It is the last one.
    assert!(missing.contains(&"interleave".into()), "{missing:?}");
    success(&user.run(&["show", kept.to_str().unwrap()]));
}

#[test]
fn nothing_measured_is_a_failure() {
    let user = User::new();
    // Machines with 128 MiB in a thousandth of their memory are not tested on.
    let no_room = ["hidden", "--quick", "--share=0.1%", "--seed=1"];
    for args in [&["latency", "--probe", "chase", "--size", "99999T", "--seed=1"][..], &no_room] {
        let output = user.measure(args);
        assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
        assert!(
            stderr(&output).starts_with("nearfar: nothing was measured: "),
            "{}",
            stderr(&output)
        );
    }
}

/// A user with a limit of processes and threads. Only root can become such a user.
fn with_few_processes(user: &User, most: u32, args: &[&str]) -> Command {
    // An ID that no other process has: limits count all processes of a user.
    let own = (1_000_000 + std::process::id() * 8 + most).to_string();
    let become_user = ["--reuid", &own, "--regid", &own, "--clear-groups", "prlimit"];
    let limit = format!("--nproc={most}");
    user.through("setpriv", &[&become_user[..], &[&limit, nearfar()], args].concat())
}

#[test]
fn a_denied_thread_is_one_line() {
    let user = User::new();
    fs::set_permissions(user.folder(), Permissions::from_mode(0o777)).unwrap();
    let trial = with_few_processes(&user, 50, &["--version"]).output();
    if !trial.is_ok_and(|output| output.status.success()) {
        return skip("no other user can be had here");
    }
    let sweep = ["sweep", "--placement", "unbound", "--runs=1", "-o", "-", "--", "true"];
    let pairs = ["core-to-core", "--quick", "--budget=5s"];
    for args in
        [&CHEAP[..], &["latency", "--probe", "chase", "--size=1M", "--budget=5s"], &pairs, &sweep]
    {
        for most in 1..=6 {
            let output = run(with_few_processes(&user, most, args));
            let lines = stderr(&output);
            let case = format!("{args:?} with {most}: {lines}");
            assert!(!lines.contains("panicked"), "{case}");
            assert!(matches!(output.status.code(), Some(0..=2)), "{case}");
            if output.status.code() == Some(1) && args[0] == "latency" {
                let line = refusal(&output).1;
                // Where threads could be had, a busy machine may take every figure.
                assert!(
                    line.contains("cannot be started") || line.contains("nothing was measured: "),
                    "{case}"
                );
            }
        }
    }
}
