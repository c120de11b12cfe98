//! `nearfar explain --response` beside programs whose memory costs what the machine's description
//! has, and its forecasts beside the same programs on the other machines.
//!
//! The truth of a program is what it does a second with all of its memory near and far, in the same
//! guest: its own work, which costs as much near as far, is a share of its time.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use crate::lab::{is_ready_with, lab};

const PROGRAMS: &str = include_str!("responding/programs.sh");
const RESPONSE: &str = include_str!("responding/response.sh");
const STREAMING: &str = include_str!("responding/streaming.sh");
/// Costs at which a busy host adds little to a load that waits; the same on all machines, so that a
/// program's own work is the same share.
pub(crate) const SLOWDOWN: &str = "30";
/// The same of a stream, whose lines are on their way many at a time.
const SLOWDOWN_OF_STREAMS: &str = "6000";

/// `xeon-2s`: near and far latency.
pub(crate) const NEAR: f64 = 78.6;
pub(crate) const FAR: f64 = 144.1;

/// A machine whose CPU 0 has node 0 near and another far.
pub(crate) struct Machine {
    pub(crate) name: &'static str,
    /// A CPU of the same node, for a program of two processes.
    other: u32,
    far: u32,
    pub(crate) latency: [f64; 2],
    left: OnceLock<Left>,
    streamed: OnceLock<Left>,
}

impl Machine {
    const fn new(name: &'static str, other: u32, far: u32, latency: [f64; 2]) -> Self {
        Self { name, other, far, latency, left: OnceLock::new(), streamed: OnceLock::new() }
    }
}

pub(crate) static MACHINES: [Machine; 3] = [
    Machine::new("xeon-2s", 1, 1, [NEAR, FAR]),
    Machine::new("epyc-7451-2p", 0, 5, [90.0, 308.7]),
    Machine::new("epyc-9224-nps2-cxl", 1, 4, [107.5, 279.4]),
];

/// Responses, and the programs with all memory near and far that they have to agree with.
const RESPONSES: [(&str, &str); 7] = [
    ("hot-near", "loop"),
    ("hot-far", "loop"),
    ("part", "loop"),
    ("drift", "loop"),
    ("uniform", "uniform"),
    ("ring", "ring"),
    ("calm", "calm"),
];

/// Files that a guest left.
pub(crate) struct Left {
    files: BTreeMap<String, String>,
    folder: tempfile::TempDir,
}

impl Machine {
    /// What its guest left. It runs once; `None` without a lab.
    fn left(&self) -> Option<&Left> {
        let boot = || self.boot(RESPONSE, SLOWDOWN);
        is_ready_with("x86_64", &["chase"]).then(|| self.left.get_or_init(boot))
    }

    /// The same of a guest with a stream.
    fn streamed(&self) -> Option<&Left> {
        let boot = || self.boot(STREAMING, SLOWDOWN_OF_STREAMS);
        is_ready_with("x86_64", &["chase"]).then(|| self.streamed.get_or_init(boot))
    }

    pub(crate) fn boot(&self, script: &str, slowdown: &str) -> Left {
        let places = format!("CPU=0 OTHER={} NEAR=0 FAR={}", self.other, self.far);
        Left::of(self.name, slowdown, &format!("{places}\n{PROGRAMS}\n{script}"))
    }

    /// How much more time a program takes with all of its arrays far than near: of the medians of
    /// its turns, and of the turns that differ least and most.
    pub(crate) fn truth(&self, left: &Left, program: &str) -> (f64, [f64; 2]) {
        self.cost(left, program, &self.far.to_string())
    }

    /// The same with all but its arrays far.
    pub(crate) fn truth_of_rest(&self, left: &Left, program: &str) -> (f64, [f64; 2]) {
        self.cost(left, program, "rest")
    }

    fn cost(&self, left: &Left, program: &str, place: &str) -> (f64, [f64; 2]) {
        let (near, far) = (left.rates(program, "0"), left.rates(program, place));
        let ends = |rates: &[f64]| (rates[0], rates[rates.len() / 2], rates[rates.len() - 1]);
        let ((near_least, near, near_most), (far_least, far, far_most)) = (ends(&near), ends(&far));
        (near / far - 1.0, [near_least / far_most - 1.0, near_most / far_least - 1.0])
    }
}

