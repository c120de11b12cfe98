//! `nearfar explain --objects` beside programs whose arrays cost what their rates have.

use std::sync::OnceLock;

use serde_json::Value;

use crate::lab::is_ready_with;
use crate::responding::{FAR, Left, MACHINES, Machine, NEAR, SLOWDOWN, interval};

const OBJECTS: &str = include_str!("objects/objects.sh");
const KINDS: &str = include_str!("objects/kinds.sh");
/// Measurements of `kinds.sh`, the program whose time with far memory is their truth, and the name
/// of the object that costs; an anonymous mapping has addresses alone.
const MEASURED: [(&str, &str, &str); 6] = [
    ("hot-near", "loop", ""),
    ("hot-far", "loop", ""),
    ("ring-1", "ring", "/dev/shm/ring"),
    ("ring-2", "ring", "/dev/shm/ring"),
    ("file-1", "file", "/tmp/model"),
    ("file-2", "file", "/tmp/model"),
];
/// Of the program's arrays, as the script has them.
const RATES: [f64; 5] = [10.0, 5.0, 2.0, 1.0, 0.0];
/// The program also counts, and writes the count; the host is busy.
const SLACK: f64 = 0.03;

fn left() -> Option<&'static Left> {
    static LEFT: OnceLock<Left> = OnceLock::new();
    is_ready_with("x86_64", &["chase"])
        .then(|| LEFT.get_or_init(|| Left::of("xeon-2s", "14", OBJECTS)))
}

/// How much more time the program takes with an array far.
fn truth(at: usize) -> f64 {
    RATES[at] / RATES.iter().sum::<f64>() * (FAR / NEAR - 1.0)
}

/// The array that is not used may be one with other memory that is not.
fn object<'d>(document: &'d Value, name: &str) -> &'d Value {
    let all = document["stages"][0]["objects"].as_array().unwrap();
    let named = |name: &str| all.iter().find(|one| one["name"] == name);
    let found = named(name).or(named("memory that was not used"));
    found.unwrap_or_else(|| panic!("no {name}: {document:#}"))
}

/// Arrays with a rate cost their share of all-far memory, wherever they were found; all else costs
/// nothing.
fn assert_costs(left: &Left, name: &str) {
    let document = left.json(name);
    for (at, rate) in RATES.iter().enumerate() {
        let one = object(&document, &format!("/dev/shm/array-{at}"));
        let (value, ci95) = interval(&one["effect"]);
        println!("{name}, array {at}: {value:+.3} ({ci95:+.3?}), true {:+.3}", truth(at));
        let [low, high] = [ci95[0] - SLACK, ci95[1] + SLACK];
        assert!(low <= truth(at) && truth(at) <= high, "{one:#}");
        assert_eq!(one["verdict"] == "costs", truth(at) > 0.02, "{one:#}");
        assert_eq!(one["used_share"].as_f64().unwrap() > 0.01, *rate > 0.0, "{one:#}");
    }
    for one in document["stages"][0]["objects"].as_array().unwrap() {
        let is_array = one["name"].as_str().unwrap().starts_with("/dev/shm/array");
        assert!(is_array || one["verdict"] != "costs", "invented: {one:#}");
    }
}

#[test]
#[ignore = "a long test: a guest in which objects are measured"]
fn each_array_costs_what_its_rate_has() {
    let Some(left) = left() else { return };
    assert_costs(left, "arrays");
    let text = left.text("arrays.txt");
    assert!(text.contains("/dev/shm/array-0 (4 MiB): far costs"), "{text}");
    assert!(text.contains("Near already, keep it there: /dev/shm/array-0"), "{text}");
    assert!(left.text("arrays.err").contains("4 blocks of 16 runs"), "{}", left.text("arrays.err"));
}

