//! `nearfar gpu` finds the truth: rates and latencies as described, and the nearest nodes.

mod refused;
mod several;
mod stand_in;
mod truth;

use serde_json::Value;

use crate::interrupts::sections::sections_of;
use crate::lab::{is_ready_with, lab, undisturbed};
use truth::Truth;

const MEASURE: &str = include_str!("gpus/measure.sh");

/// The documents of a script, by section.
fn measured(script: &str) -> std::collections::BTreeMap<String, Value> {
    let kit = std::env::var("NEARFAR_LAB_KIT").unwrap();
    let driver = format!("{kit}/x86_64/gpu-driver");
    let script = format!("{MEASURE}{script}");
    let options = ["--no-wait", "--timeout", "900", "--with", &driver, "--", "sh", "-c", &script];
    let sections = sections_of(&lab(&[&["run", "gpus-2s"][..], &options].concat()));
    let parsed = |(name, text): (String, String)| {
        let document: Value =
            serde_json::from_str(&text).unwrap_or_else(|why| panic!("{name}: {why}: {text}"));
        let gpu = document.get("gpu").filter(|gpu| gpu.is_object());
        (name, gpu.unwrap_or(&document).clone())
    };
    sections.into_iter().filter(|(name, _)| !name.is_empty()).map(parsed).collect()
}

#[track_caller]
fn assert_nearest(gpu: &Value, nodes: &[u32], kernel_is_right: Option<bool>) {
    let verdict = &gpu["verdicts"][0];
    assert_eq!(verdict["verdict"], "nearest", "{verdict:#}");
    assert_eq!(verdict["nodes"], serde_json::json!(nodes), "{verdict:#}");
    assert_eq!(verdict["kernel_is_right"], serde_json::json!(kernel_is_right), "{verdict:#}");
}

/// On a host under load, few processes fit into the budget, and decide nothing.
fn is_decided(gpu: &Value) -> Result<(), String> {
    let verdict = &gpu["verdicts"][0];
    let is_decided = verdict["verdict"] != "undetermined";
    if is_decided { Ok(()) } else { Err(format!("{verdict:#}")) }
}

/// One is where another node is claimed; one is nowhere by all claims, and is found by latency. The
/// other vendor's interface finds the same.
#[test]
fn misplaced_gpus_are_found() {
    if !is_ready_with("x86_64", &["gpu-driver"]) {
        return;
    }
    let mut budget_s = 60;
    let documents = undisturbed(|| {
        let short = format!("--pinned --no-peers --size 8M --budget {budget_s}s");
        budget_s *= 2;
        let documents = measured(&format!(
            "echo '== GPU2'; measure GPU2 {short} --driver hip; echo '== GPU1'; measure GPU1 {short}
             echo '== devices'; nearfar devices --json
             echo '== near'; nearfar run --near GPU1 --explain --json true"
        ));
        for gpu in ["GPU1", "GPU2"] {
            is_decided(&documents[gpu])?;
        }
        Ok(documents)
    });
    let (one, other) = (&documents["GPU1"], &documents["GPU2"]);
    // The kept measurement is a witness, and places programs.
    let devices = documents["devices"]["devices"].as_array().unwrap();
    let gpu = devices.iter().find(|device| device["label"] == "GPU1").unwrap();
    assert_eq!((&gpu["node"]["node"], &gpu["node"]["verdict"]), (&0.into(), &"measured".into()));
    let findings = documents["devices"]["findings"].to_string();
    assert!(findings.contains("device-node-measured"), "{findings}");
    let near = &documents["near"]["near"];
    assert_eq!((&near["nodes"], &near["cpu_nodes"]), (&"0".into(), &"0".into()), "{near:#}");
    assert!(near["sentence"].as_str().unwrap().contains("as copies showed"), "{near:#}");
    assert_nearest(one, &[0], Some(false));
    assert_eq!(one["verdicts"][0]["driver_is_right"], false);
    assert_eq!(one["driver"]["interface"], "CUDA");
    assert_nearest(other, &[1], None);
    assert_eq!(other["driver"]["interface"], "HIP");
    // Events have the stand-in's own times, which no host disturbs.
    Truth::read().assert_rates(one);
    Truth::read().assert_rates(other);
}

#[test]
#[ignore = "long: minutes"]
fn copies_take_the_described_time() {
    if !is_ready_with("x86_64", &["gpu-driver"]) {
        return;
    }
    undisturbed(|| {
        let documents = measured(
            "for gpu in GPU0 GPU1 GPU2; do echo \"== $gpu\"; measure $gpu --no-peers --size 16M \
             --budget 150s; done; echo '== all'; measure --pinned --together --size 8M \
             --budget 200s",
        );
        let truth = Truth::read();
        for (gpu, (nodes, is_right)) in
            [("GPU0", ([0], Some(true))), ("GPU1", ([0], Some(false))), ("GPU2", ([1], None))]
        {
            assert_nearest(&documents[gpu], &nodes, is_right);
            truth.assert_rates(&documents[gpu]);
            truth.latencies_are_found(&documents[gpu])?;
        }
        truth.assert_peers(&documents["all"]);
        Ok(())
    });
}
