//! Runs the lab, or says loudly that it cannot. With `CI` set, a lab that is not whole is a failure.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// What a guest of each architecture is made of, beside the emulator.
const PARTS: [&str; 3] = ["vmlinuz", "busybox", "nearfar"];

/// Whether the kit has all that guests of an architecture need. Where it has not, the test is skipped, and nobody overlooks it.
pub(crate) fn is_ready(arch: &str) -> bool {
    is_ready_with(arch, &[])
}

/// The same, where a test needs more of the kit than guests do.
pub(crate) fn is_ready_with(arch: &str, more: &[&str]) -> bool {
    let lacks = lacks(arch, more);
    if lacks.is_empty() {
        return true;
    }
    let name = std::thread::current().name().unwrap_or("a test").to_owned();
    let message = format!("\nSKIPPED {name}: the lab lacks {} (./dev lab-setup)\n", lacks.join(", "));
    assert!(std::env::var_os("CI").is_none(), "{message}CI is set, and does not let a test go");
    // The test harness swallows what passing tests print by its own means.
    std::io::stderr().write_all(message.as_bytes()).unwrap();
    false
}

fn lacks(arch: &str, more: &[&str]) -> Vec<String> {
    let Some(kit) = std::env::var_os("NEARFAR_LAB_KIT").map(PathBuf::from) else {
        return vec!["a kit: NEARFAR_LAB_KIT is not set".to_owned()];
    };
    let parts = PARTS.iter().chain(more).map(|part| format!("{arch}/{part}")).chain(["plugin.so".to_owned()]);
    let mut lacks: Vec<String> = parts.filter(|part| !kit.join(part).exists()).collect();
    let emulator = format!("qemu-system-{arch}");
    if !kit.join("qemu").join(&emulator).exists() && Command::new(&emulator).arg("--version").output().is_err() {
        lacks.push(emulator);
    }
    lacks
}

/// A machine of the tests' own.
pub(crate) fn machine(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/machines/{name}.toml")).display().to_string()
}

/// The lab with these words. Linux patches its own code as it starts, which QEMU 7.2 emulates with a race: a guest in some dozens dies of it
/// before it has done anything. That says nothing about nearfar, so it may boot three times.
pub(crate) fn lab(words: &[&str]) -> Output {
    let run = || Command::new(env!("CARGO_BIN_EXE_nearfar-lab")).args(words).output().unwrap();
    let died = |output: &Output| String::from_utf8_lossy(&output.stderr).contains("died before the command began");
    let mut output = run();
    for _ in 0..2 {
        if died(&output) {
            output = run();
        }
    }
    output
}

/// A survey inside against what was charged; the exit status says whether there are objections.
pub(crate) fn compared(machine: &str, words: &[&str]) -> Value {
    let output = lab(&[&["check", machine, "--json"], words].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    let comparison: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{machine}: {said}"));
    let objects = comparison["objections"] != serde_json::json!([]);
    assert_eq!(output.status.code(), Some(i32::from(objects)), "{machine}: {said}");
    comparison
}

/// The same, and that the survey found what was put in.
pub(crate) fn found_what_was_put_in(machine: &str, words: &[&str]) -> Value {
    undisturbed(|| {
        let comparison = compared(machine, words);
        let objections = comparison["objections"].as_array().unwrap();
        let is_of_costs = |objection: &Value| objection.as_str().unwrap().contains("from what was charged");
        assert!(objections.iter().all(is_of_costs), "{machine}: {comparison:#}");
        if objections.is_empty() { Ok(comparison) } else { Err(format!("{machine}: {comparison:#}")) }
    })
}

/// Costs that were measured well in one of three attempts: a host that is busy with much else disturbs some of them, and what nearfar does wrong, it does
/// wrong three times.
pub(crate) fn undisturbed<T>(mut attempt: impl FnMut() -> Result<T, String>) -> T {
    for _ in 0..2 {
        match attempt() {
            Ok(measured) => return measured,
            Err(why) => std::io::stderr().write_all(format!("measured once more: {why}\n").as_bytes()).unwrap(),
        }
    }
    attempt().unwrap_or_else(|why| panic!("{why}"))
}
