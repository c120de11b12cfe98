//! Bad input gets one clear line: what, where, what to do.

use std::fs;
use std::process::Stdio;

use crate::user::{User, has_two_cpus, nearfar, refusal, stderr};

fn refused(args: &[&str]) -> (i32, String) {
    refusal(&User::new().run(args))
}

#[test]
fn a_cpu_that_does_not_exist() {
    let (status, message) = refused(&["survey", "--quick", "--cpus", "0,4000"]);
    assert_eq!(status, 2);
    assert!(
        message.starts_with("nearfar: CPU 4000 does not exist: this machine has CPUs 0"),
        "{message}"
    );
}

#[test]
fn a_node_that_does_not_exist() {
    let (status, message) = refused(&["survey", "--quick", "--nodes", "77"]);
    assert_eq!(status, 2);
    assert!(
        message.starts_with("nearfar: node 77 does not exist: this machine has nodes 0"),
        "{message}"
    );
}

#[test]
fn empty_lists() {
    assert_eq!(
        refused(&["survey", "--cpus", ""]),
        (2, "nearfar: the list of CPUs is empty: name at least one, such as --cpus 0-3".to_owned())
    );
    assert_eq!(
        refused(&["latency", "--nodes", ""]),
        (2, "nearfar: the list of nodes is empty: name at least one, such as --nodes 0".to_owned())
    );
}

