//! How long does `nearfar fleet` take, and how much memory does it use, for 100 machines of 64
//! nodes and for 10,000 machines of 8 nodes? The aims are 30 seconds and 500 MB.
//!
//! Documents are surveys without samples, a file each, with a seeded scatter; one machine of each
//! fleet has slow memory.
//!
//!     ./dev bench fleet

#[path = "../../survey/tests/fleet/made_fleet.rs"]
#[allow(dead_code)] // tests use more of it
mod made_fleet;

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use serde_json::{Value, json};

use made_fleet::{EIGHT_NODES, healthy};

const LONGEST: Duration = Duration::from_secs(30);
const MAX_MB: f64 = 500.0;
/// Machines that are made at a time.
const BATCH: usize = 50;

fn main() -> ExitCode {
    // The fleet that needs less memory first: the kernel keeps the largest child's peak.
    let is_fast = [
        measured("100 machines of 64 nodes", &with_nodes(64), 100),
        measured("10,000 machines of 8 nodes", EIGHT_NODES, 10_000),
    ];
    if is_fast.iter().all(|fast| *fast) {
        return ExitCode::SUCCESS;
    }
    println!("beyond {} s or {MAX_MB:.0} MB", LONGEST.as_secs());
    ExitCode::FAILURE
}

fn measured(name: &str, survey: &str, machines: usize) -> bool {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bytes = write_fleet(folder.path(), survey, machines);
    let begun = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_nearfar"))
        .args(["fleet", "--exclude"])
        .arg(folder.path())
        .stderr(Stdio::null())
        .status()
        .expect("nearfar starts");
    let duration = begun.elapsed();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("what children used");
    let peak = usage.max_rss() as f64 * 1024.0 / 1e6;
    println!(
        "{name}, {:.0} MB of documents: {:.1} s, peak {peak:.0} MB (exit {:?})",
        bytes as f64 / 1e6,
        duration.as_secs_f64(),
        status.code()
    );
    duration <= LONGEST && peak <= MAX_MB
}

/// A file for each machine; the bytes of all.
fn write_fleet(folder: &Path, survey: &str, machines: usize) -> usize {
    let mut bytes = 0;
    for batch in 0..machines.div_ceil(BATCH) {
        let made = healthy(survey, BATCH.min(machines - batch * BATCH), 1 + batch as u64);
        for (at, mut machine) in made.into_iter().enumerate() {
            let number = batch * BATCH + at + 1;
            machine = machine.named(&format!("node{number:05}"));
            if number == 7 {
                machine = machine.with_slow_memory(3, 1.1);
            }
            let text = machine.0.to_string();
            fs::write(folder.join(format!("{number}.json")), &text).expect("a file is written");
            bytes += text.len();
        }
    }
    bytes
}

/// A survey of this many nodes: each as one of the eight.
fn with_nodes(nodes: usize) -> String {
    let mut survey: Value = serde_json::from_str(EIGHT_NODES).expect("a survey");
    let cells = survey["latency"]["cells"].as_array().expect("cells").clone();
    let label = |node: usize| json!(format!("node {node}"));
    let places = |name: &str| -> Vec<Value> {
        let of = survey["latency"][name].as_array().expect("places");
        let place = |node: usize| {
            let mut place = of[node % of.len()].clone();
            place["label"] = label(node);
            place["node"] = json!(node);
            place
        };
        (0..nodes).map(place).collect()
    };
    let (rows, columns) = (places("rows"), places("columns"));
    let cell = |(row, column): (usize, usize)| {
        let mut cell = cells[row % 8 * 8 + column % 8].clone();
        cell["row"] = json!(row);
        cell["column"] = json!(column);
        cell
    };
    let all = (0..nodes).flat_map(|row| (0..nodes).map(move |column| (row, column)));
    let all: Vec<Value> = all.map(cell).collect();
    survey["latency"]["rows"] = json!(rows);
    survey["latency"]["columns"] = json!(columns);
    survey["latency"]["cells"] = json!(all);
    survey["machine"]["nodes"] = json!(nodes);
    survey.to_string()
}
