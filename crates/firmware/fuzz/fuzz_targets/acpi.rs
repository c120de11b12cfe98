//! One ACPI table, decoded by its signature.

#![no_main]

#[path = "../bounds.rs"]
mod bounds;

use libfuzzer_sys::fuzz_target;
use nearfar_firmware::acpi::AcpiTable;

fuzz_target!(|bytes: &[u8]| bounds::check(bytes, |bytes| drop(AcpiTable::decode(bytes))));
