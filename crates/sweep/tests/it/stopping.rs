//! When a sweep stops, how it goes on, and in which order it runs.

use std::time::Duration;

use fastrand::Rng;
use nearfar_sweep::placement::PlacementRefusal;
use nearfar_sweep::{ConfigurationResult, Limits, Sweep, SweepStopReason, sweep};

use crate::made_up::{Replay, TEN, document, memory_bound, swept};

#[test]
fn sweeps_stop_at_the_requested_precision() {
    let limits = Limits { fewest: 5, most: 100, precision: 0.01, budget_s: None };
    let (quiet, stop) =
        swept(document(&["unbound", "local:0"], &[], "x", 5), memory_bound, 0.005, &limits);
    assert_eq!(stop, SweepStopReason::Precise);
    let (loud, _) =
        swept(document(&["unbound", "local:0"], &[], "x", 5), memory_bound, 0.05, &limits);
    assert!(quiet.blocks() < loud.blocks(), "{} {}", quiet.blocks(), loud.blocks());
}

#[test]
fn interrupted_sweeps_resume_in_the_same_block() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sweep.json");
    let mut begun = document(&["unbound", "local:0", "interleave"], &[], "x", 9);
    let mut replay =
        Replay { rng: Rng::with_seed(1), cost: memory_bound, spread: 0.01, now: Duration::ZERO };
    let mut left = 8;
    let stop =
        sweep(&mut begun, &mut replay, None, &TEN, &|| Duration::ZERO, &mut |document, _| {
            std::fs::write(&file, serde_json::to_vec(document).unwrap()).unwrap();
            left -= 1;
            Ok(left > 0)
        });
    assert_eq!(stop.unwrap(), SweepStopReason::Interrupted);
    let mut resumed = nearfar_sweep::read(&file).unwrap();
    let before: Vec<Vec<u32>> = orders(&resumed);
    sweep(&mut resumed, &mut replay, None, &TEN, &|| Duration::ZERO, &mut |_, _| Ok(true)).unwrap();
    assert!(
        resumed
            .configurations
            .iter()
            .all(|configuration| configuration.configuration.runs.len() == 10)
    );
    for (kept, all) in before.iter().zip(orders(&resumed)) {
        assert_eq!(all[..kept.len()], kept[..], "runs that were made stay");
    }
    let blocks: Vec<u32> =
        resumed.configurations[1].configuration.runs.iter().map(|run| run.block).collect();
    assert_eq!(blocks, (0..10).collect::<Vec<_>>());
}

fn orders(sweep: &Sweep) -> Vec<Vec<u32>> {
    sweep
        .configurations
        .iter()
        .map(|configuration| configuration.configuration.runs.iter().map(|run| run.order).collect())
        .collect()
}

#[test]
fn each_block_has_its_own_order() {
    let (found, _) = swept(
        document(&["unbound", "local:0", "interleave", "remote:0/1"], &[], "x", 2),
        memory_bound,
        0.01,
        &TEN,
    );
    let first: Vec<usize> = (0..10)
        .map(|block| {
            let order = |one: &ConfigurationResult| {
                one.configuration.runs.iter().find(|run| run.block == block).unwrap().order
            };
            (0..4).min_by_key(|&at| order(&found.configurations[at])).unwrap()
        })
        .collect();
    let mut different = first.clone();
    different.sort_unstable();
    different.dedup();
    assert!(different.len() > 1, "{first:?}");
}

#[test]
fn unavailable_placements_are_reported() {
    let found = document(&["local:7", "unbound", "-N 0 -m 5"], &[], "x", 1);
    assert_eq!(found.configurations.len(), 1);
    let placements: Vec<&str> =
        found.unavailable.iter().map(|gone| gone.placement.as_str()).collect();
    assert_eq!(placements, ["local:7", "-N 0 -m 5"]);
    let PlacementRefusal::Refused { error } = &found.unavailable[0].why else {
        panic!("{:?}", found.unavailable)
    };
    assert!(error.contains("node 7 does not exist"), "{error}");
}

#[test]
fn placements_become_words_of_nearfar_run() {
    let found = document(
        &["unbound", "remote:0/1", "spread", "packed", "interleave", "-N 1 -p 0"],
        &[2],
        "x {cpus} {nodes}",
        1,
    );
    let words: Vec<String> = found
        .configurations
        .iter()
        .map(|configuration| configuration.configuration.words.join(" "))
        .collect();
    assert_eq!(
        words,
        [
            "",
            "--cpunodebind=0 --membind=1",
            "--physcpubind=0,2",
            "--physcpubind=0-1",
            "--interleave=0-1",
            "-N 1 -p 0"
        ]
    );
    assert_eq!(found.configurations[1].configuration.command, ["x", "0-1", "1"]);
    assert_eq!(
        found.configurations[2].configuration.run_line(),
        "nearfar run --physcpubind=0,2 -- x 0,2 0-1"
    );
}

#[test]
fn other_files_and_versions_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error_of = |text: &str| {
        let file = folder.path().join("x.json");
        std::fs::write(&file, text).unwrap();
        nearfar_sweep::read(&file).unwrap_err().to_string()
    };
    assert!(
        error_of("{").contains(" is cut off (line 1)") && error_of("[1").contains(" is cut off ")
    );
    assert!(error_of("{\"schema\": \"nearfar.sweep/9\"}").contains(
        "has schema 'nearfar.sweep/9', and this nearfar reads 'nearfar.sweep/2': use the one that \
         wrote it, or sweep anew"
    ));
    assert!(error_of("{\"schema\": \"nearfar.sweep/1\"}").contains("use the one that wrote it"));
    assert!(error_of("{\"schema\": \"nearfar.sweep/2\"}").contains("missing field"));
    assert!(error_of("[1]").contains("has schema 'none'"));
}
