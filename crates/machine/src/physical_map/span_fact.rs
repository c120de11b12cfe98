//! A fact about a span of addresses from one source.

use nearfar_firmware::acpi::MemoryAffinity;
use nearfar_firmware::linux::MemoryKind;
use nearfar_model::{NodeId, NodeSet};

/// A fact about a span of addresses.
#[derive(Clone, Debug)]
pub(super) enum SpanFact {
    /// Firmware's memory map: the kind of memory.
    Kind(MemoryKind),
    /// The SRAT: an enabled memory entry.
    Domain(MemoryAffinity),
    /// The CEDT: a window of CXL memory.
    CxlWindow,
    /// The device tree: a node.
    TreeNode(NodeId),
    /// The kernel: memory blocks and their nodes.
    MemoryBlocks {
        /// Whether they are online, if readable.
        online: Option<bool>,
        /// Their nodes.
        nodes: NodeSet,
    },
}
