//! The text of acpidump.

#![no_main]

#[path = "../bounds.rs"]
mod bounds;

use libfuzzer_sys::fuzz_target;
use nearfar_firmware::parse_acpidump;

fuzz_target!(|bytes: &[u8]| bounds::check(bytes, |bytes| drop(parse_acpidump(bytes))));