#[test]
#[ignore = "a long test: see above"]
fn the_one_that_matters_is_moved_and_its_gain_measured() {
    let Some(left) = left() else { return };
    let far = left.json("far");
    assert_eq!((&far["elsewhere_bytes"], &far["kind"]), (&0.into(), &"shared".into()), "{far:#}");
    assert_costs(left, "moved");
    let text = left.text("moved.txt");
    assert!(text.contains("--object '/dev/shm/array-0' --nodes 0"), "{text}");
    // Its ranges cost about the same each: it is used all over.
    let moved = left.json("moved");
    let ranges = moved["stages"][1]["objects"].as_array().unwrap();
    assert_eq!(ranges.len(), 2, "{ranges:#?}");
    for range in ranges {
        let (value, _) = interval(&range["effect"]);
        assert!((value - truth(0) / 2.0).abs() < 3.0 * SLACK, "{range:#}");
    }
    let tried = left.json("try");
    assert_eq!(tried["trial"]["object"], "/dev/shm/array-0");
    let (gain, ci95) = interval(&tried["trial"]["change"]);
    println!("moved: steps a second {gain:+.3} ({ci95:+.3?}), true {:+.3}", truth(0));
    assert!((gain - truth(0)).abs() < 2.0 * SLACK, "{tried:#}");
    let maps = left.text("maps");
    assert!(maps.lines().all(|line| !line.contains(" N1=")), "{maps}");
}

#[test]
#[ignore = "a long test: see above"]
fn nothing_matters_to_a_program_that_waits_for_no_memory() {
    let Some(left) = left() else { return };
    let document = left.json("calm");
    for one in document["stages"][0]["objects"].as_array().unwrap() {
        assert_eq!(one["is_named"], false, "{one:#}");
    }
}

#[test]
#[ignore = "a long test: see above"]
fn the_thread_that_waits_for_memory_has_to_be_near() {
    let Some(left) = left() else { return };
    let document = left.json("threads");
    let all = document["stages"][0]["objects"].as_array().unwrap();
    let [waits, computes] = &all[..] else { panic!("{document:#}") };
    let (value, ci95) = interval(&waits["effect"]);
    println!("threads: {value:+.3} ({ci95:+.3?}), true {:+.3}", FAR / NEAR - 1.0);
    assert!((value - (FAR / NEAR - 1.0)).abs() < 4.0 * SLACK, "{waits:#}");
    assert_eq!((&waits["kind"], &waits["verdict"]), (&"thread".into(), &"costs".into()));
    assert_eq!(computes["is_named"], false, "{computes:#}");
    assert_eq!(left.text("allowed-before"), left.text("allowed-after"));
    assert!(left.text("threads.txt").contains("which of its threads matters"));
}

/// Effects of a measurement, and how many intervals hold the truth.
struct Held {
    effects: usize,
    hold: usize,
    /// All of them do, where intervals are as wide as to hold it together in 95 of 100.
    together: bool,
}

/// What a program's memory costs where it is far: from the turns that differ least to those that
/// differ most.
struct Truth {
    arrays: [f64; 2],
    /// All else: stack, heap, variables.
    rest: [f64; 2],
}

impl Truth {
    fn of(machine: &Machine, left: &Left, arrays: &str, rest: &str) -> Self {
        let (arrays, rest) = (machine.truth(left, arrays).1, machine.truth_of_rest(left, rest).1);
        println!("  all else is far: {rest:+.3?}");
        Self { arrays, rest }
    }

    /// Of an object with this share of what the arrays cost, or one of the rest: it costs nothing,
    /// all of what the rest does, or a part of it.
    fn object(&self, share: f64) -> [f64; 2] {
        if share > 0.0 { self.arrays.map(|end| end * share) } else { [0.0, self.rest[1].max(0.0)] }
    }
}

