//! Bad input gets one clear line: what, where, what to do.

mod running;

use std::fs;
use std::io::{self, Write};

use running::{User, alone, confined, nearfar, refusal, stderr, stdout};

fn refused(args: &[&str]) -> (i32, String) {
    refusal(&User::new().run(args))
}

#[test]
fn a_cpu_that_does_not_exist() {
    let (status, said) = refused(&["survey", "--quick", "--cpus", "0,4000"]);
    assert_eq!(status, 2);
    assert!(said.starts_with("nearfar: CPU 4000 does not exist: this machine has CPUs 0"), "{said}");
}

#[test]
fn a_node_that_does_not_exist() {
    let (status, said) = refused(&["survey", "--quick", "--nodes", "77"]);
    assert_eq!(status, 2);
    assert!(said.starts_with("nearfar: node 77 does not exist: this machine has nodes 0"), "{said}");
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
    assert!(stderr(&output).contains("'0-x' is not a CPU list: 'x' is not a number"), "{}", stderr(&output));
}

#[test]
fn a_cpu_outside_the_cpuset() {
    if std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() < 2) {
        io::stderr().write_all(b"skipped: one CPU only\n").unwrap();
        return;
    }
    let user = User::new();
    let output = user.through("taskset", &["-c", "0", nearfar(), "survey", "--quick", "--cpus", "1"]).output();
    let (status, said) = refusal(&output.expect("taskset starts"));
    assert_eq!((status, said.as_str()), (2, "nearfar: CPU 1 is outside the cpuset of this process: it may use 0"));
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
        (2, "nearfar: --size does not go with the page probe".to_owned())
    );
}

#[test]
fn sizes_that_no_probe_can_have() {
    let (status, said) = refused(&["latency", "--probe", "chase", "--size", "65537"]);
    assert_eq!(status, 2);
    assert!(said.starts_with("nearfar: the chase probe cannot have a size of 65537 bytes"), "{said}");
}

#[test]
fn a_core_walk_has_no_nodes_and_no_other_rows() {
    for option in [["--nodes", "0"], ["--rows", "node"]] {
        let (status, said) = refused(&["latency", "--probe", "core-walk", option[0], option[1]]);
        assert_eq!(status, 2);
        assert_eq!(said, format!("nearfar: {} does not go with the core-walk probe: name CPUs with --cpus", option[0]));
    }
}

#[test]
fn an_unwritable_folder_is_found_before_measuring() {
    let started = std::time::Instant::now();
    let (status, said) = refused(&["survey", "-o", "/nowhere/s.json"]);
    assert_eq!(status, 1);
    assert!(said.starts_with("nearfar: cannot write to /nowhere/s.json: No such file or directory"), "{said}");
    assert!(started.elapsed().as_secs() < 2, "nothing was measured");
}

#[test]
fn a_device_is_not_replaced_by_a_survey() {
    let (status, said) = refused(&["survey", "-o", "/dev/null"]);
    assert_eq!(status, 1);
    assert!(said.contains("/dev/null: not a regular file"), "{said}");
}

#[test]
fn files_that_are_no_surveys() {
    let user = User::new();
    let file = user.folder().join("s.json");
    let path = file.to_str().unwrap();
    let show = |content: &str| {
        fs::write(&file, content).unwrap();
        let (status, said) = refusal(&user.run(&["show", path]));
        assert_eq!(status, 1);
        said
    };
    assert!(show("").ends_with("is not a survey: it is empty"));
    assert!(show("not JSON").contains("is not a survey: expected"));
    assert!(show(r#"{"schema":"nearfar.survey/2"}"#).contains("a newer nearfar reads it"));
    assert!(show(r#"{"schema":"nearfar.survey/1","machine":{"#).contains("is cut off"));
    let (status, said) = refusal(&user.run(&["show", "/nowhere.json"]));
    assert_eq!(
        (status, said.as_str()),
        (1, "nearfar: cannot read /nowhere.json: No such file or directory (os error 2)")
    );
}

#[test]
fn a_folder_that_is_no_machine() {
    let user = User::new();
    let (status, said) = refusal(&user.run(&["topology", "--root", user.folder().to_str().unwrap()]));
    assert_eq!(status, 1);
    assert!(said.starts_with("nearfar: "), "{said}");
}

#[test]
fn standard_output_on_a_full_disk() {
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = User::new().command(&["topology"]).stdout(full).output().unwrap();
    let (status, said) = refusal(&output);
    assert_eq!(status, 1);
    assert!(said.contains("cannot write to standard output") && said.contains("No space left"), "{said}");
}

#[test]
fn nobody_to_tell_is_no_crash() {
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
    let (status, said) = refusal(&user.run(&["show", file.to_str().unwrap()]));
    assert_eq!(status, 1);
    assert!(!said.contains('\u{1b}'), "{said:?}");
}

#[test]
fn a_full_disk_leaves_nothing_half_written() {
    let user = User::new();
    let disk = user.folder().join("disk");
    fs::create_dir(&disk).unwrap();
    let script = format!(
        "mount -t tmpfs -o size=4k none {0} || exit 99; '{1}' latency --seed 1 -o {0}/s.json; code=$?; ls -A {0} >&2; exit $code",
        disk.display(),
        nearfar()
    );
    let output = user.through("unshare", &["--mount", "sh", "-c", &script]).output().expect("unshare starts");
    if output.status.code() == Some(99) || stderr(&output).starts_with("unshare:") {
        // Past the test harness, which keeps what a passing test prints with `eprintln!`.
        let why = format!("skipped: a small disk cannot be mounted here: {}\n", stderr(&output).trim());
        io::stderr().write_all(why.as_bytes()).unwrap();
        return;
    }
    let (status, said) = refusal(&output);
    assert_eq!(status, 1);
    assert!(said.contains("No space left on device"), "{said}");
}

#[test]
fn a_container_that_refuses_memory_policies() {
    let user = User::new();
    let args = ["--deny-memory-policy", nearfar(), "survey", "--quick", "--seed", "1"];
    let _alone = alone();
    let output = user.through(confined(), &args).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("Placed by first touch alone: mbind was refused"), "it says what was refused: {text}");
    assert!(text.contains("seccomp"), "and what is likely: {text}");
    assert!(text.contains("±"), "and measures what it still can: {text}");
}

#[test]
fn a_container_that_refuses_affinity() {
    let user = User::new();
    let args = ["--deny-affinity", nearfar(), "survey", "--quick", "--seed", "1"];
    let _alone = alone();
    let output = user.through(confined(), &args).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("sched_setaffinity was refused by the kernel (EPERM)"), "{text}");
    assert!(text.contains("NUMA: undetermined"), "{text}");
}

#[test]
fn no_huge_pages_is_told_and_measured() {
    let user = User::new();
    let args = ["--no-huge-pages", nearfar(), "survey", "--quick", "--seed", "1", "--json"];
    let _alone = alone();
    let output = user.through(confined(), &args).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let survey: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(survey["latency"]["columns"][0]["backing"], "4k");
    let warnings = survey["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|warning| warning["code"] == "placement"), "{warnings:?}");
}

#[test]
fn memory_that_cannot_be_had_is_told_in_its_cell() {
    let user = User::new();
    let output = user.run(&["latency", "--probe", "chase", "--size", "900T", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let survey: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let cell = &survey["latency"]["cells"][0];
    assert!(cell["q25"].is_null() && cell["why"].is_string(), "{cell}");
}
