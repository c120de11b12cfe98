//! CEDT: CXL host bridges, and the windows of addresses that lead to memory behind them.

use nearfar_firmware::acpi::{Cedt, CxlStructure, Entry, FixedMemoryWindow};
use nearfar_terminal::table::Align;

use super::fields::{hex, last_address, or_dash, size, table, words};
use super::remains;

const LEFT: Align = Align::Left;
const RIGHT: Align = Align::Right;

pub(super) fn sections(cedt: &Cedt) -> Vec<String> {
    vec![windows(cedt), bridges(cedt), others(cedt), remains::entries(&cedt.entries)]
}

fn lines<const N: usize>(cedt: &Cedt, line: impl Fn(&CxlStructure, String) -> Option<[String; N]>) -> Vec<[String; N]> {
    let line = |entry: &Entry<CxlStructure>| line(entry.known()?, entry.offset.to_string());
    cedt.entries.iter().filter_map(line).collect()
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
    let heads = ["first address", "last address", "size", "interleaved over", "bridges (UID)", "for", "offset"];
    table("Windows of addresses", heads, [RIGHT, RIGHT, RIGHT, LEFT, LEFT, LEFT, RIGHT], lines(cedt, line))
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
        let version = match bridge.cxl_version {
            0 => "1.1".to_owned(),
            1 => "2.0 or later".to_owned(),
            other => format!("unknown ({other})"),
        };
        Some([bridge.uid.to_string(), version, hex(bridge.base_address), size(bridge.size_bytes), offset])
    };
    let heads = ["UID", "CXL", "registers at", "size", "offset"];
    table("Host bridges", heads, [RIGHT, LEFT, RIGHT, RIGHT, RIGHT], lines(cedt, line))
}

fn others(cedt: &Cedt) -> String {
    let line = |structure: &CxlStructure, offset| match structure {
        CxlStructure::XorMath(xor) => {
            let masks: Vec<String> = xor.masks.iter().map(|&mask| hex(mask)).collect();
            let what = format!("XOR masks for granularity {}: {}", xor.granularity_encoded, masks.join(" "));
            Some([what, offset])
        }
        CxlStructure::PortAssociation(port) => {
            let [bus, place] = port.bus_device_function.to_be_bytes();
            let device = format!("{:04x}:{bus:02x}:{:02x}.{}", port.segment, place >> 3, place & 7);
            let what = format!(
                "collector {device} watches the port at {}, protocol {}",
                hex(port.base_address),
                port.protocol
            );
            Some([what, offset])
        }
        _ => None,
    };
    table("Others", ["what", "offset"], [LEFT, RIGHT], lines(cedt, line))
}