impl Left {
    /// Boots a machine, and runs a script with the program. The script makes "whole" at its end.
    pub(crate) fn of(machine: &str, slowdown: &str, script: &str) -> Self {
        let kit = PathBuf::from(std::env::var_os("NEARFAR_LAB_KIT").unwrap());
        let chase = kit.join("x86_64/chase").display().to_string();
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().to_str().unwrap().to_owned();
        let words = ["run", machine, "--no-wait", "--timeout", "3000", "--slowdown", slowdown];
        let rest = ["--with", &chase, "--out", &out, "--", "sh", "-c", script];
        let output = lab(&[&words[..], &rest].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let files = fs::read_dir(folder.path()).unwrap().map(|file| {
            let file = file.unwrap();
            let text = String::from_utf8_lossy(&fs::read(file.path()).unwrap()).into_owned();
            (file.file_name().into_string().unwrap(), text)
        });
        let left = Self { files: files.collect(), folder };
        left.text("whole");
        left
    }

    pub(crate) fn text(&self, name: &str) -> &str {
        self.files.get(name).unwrap_or_else(|| panic!("no {name}: {:#?}", self.files))
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        let errors = format!("{name}.err");
        serde_json::from_str(self.text(&format!("{name}.json")))
            .unwrap_or_else(|error| panic!("{error}: {:?}", self.files.get(&errors)))
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// Steps per second with memory at a place, of each turn, sorted.
    fn rates(&self, program: &str, place: &str) -> Vec<f64> {
        let one = |line: &str| {
            let numbers: Vec<f64> =
                line.split_whitespace().map(|word| word.parse().unwrap()).collect();
            (numbers[1] - numbers[0]) / (numbers[3] - numbers[2])
        };
        let lines = self.text(&format!("{program}-{place}.rates")).lines();
        let mut rates: Vec<f64> = lines.map(one).collect();
        rates.sort_by(f64::total_cmp);
        rates
    }
}

/// The value and the ends of an interval.
pub(crate) fn interval(value: &Value) -> (f64, [f64; 2]) {
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value}"));
    (number(&value["value"]), [number(&value["ci95"][0]), number(&value["ci95"][1])])
}

/// A response beside the truth: a line, and whether its interval holds it.
fn judged(machine: &Machine, left: &Left, name: &str, program: &str) -> (String, bool) {
    let found = &left.json(name)["response"];
    if found["effect"].is_null() {
        return (format!("{} {name}: {found}, MISSED", machine.name), false);
    }
    let (effect, ci95) = interval(&found["effect"]);
    let (truth, range) = machine.truth(left, program);
    let holds = ci95[0] <= range[1] && range[0] <= ci95[1];
    let verdict = found["verdict"].as_str().unwrap();
    let line = format!(
        "{} {name}: {effect:+.3} ({ci95:+.3?}) {verdict}, true {truth:+.3} ({range:+.3?}){}",
        machine.name,
        if holds { "" } else { ", MISSED" }
    );
    let verdicts: &[&str] =
        if name == "calm" { &["does-not-matter", "too-noisy"] } else { &["matters"] };
    assert!(verdicts.contains(&verdict), "{line}");
    assert!((effect - truth).abs() < 0.1 * (1.0 + truth), "{line}");
    println!("{line}");
    (line, holds)
}

/// Of these responses one of twenty has a truth beyond its interval, and truths have an interval of
/// their own.
fn assert_responses(machine: &Machine) {
    let Some(left) = machine.left() else { return };
    let all = RESPONSES.map(|(name, program)| judged(machine, left, name, program));
    assert!(all.iter().filter(|(_, holds)| !holds).count() <= 1, "{all:#?}");
    // A chain of loads costs what the description has, less the program's own work.
    let [near, far] = machine.latency;
    let (truth, _) = machine.truth(left, "uniform");
    assert!(truth < far / near - 0.98 && truth > 0.9 * (far / near - 1.0), "{truth}");
    assert_as_found(left, "hot-near", 0.0);
    assert_as_found(left, "hot-far", machine.truth(left, "loop").0);
    assert!(!left.text("hot-near.txt").contains("Something is lost"));
    assert!(left.text("hot-far.txt").contains("Something is lost"));
    assert!(left.text("hot-far.txt").contains("Memory's place matters"));
    let taking_part = left.json("part")["moving"]["taking_part"].as_f64().unwrap();
    assert!(taking_part < 0.7, "{taking_part}");
    assert_eq!(left.json("calm")["balancing_was_off"], true);
    assert_eq!(left.text("balancing").trim(), "1");
    assert_left_alone(left);
    // A program that prints its time for a load, and is started at each dose.
    let dosed = &left.json("dosed-step")["answers"]["response"];
    let (effect, ci95) = interval(&dosed["effect"]);
    println!("dosed: {effect:+.3} ({ci95:+.3?})");
    assert!(((1.0 + effect) / (far / near) - 1.0).abs() < 0.03, "{dosed:#}");
    assert_eq!(left.json("dosed")["answers"]["response"]["verdict"], "matters");
}

/// The time with pages as they were found.
fn assert_as_found(left: &Left, name: &str, truth: f64) {
    let (time, ci95) = interval(&left.json(name)["time_as_found"]);
    println!("{name} as found: {time:.3} ({ci95:.3?}), true {:.3}", 1.0 + truth);
    assert!((time / (1.0 + truth) - 1.0).abs() < 0.1, "{time} {truth}");
    assert!(ci95[0] - 0.1 <= 1.0 + truth && 1.0 + truth <= ci95[1] + 0.1, "{ci95:?}, {truth}");
}

/// Bounds alone order nothing, and pages are where they were.
fn assert_left_alone(left: &Left) {
    let process = &left.json("bounds")["processes"][0];
    assert_eq!(process["verdict"], "depends-on-use", "{process:#}");
    let pages = |name: &str| {
        let lines = left.text(&format!("{name}.pages")).lines();
        lines.map(|line| line.split_once(' ').unwrap().1.parse().unwrap()).collect::<Vec<u64>>()
    };
    let (before, after) = (pages("before"), pages("after"));
    assert!(before[1] > 6000, "{before:?}");
    assert!(before.iter().zip(&after).all(|(b, a)| b.abs_diff(*a) < 20), "{before:?} {after:?}");
    assert_eq!(left.text("budget.code").trim(), "1");
    assert!(left.text("budget.err").contains("--budget is less than three blocks take"));
}

#[test]
#[ignore = "a long test: a guest in which responses are measured"]
fn responses_of_two_sockets_are_true() {
    assert_responses(&MACHINES[0]);
}

#[test]
#[ignore = "a long test: see above"]
fn responses_of_eight_nodes_are_true() {
    assert_responses(&MACHINES[1]);
}

#[test]
#[ignore = "a long test: see above"]
fn responses_of_an_expander_are_true() {
    assert_responses(&MACHINES[2]);
}

#[test]
#[ignore = "a long test: three guests with streams"]
fn responses_of_streams_are_true() {
    let judge = |machine: &'static Machine| {
        machine.streamed().map(|left| judged(machine, left, "stream", "stream"))
    };
    let all: Vec<(String, bool)> = MACHINES.iter().filter_map(judge).collect();
    assert!(all.iter().filter(|(_, holds)| !holds).count() <= 1, "{all:#?}");
}

