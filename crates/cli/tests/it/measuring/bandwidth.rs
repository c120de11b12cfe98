//! Bandwidth on the machine the tests run on, and what it refuses.

use nearfar_machine::{Source, Topology};
use nearfar_model::CpuId;
use serde_json::json;

use crate::measured::{
    BANDWIDTH, RECORDED, assert_cells_are_consistent, assert_drops_are_warned_of,
};
use crate::user::{User, document, own_cpus, stderr, stdout, success};

/// Short windows over little memory.
const SHORT: [&str; 9] = [
    "bandwidth",
    "--quick",
    "--seed=1",
    "--size=4M",
    "--window=2",
    "--windows=1",
    "--budget",
    "5s",
    "--no-samples",
];

fn refused(args: &[&str], status: i32) -> String {
    let output = User::new().run(&[&["bandwidth"], args].concat());
    assert_eq!(output.status.code(), Some(status), "{args:?}: {}", stderr(&output));
    assert_eq!(stdout(&output), "");
    let message = stderr(&output);
    assert_eq!(message.trim_end().lines().count(), 1, "one line: {message}");
    message
}

#[test]
fn a_quick_run_has_the_documented_shape() {
    let document = BANDWIDTH.document();
    let bandwidth = &document["bandwidth"];
    assert_eq!((&bandwidth["probe"], &bandwidth["unit"]), (&"bandwidth".into(), &"bytes/s".into()));
    assert_eq!(bandwidth["footprint_bytes"], 4 << 20);
    let kernels = bandwidth["kernels"].as_array().unwrap().iter().map(|one| &one["kernel"]);
    assert_eq!(kernels.collect::<Vec<_>>(), ["read", "nt-write"]);
    assert_cells_are_consistent(bandwidth);
    assert_drops_are_warned_of(&document, "bandwidth");
    for knee in bandwidth["knees"].as_array().unwrap() {
        let threads = knee["threads"].as_u64().unwrap();
        assert!((1..=own_cpus().len() as u64).contains(&threads), "{knee}");
    }
    assert!(document["environment"]["during"].get("throttled_periods").is_some());
}

#[test]
fn an_instrument_alone_shows_its_budget() {
    let screen = &BANDWIDTH.screen;
    assert!(screen.contains(" s of 6 s · "), "{screen}");
    assert_eq!(&BANDWIDTH.shown(&[]), screen);
    assert!(!screen.contains("NUMA: "), "{screen}");
    let csv = BANDWIDTH.shown(&["--part", "bandwidth", "--csv"]);
    assert!(csv.starts_with("row,column,cpus,node,kernel,threads,"), "{csv}");
}

#[test]
fn figures_follow_from_samples_and_seed() {
    let kept = BANDWIDTH.survey();
    let mut again = kept.clone();
    let cells = &mut again.bandwidth.as_mut().unwrap().part.matrix.cells;
    cells.iter_mut().for_each(|cell| cell.median = None);
    again.judge().unwrap();
    assert_eq!(again, kept);
}

#[test]
fn a_given_peak_is_shown_with_the_figures() {
    let mut recorded: serde_json::Value = serde_json::from_str(RECORDED).unwrap();
    recorded["bandwidth"]["peak"] =
        json!({"node_bytes_per_s": 307_200_000_000.0, "source": "user", "dimms": "8x4800"});
    let user = User::new();
    let file = user.write("several.json", recorded.to_string());
    let text = success(&user.run(&["show", &file, "--part", "bandwidth"]));
    assert!(text.contains("(peak 307.2 GB/s: 8x4800, user)"), "{text}");
}

#[test]
fn every_kernel_runs_with_each_thread_count() {
    let topology = Topology::read(&Source::live()).unwrap();
    let first = CpuId(own_cpus()[0]);
    let shared =
        topology.last_level_groups().into_iter().find(|group| group.contains(first)).unwrap();
    let node = topology.nodes.iter().find(|node| node.cpus.contains(first));
    let group = node.map_or(shared.clone(), |node| node.cpus.intersection(&shared));
    let group_cpus: Vec<String> =
        group.iter().filter(|cpu| own_cpus().contains(&cpu.0)).map(|cpu| cpu.to_string()).collect();
    let most = group_cpus.len().min(2) as u64;
    let list = if most == 2 { "2,1,2" } else { "1,1" };
    let asked =
        ["--cpus", &group_cpus.join(","), "--threads", list, "--kernels=nt-write", "--json"];
    let document = document(&User::new().measure(&[&SHORT[..], &asked].concat()));
    let cells = document["bandwidth"]["cells"].as_array().unwrap();
    let of_first =
        cells.iter().filter(|cell| (&cell["row"], &cell["column"]) == (&0.into(), &0.into()));
    let mut seen: Vec<(&str, u64)> = of_first
        .map(|cell| (cell["kernel"].as_str().unwrap(), cell["threads"].as_u64().unwrap()))
        .collect();
    seen.sort_unstable();
    let each = |kernel| (1..=most).map(move |threads| (kernel, threads));
    assert_eq!(seen, each("nt-write").chain(each("read")).collect::<Vec<_>>());
}

#[test]
fn unknown_instructions_list_the_valid_ones() {
    let message = refused(&["--isa", "mmx"], 2);
    assert!(
        message.contains("--isa: unknown instruction set 'mmx': choose auto or one of "),
        "{message}"
    );
    let foreign = if cfg!(target_arch = "aarch64") { "sse2" } else { "neon" };
    assert!(refused(&["--isa", foreign], 2).contains("this processor has no"));
}

#[test]
fn too_large_sizes_are_refused_untouched() {
    let message = refused(&["--size", "1024T"], 2);
    assert!(
        message.contains("--size 1 PiB takes ")
            && message.contains("wanted on")
            && message.contains(" available ("),
        "{message}"
    );
    assert!(refused(&["--size", "4K"], 2).contains("too small"));
}

#[test]
fn more_threads_than_cpus_are_refused() {
    let cpu = own_cpus()[0].to_string();
    let message = refused(&["--threads", "64", "--cpus", &cpu], 2);
    assert!(
        message.contains("--threads 64: the largest group of these CPUs has 1 CPU"),
        "{message}"
    );
    let message = refused(&["--threads", "1,65", "--cpus", &cpu], 2);
    assert!(message.contains("--threads 65: the largest group"), "{message}");
}

#[test]
fn cpus_that_are_not_there_are_refused() {
    assert!(refused(&["--cpus", "9999"], 2).contains("CPU 9999 does not exist"));
}
