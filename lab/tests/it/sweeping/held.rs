//! Cpusets of cgroup v2, which is what guests have: they hold even a program that moves itself.

use serde_json::Value;

/// The program moves to CPU 2, under a placement on CPU 0 and under none.
pub(super) const MOVES: &str =
    "--placement '-C 0' --placement unbound --runs 1 --warmup 0 -- chase 10 2 2";

/// How many runs failed under each placement.
fn failed(sweep: &Value) -> [u64; 2] {
    [0, 1].map(|at| sweep["configurations"][at]["failed"].as_u64().unwrap())
}

/// A program leaves its CPUs where no cpuset holds it.
pub(super) fn only_cpusets_hold(with: &Value, without: &Value) {
    assert_eq!(with["enforcement"]["cpusets"], "cgroup v2", "{:#}", with["enforcement"]);
    let runs = &with["configurations"][0]["runs"];
    assert_eq!((failed(with), failed(without)), ([1, 0], [0, 0]), "{runs:#}");
    assert!(runs[0]["failed"]["said"].as_str().unwrap().contains("Invalid argument"), "{runs:#}");
}
