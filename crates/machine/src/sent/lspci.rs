//! `lspci`: a block for each function (plain, `-v` to `-vvv`, `-nn`), a line (`-mm`), or a record
//! with a line for each field (`-vmm`, `-vmmnn`).
//!
//! # References
//!
//! lspci(8); pciutils' lspci.c and ls-caps.c

use std::collections::BTreeMap;

use super::pci_classes;
use crate::source::{MachineFiles, PciFacts};

/// Functions of a machine at most.
const MAX_FUNCTIONS: usize = 65_536;
/// Bridges above a function at most.
const MAX_DEPTH: usize = 32;

/// A function.
#[derive(Default)]
struct Function {
    class: String,
    vendor: String,
    device: String,
    node: Option<String>,
    /// The first bus below a bridge.
    secondary: Option<String>,
    driver: Option<String>,
    links: Vec<(&'static str, String)>,
    /// Whether it is a record of `-vmm`, whose lines name its class, vendor and device.
    is_record: bool,
}

/// "0000:3b:00.0 Ethernet controller: ..." or "3b:00.0 \"Ethernet controller\" ..."
pub(super) fn begins(line: &str) -> bool {
    slot(line).is_some()
        || head(line).is_some_and(|(_, rest)| rest.starts_with('"') || rest.contains(": "))
}

/// "Slot: 3b:00.0"; `-vm` of older releases calls it "Device:".
fn slot(line: &str) -> Option<String> {
    let rest = ["Slot:", "Device:"].iter().find_map(|name| line.strip_prefix(name))?;
    address(rest.trim())
}

/// The address in full, and the rest of a line that begins with one.
pub(super) fn head(line: &str) -> Option<(String, &str)> {
    let (word, rest) = line.split_once([' ', '\t'])?;
    Some((address(word)?, rest.trim()))
}

/// An address with its domain: "3b:00.0" is of domain 0.
pub(super) fn address(word: &str) -> Option<String> {
    // Most words of a text are none.
    if !matches!(word.len(), 7 | 12..=16) {
        return None;
    }
    let parts: Vec<&str> = word.split([':', '.']).collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let is_hex = |part: &&str| part.bytes().all(|b| b.is_ascii_hexdigit());
    let has_form = matches!(lengths[..], [2, 2, 1] | [4..=8, 2, 2, 1]) && word.contains('.');
    if !has_form || !parts.iter().all(is_hex) {
        return None;
    }
    let word = word.to_ascii_lowercase();
    let Some((domain, rest)) = word.split_once(':').filter(|_| parts.len() == 4) else {
        return Some(format!("0000:{word}"));
    };
    // nvidia-smi prints eight digits.
    let domain = domain.trim_start_matches('0');
    Some(format!("{domain:0>4}:{rest}"))
}

/// Reads all functions.
pub(super) fn read(text: &str, files: &mut MachineFiles) -> bool {
    let mut functions: BTreeMap<String, Function> = BTreeMap::new();
    let mut here: Option<String> = None;
    for line in text.lines().map(str::trim) {
        if let Some((address, function)) = first(line) {
            if functions.len() >= MAX_FUNCTIONS {
                break;
            }
            functions.insert(address.clone(), function);
            here = Some(address);
        } else if let Some(function) = here.as_ref().and_then(|here| functions.get_mut(here)) {
            detail(line, function);
        }
    }
    put(&functions, files);
    !functions.is_empty()
}

/// The function of a line that begins one.
fn first(line: &str) -> Option<(String, Function)> {
    if let Some(address) = slot(line) {
        let class = pci_classes::code("", None);
        return Some((address, Function { class, is_record: true, ..Function::default() }));
    }
    let (address, rest) = head(line).filter(|_| begins(line))?;
    Some((address, function(rest)))
}

/// What a function's first line has.
fn function(rest: &str) -> Function {
    let (class, ids) = match rest.strip_prefix('"') {
        Some(quoted) => {
            let mut cells = quoted.split('"').step_by(2);
            let class = cells.next().unwrap_or_default();
            let cells: Vec<u32> = cells.take(2).filter_map(bracketed).collect();
            (class, <[u32; 2]>::try_from(cells).ok())
        }
        None => {
            let (class, name) = rest.split_once(": ").unwrap_or((rest, ""));
            (class, ids(name))
        }
    };
    let id = |index: usize| ids.map_or_else(String::new, |ids| format!("0x{:04x}", ids[index]));
    Function { class: class_code(class), vendor: id(0), device: id(1), ..Function::default() }
}

/// The number of "Ethernet controller [0200]", "Ethernet controller" or "0200".
fn class_code(class: &str) -> String {
    let number = bracketed(class).or_else(|| hex(class, 4));
    pci_classes::code(class.split(" [").next().unwrap_or(class).trim(), number)
}

/// The number of "Intel Corporation [8086]" or "8086".
fn id_of(value: &str) -> String {
    let number = bracketed(value).or_else(|| hex(value, 4));
    number.map_or_else(String::new, |number| format!("0x{number:04x}"))
}

fn hex(word: &str, digits: usize) -> Option<u32> {
    (word.len() == digits).then(|| u32::from_str_radix(word, 16).ok())?
}

/// The number in the last brackets: "Ethernet controller [0200]".
fn bracketed(text: &str) -> Option<u32> {
    let inner = text.trim_end().strip_suffix(']')?.rsplit('[').next()?;
    hex(inner, 4)
}

/// "[8086:1521]", or "8086:1521" of `-n`.
pub(super) fn ids(name: &str) -> Option<[u32; 2]> {
    let words = name.split([' ', '[', ']']);
    let pair = |word: &str| {
        let (vendor, device) = word.split_once(':')?;
        Some([hex(vendor, 4)?, hex(device, 4)?])
    };
    words.rev().find_map(pair)
}

/// A line below a function.
fn detail(line: &str, function: &mut Function) {
    let Some((name, value)) = line.split_once(':') else { return };
    let value = value.trim();
    match name.trim() {
        "Class" if function.is_record => function.class = class_code(value),
        "Vendor" if function.is_record => function.vendor = id_of(value),
        "Device" if function.is_record => function.device = id_of(value),
        "NUMA node" | "NUMANode" => {
            function.node = value.parse::<u32>().ok().map(|node| node.to_string());
        }
        "Bus" => {
            let bus = value.split("secondary=").nth(1).and_then(|rest| rest.get(..2));
            function.secondary = bus.map(str::to_ascii_lowercase);
        }
        "Kernel driver in use" | "Driver" => {
            let is_name = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
            function.driver = value.chars().all(is_name).then(|| value.to_owned());
        }
        "LnkSta" => link(value, ["current_link_speed", "current_link_width"], function),
        "LnkCap" => link(value, ["max_link_speed", "max_link_width"], function),
        _ => {}
    }
}

/// "Speed 8GT/s (ok), Width x16 (ok)"
fn link(value: &str, names: [&'static str; 2], function: &mut Function) {
    let after = |mark: &str| {
        let rest = value.split(mark).nth(1)?;
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        Some(rest[..end].to_owned()).filter(|number| !number.is_empty())
    };
    let speed = after("Speed ").map(|speed| (names[0], format!("{speed} GT/s PCIe")));
    let width = after("Width x").map(|width| (names[1], width));
    function.links.extend(speed.into_iter().chain(width));
}

fn put(functions: &BTreeMap<String, Function>, files: &mut MachineFiles) {
    let bus = |address: &str| address.rsplit_once(':').map(|(bus, _)| bus.to_owned());
    let mut bridges: BTreeMap<String, &str> = BTreeMap::new();
    for (address, function) in functions {
        if let (Some(below), Some(domain)) = (&function.secondary, address.split(':').next()) {
            bridges.insert(format!("{domain}:{below}"), address);
        }
    }
    // lspci prints a node only where the kernel knows one.
    let knows_nodes = functions.values().any(|function| function.node.is_some());
    for (address, function) in functions {
        let mut above = Vec::new();
        let mut here = bus(address);
        while let Some(bridge) = here.as_ref().and_then(|here| bridges.get(here)) {
            if above.len() > MAX_DEPTH {
                break;
            }
            above.push(*bridge);
            here = bus(bridge);
        }
        let root = here.unwrap_or_default();
        let parents: String = above.iter().rev().map(|bridge| format!("/{bridge}")).collect();
        let facts = PciFacts {
            class: function.class.clone(),
            vendor: &function.vendor,
            device: &function.device,
            node: function.node.clone().or_else(|| knows_nodes.then(|| "-1".to_owned())),
            cpus: "",
        };
        let folder = files.pci(&format!("/sys/devices/pci{root}{parents}"), address, &facts);
        if let Some(driver) = &function.driver {
            files.put(&format!("{folder}/uevent"), format!("DRIVER={driver}"));
        }
        for (name, value) in &function.links {
            files.put(&format!("{folder}/{name}"), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::{Inventory, InventoryScope};
    use crate::source::Source;

    fn shown(text: &str) -> Vec<String> {
        let mut files = MachineFiles::new();
        assert!(read(text, &mut files), "{text}");
        let inventory = Inventory::read(&Source::sent(files, "x"), InventoryScope::Usual);
        let devices = inventory.devices.iter().map(|device| {
            let function = inventory.function(device.address.unwrap()).unwrap();
            let bridges = function.path.bridges().count();
            format!("{:?} {} {:?} {bridges}", device.kind, function.address, device.node)
        });
        devices.collect()
    }

    #[test]
    fn blocks_have_nodes_and_bridges() {
        let text = "\
00:03.0 PCI bridge: Intel Corporation Root Port 1 (rev 02) (prog-if 00 [Normal decode])
\tBus: primary=00, secondary=3b, subordinate=3b, sec-latency=0
\tNUMA node: 0

3b:00.0 Ethernet controller [0200]: Intel Corporation I350 [8086:1521] (rev 01)
\tNUMA node: 1
\tLnkSta: Speed 5GT/s (ok), Width x4 (ok)
\tKernel driver in use: igb

3c:00.0 3D controller: NVIDIA Corporation GA100
";
        assert_eq!(
            shown(text),
            ["Network 0000:3b:00.0 Node(NodeId(1)) 1", "Gpu 0000:3c:00.0 Unknown 0"]
        );
        let without = text.replace("\tNUMA node: 1\n", "").replace("\tNUMA node: 0\n", "");
        assert!(shown(&without)[0].contains("Absent"), "{:?}", shown(&without));
    }

    #[test]
    fn machine_readable_lines_have_classes() {
        let text = "0000:3b:00.0 \"Ethernet controller [0200]\" \"Intel [8086]\" \"I350 [1521]\" \
                    -r01 \"Intel [8086]\" \"x [0001]\"\n";
        assert_eq!(shown(text), ["Network 0000:3b:00.0 Absent 0"]);
    }

    #[test]
    fn records_have_classes_and_nodes() {
        let text = "Slot:\t3b:00.0\nClass:\tEthernet controller [0200]\n\
                    Vendor:\tIntel Corporation [8086]\nDevice:\tI350 [1521]\n\
                    SVendor:\tIntel Corporation [8086]\nRev:\t01\nDriver:\tigb\nNUMANode:\t1\n\n\
                    Slot:\t0000:3c:00.0\nClass:\t3D controller\nVendor:\tNVIDIA Corporation\n\
                    Device:\tGA100\nNUMANode:\t0\n";
        let expected =
            ["Network 0000:3b:00.0 Node(NodeId(1)) 0", "Gpu 0000:3c:00.0 Node(NodeId(0)) 0"];
        assert_eq!(shown(text), expected);
        let old = text.replace("Slot:\t", "Device:\t");
        assert_eq!(shown(&old), expected);
    }

    #[test]
    fn addresses_get_their_domain() {
        for (word, expected) in [
            ("3b:00.0", Some("0000:3b:00.0")),
            ("00000000:3B:00.0", Some("0000:3b:00.0")),
            ("10000:01:00.0", Some("10000:01:00.0")),
            ("0.7.2", None),
            ("12:30:05", None),
            ("node", None),
        ] {
            assert_eq!(address(word).as_deref(), expected, "{word}");
        }
    }
}
