//! The text of acpidump.

#![no_main]

#[path = "../bounds.rs"]
mod bounds;

use libfuzzer_sys::fuzz_target;
use nearfar_firmware::tables_in_text;

fuzz_target!(|bytes: &[u8]| bounds::check(bytes, |bytes| drop(tables_in_text(bytes))));
