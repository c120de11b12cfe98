//! `nearfar structure`, as a user runs it.

use std::fs;

use crate::user::{User, refusal, stderr, stdout};

/// Two packages of two cores of two CPUs, as core-to-core-latency writes them.
const MATRIX: &str = ",,,,,,,\n45,,,,,,,\n110,110,,,,,,\n110,110,45,,,,,\n8,45,110,110,,,,\n45,8,\
                      110,110,45,,,\n110,110,8,45,110,110,,\n110,110,45,8,110,110,45,\n";

fn asked(matrix: &[u8], options: &[&str]) -> std::process::Output {
    let user = User::new();
    let file = user.folder().join("m.csv");
    fs::write(&file, matrix).unwrap();
    user.run(&[&["structure", file.to_str().unwrap()], options].concat())
}

#[test]
fn a_matrix_gives_text_and_json() {
    let output = asked(MATRIX.as_bytes(), &[]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let shown = stdout(&output);
    let groups = "packages: undetermined\ncache groups: 2 (0-1,4-5; 2-3,6-7)\n";
    assert!(shown.starts_with(groups) && shown.contains("or clusters of one package"), "{shown}");
    let json = stdout(&asked(MATRIX.as_bytes(), &["--json"]));
    let start = concat!(
        r#"{"schema":"nearfar.structure/2","cpus":"0-7","packages":[],"#,
        r#""cache_groups":[{"cpus":"0-1,4-5","support":1.0},"#
    );
    assert!(json.starts_with(start) && json.ends_with("}\n"), "{json}");
}

#[test]
fn a_machine_with_other_cpus_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let cpu = folder.path().join("sys/devices/system/cpu");
    fs::create_dir_all(&cpu).unwrap();
    for list in ["online", "possible", "present"] {
        fs::write(cpu.join(list), "0-3\n").unwrap();
    }
    let output = asked(MATRIX.as_bytes(), &["--root", folder.path().to_str().unwrap()]);
    let (status, message) = refusal(&output);
    assert_eq!(status, 1);
    assert!(
        message.contains("the matrix has CPUs 4-7, which the machine of --root does not have"),
        "{message}"
    );
}

#[test]
fn a_file_that_is_no_matrix_is_refused() {
    for (text, why) in [
        (&b""[..], "no pair of CPUs has a number"),
        (b"hello, world\n", "no pair of CPUs has a number"),
        (b"1,2\n3,4\n5,6\n7,8\n", "4 rows, but 2 columns"),
        (b"\x7fELF\0\0\0\xff,\0\n", "no pair of CPUs has a number"),
    ] {
        let (status, message) = refusal(&asked(text, &[]));
        assert_eq!(status, 1);
        assert!(
            message.contains("m.csv holds no matrix of latencies") && message.contains(why),
            "{message}"
        );
    }
    let (status, message) = refusal(&User::new().run(&["structure", "/nonexistent/m.csv"]));
    assert!(
        status == 1 && message.contains("cannot read /nonexistent/m.csv: No such file"),
        "{message}"
    );
    assert_eq!(User::new().run(&["structure"]).status.code(), Some(2));
}

#[test]
fn tiny_and_endless_matrices_do_not_crash() {
    let output = asked(b"45\n", &[]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        stdout(&output).contains("all groups are undetermined: 2 CPUs have costs"),
        "{}",
        stdout(&output)
    );
    let (status, message) = refusal(&asked(",1".repeat(70_000).as_bytes(), &[]));
    assert!(status == 1 && message.contains("70001 CPUs are more than 2048"), "{message}");
}
