//! Bandwidth on the machine the tests run on, and what it refuses.

mod running;

use nearfar_machine::{Source, Topology};
use nearfar_model::CpuId;
use running::{User, stderr, stdout};
use serde_json::Value;

const QUICK: [&str; 9] =
    ["bandwidth", "--quick", "--seed", "1", "--window", "2", "--kernels", "read,nt-write", "--size=64M"];

fn refused(args: &[&str], status: i32) -> String {
    let output = User::new().run(&[&["bandwidth"], args].concat());
    assert_eq!(output.status.code(), Some(status), "{args:?}: {}", stderr(&output));
    assert_eq!(stdout(&output), "");
    let said = stderr(&output);
    assert_eq!(said.trim_end().lines().count(), 1, "one line: {said}");
    said
}

fn cpus() -> Vec<u32> {
    nearfar_place::affinity().unwrap().iter().map(|cpu| cpu.0).collect()
}

/// A quick run, kept in `file`; measured again where other programs left one of the kernels without any figure.
fn with_figures_of(user: &User, kernels: &[&str], file: &str) -> Value {
    for _ in 0..5 {
        let output = user.measure(&[&QUICK[..], &["--json", "-o", file]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        let cells = document["bandwidth"]["cells"].as_array().unwrap();
        let has_figure =
            |kernel: &&str| cells.iter().any(|cell| cell["kernel"] == *kernel && cell["median"].is_number());
        if kernels.iter().all(has_figure) {
            return document;
        }
        assert!(cells.iter().all(|cell| cell["median"].is_number() || cell["why"].is_string()), "{cells:?}");
    }
    panic!("five runs, and none with a figure for each of {kernels:?}");
}

#[test]
fn a_quick_run_gives_plausible_figures_in_the_shape_that_is_documented() {
    let user = User::new();
    let file = user.folder().join("b.json");
    let document = with_figures_of(&user, &["read", "nt-write"], file.to_str().unwrap());
    let bandwidth = &document["bandwidth"];
    assert_eq!((&bandwidth["probe"], &bandwidth["unit"]), (&"bandwidth".into(), &"bytes/s".into()));
    assert_eq!(bandwidth["footprint_bytes"], 64 << 20);
    let cells = bandwidth["cells"].as_array().unwrap();
    for cell in cells.iter().filter(|cell| cell["median"].is_number()) {
        let [median, low, high] = [&cell["median"], &cell["ci95"][0], &cell["ci95"][1]].map(|v| v.as_f64().unwrap());
        assert!(low <= median && median <= high, "{cell}");
        assert!((1e7..1e13).contains(&median), "a plausible bandwidth: {cell}");
    }
    let knee = bandwidth["knees"][0]["threads"].as_u64().unwrap();
    assert!((1..=cpus().len() as u64).contains(&knee));
    assert!(document["environment"]["during"].get("throttled_periods").is_some());
    // What is kept derives from its samples and its seed.
    let kept = nearfar_survey::read(&file).unwrap();
    let mut again = kept.clone();
    again.judge().unwrap();
    assert_eq!(again, kept);
}

#[test]
fn one_cpu_and_a_peak_by_hand_as_text_and_csv() {
    let user = User::new();
    let cpu = cpus()[0].to_string();
    let one = ["--cpus", &cpu, "--dimms", "8x4800", "--no-samples"];
    let text = user.measure(&[&QUICK[..], &one].concat());
    assert_eq!(text.status.code(), Some(0), "{}", stderr(&text));
    assert!(stdout(&text).contains("(peak 307.2 GB/s: 8x4800, user)"), "{}", stdout(&text));
    let csv = user.measure(&[&QUICK[..], &one, &["--csv"]].concat());
    assert!(stdout(&csv).lines().count() >= 3, "{}", stdout(&csv));
}

#[test]
fn every_kernel_is_measured_with_each_number_of_threads_that_was_asked_for() {
    let user = User::new();
    let topology = Topology::read(&Source::live()).unwrap();
    let first = CpuId(cpus()[0]);
    let shared = topology.last_level_groups().into_iter().find(|group| group.contains(first)).unwrap();
    let node = topology.nodes.iter().find(|node| node.cpus.contains(first));
    let group = node.map_or(shared.clone(), |node| node.cpus.intersection(&shared));
    let of_group: Vec<String> = group.iter().filter(|cpu| cpus().contains(&cpu.0)).map(|cpu| cpu.to_string()).collect();
    let most = of_group.len().min(2) as u64;
    let list = if most == 2 { "2,1,2" } else { "1,1" };
    let told = ["--cpus", &of_group.join(","), "--threads", list, "--no-samples", "--json"];
    let output = user.measure(&[&QUICK[..], &told].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let cells = document["bandwidth"]["cells"].as_array().unwrap();
    let of_first = cells.iter().filter(|cell| (&cell["row"], &cell["column"]) == (&0.into(), &0.into()));
    let mut seen: Vec<(&str, u64)> =
        of_first.map(|cell| (cell["kernel"].as_str().unwrap(), cell["threads"].as_u64().unwrap())).collect();
    seen.sort_unstable();
    let each = |kernel| (1..=most).map(move |threads| (kernel, threads));
    assert_eq!(seen, each("nt-write").chain(each("read")).collect::<Vec<_>>());
}

#[test]
fn wrong_instructions_are_one_line_that_names_the_right_ones() {
    let said = refused(&["--isa", "mmx"], 2);
    assert!(said.contains("--isa: there is no instruction set 'mmx' here: choose auto or one of "), "{said}");
    let foreign = if cfg!(target_arch = "aarch64") { "sse2" } else { "neon" };
    assert!(refused(&["--isa", foreign], 2).contains("this processor has no"));
}

#[test]
fn more_memory_than_there_is_is_refused_untouched() {
    let said = refused(&["--size", "1024T"], 2);
    assert!(
        said.contains("--size 1 PiB takes ") && said.contains("wanted on") && said.contains("can be had there"),
        "{said}"
    );
    assert!(refused(&["--size", "4K"], 2).contains("too small"));
}

#[test]
fn more_threads_than_cpus_are_refused() {
    let cpu = cpus()[0].to_string();
    let said = refused(&["--threads", "64", "--cpus", &cpu], 2);
    assert!(said.contains("--threads 64: the largest group of these CPUs has 1 CPU"), "{said}");
    let said = refused(&["--threads", "1,65", "--cpus", &cpu], 2);
    assert!(said.contains("--threads 65: the largest group"), "{said}");
}

#[test]
fn cpus_that_are_not_there_are_refused() {
    assert!(refused(&["--cpus", "9999"], 2).contains("CPU 9999 does not exist"));
}