#[test]
fn a_list_that_is_none() {
    let output = User::new().run(&["survey", "--cpus", "0-x"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("'0-x' is not a CPU list: 'x' is not a number"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_cpu_outside_the_cpuset() {
    if !has_two_cpus() {
        return;
    }
    let user = User::new();
    let output = user
        .through("taskset", &["-c", "0", nearfar(), "survey", "--quick", "--cpus", "1"])
        .output();
    let (status, message) = refusal(&output.expect("taskset starts"));
    assert_eq!(
        (status, message.as_str()),
        (2, "nearfar: CPU 1 is outside the cpuset of this process: it may use 0")
    );
}

#[test]
fn a_threshold_without_a_percent_sign() {
    let output = User::new().run(&["survey", "--threshold", "5"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("write 5% for percent"), "{}", stderr(&output));
}

#[test]
fn an_option_of_another_probe() {
    assert_eq!(
        refused(&["latency", "--probe", "page", "--size", "1G"]),
        (2, "nearfar: --size does not apply to the page probe".to_owned())
    );
}

#[test]
fn sizes_that_no_probe_can_have() {
    let (status, message) = refused(&["latency", "--probe", "chase", "--size", "65537"]);
    assert_eq!(status, 2);
    assert!(
        message.starts_with("nearfar: the chase probe cannot have a size of 65537 bytes"),
        "{message}"
    );
}

#[test]
fn a_core_walk_has_no_nodes_and_no_other_rows() {
    for option in [["--nodes", "0"], ["--rows", "node"]] {
        let (status, message) = refused(&["latency", "--probe", "core-walk", option[0], option[1]]);
        assert_eq!(status, 2);
        assert_eq!(
            message,
            format!(
                "nearfar: {} does not apply to the core-walk probe: name CPUs with --cpus",
                option[0]
            )
        );
    }
}

#[test]
fn an_unwritable_folder_is_found_before_measuring() {
    // One sample of this would take hours.
    let endless = ["survey", "--probe", "chase", "--accesses", "1000000000000"];
    let (status, message) = refused(&[&endless[..], &["-o", "/nowhere/s.json"]].concat());
    assert_eq!(status, 1);
    assert!(
        message.starts_with("nearfar: cannot write to /nowhere/s.json: No such file or directory"),
        "{message}"
    );
}

#[test]
fn only_force_overwrites_a_file() {
    let user = User::new();
    let document =
        user.write("survey.json", include_str!("../../../report/tests/golden/several.json"));
    let file = user.write("there", "not overwritten");
    let refused = |args: &[&str]| {
        let output = user.run(&[args, &["-o", &file]].concat());
        assert_eq!(
            refusal(&output),
            (2, format!("nearfar: {file} already exists: --force overwrites it"))
        );
        assert_eq!(fs::read(&file).unwrap(), b"not overwritten", "{args:?}");
    };
    for instrument in [
        "survey",
        "latency",
        "bandwidth",
        "caches",
        "core-to-core",
        "hidden",
        "interleave",
        "loaded",
    ] {
        refused(&[instrument, "--seed=1"]);
    }
    let writers = [&["report", &document][..], &["plot", "latency", &document], &["capture"]];
    for args in writers {
        refused(args);
    }
    for args in writers {
        let output = user.run(&[args, &["--force", "-o", &file]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert_ne!(fs::read(&file).unwrap(), b"not overwritten", "{args:?}");
        user.write("there", "not overwritten");
    }
}

#[test]
fn a_truncated_capture_is_a_failure() {
    let user = User::new();
    let mut child = user
        .command(&["capture", "-o", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let (status, line) = refusal(&child.wait_with_output().unwrap());
    assert_eq!(status, 1);
    assert_eq!(line, "nearfar: the reader of standard output stopped before the file's end");
}

#[test]
fn a_device_is_not_replaced_by_a_survey() {
    let (status, message) = refused(&["survey", "-o", "/dev/null"]);
    assert_eq!(status, 1);
    assert!(message.contains("/dev/null: not a regular file"), "{message}");
}

#[test]
fn files_that_are_no_surveys() {
    let user = User::new();
    let file = user.folder().join("s.json");
    let path = file.to_str().unwrap();
    let show = |content: &str| {
        fs::write(&file, content).unwrap();
        let (status, message) = refusal(&user.run(&["show", path]));
        assert_eq!(status, 1);
        message
    };
    assert!(show("").ends_with("is not a survey: it is empty"));
    assert!(show("not JSON").contains("is not a survey: expected"));
    assert!(show(r#"{"schema":"nearfar.survey/3"}"#).contains("use the one that wrote it"));
    assert!(show(r#"{"schema":"nearfar.survey/2","machine":{"#).contains("is cut off"));
    let (status, message) = refusal(&user.run(&["show", "/nowhere.json"]));
    assert_eq!(
        (status, message.as_str()),
        (1, "nearfar: cannot read /nowhere.json: No such file or directory (os error 2)")
    );
}

#[test]
fn a_captured_machine_cannot_be_measured() {
    for command in ["survey", "bandwidth"] {
        let output = User::new().run(&[command, "--root", "machine.tar.gz"]);
        assert_eq!(output.status.code(), Some(2));
        let message = stderr(&output);
        assert!(message.contains("tip: 'nearfar topology --root PATH'"), "{message}");
        assert!(!message.contains("similar argument"), "{message}");
    }
}

#[test]
fn a_folder_that_is_no_machine() {
    let user = User::new();
    let (status, message) =
        refusal(&user.run(&["topology", "--root", user.folder().to_str().unwrap()]));
    assert_eq!(status, 1);
    assert!(message.starts_with("nearfar: "), "{message}");
}

#[test]
fn standard_output_on_a_full_disk() {
    for args in [&["topology"][..], &["--help"], &["survey", "--help"], &["--version"]] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = User::new().command(args).stdout(full).output().unwrap();
        let (status, message) = refusal(&output);
        assert_eq!(status, 1, "{args:?}");
        assert!(
            message.contains("cannot write to standard output")
                && message.contains("No space left"),
            "{message}"
        );
    }
}

#[test]
fn a_closed_stderr_is_no_crash() {
    let full = || fs::File::options().write(true).open("/dev/full").unwrap();
    let status = |args: &[&str]| User::new().command(args).stderr(full()).status().unwrap().code();
    assert_eq!(status(&["show", "/nowhere.json"]), Some(1));
    assert_eq!(status(&["survey", "--cpus", "4000"]), Some(2));
}

#[test]
fn what_strangers_wrote_commands_no_terminal() {
    let user = User::new();
    let file = user.folder().join("s.json");
    fs::write(&file, "{\"schema\":\"x\\u001b[2J\\nnext line\"}").unwrap();
    let (status, message) = refusal(&user.run(&["show", file.to_str().unwrap()]));
    assert_eq!(status, 1);
    assert!(!message.contains('\u{1b}'), "{message:?}");
}
