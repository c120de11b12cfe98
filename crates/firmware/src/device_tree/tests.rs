//! One tree in both forms, and damaged trees.

use super::*;
use crate::fault::FaultKind;

#[derive(Default)]
struct Writer {
    tokens: Vec<u8>,
    names: Vec<u8>,
}

impl Writer {
    fn numbers(&mut self, numbers: &[u32]) {
        numbers.iter().for_each(|number| self.tokens.extend(number.to_be_bytes()));
    }

    fn pad(&mut self) {
        self.tokens.resize(self.tokens.len().next_multiple_of(4), 0);
    }

    fn begin(mut self, name: &str) -> Self {
        self.numbers(&[1]);
        self.tokens.extend(name.bytes().chain([0]));
        self.pad();
        self
    }

    fn end(mut self) -> Self {
        self.numbers(&[2]);
        self
    }

    fn property(mut self, name: &str, value: &[u8]) -> Self {
        let at = self.names.len() as u32;
        self.names.extend(name.bytes().chain([0]));
        self.numbers(&[3, value.len() as u32, at]);
        self.tokens.extend(value);
        self.pad();
        self
    }

    fn cells(self, name: &str, cells: &[u32]) -> Self {
        let bytes: Vec<u8> = cells.iter().flat_map(|cell| cell.to_be_bytes()).collect();
        self.property(name, &bytes)
    }

    fn blob(mut self) -> Vec<u8> {
        self.numbers(&[9]);
        let names_at = 40 + self.tokens.len() as u32;
        let total = names_at + self.names.len() as u32;
        let header = [
            0xd00d_feed,
            total,
            40,
            names_at,
            40,
            17,
            16,
            0,
            self.names.len() as u32,
            self.tokens.len() as u32,
        ];
        let header: Vec<u8> = header.iter().flat_map(|number| number.to_be_bytes()).collect();
        [header, self.tokens, self.names].concat()
    }
}

/// Two nodes; the distance from 1 to 0 is not listed.
fn two_nodes() -> Writer {
    let tree = Writer::default()
        .begin("")
        .cells("#address-cells", &[2])
        .cells("#size-cells", &[2])
        .property("model", b"Hand Made\0")
        .property("compatible", b"hand,made\0hand\0")
        .property("serial-number", b"4711\0");
    let tree = tree.begin("cpus").cells("#address-cells", &[1]).cells("#size-cells", &[0]);
    let cpu = |tree: Writer, number: u32| {
        tree.begin(&format!("cpu@{number}"))
            .property("device_type", b"cpu\0")
            .cells("reg", &[number])
            .cells("numa-node-id", &[number / 2])
            .end()
    };
    let tree = (0..4).fold(tree, cpu).end();
    let tree = tree
        .begin("memory@80000000")
        .property("device_type", b"memory\0")
        .cells("reg", &[0, 0x8000_0000, 1, 0])
        .cells("numa-node-id", &[0])
        .end()
        .begin("memory@200000000")
        .cells("reg", &[2, 0, 0, 0x4000_0000, 3, 0, 0, 0x1000])
        .cells("numa-node-id", &[1])
        .property("status", b"disabled\0")
        .end();
    tree.begin("pcie@1")
        .cells("numa-node-id", &[1])
        .end()
        .begin("distance-map")
        .property("compatible", b"numa-distance-map-v1\0")
        .cells("distance-matrix", &[0, 0, 10, 0, 1, 21, 1, 1, 10])
        .end()
        .end()
}

#[test]
fn nodes_distances_and_addresses_are_read() {
    let tree = DeviceTree::decode(&two_nodes().blob()).unwrap();
    assert_eq!(tree.faults, []);
    assert_eq!(
        (tree.model.as_deref(), tree.compatible.join(" ").as_str()),
        (Some("Hand Made"), "hand,made hand")
    );
    let nodes: Vec<_> =
        tree.cpus.iter().map(|cpu| (cpu.path.as_str(), cpu.hardware_id, cpu.node)).collect();
    assert_eq!(nodes[3], ("/cpus/cpu@3", Some(3), Some(NodeId(1))));
    assert_eq!(nodes.len(), 4);
    let first = &tree.memory[0];
    assert_eq!((first.typed, first.node, first.ranges.len()), (true, Some(NodeId(0)), 1));
    assert_eq!(first.ranges[0], TreeRange { base_address: 0x8000_0000, size_bytes: 1 << 32 });
    let second = &tree.memory[1];
    assert_eq!(
        (second.typed, second.status.as_deref(), second.ranges.len()),
        (false, Some("disabled"), 2)
    );
    assert_eq!(tree.others, [TreePart { path: "/pcie@1".to_owned(), node: NodeId(1) }]);
    let map = tree.distance_map.as_ref().unwrap();
    let between = |from, to| map.between(NodeId(from), NodeId(to));
    assert_eq!((between(0, 1), between(1, 0), between(0, 2)), (Some(21), Some(21), None));
    assert!(tree.names_a_node());
    assert!(!serde_json::to_string(&tree).unwrap().contains("4711"));
}

