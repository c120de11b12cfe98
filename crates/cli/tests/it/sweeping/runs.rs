//! `nearfar sweep` as a user runs it, with programs that behave and programs that do not.

use std::fs;
use std::path::PathBuf;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::user::{User, is_running, own_messages, refusal, send, stderr, stdout, wait_for};

fn document(output: &Output) -> Value {
    serde_json::from_str(&stdout(output))
        .unwrap_or_else(|error| panic!("{error}: {}", stderr(output)))
}

/// A sweep of a shell's line under these options, as JSON.
fn swept(user: &User, options: &[&str], line: &str) -> Value {
    let output = swept_somehow(user, options, line);
    assert!(output.status.success(), "{}", stderr(&output));
    document(&output)
}

/// The same of a line that may fail.
fn swept_somehow(user: &User, options: &[&str], line: &str) -> Output {
    user.measure(
        &[&["sweep", "--json", "--no-pages", "--warmup", "0"], options, &["--", "sh", "-c", line]]
            .concat(),
    )
}

/// The same of a line whose runs all fail, with this error: the document is printed all the same.
fn all_failed(user: &User, options: &[&str], line: &str, expected: &str) -> Value {
    let output = swept_somehow(user, options, line);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let found = document(&output);
    assert!(
        stderr(&output).ends_with(&format!("nearfar: every run failed: {expected}\n")),
        "{}",
        stderr(&output)
    );
    found
}

fn configuration<'d>(document: &'d Value, id: &str) -> &'d Value {
    let all = document["configurations"].as_array().unwrap();
    all.iter().find(|one| one["id"] == id).unwrap_or_else(|| panic!("no {id}: {document:#}"))
}

#[test]
fn sweeps_are_kept_and_shown() {
    let user = User::new();
    let file = user.folder().join("sweep.json");
    let words = [
        "sweep",
        "--placement",
        "unbound,packed",
        "--jobs",
        "1,2",
        "--runs",
        "6",
        "-o",
        file.to_str().unwrap(),
        "--",
        "sh",
        "-c",
        "exit 0 # {jobs} {cpus} {nodes}",
    ];
    let output = user.measure(&words);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(
        text.contains("packed jobs=2")
            && text.contains("95 % interval")
            && text.contains("24 runs, all runs made"),
        "{text}"
    );
    assert_eq!(
        own_messages(&output),
        format!("nearfar: saved as {} after every run\n", file.display())
    );
    let kept: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(
        (&kept["schema"], &kept["stopped"]),
        (&"nearfar.sweep/2".into(), &"run-limit".into())
    );
    let one = configuration(&kept, "unbound jobs=2");
    assert!(one["command"][2].as_str().unwrap().starts_with("exit 0 # 2 0"), "{one:#}");
    assert_eq!(one["runs"].as_array().unwrap().len(), 6);
    assert!(
        one["runs"][0]["wall_s"].as_f64().unwrap() > 0.0
            && one["runs"][0]["max_rss_bytes"].as_u64().unwrap() > 100_000
    );
    assert!(kept["answers"]["difference_to_default"]["packed jobs=1"]["p"].is_number());
}

#[test]
fn csv_has_a_line_for_each_run() {
    let user = User::new();
    let output =
        user.measure(&["sweep", "--placement", "unbound", "--runs", "4", "--csv", "--", "true"]);
    assert_eq!(stdout(&output).lines().count(), 5, "{}", stderr(&output));
    let kept: Vec<PathBuf> = fs::read_dir(user.folder().join("data/nearfar/sweeps"))
        .unwrap()
        .map(|dir| dir.unwrap().path())
        .collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
}

#[test]
fn cpu_time_memory_and_output_are_the_program_s() {
    let user = User::new();
    let line = "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; echo 'score: 1,234.5 points'";
    let options = [
        "--placement",
        "unbound",
        "--runs",
        "3",
        "--metric",
        r"score=score: ([0-9.,]+)",
        "--higher-is-better",
    ];
    let found = swept(&user, &options, line);
    assert_eq!(found["objective"]["higher_is_better"], true);
    let one = configuration(&found, "unbound");
    assert_eq!(one["median"], 1234.5);
    for run in one["runs"].as_array().unwrap() {
        let figure = |name: &str| run[name].as_f64().unwrap();
        let cpu = figure("user_s") + figure("sys_s");
        // One thread cannot use more than that; clocks may differ by some ticks.
        assert!(cpu > 0.0 && cpu <= figure("wall_s") + 1.0, "{run:#}");
    }
}

