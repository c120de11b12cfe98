//! The physical addresses: what is there, whose it is, what the kernel made of it.

use std::collections::BTreeSet;

use nearfar_firmware::text::fields::{hex, size, table, words};
use nearfar_view::terminal::printable;
use nearfar_view::terminal::screen::Screen;
use nearfar_view::text::count;
use nearfar_view::text::fitted::ScreenParts;

use crate::physical_map::{MapRange, PhysicalMap};

/// The physical addresses with the type and the domain that firmware reports, and the
/// node that the kernel made of it.
pub fn physical_map(map: &PhysicalMap) -> Screen {
    let sections = [missing(map), ranges(map), blocks(map)];
    let summary = match map.ranges.len() {
        0 => "Address map: none is available".to_owned(),
        ranges => format!("Address map: {}, {}", count(ranges, "range"), bytes(map)),
    };
    ScreenParts {
        answer: vec![format!("{summary}.")],
        to_do: Vec::new(),
        sections: sections.iter().map(|section| printable::lines(section)).collect(),
        verdict: summary,
    }
    .screen()
}

/// How much RAM there is; without a map of RAM, how much the domains have.
fn bytes(map: &PhysicalMap) -> String {
    let sum = |wanted: fn(&&MapRange) -> bool| {
        let bytes = map.ranges.iter().filter(wanted).map(|range| range.size_bytes);
        size(bytes.fold(0, u64::saturating_add))
    };
    if map.memory_from.is_some() {
        return format!("{} of RAM", sum(|range| range.is_ram));
    }
    let domains: BTreeSet<_> = map.ranges.iter().flat_map(|range| &range.domains).collect();
    let domains = count(domains.len(), "domain");
    format!("{} in {domains}, RAM unknown", sum(|range| !range.domains.is_empty()))
}

fn ranges(map: &PhysicalMap) -> String {
    if map.ranges.is_empty() {
        return String::new();
    }
    let heads = [
        ">first address",
        ">last address",
        ">size",
        "what",
        ">domain",
        ">node",
        "blocks",
        "remarks",
    ];
    table("Physical addresses", heads, map.ranges.iter().map(|range| line(range, map)).collect())
}

fn line(range: &MapRange, map: &PhysicalMap) -> [String; 8] {
    let domains: Vec<String> = range.domains.iter().map(ToString::to_string).collect();
    let nodes = if range.nodes.is_empty() { &range.tree_nodes } else { &range.nodes };
    [
        hex(range.first_address),
        hex(range.last_address),
        size(range.size_bytes),
        range.kind.clone().unwrap_or_default(),
        domains.join(","),
        nodes.to_string(),
        range.blocks.clone().unwrap_or_default(),
        remarks(range, map),
    ]
}

fn remarks(range: &MapRange, map: &PhysicalMap) -> String {
    let differs =
        !range.nodes.is_empty() && !range.tree_nodes.is_empty() && range.nodes != range.tree_nodes;
    words(&[
        (range.domains.len() > 1, "in more than one domain"),
        (range.is_ram && range.domains.is_empty() && map.has_srat, "RAM in no domain"),
        (
            !range.domains.is_empty() && range.kind.is_none() && map.memory_from.is_some(),
            "not in firmware's map",
        ),
        (range.hot_pluggable, "hot-pluggable"),
        (range.non_volatile, "non-volatile"),
        (range.specific_purpose, "specific purpose"),
        (range.cxl_window, "CXL window"),
        (range.online == Some(false), "offline"),
        (differs, "another node in the device tree"),
    ])
}

fn blocks(map: &PhysicalMap) -> String {
    let Some(bytes) = map.block_bytes else { return String::new() };
    format!("The kernel adds and removes memory in blocks of {}.\n", size(bytes))
}

fn missing(map: &PhysicalMap) -> String {
    if map.missing.is_empty() {
        return String::new();
    }
    let lines: String = map.missing.iter().map(|why| format!("  {why}\n")).collect();
    format!("Unknown\n{lines}")
}
