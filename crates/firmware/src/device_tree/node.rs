//! Raw nodes of a tree, with the properties that are used.

/// Maximum depth. Memory, CPUs and distances are at levels 1 and 2; buses reach about 8.
pub(super) const MAX_DEPTH: usize = 16;
/// Maximum length of a node's name; the specification allows 31 characters before the address.
pub(super) const MAX_NAME_BYTES: usize = 64;
/// The properties that are used.
const WANTED: [&str; 9] = [
    "#address-cells",
    "#size-cells",
    "compatible",
    "device_type",
    "distance-matrix",
    "model",
    "numa-node-id",
    "reg",
    "status",
];

#[derive(Debug)]
pub(super) struct RawNode {
    /// "memory@80000000"; empty for the root.
    pub(super) name: String,
    /// Index of the parent; `None` for the root.
    pub(super) parent: Option<usize>,
    properties: Vec<(&'static str, Vec<u8>)>,
}

/// All nodes of a tree, each after its parent.
#[derive(Debug, Default)]
pub(super) struct RawNodes(pub(super) Vec<RawNode>);

impl RawNodes {
    /// Adds a node and returns its index. Long names are cut.
    pub(super) fn add(&mut self, name: &[u8], parent: Option<usize>) -> usize {
        let name = crate::byte_view::printable(&name[..name.len().min(MAX_NAME_BYTES)]);
        self.0.push(RawNode { name, parent, properties: Vec::new() });
        self.0.len() - 1
    }

    /// A node's path: "/cpus/cpu@1".
    pub(super) fn path(&self, node: &RawNode) -> String {
        match node.parent.and_then(|parent| self.0.get(parent)) {
            None => "/".to_owned(),
            Some(parent) if parent.parent.is_none() => format!("/{}", node.name),
            Some(parent) => format!("{}/{}", self.path(parent), node.name),
        }
    }

    pub(super) fn parent(&self, node: &RawNode) -> Option<&RawNode> {
        self.0.get(node.parent?)
    }
}

impl RawNode {
    /// Adds a property, if it is used.
    pub(super) fn add(&mut self, name: &[u8], value: &[u8]) {
        if let Some(wanted) = wanted(name) {
            self.properties.push((wanted, value.to_vec()));
        }
    }

    /// A property's raw value.
    pub(super) fn property(&self, name: &str) -> Option<&[u8]> {
        self.properties.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_slice())
    }

    /// A property as a 32-bit number.
    pub(super) fn number(&self, name: &str) -> Option<u32> {
        Some(u32::from_be_bytes(self.property(name)?.try_into().ok()?))
    }

    /// A property as a list of strings.
    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        let texts = self.property(name).unwrap_or_default().split(|&byte| byte == 0);
        texts.filter(|text| !text.is_empty()).map(crate::byte_view::printable).collect()
    }

    /// A property's first string.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.texts(name).into_iter().next()
    }
}

/// The property's name, if it is used.
pub(super) fn wanted(name: &[u8]) -> Option<&'static str> {
    WANTED.into_iter().find(|wanted| wanted.as_bytes() == name)
}
