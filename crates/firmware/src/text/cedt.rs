//! CEDT: CXL host bridges, and the windows of addresses that lead to memory behind them.

use crate::acpi::{Cedt, CxlStructure, FixedMemoryWindow};

use super::fields::{hex, last_address, lines, named, or_dash, size, table, words};
use super::remains;

pub(super) fn sections(cedt: &Cedt) -> Vec<String> {
    vec![windows(cedt), bridges(cedt), others(cedt), remains::entries(&cedt.entries)]
}

fn windows(cedt: &Cedt) -> String {
    let line = |structure: &CxlStructure, offset| {
        let CxlStructure::FixedMemoryWindow(window) = structure else { return None };
        let targets: Vec<String> = window.targets.iter().map(u32::to_string).collect();
        Some([
            hex(window.base_address),
            last_address(window.base_address, window.size_bytes),
            size(window.size_bytes),
            interleaving(window),
            targets.join(" "),
            restrictions(window.restrictions),
            offset,
        ])
    };
    let heads = [
        ">first address",
        ">last address",
        ">size",
        "interleaved over",
        "bridges (UID)",
        "for",
        ">offset",
    ];
    table("Windows of addresses", heads, lines(&cedt.entries, line))
}

fn interleaving(window: &FixedMemoryWindow) -> String {
    let piece = or_dash(window.granularity_bytes.map(size));
    let how = match window.interleave_arithmetic {
        0 => "modulo".to_owned(),
        1 => "XOR".to_owned(),
        other => format!("unknown arithmetic {other}"),
    };
    match window.interleave_ways {
        Some(1) => "one bridge".to_owned(),
        Some(ways) => format!("{ways} bridges, {piece} each, {how}"),
        None => format!("unknown count (code {})", window.interleave_encoded),
    }
}

fn restrictions(bits: u16) -> String {
    words(&[
        (bits & 1 != 0, "accelerators"),
        (bits & 2 != 0, "expanders"),
        (bits & 4 != 0, "volatile"),
        (bits & 8 != 0, "persistent"),
        (bits & 16 != 0, "fixed"),
    ])
}

fn bridges(cedt: &Cedt) -> String {
    let line = |structure: &CxlStructure, offset| {
        let CxlStructure::HostBridge(bridge) = structure else { return None };
        let version = named(bridge.cxl_version, &["1.1", "2.0 or later"]);
        Some([
            bridge.uid.to_string(),
            version,
            hex(bridge.base_address),
            size(bridge.size_bytes),
            offset,
        ])
    };
    table(
        "Host bridges",
        [">UID", "CXL", ">registers at", ">size", ">offset"],
        lines(&cedt.entries, line),
    )
}

fn others(cedt: &Cedt) -> String {
    let line = |structure: &CxlStructure, offset| match structure {
        CxlStructure::XorMath(xor) => {
            let masks: Vec<String> = xor.masks.iter().map(|&mask| hex(mask)).collect();
            Some([
                format!(
                    "XOR masks for granularity {}: {}",
                    xor.granularity_encoded,
                    masks.join(" ")
                ),
                offset,
            ])
        }
        CxlStructure::PortAssociation(port) => {
            let [bus, place] = port.bus_device_function.to_be_bytes();
            let device = format!("{:04x}:{bus:02x}:{:02x}.{}", port.segment, place >> 3, place & 7);
            let (address, protocol) = (hex(port.base_address), port.protocol);
            Some([
                format!("collector {device} watches the port at {address}, protocol {protocol}"),
                offset,
            ])
        }
        _ => None,
    };
    table("Others", ["what", ">offset"], lines(&cedt.entries, line))
}
