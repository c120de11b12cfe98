//! Ranges of memory, each of one node.

use nearfar_model::NodeId;

use super::evidence::evidence;
use crate::TableFile;
use crate::linux::cause::TableEvidence;

/// A half-open range of memory and its node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MemoryBlock {
    pub(super) node: NodeId,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) hot_pluggable: bool,
    pub(super) non_volatile: bool,
    /// Where the table has it.
    pub(super) place: BlockSource,
}

/// The table entry of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BlockSource {
    /// Offset and length in an ACPI table.
    AcpiEntry(usize, usize),
    /// Path in the device tree.
    DeviceTree(String),
}

impl BlockSource {
    pub(super) fn evidence(&self, file: Option<&TableFile>) -> Option<TableEvidence> {
        match self {
            Self::AcpiEntry(offset, length) => Some(evidence(file?, *offset, *length)),
            Self::DeviceTree(path) => Some(TableEvidence {
                table: "device tree".to_owned(),
                path: path.clone(),
                offset: None,
                bytes: crate::acpi::HexBytes(Box::default()),
            }),
        }
    }
}
