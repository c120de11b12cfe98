//! Firmware's tables, decoded here and by other people's tools, and tables that cannot be.
//!
//! ACPI's `iasl` and `acpixtract`, the device-tree compiler `dtc` and the readings that come with the SMBIOS dumps were
//! written by other people from the same specifications: where they and nearfar agree, a common misreading is unlikely.

#[path = "firmware/bad_input.rs"]
mod bad_input;
#[path = "firmware/counterpart.rs"]
mod counterpart;
#[path = "firmware/encoder.rs"]
mod encoder;
#[path = "firmware/iasl.rs"]
mod iasl;
#[path = "firmware/make.rs"]
mod make;
#[path = "firmware/smbios.rs"]
mod smbios;
#[path = "firmware/tables.rs"]
mod tables;
#[path = "firmware/trees.rs"]
mod trees;

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

/// The corpus folder: `NEARFAR_CORPUS`, unset means `../shared/corpus` of the workspace, empty means none.
fn corpus() -> Option<PathBuf> {
    static SAID: Once = Once::new();
    let folder = match env::var_os("NEARFAR_CORPUS") {
        Some(folder) if folder.is_empty() => None,
        Some(folder) => Some(PathBuf::from(folder)),
        None => Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus")).filter(|path| path.is_dir()),
    };
    if folder.is_none() {
        say(&SAID, "skipped: no corpus\n");
    }
    folder
}

/// Whether a tool can be run here. Where `CI` is set, it has to be.
fn have(tool: &str, package: &str, said: &'static Once) -> bool {
    let found = Command::new(tool).arg("-v").output().is_ok();
    assert!(found || env::var_os("CI").is_none(), "{tool} is missing, and CI is set: install {package}");
    if !found {
        say(said, &format!("skipped: no {tool} to compare with (Debian's {package})\n"));
    }
    found
}

/// Past the test harness, which keeps what a passing test prints with `println!`.
fn say(said: &'static Once, what: &str) {
    said.call_once(|| io::stderr().write_all(what.as_bytes()).unwrap());
}

/// All files below a folder, sorted.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}
