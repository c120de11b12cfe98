//! `nearfar sweep` in machines whose costs are known: a program that waits for memory and does
//! nothing else (`lab/chase`) orders its placements by the latencies of the machine.

mod claims;
mod held;
mod modes;
mod order;
mod recipes;
mod swept;

use serde_json::Value;

use swept::{METRIC, is_ready, medians, swept_with};

const ORDERED: &str = "--placement remote:0/1,local:0,remote:1/0,local:1 --runs 5 --seed 1";

/// Far memory costs 84 % more here, by what the program prints.
fn far_is_slower_than_near(sweep: &Value) {
    let of = |kind: &str| {
        let all = medians(sweep).into_iter();
        all.filter(|(placement, _)| placement.starts_with(kind)).map(|(_, median)| median).collect()
    };
    let (near, far): (Vec<f64>, Vec<f64>) = (of("local"), of("remote"));
    assert_eq!((near.len(), far.len()), (2, 2), "{sweep:#}");
    let slowest = near.into_iter().fold(0.0, f64::max);
    let fastest = far.into_iter().fold(f64::INFINITY, f64::min);
    assert!(slowest < fastest, "{slowest} {fastest}: {:#}", sweep["answers"]);
}

/// One boot of three sweeps.
#[test]
fn near_memory_is_faster_and_only_cpusets_hold_a_program_that_moves() {
    if !is_ready() {
        return;
    }
    let ordered = format!("{ORDERED} {METRIC} -- chase 200000");
    let unheld = format!("--no-cpusets {}", held::MOVES);
    let sweeps = swept_with("xeon-2s", &["--no-wait"], &[ordered, held::MOVES.to_owned(), unheld]);
    far_is_slower_than_near(&sweeps[0]);
    held::only_cpusets_hold(&sweeps[1], &sweeps[2]);
}
