//! Sweeps that ran in a guest, one after the other in one boot.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::lab::{is_ready_with, lab};

/// What `--metric` finds in the program's output.
pub(crate) const METRIC: &str = "--metric 'ns=chase: ([0-9.]+)'";

pub(crate) fn is_ready() -> bool {
    is_ready_with("x86_64", &["chase"])
}

/// The documents of `nearfar sweep` with these words, in a shell's language.
pub(crate) fn swept(machine: &str, sweeps: &[String]) -> Vec<Value> {
    swept_with(machine, &[], sweeps)
}

/// The same in a guest that is started with these options.
pub(crate) fn swept_with(machine: &str, options: &[&str], sweeps: &[String]) -> Vec<Value> {
    let chase = PathBuf::from(std::env::var_os("NEARFAR_LAB_KIT").unwrap())
        .join("x86_64/chase")
        .display()
        .to_string();
    let folder = tempfile::tempdir().unwrap();
    let line = |(number, words): (usize, &String)| {
        format!("nearfar sweep -o /out/{number}.json {words} >/dev/null")
    };
    // Huge pages are too few to be dealt out evenly, and the kernel's balancing moves far ones near
    // while a slowed program runs.
    let pages_that_stay = "echo never >/sys/kernel/mm/transparent_hugepage/enabled && echo 0 \
                           >/proc/sys/kernel/numa_balancing";
    let first = std::iter::once(pages_that_stay.to_owned());
    let script: Vec<String> = first.chain(sweeps.iter().enumerate().map(line)).collect();
    let script = script.join(" && ");
    let out = folder.path().to_str().unwrap();
    let words = ["run", machine, "--timeout", "900", "--with", &chase, "--out", out];
    let words = [&words[..], options, &["--", "sh", "-c", &script]].concat();
    let output = lab(&words);
    assert!(output.status.success(), "{machine}: {}", String::from_utf8_lossy(&output.stderr));
    let document =
        |number: usize| fs::read_to_string(folder.path().join(format!("{number}.json"))).unwrap();
    (0..sweeps.len()).map(|number| serde_json::from_str(&document(number)).unwrap()).collect()
}

/// Placements and their medians, as they stand in the document.
pub(crate) fn medians(sweep: &Value) -> Vec<(&str, f64)> {
    let all = sweep["configurations"].as_array().unwrap();
    let median =
        |one: &Value| one["median"].as_f64().unwrap_or_else(|| panic!("no median: {one:#}"));
    all.iter().map(|one| (one["placement"].as_str().unwrap(), median(one))).collect()
}
