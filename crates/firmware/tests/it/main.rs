//! Firmware's tables, decoded here and by other people's tools, and tables that cannot be.
//!
//! ACPI's `iasl` and `acpixtract`, the device-tree compiler `dtc` and the readings that come with
//! the SMBIOS dumps were written by other people from the same specifications: where they and
//! nearfar agree, a common misreading is unlikely.

mod bad_input;
mod bounds;
#[path = "../../../machine/tests/it/cases.rs"]
mod cases;
#[path = "../../../machine/tests/it/corpus_folder.rs"]
mod corpus_folder;
mod counterpart;
mod encoder;
mod iasl;
mod make;
mod seeds;
mod smbios;
mod tables;
mod trees;

use std::env;
use std::process::Command;
use std::sync::Once;

use crate::corpus_folder::print_once;

/// Whether a tool can be run here. Where `CI` is set, it has to be.
fn have(tool: &str, package: &str, skipped: &'static Once) -> bool {
    let found = Command::new(tool).arg("-v").output().is_ok();
    assert!(
        found || env::var_os("CI").is_none(),
        "{tool} is missing, and CI is set: install {package}"
    );
    if !found {
        print_once(skipped, &format!("skipped: no {tool} to compare with (Debian's {package})\n"));
    }
    found
}