/// `share` is that of an object in the time that far arrays add.
fn held_by(found: &Value, truth: &Truth, share: impl Fn(&str, usize) -> f64) -> Held {
    let objects = found["stages"][0]["objects"].as_array().unwrap();
    let measured = objects.iter().enumerate().filter(|(_, object)| !object["effect"].is_null());
    let measured: Vec<(usize, &Value)> = measured.collect();
    // Of 2 to 10 intervals (Bonferroni).
    let wider = 1.0 + 0.21 * (measured.len() as f64).ln().min(2.3);
    let mut held = Held { effects: measured.len(), hold: 0, together: true };
    for (at, object) in measured {
        let name = object["name"].as_str().unwrap();
        let (value, [low, high]) = interval(&object["effect"]);
        let share = share(name, at);
        let truth = truth.object(share);
        let is_within = |by: f64| {
            value - by * (value - low) <= truth[1] && truth[0] <= value + by * (high - value)
        };
        held.hold += usize::from(is_within(1.0));
        held.together &= is_within(wider);
        let beyond = if is_within(1.0) { "" } else { ", MISSED" };
        println!("  {name}: {value:+.3} ({low:+.3} to {high:+.3}), true {truth:+.3?}{beyond}");
        let is_invented = share == 0.0 && object["verdict"] == "costs" && !is_within(wider);
        assert!(!is_invented, "invented: {object:#}");
    }
    held
}

/// The object that costs most.
fn costliest(found: &Value) -> usize {
    let objects = found["stages"][0]["objects"].as_array().unwrap();
    let effect = |at: &usize| objects[*at]["effect"]["value"].as_f64().unwrap_or(f64::MIN);
    (0..objects.len()).max_by(|a, b| effect(a).total_cmp(&effect(b))).unwrap()
}

/// Measurements on a machine; none without a lab.
fn measured_on(machine: &Machine) -> Vec<Held> {
    if !is_ready_with("x86_64", &["chase"]) {
        return Vec::new();
    }
    let left = machine.boot(KINDS, SLOWDOWN);
    let mut all = Vec::new();
    for (name, program, costly) in MEASURED {
        println!("{} {name}", machine.name);
        let truth = Truth::of(machine, &left, program, program);
        let found = left.json(name);
        let most = costliest(&found);
        let costs = |name: &str, at| if costly.is_empty() { at == most } else { name == costly };
        all.push(held_by(&found, &truth, |name, at| f64::from(u8::from(costs(name, at)))));
    }
    println!("{} arrays", machine.name);
    let truth = Truth::of(machine, &left, "loop", "arrays");
    let rate = |name: &str| {
        let at = name.strip_prefix("/dev/shm/array-").and_then(|at| at.parse::<usize>().ok());
        at.map_or(0.0, |at| RATES[at] / RATES.iter().sum::<f64>())
    };
    all.push(held_by(&left.json("arrays"), &truth, |name, _| rate(name)));
    all
}

/// Hot memory near and cold far, and the other way round; a segment of two processes; a file of
/// three; five arrays.
fn assert_kinds(machine: &Machine) {
    let all = measured_on(machine);
    let (hold, effects) = all.iter().fold((0, 0), |sum, it| (sum.0 + it.hold, sum.1 + it.effects));
    let together = all.iter().filter(|it| it.together).count();
    println!("{hold} of {effects} effects, all of {together} of {} programs", all.len());
    assert!(10 * hold >= 9 * effects, "{hold} of {effects}");
    assert!(together + 1 >= all.len(), "{together} of {}", all.len());
}

#[test]
#[ignore = "a long test: a guest in which objects are measured"]
fn objects_of_two_sockets_cost_what_they_have() {
    assert_kinds(&MACHINES[0]);
}

#[test]
#[ignore = "a long test: see above"]
fn objects_of_eight_nodes_cost_what_they_have() {
    assert_kinds(&MACHINES[1]);
}

#[test]
#[ignore = "a long test: see above"]
fn objects_of_an_expander_cost_what_they_have() {
    assert_kinds(&MACHINES[2]);
}
