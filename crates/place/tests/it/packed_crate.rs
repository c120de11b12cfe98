//! The crate as crates.io gets it: docs/libraries/place.rs is built against it, and run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const MANIFEST: &str = r#"[package]
name = "place"
version = "0.0.0"
edition = "2024"

[[bin]]
name = "place"
path = "place.rs"

[dependencies]
nearfar-model = "*"
nearfar-place = "*"

[workspace]

[patch.crates-io]
"#;

/// The crate, and those of this repository that it needs.
const CRATES: [&str; 3] = ["nearfar-model", "nearfar-place", "nearfar-view"];

/// What a command prints, after it succeeded.
fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {message}");
    String::from_utf8(output.stdout).unwrap()
}

fn cargo(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(folder).args(words).arg("--offline").env_remove("CARGO_TARGET_DIR");
    command
}

#[test]
#[ignore = "long: compiles the crate and what it needs"]
fn a_program_is_built_against_the_packed_crate() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("target");
    let package = ["package", "--quiet", "--no-verify", "--allow-dirty"];
    let mut packing = cargo(&repository, &package);
    packing.args(CRATES.iter().flat_map(|name| ["-p", name])).arg("--target-dir").arg(&target);
    printed(&mut packing);

    let mut manifest = MANIFEST.to_owned();
    for name in CRATES {
        let crate_file = format!("{name}-{}.crate", env!("CARGO_PKG_VERSION"));
        let packed: PathBuf = target.join("package").join(&crate_file);
        printed(Command::new("tar").arg("-xzf").arg(&packed).current_dir(folder.path()));
        let path = crate_file.trim_end_matches(".crate");
        manifest += &format!("{name} = {{ path = {path:?} }}\n");
    }
    fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
    fs::copy(repository.join("docs/libraries/place.rs"), folder.path().join("place.rs")).unwrap();
    let output = printed(&mut cargo(folder.path(), &["run", "--quiet"]));
    assert!(output.contains(" of 1024 pages") || output.contains(" of 2 pages"), "{output}");
}
