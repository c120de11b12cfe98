//! Ranges of memory, each of one node.

use nearfar_firmware::TableFile;
use nearfar_model::NodeId;

use super::evidence::evidence;
use crate::cause::Evidence;

/// A range of memory and its node. Half-open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) node: NodeId,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) hot_pluggable: bool,
    pub(super) non_volatile: bool,
    /// Where it is written.
    pub(super) place: Place,
}

/// Where a block is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// At an offset of a table, with a length.
    Table(usize, usize),
    /// At a node of the device tree.
    Tree(String),
}

impl Place {
    pub(super) fn evidence(&self, file: Option<&TableFile>) -> Option<Evidence> {
        match self {
            Self::Table(offset, length) => Some(evidence(file?, *offset, *length)),
            Self::Tree(path) => Some(Evidence {
                table: "device tree".to_owned(),
                path: path.clone(),
                offset: None,
                bytes: nearfar_firmware::acpi::Hex(Box::default()),
            }),
        }
    }
}
