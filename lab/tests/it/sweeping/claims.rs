//! Habits of the field, put to the test where the truth is known: each placement's rate, from the
//! machine's description, beside what a sweep finds.

use serde_json::Value;

use super::swept::{is_ready, swept_with};
use crate::lab::is_ready_with;

/// Two placements of one program, and how many times faster the second is by the description.
struct Claim {
    what: &'static str,
    placements: [&'static str; 2],
    program: &'static str,
    truth: f64,
}

const fn claim(
    what: &'static str,
    placements: [&'static str; 2],
    program: &'static str,
    truth: f64,
) -> Claim {
    Claim { what, placements, program, truth }
}

/// Latencies in ns, bandwidths in GB/s: `lab/machines/xeon-2s.toml`.
const NEAR: f64 = 78.6;
const FAR: f64 = 144.4;
const MEAN: f64 = (NEAR + FAR) / 2.0;
const NODE: f64 = 113.3;
/// What a CPU has in flight: 88 lines of 64 bytes.
const IN_FLIGHT: f64 = 88.0 * 64.0;

/// Loads that wait for each other: latency alone decides.
const WAITING: [Claim; 2] = [
    claim(
        "a buffer of two nodes: workers of both wait for it",
        ["-m 0", "-i 0,1"],
        "wait 0,2",
        (2.0 / MEAN) / (1.0 / NEAR + 1.0 / FAR),
    ),
    claim(
        "a program of one node: interleaved instead of its own memory",
        ["-m 0", "-i 0,1"],
        "wait 0",
        NEAR / MEAN,
    ),
];

/// Reads line by line, as fast as a CPU can.
const STREAMING: [Claim; 3] = [
    claim(
        "a buffer of two nodes: one worker of each reads it",
        ["-m 0", "-i 0,1"],
        "stream 0,2",
        2.0 * IN_FLIGHT / MEAN / (IN_FLIGHT / NEAR + IN_FLIGHT / FAR),
    ),
    claim(
        "a buffer of two nodes: two workers of each read it",
        ["-m 0", "-i 0,1"],
        "stream 0,1,2,3",
        4.0 * IN_FLIGHT / MEAN / NODE,
    ),
    claim(
        "a program of one node that reads as fast as it can",
        ["-m 0", "-i 0,1"],
        "stream 0,1",
        2.0 * IN_FLIGHT / MEAN / NODE,
    ),
];

/// `lab/machines/epyc-9224-nps2-cxl.toml`: node 4 is an expander of 17.6 GB/s, far from node 0.
const LOCAL: f64 = 107.5;
const EXPANDER: f64 = 279.4;
const EXPANDER_GB_S: f64 = 17.6;
const LOCAL_GB_S: f64 = 100.0;
const WEIGHTED: &str = "-w 0,4";
const WEIGHTED_MEAN: f64 = (6.0 * LOCAL + EXPANDER) / 7.0;

/// Six pages to one would pay if lines came evenly: in pages, 64 at a time, two CPUs of the lab get
/// less than from their own node alone. So only a page to a page is tried.
const TIERS: [Claim; 1] = [claim(
    "an expander beside a node whose bandwidth is used up, a page to a page",
    ["-m 0", "-i 0,4"],
    "stream 0,1",
    2.0 * EXPANDER_GB_S / LOCAL_GB_S,
)];
const WAITING_TIERS: [Claim; 1] = [claim(
    "an expander for loads that wait, six pages to one",
    ["-m 0", WEIGHTED],
    "wait 0",
    LOCAL / WEIGHTED_MEAN,
)];

/// `lab/machines/hidden-2n.toml`: a kernel that sees one node, and makes two of it by its command
/// line. A CPU of the first half of memory waits.
const FIRST_HALF: f64 = 67.1;
const SECOND_HALF: f64 = 100.2;
const FAKE: [Claim; 2] = [
    claim(
        "fake nodes: interleaved over both instead of the near one",
        ["-m 0", "-i 0,1"],
        "wait 0",
        2.0 * FIRST_HALF / (FIRST_HALF + SECOND_HALF),
    ),
    claim(
        "fake nodes: the far one instead of both",
        ["-i 0,1", "-m 1"],
        "wait 0",
        (FIRST_HALF + SECOND_HALF) / 2.0 / SECOND_HALF,
    ),
];

/// `lab/machines/disks-2s.toml`, `vda` on node 1: a read of 64 KiB in us, and what is added to it
/// where a byte of its buffer is on node 0.
const READ_US: f64 = 150.0 + 65.536 / 2.0;
const BUFFER_FAR_US: f64 = 100.0;
const DISK: &str = "--placement '-N 1 -m 1' --placement '-N 1 -i 0,1' --runs 6 --seed 1 \
                    --no-cpusets --no-pages --metric 'us=timed-read: ([0-9.]+)' -- timed-read \
                    /dev/vda 20 65536";

fn words(claim: &Claim, weights: &str) -> String {
    let [first, second] = claim.placements;
    let prepare = match weights {
        "" => String::new(),
        _ => format!("--prepare 'nearfar run --weights {weights}' "),
    };
    format!(
        "--placement '{first}' --placement '{second}' --runs 6 --seed 1 --no-cpusets --no-pages \
         {prepare}--metric 'rate=chase: ([0-9.]+)' --higher-is-better -- chase together {} 3",
        claim.program
    )
}

/// How many times faster the second placement is, with its 95 % interval.
fn found(sweep: &Value) -> (f64, [f64; 2]) {
    let differences = sweep["answers"]["difference_to_default"].as_object().unwrap();
    let difference = differences.values().next().unwrap_or_else(|| panic!("{sweep:#}"));
    let number = |value: &Value| 1.0 + value.as_f64().unwrap_or_else(|| panic!("{sweep:#}"));
    let ci95 = &difference["ci95"];
    (number(&difference["ratio"]), [number(&ci95[0]), number(&ci95[1])])
}

/// The winner is the description's, and the gain is near what it has.
fn assert_claims(machine: &str, slowdown: &str, weights: &str, claims: &[Claim]) {
    if !is_ready() {
        return;
    }
    let sweeps: Vec<String> = claims.iter().map(|claim| words(claim, weights)).collect();
    let documents = swept_with(machine, &["--no-wait", "--slowdown", slowdown], &sweeps);
    for (claim, document) in claims.iter().zip(&documents) {
        let (found, [low, high]) = found(document);
        let line = format!(
            "{machine}: {}: {found:.3} ({low:.3} to {high:.3}), true {:.3}",
            claim.what, claim.truth
        );
        println!("{line}");
        let wins = claim.truth > 1.0;
        assert!(if wins { low > 1.0 } else { high < 1.0 }, "{line}");
        // Streams through pages of two nodes have bursts: truths are those of an even flow.
        let least = if claim.program.starts_with("wait") { 0.95 } else { 0.7 };
        assert!(found / claim.truth > least && found / claim.truth < 1.05, "{line}");
    }
}

#[test]
#[ignore = "a long test: sweeps in guests"]
fn interleaving_loses_where_programs_wait() {
    assert_claims("xeon-2s", "60", "", &WAITING);
}

#[test]
#[ignore = "a long test: see above"]
fn interleaving_wins_where_bandwidth_is_used_up() {
    assert_claims("xeon-2s", "6000", "", &STREAMING);
}

#[test]
#[ignore = "a long test: see above"]
fn an_expander_loses_where_it_is_a_node_as_others() {
    assert_claims("epyc-9224-nps2-cxl", "6000", "", &TIERS);
    assert_claims("epyc-9224-nps2-cxl", "60", "0=6,4=1", &WAITING_TIERS);
}

/// A thread that waits for a disk of its node: each read waits for the farthest page of its buffer.
#[test]
#[ignore = "a long test: reads of a disk in a guest"]
fn interleaved_buffers_slow_a_thread_that_reads_a_disk() {
    if !is_ready_with("x86_64", &["chase", "timed-read"]) {
        return;
    }
    let reader = std::env::var("NEARFAR_LAB_KIT").unwrap() + "/x86_64/timed-read";
    let options = ["--no-wait", "--slowdown", "60", "--with", &reader];
    let documents = swept_with("disks-2s", &options, &[DISK.to_owned()]);
    let (found, [low, high]) = found(&documents[0]);
    let truth = (READ_US + BUFFER_FAR_US) / READ_US;
    let line = format!("a disk's reads: {found:.3} ({low:.3} to {high:.3}), true {truth:.3}");
    println!("{line}");
    assert!(low > 1.0 && (0.9..1.05).contains(&(found / truth)), "{line}");
}

#[test]
#[ignore = "a long test: see above"]
fn fake_nodes_make_hidden_ones_usable() {
    let text = include_str!("../../../machines/hidden-2n.toml");
    let text = text.replacen("[[node]]", "kernel_args = \"numa=fake=2\"\n[[node]]", 1);
    let folder = tempfile::tempdir().unwrap();
    let machine = folder.path().join("fake-2n.toml");
    std::fs::write(&machine, text).unwrap();
    assert_claims(machine.to_str().unwrap(), "60", "", &FAKE);
}
