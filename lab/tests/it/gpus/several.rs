//! Several GPUs: all of a package at once, slices, and copies between them. On a host with any
//! nodes no figure is asserted.

use serde_json::Value;

use super::stand_in::{Driver, GPU, is_here, texts};

const SECOND: &str = r#"
[[gpu]]
name = "Lab GPU MIG 1g.10gb"
address = "0000:3b:00.0"
memory_mib = 64
node = 0
to_device_gb_s = [10]
from_device_gb_s = [10]
pageable_gb_s = [5]
latency_us = [60]
"#;

#[test]
fn gpus_of_a_package_copy_at_once() {
    if !is_here() {
        return;
    }
    let driver = Driver::new("libcuda.so.1", &format!("{GPU}{SECOND}"));
    let more = ["--together", "--pinned", "--budget", "45s", "--json", "--no-samples"];
    let (stdout, stderr) = texts(&driver.run(&more));
    let document: Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stderr}"));
    let gpu = &document["gpu"];
    // Slices of one GPU have numbers of their own.
    let labels: Vec<&str> =
        gpu["gpus"].as_array().unwrap().iter().map(|one| one["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["0000:3b:00.0.0", "0000:3b:00.0.1"]);
    assert_eq!(
        (&gpu["gpus"][0]["is_mig"], &gpu["gpus"][1]["is_mig"]),
        (&false.into(), &true.into())
    );
    let treatments = gpu["bandwidth"]["treatments"].as_array().unwrap();
    let at_once =
        treatments.iter().filter(|treatment| treatment["gpus"].as_array().unwrap().len() == 2);
    // Three directions, and a control.
    assert_eq!(at_once.count(), 4, "{treatments:#?}");
    let peers = gpu["peer_bandwidth"]["cells"].as_array().unwrap();
    assert_eq!(peers.len(), 2, "{peers:#?}");
}
