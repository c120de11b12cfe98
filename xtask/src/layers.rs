//! The one-way dependencies between crates, checked against what cargo builds. A wrong one fails
//! the build.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::Value;

/// Which crates of the project each crate may know; "nearfar-" is left out. ARCHITECTURE.md draws
/// the same picture.
const DEPENDENCIES: &str = "
model:
view: model
infer: model
firmware: model view
machine: firmware model view
place: model view
devices: firmware machine model view
process: devices machine model place view
diagnose: devices firmware machine model place view
probe: infer machine model place
gpu-helper: probe view
survey: devices diagnose infer machine model probe view
sweep: devices infer machine model process view
live: infer machine model process view
report: devices diagnose firmware infer live machine model process survey sweep view
nearfar: devices diagnose firmware gpu-helper infer live machine model place probe process report \
                            survey sweep view
lab-chase: model place
lab-cost:
lab-disk:
lab-gpu: probe
lab-timed-read:
lab-plugin: lab-cost
lab: infer lab-cost lab-disk model report survey view
xtask:";

/// Packages that build C; "no C in the crate graph" forbids them, and any package that declares
/// that it links a native library.
const BUILDS_C: [&str; 4] = ["cc", "cmake", "pkg-config", "bindgen"];
/// Files of each published crate.
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];
/// What release binaries are built for: what other platforms need does not count.
const PLATFORM: &str = "x86_64-unknown-linux-musl";

/// Checks every dependency of the workspace, dev-dependencies included.
pub(crate) fn check() -> anyhow::Result<()> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--format-version", "1", "--filter-platform", PLATFORM])
        .output()?;
    ensure!(
        output.status.success(),
        "cargo metadata failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value =
        serde_json::from_slice(&output.stdout).context("cargo metadata gave no JSON")?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let mut wrong = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        if BUILDS_C.contains(&name) || package["links"].is_string() {
            wrong.push(format!("{name} is in the crate graph: it builds or links C"));
        }
        if package["source"].is_null() {
            wrong.extend(wrong_dependencies(name, package));
            wrong.extend(missing_licences(name, package));
        }
    }
    let wrong_lines = wrong.join("\n  ");
    ensure!(
        wrong.is_empty(),
        "crates break rules (xtask/src/layers.rs, ARCHITECTURE.md):\n  {wrong_lines}"
    );
    println!("layers: {} crates, every dependency allowed", DEPENDENCIES.trim().lines().count());
    Ok(())
}

fn wrong_dependencies(name: &str, package: &Value) -> Vec<String> {
    let mut listed = DEPENDENCIES.lines().filter_map(|line| line.split_once(':'));
    let Some((_, allowed)) = listed.find(|(known, _)| *known == short(name)) else {
        return vec![format!("{name} is not listed yet: add its dependencies")];
    };
    let is_allowed = |other: &str| allowed.split_whitespace().any(|word| word == short(other));
    let dependencies = package["dependencies"].as_array().into_iter().flatten();
    let ours = dependencies.filter(|dependency| dependency["path"].is_string());
    ours.filter_map(|dependency| {
        let other = dependency["name"].as_str()?;
        if other != name {
            return (!is_allowed(other)).then(|| format!("{name} must not know {other}"));
        }
        // It may, to have a feature in its tests. A version cannot be packed: no registry has it.
        (dependency["req"] != "*")
            .then(|| format!("{name} depends on itself by a version, not by a path"))
    })
    .collect()
}

/// Texts that a crate's package lacks, if it is published: links to those of the repository.
fn missing_licences(name: &str, package: &Value) -> Vec<String> {
    let folder = package["manifest_path"].as_str().map(Path::new).and_then(Path::parent);
    let Some(folder) = folder.filter(|_| package["publish"].is_null()) else { return Vec::new() };
    let missing = LICENCES.iter().filter(|file| !folder.join(file).is_file());
    missing.map(|file| format!("{name} has no {file}: ln -s ../../{file}")).collect()
}

fn short(name: &str) -> &str {
    name.strip_prefix("nearfar-").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::missing_licences;

    #[test]
    fn a_published_crate_has_its_licences() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = folder.path().join("Cargo.toml");
        let mut package = json!({ "manifest_path": manifest, "publish": null });
        std::fs::write(folder.path().join("LICENSE-MIT"), "").unwrap();
        let missing = missing_licences("a", &package);
        assert_eq!(missing, ["a has no LICENSE-APACHE: ln -s ../../LICENSE-APACHE"]);
        package["publish"] = json!([]);
        assert!(missing_licences("a", &package).is_empty());
    }
}
