//! What one witness says of a span of addresses.

use nearfar_firmware::acpi::MemoryAffinity;
use nearfar_linux::MemoryKind;
use nearfar_model::{NodeId, NodeSet};

/// What a witness says of a span of addresses.
#[derive(Clone, Debug)]
pub(super) enum SpanFact {
    /// Firmware's map: what is there.
    Kind(MemoryKind),
    /// The SRAT: an enabled entry.
    Domain(MemoryAffinity),
    /// The CEDT: a window of CXL memory.
    CxlWindow,
    /// The device tree: a node.
    TreeNode(NodeId),
    /// The kernel: blocks, and the nodes that they belong to.
    MemoryBlocks {
        /// Whether they are online, where that can be read.
        online: Option<bool>,
        /// Their nodes.
        nodes: NodeSet,
    },
}
