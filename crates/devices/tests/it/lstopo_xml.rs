//! PCI functions in the XML of lstopo.

use nearfar_machine::PciAddress;
use nearfar_machine::pci::PciHop;
use nearfar_model::CpuSet;
use roxmltree::{Document, Node, ParsingOptions};

use crate::lstopo::{ShownFunction, ShownHostBridge, root_bus};

/// All functions, bridges included.
pub(crate) fn functions(text: &str) -> Vec<ShownFunction> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).unwrap();
    document.descendants().filter_map(function).collect()
}

fn function(node: Node<'_, '_>) -> Option<ShownFunction> {
    let address = address(node)?;
    // "0604 [8086:340a] [0000:0000] 22 00": class, vendor and device, those of the subsystem.
    let kind = node.attribute("pci_type")?;
    let (class, rest) = kind.split_once(" [")?;
    let above = node.ancestors().skip(1);
    let mut bridges: Vec<PciAddress> = above.filter_map(self::address).collect();
    bridges.reverse();
    let host_bridge =
        node.ancestors().find(|ancestor| ancestor.attribute("bridge_type") == Some("0-1"))?;
    Some(ShownFunction {
        address,
        class: u32::from_str_radix(class, 16).unwrap(),
        id: rest.split(']').next()?.to_owned(),
        bridges,
        host_bridge: host_bridge_of(host_bridge),
    })
}

fn address(node: Node<'_, '_>) -> Option<PciAddress> {
    Some(PciAddress::parse(node.attribute("pci_busid")?).unwrap())
}

fn host_bridge_of(node: Node<'_, '_>) -> ShownHostBridge {
    let root_bus: PciHop = root_bus(node.attribute("bridge_pci").unwrap());
    let parent =
        node.ancestors().skip(1).find_map(|ancestor| ancestor.attribute("cpuset")).unwrap();
    // "0x00000011,0x11111111", the last word "0x0" where it is empty.
    let words = parent.split(',').map(|word| {
        let word = word.trim_start_matches("0x");
        format!("{word:0>8}")
    });
    let cpus = CpuSet::parse_mask(&words.collect::<Vec<_>>().join(",")).unwrap();
    ShownHostBridge { root_bus, cpus }
}
