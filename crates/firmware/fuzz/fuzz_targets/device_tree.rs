//! A flattened device tree.

#![no_main]

#[path = "../bounds.rs"]
mod bounds;

use libfuzzer_sys::fuzz_target;
use nearfar_firmware::device_tree::DeviceTree;

fuzz_target!(|bytes: &[u8]| bounds::check(bytes, |bytes| drop(DeviceTree::decode(bytes))));
