//! Compares the decoders with independent tools, and tests malformed tables.
//!
//! ACPI's `iasl` and `acpixtract`, the device-tree compiler `dtc` and the readings beside the
//! SMBIOS dumps are independent implementations of the same specifications: a common misreading is
//! unlikely.

mod aml_code;
mod asl;
mod bad_input;
mod bounds;
#[path = "../../../machine/tests/it/cases.rs"]
mod cases;
#[path = "../../../machine/tests/it/corpus_folder.rs"]
mod corpus_folder;
mod counterpart;
mod definition_blocks;
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

/// Whether a tool is installed. With `CI` set, it has to be.
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
