//! Nodes that the system does not show, in machines whose truth is known.

#[allow(dead_code)] // what other tests share
mod lab;

use lab::{is_ready, lab};
use serde_json::Value;

/// What is looked for differs by half: figures within some percent will do, and half of the time.
const SLOWDOWN: &str = "7";

/// What `nearfar` says of a machine in JSON.
fn looked(machine: &str, words: &str) -> Value {
    let look = format!("nearfar {words} --quick --seed 1 --no-samples --json");
    let run = ["run", machine, "--slowdown", SLOWDOWN, "--timeout", "280", "--"];
    let output = lab(&[&run[..], &look.split(' ').collect::<Vec<_>>()].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{machine}: {said}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{machine}: {error}: {said}"))
}

/// What was found may be disturbed by a busy host: one of three looks is enough.
fn finding(machine: &str, words: &str, wanted: &str) -> Value {
    lab::undisturbed(|| {
        let document = looked(machine, words);
        match document["hidden"]["finding"] == wanted {
            true => Ok(document),
            false => Err(format!("{machine}: {:#}", document["hidden"])),
        }
    })
}

/// A fresh guest hands out its memory from one end: a quarter of it lies beside two of the CPUs. Nobody has to know that.
fn two_nodes_are_found_behind_one(words: &str) {
    if !is_ready("x86_64") {
        return;
    }
    let document = finding("hidden-2n", words, "found");
    let pages = &document["hidden"]["pages"];
    let kinds = pages["kinds"].as_array().unwrap();
    let mut near: Vec<&str> = kinds.iter().map(|kind| kind["near_cpus"].as_str().unwrap()).collect();
    near.sort_unstable();
    assert_eq!(near, ["0-1", "2-3"], "{pages:#}");
    for kind in kinds {
        // The first node is the first 384 MiB.
        let [low, high] = [0, 1].map(|end| kind["address_bytes"][end].as_u64().unwrap() >> 20);
        let inside = if kind["near_cpus"] == "0-1" { high < 384 } else { low >= 384 };
        assert!(inside, "{kind:#}");
    }
    let effect = pages["effect"].as_f64().unwrap();
    assert!((effect - 0.5).abs() < 0.05, "{effect}");
    assert_eq!(document["verdict"]["numa"], "yes");
    assert_eq!((&pages["first_look"]["share"], &pages["share"]), (&0.25.into(), &0.75.into()), "{pages:#}");
}

#[test]
fn two_nodes_behind_one_are_found_with_their_cpus_and_pages() {
    two_nodes_are_found_behind_one("hidden");
}

#[test]
fn a_plain_survey_finds_them_as_well() {
    two_nodes_are_found_behind_one("survey");
}

#[test]
fn no_more_memory_is_held_than_somebody_allows() {
    if !is_ready("x86_64") {
        return;
    }
    let document = finding("hidden-2n", "hidden --share 25%", "undetermined");
    let pages = &document["hidden"]["pages"];
    assert!(pages["first_look"].is_null(), "{pages:#}");
    let would_settle = pages["would_settle"].as_str().unwrap();
    assert!(would_settle.contains("nearfar hidden --share 75%"), "{would_settle}");
    assert_ne!(document["verdict"]["numa"], "no");
}

#[test]
fn lines_that_firmware_deals_out_are_called_interleaved() {
    if !is_ready("x86_64") {
        return;
    }
    let document = finding("firmware-interleaved", "hidden", "interleaved");
    assert!(document["hidden"]["lines"]["correlation"].as_f64().unwrap() < -0.5, "{}", document["hidden"]["lines"]);
    assert_ne!(document["verdict"]["numa"], "yes");
}