#[test]
fn failing_configurations_are_reported() {
    let user = User::new();
    let found = swept(
        &user,
        &["--placement", "unbound", "--jobs", "1,2", "--runs", "6"],
        "echo no luck >&2; exit $(({jobs} - 1))",
    );
    let failing = configuration(&found, "unbound jobs=2");
    assert_eq!((&failing["failed"], &failing["median"]), (&5.into(), &Value::Null), "{failing:#}");
    assert_eq!(
        failing["runs"][0]["failed"],
        json!({"code": "exited", "status": 1, "said": "no luck"})
    );
    assert_eq!(configuration(&found, "unbound jobs=1")["runs"].as_array().unwrap().len(), 6);
    let options = ["--placement", "unbound", "--runs", "3", "--metric", "x=x: ([0-9]+)"];
    let expected = "it did not print what --metric x=x: ([0-9]+) looks for: nothing";
    let silent = all_failed(&user, &options, "echo nothing", expected);
    assert_eq!(configuration(&silent, "unbound")["runs"][0]["failed"]["code"], "no-figure");
    let expected =
        "it printed 0: figures are compared as ratios, and must lie between 1e-30 and 1e30";
    let zero = all_failed(&user, &options, "echo x: 0", expected);
    assert_eq!(configuration(&zero, "unbound")["runs"][0]["failed"]["code"], "figure-out-of-range");
}

#[test]
fn timed_out_programs_are_killed() {
    let user = User::new();
    let found = all_failed(
        &user,
        &["--placement", "unbound", "--runs", "1", "--timeout", "1s"],
        "trap '' TERM; sh -c 'trap \"\" TERM; sleep 4711; true' & while :; do sleep 1; done",
        "it took too long, and was ended",
    );
    let run = &configuration(&found, "unbound")["runs"][0];
    assert_eq!(run["failed"]["code"], "timed-out");
    assert_eq!(run["exit"]["how"], "timed-out");
    wait_for("all are ended", || !is_running("sleep\u{0}4711"));
}

#[test]
fn left_daemons_are_killed_and_counted() {
    let user = User::new();
    let found = swept(
        &user,
        &["--placement", "unbound", "--runs", "2"],
        "setsid sh -c 'sleep 4712' & setsid sleep 4713 >/dev/null 2>&1 & exit 0",
    );
    for run in configuration(&found, "unbound")["runs"].as_array().unwrap() {
        assert!(run["left_behind"].as_u64().is_some_and(|left| left >= 2), "{run:#}");
        assert!(
            run["wall_s"].as_f64().unwrap() < 4000.0,
            "the sweep does not wait for them: {run:#}"
        );
    }
    wait_for("both are ended", || !is_running("sleep\u{0}4712") && !is_running("sleep\u{0}4713"));
}

#[test]
fn large_output_is_drained() {
    let user = User::new();
    let found = swept(
        &user,
        &["--placement", "unbound", "--runs", "2", "--metric", "last=end ([0-9]+)"],
        "head -c 64000000 /dev/zero | tr '\\0' 'x'; echo; echo end 7",
    );
    assert_eq!(configuration(&found, "unbound")["median"], 7.0);
}

#[test]
fn policy_and_cpus_apply_to_the_program() {
    let user = User::new();
    let options = [
        "--placement",
        "-C 0 -m 0",
        "--runs",
        "2",
        "--metric",
        r"mask=Cpus_allowed:[\s0,]*([0-9a-f]+)",
    ];
    let found = swept(&user, &options, "grep Cpus_allowed: /proc/self/status");
    // CPU 0 and no other.
    assert_eq!(configuration(&found, "-C 0 -m 0")["median"], 1.0, "{found:#}");
}

