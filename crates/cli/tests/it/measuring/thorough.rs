//! All instruments in one document, within a budget; and each of them with a budget of its own.

use serde_json::Value;

use crate::measured::{THOROUGH, warnings};
use crate::user::{User, document, nearfar, refusal, skip, stderr, stdout, unchanged_settings};

const INSTRUMENTS: [&str; 7] =
    ["latency", "hidden", "bandwidth", "loaded", "core-to-core", "caches", "interleave"];

fn names(of: &Value) -> Vec<&str> {
    of.as_array().unwrap().iter().map(|one| one["instrument"].as_str().unwrap()).collect()
}

/// The part of the document that an instrument fills.
fn part<'d>(document: &'d Value, instrument: &str) -> &'d Value {
    &document[instrument.replace('-', "_")]
}

#[test]
fn all_instruments_share_a_budget_in_one_document() {
    let document = THOROUGH.document();
    let provenance = &document["provenance"];
    assert_eq!(provenance["budget_s"], 14.0);
    let (ran, left_out) = (names(&provenance["instruments"]), names(&provenance["left_out"]));
    assert_eq!(ran[0], "latency");
    // With too little memory for the search, the part has a reason.
    assert!(
        left_out.contains(&"hidden") || document["hidden"]["finding"].is_string(),
        "{provenance}"
    );
    for instrument in &INSTRUMENTS[2..6] {
        // Each has a part, or a reason why it has none.
        assert!(
            ran.contains(instrument) || left_out.contains(instrument),
            "{instrument}: {provenance}"
        );
        assert_eq!(
            ran.contains(instrument),
            !part(&document, instrument).is_null(),
            "{instrument}: {provenance}"
        );
    }
    let instruments = provenance["instruments"].as_array().unwrap();
    let spent: f64 =
        instruments.iter().map(|instrument| instrument["duration_s"].as_f64().unwrap()).sum();
    assert!(spent <= provenance["duration_s"].as_f64().unwrap() + 1.0, "{provenance}");
    let skipped = provenance["left_out"].as_array().unwrap();
    let is_late = skipped.iter().any(|one| one["needs_s"].is_number());
    assert_eq!(warnings(&document).contains(&"instrument-left-out"), is_late, "{skipped:?}");
    shown_again(&ran);
}

fn shown_again(ran: &[&str]) {
    let user = User::new();
    let file = &THOROUGH.file_of(&user);
    let screen = stdout(&user.run(&["show", file, "--verbose"]));
    let at = |text: &str| screen.find(text).unwrap_or_else(|| panic!("no '{text}' in {screen}"));
    assert!(
        at("NUMA: ") < at("latency, ns") && at("latency, ns") < at("time and precision"),
        "{screen}"
    );
    let csv = stdout(&user.run(&["show", file, "--csv"]));
    // Where the time was up after latency, that is all, as `latency --csv` has it.
    let parts: Vec<&str> = match csv.strip_prefix("part,row,column,") {
        Some(lines) => lines.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect(),
        None => {
            return assert!(csv.starts_with("row,column,") && !ran.contains(&"bandwidth"), "{csv}");
        }
    };
    assert!(
        parts.contains(&"latency")
            && parts.iter().all(|part| *part == "part" || INSTRUMENTS.contains(part)),
        "{parts:?}"
    );
    let alone = stdout(&user.run(&["show", file, "--part", "latency", "--csv"]));
    assert!(alone.starts_with("row,column,cpus,node,q25_ns"), "{alone}");
    let may_give_a_reason = ["interleave", "hidden"];
    for instrument in
        INSTRUMENTS.iter().filter(|name| !ran.contains(name) && !may_give_a_reason.contains(name))
    {
        let (status, message) = refusal(&user.run(&["show", file, "--part", instrument]));
        assert!(
            status == 2
                && message
                    .contains(&format!("this survey has no part '{instrument}': it has latency")),
            "{message}"
        );
    }
}

#[test]
fn a_budget_that_is_too_small_names_the_least() {
    let refused = |args: &[&str]| {
        let (status, message) = refusal(&User::new().run(args));
        assert_eq!(status, 2, "{message}");
        message
    };
    let all = refused(&["survey", "--thorough", "--budget", "2s"]);
    assert!(
        all.starts_with("nearfar: a budget of 2s is too small: latency alone needs about "),
        "{all}"
    );
    assert!(all.contains("; all instruments, at minimal precision, need about "), "{all}");
    for instrument in ["latency", "hidden", "bandwidth", "caches"] {
        let message = refused(&[instrument, "--budget", "1"]);
        assert!(
            message.starts_with(&format!(
                "nearfar: a budget of 1s is too small: {instrument} alone needs about "
            )),
            "{message}"
        );
    }
}

#[test]
fn what_is_no_time_is_refused() {
    for (nonsense, expected) in
        [("soon", "5m, 90s, 1h30m"), ("0", "above 0"), ("30d", "5m, 90s"), ("99999h", "a week")]
    {
        let output = User::new().run(&["survey", "--budget", nonsense]);
        assert_eq!(output.status.code(), Some(2), "{nonsense}");
        assert!(stderr(&output).contains(expected), "{nonsense}: {}", stderr(&output));
    }
}

#[test]
fn one_cpu_omits_only_what_needs_two() {
    let user = User::new();
    let survey = ["survey", "--thorough", "--budget", "6s", "--json", "--no-samples"];
    let args = [&["-c", "0", nearfar()], &survey[..]].concat();
    let settings = unchanged_settings();
    let output = user.through("taskset", &args).output().expect("taskset starts");
    drop(settings);
    if output.status.code() != Some(0) && stderr(&output).contains("taskset") {
        return skip("CPU 0 is outside this machine's cpuset");
    }
    let document = document(&output);
    let left_out = document["provenance"]["left_out"].as_array().unwrap();
    let named = |name: &str| left_out.iter().find(|one| one["instrument"] == name);
    assert!(named("loaded").unwrap()["why"].as_str().unwrap().contains("two CPUs"), "{left_out:?}");
    assert!(document["loaded"].is_null());
    assert!(!document["latency"]["cells"].as_array().unwrap().is_empty());
    assert!(warnings(&document).contains(&"instrument-failed"));
}