/// Each program's response on each machine, as a forecast for each other one.
#[test]
#[ignore = "a long test: three guests"]
fn forecasts_come_true_on_the_other_machines() {
    let kit = PathBuf::from(std::env::var_os("NEARFAR_LAB_KIT").unwrap_or_default());
    let (mut lines, mut within, mut all) = (Vec::new(), 0, 0);
    for (from, here) in MACHINES.iter().enumerate() {
        for there in MACHINES.iter().enumerate().filter(|(to, _)| *to != from).map(|(_, to)| to) {
            let (Some(left), Some(other)) = (here.left(), there.left()) else { return };
            for (name, program) in RESPONSES.iter().filter(|(name, _)| *name != "hot-far") {
                let output = Command::new(kit.join("x86_64/nearfar"))
                    .args(["explain", &left.path(&format!("{name}.json"))])
                    .args(["--on", &other.path("survey.json"), "--node", "0", "--json"])
                    .output()
                    .unwrap();
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                let forecast: Value = serde_json::from_slice(&output.stdout).unwrap();
                let placed = forecast["forecasts"].as_array().unwrap();
                let far = placed.iter().find(|one| one["placement"] == "all-far").unwrap();
                let truth = there.truth(other, program).0;
                let head = format!("{name}, {} on {}: {truth:+.3}", here.name, there.name);
                if far["change_there"].is_null() {
                    lines.push(format!("{head}, refused: {}", far["refused"]));
                    continue;
                }
                let (value, ci95) = interval(&far["change_there"]);
                let off = (1.0 + value) / (1.0 + truth) - 1.0;
                all += 1;
                within += u32::from(off.abs() <= 0.1);
                lines.push(format!("{head}, forecast {value:+.3} ({ci95:+.3?}), off {off:+.3}"));
            }
        }
    }
    println!("{}\n{within} of {all} within 10 %", lines.join("\n"));
    assert!(f64::from(within) >= 0.95 * f64::from(all), "{lines:#?}");
}
