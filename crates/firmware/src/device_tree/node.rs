//! The nodes of a tree with those of their properties that matter here.

/// How deep a tree is followed. Memory, CPUs and distances stand at level 1 and 2; buses go down to
/// 8 or so.
pub(super) const MAX_DEPTH: usize = 16;
/// The longest name of a node that is kept whole; the specification allows 31 characters before the
/// address.
pub(super) const MAX_NAME_BYTES: usize = 64;
/// The properties that matter.
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

/// One node.
#[derive(Debug)]
pub(super) struct RawNode {
    /// "memory@80000000"; empty for the root.
    pub(super) name: String,
    /// Index of the node that it belongs to; the root has none.
    pub(super) parent: Option<usize>,
    properties: Vec<(&'static str, Vec<u8>)>,
}

/// All nodes of a tree; each stands after its parent.
#[derive(Debug, Default)]
pub(super) struct RawNodes(pub(super) Vec<RawNode>);

impl RawNodes {
    /// Adds a node and says its index. A name that is too long is cut.
    pub(super) fn add(&mut self, name: &[u8], parent: Option<usize>) -> usize {
        let name = crate::byte_view::printable(&name[..name.len().min(MAX_NAME_BYTES)]);
        self.0.push(RawNode { name, parent, properties: Vec::new() });
        self.0.len() - 1
    }

    /// Where a node stands: "/cpus/cpu@1".
    pub(super) fn path(&self, node: &RawNode) -> String {
        match node.parent.and_then(|parent| self.0.get(parent)) {
            None => "/".to_owned(),
            Some(parent) if parent.parent.is_none() => format!("/{}", node.name),
            Some(parent) => format!("{}/{}", self.path(parent), node.name),
        }
    }

    /// The node that one belongs to.
    pub(super) fn parent(&self, node: &RawNode) -> Option<&RawNode> {
        self.0.get(node.parent?)
    }
}

impl RawNode {
    /// Keeps a property, if it is one that matters.
    pub(super) fn add(&mut self, name: &[u8], value: &[u8]) {
        if let Some(wanted) = wanted(name) {
            self.properties.push((wanted, value.to_vec()));
        }
    }

    /// A property as it stands.
    pub(super) fn property(&self, name: &str) -> Option<&[u8]> {
        self.properties.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_slice())
    }

    /// A number of 32 bits.
    pub(super) fn number(&self, name: &str) -> Option<u32> {
        Some(u32::from_be_bytes(self.property(name)?.try_into().ok()?))
    }

    /// The texts of a list of texts.
    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        let texts = self.property(name).unwrap_or_default().split(|&byte| byte == 0);
        texts.filter(|text| !text.is_empty()).map(crate::byte_view::printable).collect()
    }

    /// The first text.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.texts(name).into_iter().next()
    }
}

/// A property's name, if it is one that matters.
pub(super) fn wanted(name: &[u8]) -> Option<&'static str> {
    WANTED.into_iter().find(|wanted| wanted.as_bytes() == name)
}
