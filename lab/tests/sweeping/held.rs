//! Cpusets of cgroup v2, which is what guests have: a program that moves itself stays all the same.

use serde_json::Value;

use crate::swept::{is_ready, swept};

/// The program moves to CPU 2, under a placement on CPU 0 and under none.
const MOVES: &str = "--placement '-C 0' --placement unbound --runs 1 --warmup 0 -- chase 10 2 2";

/// How many runs failed under each.
fn failed(sweep: &Value) -> [u64; 2] {
    [0, 1].map(|at| sweep["configurations"][at]["failed"].as_u64().unwrap())
}

#[test]
fn a_program_can_leave_its_cpus_and_not_its_cpuset() {
    if !is_ready() {
        return;
    }
    let sweeps = swept("xeon-2s", &[MOVES.to_owned(), format!("--no-cpusets {MOVES}")]);
    assert_eq!(sweeps[0]["enforcement"]["cpusets"], "cgroup v2", "{:#}", sweeps[0]["enforcement"]);
    let runs = &sweeps[0]["configurations"][0]["runs"];
    assert_eq!((failed(&sweeps[0]), failed(&sweeps[1])), ([1, 0], [0, 0]), "{runs:#}");
    assert!(runs[0]["failed"].as_str().unwrap().contains("Invalid argument"), "{runs:#}");
}
