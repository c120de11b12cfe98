//! All instruments in one document, within a budget; and each of them with a budget of its own.

mod running;

use std::path::Path;
use std::time::{Duration, Instant};

use running::{User, alone, refusal, stderr, stdout};
use serde_json::Value;

/// Beyond its budget a command reads the machine, ends its workers and judges its samples.
const SLACK: Duration = Duration::from_secs(20);

const INSTRUMENTS: [&str; 7] = ["latency", "hidden", "bandwidth", "loaded", "core-to-core", "caches", "interleave"];

fn names(of: &Value) -> Vec<&str> {
    of.as_array().unwrap().iter().map(|one| one["instrument"].as_str().unwrap()).collect()
}

/// The part of the document that an instrument fills.
fn part<'d>(document: &'d Value, instrument: &str) -> &'d Value {
    &document[instrument.replace('-', "_")]
}

#[test]
fn all_instruments_share_a_budget_in_one_document() {
    let user = User::new();
    let file = user.folder().join("all.json");
    let _alone = alone();
    let begun = Instant::now();
    let args = ["survey", "--thorough", "--budget", "25s", "--json", "--seed", "7", "-o", file.to_str().unwrap()];
    let output = user.run(&args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(begun.elapsed() < Duration::from_secs(25) + SLACK, "{:?}", begun.elapsed());
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let provenance = &document["provenance"];
    assert_eq!(provenance["budget_s"], 25.0);
    let (ran, left_out) = (names(&provenance["instruments"]), names(&provenance["left_out"]));
    assert_eq!(ran[0], "latency");
    // Where memory is too short for the search, the part says so.
    assert!(left_out.contains(&"hidden") || document["hidden"]["finding"].is_string(), "{provenance}");
    for instrument in &INSTRUMENTS[2..6] {
        // Each has a part, or is told with the reason.
        assert!(ran.contains(instrument) || left_out.contains(instrument), "{instrument}: {provenance}");
        assert_eq!(ran.contains(instrument), !part(&document, instrument).is_null(), "{instrument}: {provenance}");
    }
    let spent: f64 =
        provenance["instruments"].as_array().unwrap().iter().map(|one| one["duration_s"].as_f64().unwrap()).sum();
    assert!(spent <= provenance["duration_s"].as_f64().unwrap() + 1.0, "{provenance}");
    let codes: Vec<&str> =
        document["warnings"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect();
    let is_late = provenance["left_out"].as_array().unwrap().iter().any(|one| one["needs_s"].is_number());
    assert_eq!(codes.contains(&"instrument-left-out"), is_late, "{codes:?}");
    shown_again(&user, &file, &ran);
    figures_follow_from_samples(&file);
}

fn shown_again(user: &User, file: &Path, ran: &[&str]) {
    let file = file.to_str().unwrap();
    let screen = stdout(&user.run(&["show", file]));
    let at = |text: &str| screen.find(text).unwrap_or_else(|| panic!("no '{text}' in {screen}"));
    assert!(at("NUMA: ") < at("latency, ns") && at("latency, ns") < at("time and precision"), "{screen}");
    let csv = stdout(&user.run(&["show", file, "--csv"]));
    assert!(csv.starts_with("part,row,column,"), "{csv}");
    let parts: Vec<&str> = csv.lines().map(|line| line.split(',').next().unwrap()).collect();
    assert!(
        parts.contains(&"latency") && parts.iter().all(|part| *part == "part" || INSTRUMENTS.contains(part)),
        "{parts:?}"
    );
    let alone = stdout(&user.run(&["show", file, "--part", "latency", "--csv"]));
    assert!(alone.starts_with("row,column,cpus,node,q25_ns"), "{alone}");
    let may_say_why = ["interleave", "hidden"];
    for instrument in INSTRUMENTS.iter().filter(|name| !ran.contains(name) && !may_say_why.contains(name)) {
        let (status, said) = refusal(&user.run(&["show", file, "--part", instrument]));
        assert!(
            status == 2 && said.contains(&format!("there is no part '{instrument}' in it: it has latency")),
            "{said}"
        );
    }
}

fn figures_follow_from_samples(file: &Path) {
    let kept = nearfar_survey::read(file).unwrap();
    let mut again = kept.clone();
    again.latency.cells.iter_mut().for_each(|cell| cell.median = None);
    if let Some(bandwidth) = &mut again.bandwidth {
        bandwidth.part.matrix.cells.iter_mut().for_each(|cell| cell.median = None);
    }
    again.judge().unwrap();
    assert_eq!(again, kept);
}

#[test]
fn a_budget_too_small_for_anything_says_what_would_fit() {
    let refused = |args: &[&str]| {
        let (status, said) = refusal(&User::new().run(args));
        assert_eq!(status, 2, "{said}");
        said
    };
    let all = refused(&["survey", "--thorough", "--budget", "2s"]);
    assert!(all.starts_with("nearfar: a budget of 2s is too small: latency alone needs about "), "{all}");
    assert!(all.contains("; all instruments, as coarsely as is useful, about "), "{all}");
    for instrument in ["latency", "hidden", "bandwidth", "caches"] {
        let said = refused(&[instrument, "--budget", "1"]);
        assert!(
            said.starts_with(&format!("nearfar: a budget of 1s is too small: {instrument} alone needs about ")),
            "{said}"
        );
    }
}

#[test]
fn what_is_no_time_is_refused() {
    for (nonsense, says) in
        [("soon", "5m, 90s, 1h30m"), ("0", "above nothing"), ("30d", "5m, 90s"), ("99999h", "a week")]
    {
        let output = User::new().run(&["survey", "--budget", nonsense]);
        assert_eq!(output.status.code(), Some(2), "{nonsense}");
        assert!(stderr(&output).contains(says), "{nonsense}: {}", stderr(&output));
    }
}

#[test]
fn one_cpu_alone_leaves_out_what_needs_two_and_no_more() {
    let user = User::new();
    let args = ["-c", "0", running::nearfar(), "survey", "--thorough", "--budget", "12s", "--json", "--no-samples"];
    let _alone = alone();
    let output = user.through("taskset", &args).output().expect("taskset starts");
    if output.status.code() != Some(0) {
        // CPU 0 may be outside this machine's cpuset.
        assert!(stderr(&output).contains("taskset"), "{}", stderr(&output));
        return;
    }
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let left_out = document["provenance"]["left_out"].as_array().unwrap();
    let why = |name: &str| left_out.iter().find(|one| one["instrument"] == name).map(|one| one["why"].to_string());
    assert!(why("loaded").unwrap().contains("two CPUs"), "{left_out:?}");
    assert!(document["loaded"].is_null() && !document["latency"]["cells"].as_array().unwrap().is_empty());
    assert!(stdout(&output).contains("instrument-failed"));
}

#[test]
fn an_instrument_alone_keeps_to_its_budget_and_is_shown_as_it_was() {
    let user = User::new();
    let file = user.folder().join("pairs.json");
    let _alone = alone();
    let begun = Instant::now();
    let args = ["bandwidth", "--size", "4M", "--kernels", "read,copy", "--budget", "15s", "-o", file.to_str().unwrap()];
    let output = user.run(&args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(begun.elapsed() < Duration::from_secs(15) + SLACK, "{:?}", begun.elapsed());
    let screen = stdout(&output);
    assert!(screen.contains(" s of 15 s · "), "{screen}");
    assert_eq!(stdout(&user.run(&["show", file.to_str().unwrap()])), screen);
    assert!(!screen.contains("NUMA: "), "{screen}");
}
