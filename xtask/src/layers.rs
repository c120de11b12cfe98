//! The one-way dependencies between crates, checked against what cargo builds. A wrong one fails the build.

use std::process::Command;

use anyhow::{Context, bail, ensure};
use serde_json::Value;

/// Which crates of the project each crate may know. ARCHITECTURE.md draws the same picture.
const DEPENDENCIES: [(&str, &[&str]); 23] = [
    ("nearfar-model", &[]),
    ("nearfar-firmware", &["nearfar-model"]),
    ("nearfar-linux", &["nearfar-firmware", "nearfar-model"]),
    ("nearfar-machine", &["nearfar-firmware", "nearfar-linux", "nearfar-model"]),
    ("nearfar-diagnose", &["nearfar-firmware", "nearfar-linux", "nearfar-machine", "nearfar-model"]),
    ("nearfar-draw", &[]),
    ("nearfar-terminal", &[]),
    ("nearfar-place", &["nearfar-model"]),
    ("nearfar-launch", &["nearfar-machine", "nearfar-model", "nearfar-place"]),
    ("nearfar-process", &["nearfar-machine", "nearfar-model", "nearfar-place"]),
    (
        "nearfar-numactl",
        &["nearfar-launch", "nearfar-machine", "nearfar-model", "nearfar-place", "nearfar-process", "nearfar-terminal"],
    ),
    ("nearfar-infer", &["nearfar-model"]),
    ("nearfar-probe", &["nearfar-infer", "nearfar-machine", "nearfar-model", "nearfar-place"]),
    (
        "nearfar-survey",
        &["nearfar-diagnose", "nearfar-firmware", "nearfar-infer", "nearfar-machine", "nearfar-model", "nearfar-probe"],
    ),
    (
        "nearfar-measure",
        &[
            "nearfar-diagnose",
            "nearfar-infer",
            "nearfar-machine",
            "nearfar-model",
            "nearfar-probe",
            "nearfar-survey",
            "nearfar-terminal",
        ],
    ),
    ("nearfar-sweep", &["nearfar-infer", "nearfar-launch", "nearfar-machine", "nearfar-model", "nearfar-process"]),
    (
        "nearfar-report",
        &[
            "nearfar-diagnose",
            "nearfar-draw",
            "nearfar-firmware",
            "nearfar-infer",
            "nearfar-launch",
            "nearfar-linux",
            "nearfar-machine",
            "nearfar-model",
            "nearfar-process",
            "nearfar-survey",
            "nearfar-sweep",
            "nearfar-terminal",
        ],
    ),
    (
        "nearfar",
        &[
            "nearfar-diagnose",
            "nearfar-draw",
            "nearfar-firmware",
            "nearfar-infer",
            "nearfar-launch",
            "nearfar-linux",
            "nearfar-machine",
            "nearfar-measure",
            "nearfar-model",
            "nearfar-numactl",
            "nearfar-place",
            "nearfar-probe",
            "nearfar-process",
            "nearfar-report",
            "nearfar-survey",
            "nearfar-sweep",
            "nearfar-terminal",
        ],
    ),
    ("nearfar-lab-chase", &[]),
    ("nearfar-lab-cost", &[]),
    ("nearfar-lab-plugin", &["nearfar-lab-cost"]),
    ("nearfar-lab", &["nearfar-infer", "nearfar-lab-cost", "nearfar-model", "nearfar-survey", "nearfar-terminal"]),
    ("xtask", &[]),
];

/// Packages that build C; "no C in the crate graph" forbids them, and whatever says that it links a native library.
const BUILDS_C: [&str; 4] = ["cc", "cmake", "pkg-config", "bindgen"];
/// What release binaries are built for: what other platforms need does not count.
const PLATFORM: &str = "x86_64-unknown-linux-musl";

/// Checks every dependency of the workspace, dev-dependencies included.
pub(crate) fn check() -> anyhow::Result<()> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--format-version", "1", "--filter-platform", PLATFORM])
        .output()?;
    ensure!(output.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata gave no JSON")?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let mut wrong = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        if BUILDS_C.contains(&name) || package["links"].is_string() {
            wrong.push(format!("{name} is in the crate graph: it builds or links C"));
        }
        if package["source"].is_null() {
            wrong.extend(wrong_dependencies(name, package));
        }
    }
    if !wrong.is_empty() {
        bail!("crates depend on what they may not (xtask/src/layers.rs, ARCHITECTURE.md):\n  {}", wrong.join("\n  "));
    }
    println!("layers: {} crates, every dependency allowed", DEPENDENCIES.len());
    Ok(())
}

fn wrong_dependencies(name: &str, package: &Value) -> Vec<String> {
    let Some((_, allowed)) = DEPENDENCIES.iter().find(|(known, _)| *known == name) else {
        return vec![format!("{name} is not listed yet: add its dependencies")];
    };
    let dependencies = package["dependencies"].as_array().into_iter().flatten();
    let ours = dependencies.filter(|dependency| dependency["path"].is_string());
    let names = ours.filter_map(|dependency| dependency["name"].as_str());
    // A crate may be a dev-dependency of itself, to have a feature in its tests.
    let strange = names.filter(|other| *other != name && !allowed.contains(other));
    strange.map(|other| format!("{name} must not know {other}")).collect()
}
