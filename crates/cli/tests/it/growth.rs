//! Twice the input takes about twice the instructions, for every reader.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::user::{nearfar, skip};

/// Instructions at most for a text twice as large. Sorting is a little above 2.
const MAX_GROWTH: f64 = 2.5;
/// Instructions a byte that copying and a look at the start take: less is no growth of a reader.
const LEAST: f64 = 10.0;
/// Texts of the example, at least.
const TEXTS: usize = 20;
/// Bytes of the smaller text: a square of it is far beyond what reading takes.
const BYTES: usize = 8 << 10;

/// The example `readers` of this crate.
fn readers() -> PathBuf {
    let path = Path::new(nearfar()).parent().expect("a folder").join("examples/readers");
    if !path.exists() {
        let args = ["build", "--quiet", "--package", "nearfar", "--example", "readers"];
        let status = Command::new(env!("CARGO")).args(args).status().expect("cargo starts");
        assert!(status.success() && path.exists(), "cargo {}", args.join(" "));
    }
    path
}

/// The instructions of a reader and texts of this size, as Valgrind counts them.
fn instructions(reader: &str, bytes: usize) -> f64 {
    let (count, is_done) = counted(&readers(), &[reader, &bytes.to_string()]);
    assert!(is_done, "{reader}");
    count
}

/// Instructions of a program, as Valgrind counts them, and whether it succeeds.
pub(crate) fn counted(program: &Path, words: &[&str]) -> (f64, bool) {
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(program)
        .args(words)
        .output()
        .expect("valgrind starts");
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find(|line| line.contains("I refs:") || line.contains("I   refs:"));
    let line = line.unwrap_or_else(|| panic!("{words:?}: {text}"));
    let digits = line.rsplit(' ').next().expect("a count").replace(',', "");
    (digits.parse().expect("a number"), output.status.success())
}

/// Whether there is a Valgrind; else the test is skipped, with a note.
pub(crate) fn has_valgrind() -> bool {
    let found = Command::new("valgrind").arg("--version").output().is_ok();
    if !found {
        skip("there is no Valgrind");
    }
    found
}

#[test]
#[ignore = "long: minutes under Valgrind"]
fn twice_the_input_takes_twice_the_instructions() {
    if !has_valgrind() {
        return;
    }
    let listed = Command::new(readers()).output().expect("it starts");
    let mut faults = Vec::new();
    for reader in String::from_utf8(listed.stdout).expect("UTF-8").lines() {
        let start = instructions(reader, 0);
        let [once, twice] = [BYTES, 2 * BYTES].map(|bytes| instructions(reader, bytes) - start);
        let is_work = twice > LEAST * (2 * BYTES * TEXTS) as f64;
        if is_work && twice > MAX_GROWTH * once {
            faults.push(format!("{reader}: {once} to {twice}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
