//! A table of SMBIOS structures, bare and behind an entry point.

#![no_main]

#[path = "../bounds.rs"]
mod bounds;

use libfuzzer_sys::fuzz_target;
use nearfar_firmware::smbios::Smbios;

fuzz_target!(|bytes: &[u8]| {
    bounds::check(bytes, |bytes| drop(Smbios::decode(bytes)));
    bounds::check(bytes, |bytes| drop(Smbios::decode_file(bytes)));
});
