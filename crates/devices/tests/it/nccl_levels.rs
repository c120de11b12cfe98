//! Levels of pairs against a second implementation of the rule, on the XML of NCCL and RCCL.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_devices::{DevicesDocument, Level, path_level};
use nearfar_machine::{Inventory, InventoryScope};
use roxmltree::Node;

use crate::corpus_folder::corpus;
use crate::nccl_topology::{NcclTopology, files, node_of};

/// The bridge where two devices meet, and the bridges below it on either side; `None` if they meet
/// above all bridges.
fn bridges_below_meeting(a: Node<'_, '_>, b: Node<'_, '_>) -> Option<(usize, usize)> {
    let is_bridge = |node: &Node<'_, '_>| node.has_tag_name("pci");
    let mut below_a = 0;
    let mut of_a = a.parent().filter(is_bridge);
    while let Some(bridge) = of_a {
        let mut below_b = 0;
        let mut of_b = b.parent().filter(is_bridge);
        while let Some(other) = of_b {
            if other == bridge {
                return Some((below_a, below_b));
            }
            below_b += 1;
            of_b = other.parent().filter(is_bridge);
        }
        below_a += 1;
        of_a = bridge.parent().filter(is_bridge);
    }
    None
}

fn root(device: Node<'_, '_>) -> roxmltree::NodeId {
    device.ancestors().find(|node| node.has_tag_name("cpu")).unwrap().id()
}

/// The level by paths and nodes.
fn expected(a: Node<'_, '_>, b: Node<'_, '_>) -> Level {
    if a == b {
        return Level::Same;
    }
    match bridges_below_meeting(a, b) {
        Some((of_a, of_b)) if of_a <= 1 && of_b <= 1 => Level::Pix,
        Some(_) => Level::Pxb,
        None if root(a) == root(b) => Level::Phb,
        None if node_of(a) == node_of(b) => Level::Node,
        None => Level::Sys,
    }
}

fn is_xgmi(topology: &NcclTopology<'_>, a: Node<'_, '_>, b: Node<'_, '_>) -> bool {
    topology.xgmi_targets(a).contains(&topology.address(b))
        || topology.xgmi_targets(b).contains(&topology.address(a))
}

fn level(document: &DevicesDocument, a: &str, b: &str) -> Level {
    let matrix = document.matrix.as_ref().unwrap();
    let place = |address: &str| {
        let device =
            document.devices.iter().find(|one| one.address.as_deref() == Some(address)).unwrap();
        matrix.labels.iter().position(|label| *label == device.label).unwrap()
    };
    matrix.levels[place(a)][place(b)]
}

#[test]
fn matrix_agrees_and_no_finding_appears() {
    let Some(corpus) = corpus() else { return };
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (name, text) in files(&corpus) {
        let topology = NcclTopology::parse(&text);
        let devices = topology.devices();
        let machine = topology.machine();
        let document = machine.document();
        assert!(document.oddities.is_empty(), "{name}: {:?}", document.oddities);
        assert!(document.findings.is_empty(), "{name}: {:?}", document.findings);
        assert_eq!(document.devices.len(), devices.len(), "{name}");
        for a in &devices {
            for b in &devices {
                let [one, other] = [a, b].map(|device| topology.address(*device).to_string());
                let xgmi = is_xgmi(&topology, *a, *b);
                let level_by_xml = if xgmi { Level::Xgmi(None) } else { expected(*a, *b) };
                assert_eq!(level(&document, &one, &other), level_by_xml, "{name}: {one} {other}");
                *seen.entry(level_by_xml.to_string()).or_default() += 1;
            }
        }
    }
    let levels: BTreeSet<&str> = seen.keys().map(String::as_str).collect();
    assert_eq!(levels, ["PHB", "PIX", "PXB", "SYS", "X", "XGMI"].into(), "{seen:?}");
}

#[test]
fn paths_agree_with_second_implementation() {
    let Some(corpus) = corpus() else { return };
    for (name, text) in files(&corpus) {
        let topology = NcclTopology::parse(&text);
        let inventory = Inventory::read(&topology.machine().source(), InventoryScope::All);
        for (a, b) in topology.devices().into_iter().zip(topology.devices().into_iter().skip(1)) {
            let path = |node| &inventory.function(topology.address(node)).unwrap().path;
            let by_xml = Some(expected(a, b)).filter(|level| *level <= Level::Phb);
            assert_eq!(path_level(path(a), path(b)), by_xml, "{name}");
        }
    }
}
