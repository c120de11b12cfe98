//! The kernel's weights for weighted interleaving (Linux 6.9): the number of consecutive pages that
//! each node gets.
//!
//! See Documentation/ABI/testing/sysfs-kernel-mm-mempolicy-weighted-interleave. They are
//! system-wide: root changes them for every program under that policy. Since Linux 6.16 the kernel
//! derives them from bandwidths until root writes one.

use std::collections::BTreeMap;

use nearfar_model::NodeId;
use serde::Serialize;

use crate::source::Source;

const FOLDER: &str = "/sys/kernel/mm/mempolicy/weighted_interleave";
/// File names of this setting; some kernels (6.18) have the expanded macro.
const AUTOMATIC: [&str; 2] = ["auto", "__auto_type"];

/// Each node's weight, 1 to 255.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct InterleaveWeights {
    /// Pages per turn of each node.
    pub weights: BTreeMap<NodeId, u8>,
    /// Whether the kernel computes them; `None` before Linux 6.16.
    pub automatic: Option<bool>,
}

impl InterleaveWeights {
    /// Reads the weights; `None` if the kernel has no weighted interleaving.
    ///
    /// # References
    ///
    /// Documentation/ABI/testing/sysfs-kernel-mm-mempolicy-weighted-interleave
    pub fn read(source: &Source) -> Option<Self> {
        if !source.exists(FOLDER) {
            return None;
        }
        let weight = |node| Some((node, source.text(&Self::path_of(node))?.parse().ok()?));
        let automatic = AUTOMATIC
            .iter()
            .find_map(|name| source.text(&format!("{FOLDER}/{name}")))
            .map(|text| matches!(text.as_str(), "true" | "1" | "Y"));
        Some(Self {
            weights: source.ids(FOLDER, "node").iter().filter_map(weight).collect(),
            automatic,
        })
    }

    /// Path of a node's weight, writable by root.
    pub fn path_of(node: NodeId) -> String {
        format!("{FOLDER}/node{node}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_sparse_nodes_are_read() {
        let files = [("node0", "5\n"), ("node4", "1\n"), ("node7", "?"), ("auto", "true\n")];
        let source =
            Source::from_files(files.map(|(name, text)| (format!("{FOLDER}/{name}"), text)));
        let read = InterleaveWeights::read(&source).unwrap();
        assert_eq!(read.weights, BTreeMap::from([(NodeId(0), 5), (NodeId(4), 1)]));
        assert_eq!(read.automatic, Some(true));
        assert_eq!(InterleaveWeights::path_of(NodeId(4)), format!("{FOLDER}/node4"));
    }

    #[test]
    fn kernel_without_weights_has_none() {
        assert_eq!(InterleaveWeights::read(&Source::from_files([("/sys/kernel/mm/x", "")])), None);
    }
}