/// Adds a node with properties of numbers and of texts.
fn add(
    tree: &mut TreeBuilder,
    parent: BuiltNode,
    name: &str,
    properties: &[(&str, Vec<u8>)],
) -> BuiltNode {
    let node = tree.add_node(parent, name, name).unwrap();
    properties.iter().for_each(|(name, value)| tree.add_property(node, name, value));
    node
}

#[test]
fn built_tree_equals_the_flattened_one() {
    let cells =
        |cells: &[u32]| -> Vec<u8> { cells.iter().flat_map(|cell| cell.to_be_bytes()).collect() };
    let text = |text: &str| [text.as_bytes(), &[0]].concat();
    let mut tree = TreeBuilder::default();
    let root = tree.root();
    tree.add_property(root, "model", b"Hand Made\0");
    tree.add_property(root, "compatible", b"hand,made\0hand\0");
    tree.add_property(root, "#address-cells", &cells(&[2]));
    tree.add_property(root, "#size-cells", &cells(&[2]));
    tree.add_property(root, "serial-number", b"4711\0");
    let cpus = add(&mut tree, root, "cpus", &[]);
    for number in 0..4 {
        let (reg, node) = (cells(&[number]), cells(&[number / 2]));
        let properties = [("device_type", text("cpu")), ("reg", reg), ("numa-node-id", node)];
        add(&mut tree, cpus, &format!("cpu@{number}"), &properties);
    }
    let reg = ("reg", cells(&[0, 0x8000_0000, 1, 0]));
    let first = [("device_type", text("memory")), reg, ("numa-node-id", cells(&[0]))];
    add(&mut tree, root, "memory@80000000", &first);
    let reg = ("reg", cells(&[2, 0, 0, 0x4000_0000, 3, 0, 0, 0x1000]));
    let second = [reg, ("numa-node-id", cells(&[1])), ("status", text("disabled"))];
    add(&mut tree, root, "memory@200000000", &second);
    add(&mut tree, root, "pcie@1", &[("numa-node-id", cells(&[1]))]);
    let matrix = ("distance-matrix", cells(&[0, 0, 10, 0, 1, 21, 1, 1, 10]));
    add(&mut tree, root, "distance-map", &[("compatible", text("numa-distance-map-v1")), matrix]);
    assert_eq!(tree.build(), DeviceTree::decode(&two_nodes().blob()).unwrap());
}

#[test]
fn built_tree_has_a_maximum_depth() {
    let mut tree = TreeBuilder::default();
    let mut node = tree.root();
    for _ in 0..15 {
        node = tree.add_node(node, "x", "/x").unwrap();
    }
    assert!(tree.add_node(node, "y", "/base/y").is_none());
    let faults = tree.build().faults;
    assert_eq!((faults.len(), faults[0].kind), (1, FaultKind::Flood));
    assert_eq!(faults[0].what, "/base/y and its children are not read");
}

#[test]
fn damaged_trees_are_read_up_to_the_damage() {
    let whole = two_nodes().blob();
    assert_eq!(DeviceTree::decode(b"no tree at all"), None);
    assert_eq!(DeviceTree::decode(&whole[..8]), None);
    for end in 40..whole.len() {
        let tree = DeviceTree::decode(&whole[..end]).unwrap();
        assert_eq!(tree.faults[0].kind, FaultKind::CutShort, "{end}");
    }
    let deep = (0..40).fold(Writer::default().begin(""), |tree, _| tree.begin("x"));
    let deep = (0..41).fold(deep.cells("numa-node-id", &[1]), |tree, _| tree.end());
    let tree = DeviceTree::decode(&deep.blob()).unwrap();
    assert_eq!((tree.faults[0].kind, tree.names_a_node()), (FaultKind::Flood, false));
    let ragged = Writer::default()
        .begin("")
        .begin("memory@0")
        .cells("reg", &[0, 0])
        .end()
        .begin("map")
        .property("compatible", b"numa-distance-map-v1\0")
        .cells("distance-matrix", &[0, 0])
        .end()
        .end();
    let kinds: Vec<_> =
        DeviceTree::decode(&ragged.blob()).unwrap().faults.iter().map(|fault| fault.kind).collect();
    assert_eq!(kinds, [FaultKind::Damaged, FaultKind::LeftOver]);
}
