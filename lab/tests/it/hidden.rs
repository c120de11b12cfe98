//! Nodes that the system does not show, in machines whose truth is known.

use serde_json::Value;

use crate::lab::{self, Measurement, is_ready, lab};

/// What is looked for differs by half: figures within some percent will do, and less time.
const SLOWDOWN: &str = "10";

/// `nearfar`'s JSON output about a machine.
fn looked(machine: &str, words: &str) -> Value {
    let look = format!("nearfar {words} --quick --seed 1 --no-samples --json");
    let run = ["run", machine, "--slowdown", SLOWDOWN, "--timeout", "280", "--"];
    let output = lab(&[&run[..], &look.split(' ').collect::<Vec<_>>()].concat());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{machine}: {stderr}");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{machine}: {error}: {stderr}"))
}

/// What was found may be disturbed by a busy host: one of three looks is enough.
fn finding(machine: &str, words: &str, wanted: &str) -> Value {
    finding_with(machine, words, wanted, |_| true)
}

/// The same, where figures are to be right as well.
fn finding_with(
    machine: &str,
    words: &str,
    wanted: &str,
    is_right: impl Fn(&Value) -> bool,
) -> Value {
    lab::undisturbed(|| {
        let document = looked(machine, words);
        match document["hidden"]["finding"] == wanted && is_right(&document["hidden"]) {
            true => Ok(document),
            false => Err(format!("{machine}: {:#}", document["hidden"])),
        }
    })
}

/// A fresh guest hands out its memory from one end: a quarter of it lies beside two of the CPUs.
/// Users need not know that.
fn two_nodes_are_found_behind_one(words: &str) {
    if !is_ready("x86_64") {
        return;
    }
    let is_half = |hidden: &Value| (hidden["pages"]["effect"].as_f64().unwrap() - 0.5).abs() < 0.05;
    let document = finding_with("hidden-2n", words, "found", |hidden| {
        are_the_two_nodes(hidden) && is_half(hidden)
    });
    let pages = &document["hidden"]["pages"];
    assert_eq!(document["verdict"]["numa"], "yes");
    // Where a quarter of the memory happens to reach into both, one look is enough.
    let looked_twice = pages["first_look"].is_object();
    assert_eq!(pages["share"], if looked_twice { 0.75 } else { 0.25 }, "{pages:#}");
}

/// Each kind of pages is near to its node's CPUs, and lies in its node: the first one is the first
/// 384 MiB.
fn are_the_two_nodes(hidden: &Value) -> bool {
    let kinds = hidden["pages"]["kinds"].as_array().unwrap();
    let lies_well = |kind: &Value| {
        let [low, high] = [0, 1].map(|end| kind["address_bytes"][end].as_u64().unwrap() >> 20);
        match kind["near_cpus"].as_str().unwrap() {
            "0-1" => high < 384,
            "2-3" => low >= 384,
            _ => false,
        }
    };
    kinds.len() == 2
        && kinds.iter().all(lies_well)
        && kinds[0]["near_cpus"] != kinds[1]["near_cpus"]
}

#[test]
fn two_hidden_nodes_are_found() {
    if !is_ready("x86_64") {
        return;
    }
    let document = lab::undisturbed(|| {
        let document = Measurement {
            machine: "hidden-2n",
            slowdown: 10.0,
            command: "hidden --quick --share 75% --no-samples",
            settled: r#"grep -q '"finding": *"found"' $document"#,
        }
        .document();
        let hidden = &document["hidden"];
        match hidden["finding"] == "found" && are_the_two_nodes(hidden) {
            true => Ok(document),
            false => Err(format!("{hidden:#}")),
        }
    });
    assert_eq!(document["verdict"]["numa"], "yes");
}

#[test]
#[ignore = "long: the effect to the percent"]
fn two_nodes_behind_one_are_found_with_their_effect() {
    two_nodes_are_found_behind_one("hidden");
}

/// A quarter of the memory is of two of four nodes: the second look has pages of all.
#[test]
#[ignore = "long: four nodes, and two looks"]
fn four_hidden_nodes_are_counted_with_their_effect() {
    if !is_ready("x86_64") {
        return;
    }
    let document = finding_with("hidden-4n", "hidden", "found", |hidden| {
        let count = &hidden["pages"]["count"];
        let effect = hidden["pages"]["effect"].as_f64().unwrap();
        count["nodes"] == 4 && count["is_exact"] == true && (effect - 1.33).abs() < 0.07
    });
    let pages = &document["hidden"]["pages"];
    let near: Vec<&str> = pages["kinds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|kind| kind["near_cpus"].as_str().unwrap())
        .collect();
    assert_eq!(near, ["0-1", "2-3", "4-5", "6-7"], "{pages:#}");
    assert_eq!(document["verdict"]["numa"], "yes");
}

#[test]
#[ignore = "long: what the command alone finds"]
fn a_plain_survey_finds_them_as_well() {
    two_nodes_are_found_behind_one("survey");
}

#[test]
#[ignore = "long: what --share bounds has its tests in the command"]
fn no_more_memory_is_held_than_allowed() {
    if !is_ready("x86_64") {
        return;
    }
    let document = finding("hidden-2n", "hidden --share 25%", "undetermined");
    let pages = &document["hidden"]["pages"];
    assert!(pages["first_look"].is_null(), "{pages:#}");
    assert_eq!(
        pages["would_settle"],
        serde_json::json!({"code": "other-pages-by-share", "share": 0.75})
    );
    assert_ne!(document["verdict"]["numa"], "no");
}

#[test]
#[ignore = "long: a correlation of figures"]
fn lines_that_firmware_deals_out_are_called_interleaved() {
    if !is_ready("x86_64") {
        return;
    }
    let document = finding("firmware-interleaved", "hidden", "interleaved");
    assert!(
        document["hidden"]["lines"]["correlation"].as_f64().unwrap() < -0.5,
        "{}",
        document["hidden"]["lines"]
    );
    assert_ne!(document["verdict"]["numa"], "yes");
}
