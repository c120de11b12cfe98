//! `nearfar diagnose`, as a user runs it.

use std::fs;
use std::path::Path;

use crate::user::{User, refusal, stderr, stdout};

/// A SRAT of one CPU and no memory, which no kernel takes.
fn srat_without_memory() -> Vec<u8> {
    let mut bytes = b"SRAT".to_vec();
    bytes.extend(64u32.to_le_bytes());
    bytes.extend([3, 0]);
    bytes.resize(48, 0);
    bytes.extend([0, 16, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    bytes[9] = 0u8.wrapping_sub(bytes.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte)));
    bytes
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn tables_and_a_log_that_somebody_sent_give_a_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let (table, log) = (folder.path().join("srat.dat"), folder.path().join("dmesg.txt"));
    fs::write(&table, srat_without_memory()).unwrap();
    fs::write(&log, "[    0.0] Linux version 6.1.0 (x)\n[    0.1] No NUMA configuration found\n").unwrap();
    let args = ["diagnose", "--tables", text(folder.path()), "--log", text(&log)];
    let output = User::new().run(&args);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let shown = stdout(&output);
    assert!(shown.starts_with("NUMA: withheld by firmware"), "{shown}");
    assert!(shown.contains("cause: srat-no-memory (SRAT, offset 0)"), "{shown}");
    assert!(shown.contains("dmesg.txt, line 2: No NUMA configuration found"), "{shown}");
    let json = stdout(&User::new().run(&[&args[..], &["--json"]].concat()));
    assert!(json.starts_with("{\"schema\":\"nearfar.diagnosis/1\",\"verdict\":\"withheld-by-firmware\""), "{json}");
    let letter = stdout(&User::new().run(&[&args[..], &["--letter"]].concat()));
    assert!(letter.contains("SRAT  64 bytes, revision 3") && letter.contains("srat.dat, offset 0"), "{letter}");
    assert!(!letter.contains(text(folder.path())), "{letter}");
}

#[test]
fn this_machine_gets_a_verdict_and_status_0() {
    let output = User::new().run(&["diagnose"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let shown = stdout(&output);
    assert!(shown.starts_with("NUMA: ") && shown.contains("\nWitnesses\n  firmware"), "{shown}");
}

#[test]
fn what_is_no_table_and_no_log_is_refused_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("notes.txt"), "hello").unwrap();
    let (status, said) = refusal(&User::new().run(&["diagnose", "--tables", text(folder.path())]));
    assert_eq!(status, 1);
    assert!(said.contains("holds no firmware table (1 files looked at)"), "{said}");
    let missing = folder.path().join("missing");
    let (status, said) = refusal(&User::new().run(&["diagnose", "--log", text(&missing)]));
    assert_eq!(status, 1);
    assert!(said.contains("cannot read the kernel's log") && said.contains("missing"), "{said}");
    assert_eq!(User::new().run(&["diagnose", "--json", "--letter"]).status.code(), Some(2));
}

#[test]
fn a_log_of_garbage_says_nothing_and_breaks_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let garbage: Vec<u8> = (0..1u32 << 20).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    fs::write(&log, garbage).unwrap();
    let output = User::new().run(&["diagnose", "--log", text(&log)]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}
