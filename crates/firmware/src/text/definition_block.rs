//! DSDT and SSDT: devices, and the domains that they claim.

use nearfar_view::text::and_more;

use super::fields::{or_empty, table};
use crate::acpi::{AcpiDevice, DefinitionBlock};

/// Maximum number of ranges that are shown one by one; the JSON document has them all.
const MOST: usize = 20;

pub(super) fn sections(block: &DefinitionBlock) -> Vec<String> {
    vec![summary(block), claims(block), host_bridges(block), undecoded(block)]
}

/// "2 of 14 devices claim a proximity domain (_PXM)."
fn summary(block: &DefinitionBlock) -> String {
    let devices = block.device_count();
    if devices == 0 && block.undecoded().next().is_some() {
        return String::new();
    }
    let claim = block.devices().filter(|device| device.domain.is_some()).count();
    let verb = if claim == 1 { "claims" } else { "claim" };
    format!(
        "{claim} of {devices} devices {verb} a proximity domain (_PXM). Code is not evaluated: \
         'iasl -d' shows it.\n"
    )
}

fn claims(block: &DefinitionBlock) -> String {
    let lines = block
        .claims()
        .map(|claim| [claim.path, claim.domain.to_string(), claim.offset.to_string()]);
    let heads = ["device", ">domain", ">offset"];
    table("Claims: devices below one inherit its domain", heads, lines.collect())
}

fn host_bridges(block: &DefinitionBlock) -> String {
    let is_bridge =
        |device: &AcpiDevice| device.is_pci_host_bridge() || device.is_cxl_host_bridge();
    let lines = block.devices().filter(is_bridge).map(|device| {
        [
            device.path.clone(),
            or_empty(device.hid),
            or_empty(device.uid),
            or_empty(device.segment),
            or_empty(device.bus.map(|bus| bus.map(|bus| format!("{bus:02x}")))),
            device.offset.to_string(),
        ]
    });
    let heads = ["device", "id", ">UID", ">segment", ">bus", ">offset"];
    table("Host bridges", heads, lines.collect())
}

fn undecoded(block: &DefinitionBlock) -> String {
    let mut lines: Vec<_> = block
        .undecoded()
        .map(|code| [code.offset.to_string(), code.length_bytes.to_string(), code.scope, code.why])
        .collect();
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    let heads = [">offset", ">bytes", "in", "why"];
    let title = "Code that is not decoded: devices and claims in it are unknown";
    table(title, heads, lines) + &and_more(more, "  ")
}