#[test]
fn usage_errors_take_one_line() {
    let user = User::new();
    for (words, expected) in [
        (
            &["--placement", "nowhere", "--", "true"][..],
            "'nowhere' is no placement: write unbound, local:N",
        ),
        (
            &["--placement", "local:77", "--", "true"],
            "no requested placement is available here: local:77: ",
        ),
        (
            &["--env", "A=1", "--env", "B=1", "--env", "A=2", "--", "true"],
            "--env A is there twice: write all its values in one, as A=VALUE,VALUE",
        ),
        (
            &["-o", "/nowhere/at/all.json", "--", "true"],
            "cannot write /nowhere/at/all.json: No such file",
        ),
        (&["--resume", "/nowhere.json"], "cannot read /nowhere.json: No such file"),
    ] {
        let output = user.measure(&[&["sweep"], words].concat());
        let (status, message) = refusal(&output);
        assert!(message.contains(expected) && [1, 2].contains(&status), "{words:?}: {message}");
    }
    for words in [
        &["--jobs", "0", "--", "true"][..],
        &["--metric", "x=[", "--", "true"],
        &["--env", "x", "--", "true"],
        &["--smt", "on", "--", "true"],
        &[],
    ] {
        let output = user.measure(&[&["sweep"], words].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(!stderr(&output).contains("panicked"));
    }
}

/// At 0206d5e9 each was run five times.
#[test]
fn missing_programs_are_found_missing_once() {
    let user = User::new();
    for (program, why) in [
        ("/no/such/program", "there is no such file"),
        ("nosuch-program", "no folder of PATH has such a program"),
    ] {
        let output = user.measure(&["sweep", "--placement", "unbound", "--", program]);
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(stderr(&output), format!("nearfar: cannot run {program}: {why}\n"));
        assert_eq!(stdout(&output), "");
    }
    // What --prepare makes is not there yet.
    let words = ["sweep", "--placement", "unbound", "--prepare", "true", "--json", "--"];
    let output = user.measure(&[&words[..], &["/no/such/program"]].concat());
    let found = document(&output);
    assert_eq!(found["stopped"], "nothing-runs");
    let why = &configuration(&found, "unbound")["runs"][0]["failed"];
    assert_eq!(
        (&why["code"], &why["program"]),
        (&json!("not-started"), &json!("/no/such/program"))
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("nearfar: every run failed: /no/such/program: No such file"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_program_needs_no_dashes() {
    let user = User::new();
    let output = user.run(&["sweep", "--placement", "unbound", "--runs", "1", "true", "--help"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("true --help"), "{}", stdout(&output));
}

#[test]
fn one_configuration_has_nothing_to_compare() {
    let user = User::new();
    let output = user.measure(&["sweep", "--placement", "unbound", "--runs", "1", "--", "true"]);
    let text = stdout(&output);
    assert!(text.contains("Only unbound ran: there is nothing to compare it with."), "{text}");
}

fn runs_in(file: &std::path::Path) -> usize {
    let Ok(text) = fs::read_to_string(file) else { return 0 };
    let document: Value = serde_json::from_str(&text).expect("the file is whole at any time");
    document["configurations"][0]["runs"].as_array().map_or(0, Vec::len)
}

/// A program that waits once two runs are in the file, until there is a file `go`.
///
/// The file is written seldom where writing takes long: until then, a run takes its time.
/// The brackets keep the pattern from matching itself: the file holds the program, too.
fn waits_after_two_runs(user: &User, marker: &str) -> String {
    let folder = user.folder().display();
    format!(
        "[ -e '{folder}/go' ] || case $(cat '{folder}/sweep.json' 2>/dev/null | grep -c \
         max_rss_byte[s]) in 0|1) sleep 1 ;; *) exec sleep {marker} ;; esac"
    )
}

#[test]
fn interrupted_and_killed_sweeps_resume() {
    for (signal, marker) in [("INT", "4714"), ("KILL", "4715")] {
        let user = User::new();
        let file = user.folder().join("sweep.json");
        let path = file.to_str().unwrap();
        let sweep =
            ["sweep", "--placement", "unbound", "--warmup", "0", "--runs", "20", "-o", path];
        let program = waits_after_two_runs(&user, marker);
        let mut command = user.command(&[&sweep[..], &["--", "sh", "-c", &program]].concat());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let is_waiting = || is_running(&format!("sleep\u{0}{marker}"));
        wait_for("a run waits", is_waiting);
        send(signal, &child);
        let output = child.wait_with_output().unwrap();
        if signal == "INT" {
            assert_eq!(output.status.code(), Some(130));
            let hint =
                format!("{path} holds what was run; continue with: nearfar sweep --resume {path}");
            assert!(stderr(&output).contains(&hint), "{}", stderr(&output));
        }
        wait_for("the run is ended", || !is_waiting());
        let before = runs_in(&file);
        assert!((2..20).contains(&before), "{before}");
        user.write("go", "");
        // As many as were asked for at first.
        let resumed = user.measure(&["sweep", "--yes", "--resume", path]);
        assert!(resumed.status.success(), "{}", stderr(&resumed));
        assert_eq!(runs_in(&file), 20);
    }
}
