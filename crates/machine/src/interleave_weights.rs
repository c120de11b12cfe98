//! The kernel's weights for weighted interleaving (Linux 6.9): of how many pages in a row each node
//! gets its share.
//!
//! See Documentation/ABI/testing/sysfs-kernel-mm-mempolicy-weighted-interleave. They are the
//! machine's, not a program's: whoever writes them (root) changes every program under that policy.
//! Since Linux 6.16 the kernel derives them from bandwidths by itself until somebody writes one.

use std::collections::BTreeMap;

use nearfar_model::NodeId;
use serde::Serialize;

use crate::source::Source;

const FOLDER: &str = "/sys/kernel/mm/mempolicy/weighted_interleave";
/// Some kernels (6.18) call it by what their compiler makes of the word.
const AUTOMATIC: [&str; 2] = ["auto", "__auto_type"];

/// Each node's weight, 1 to 255.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InterleaveWeights {
    /// Pages that a node gets in each turn.
    pub weights: BTreeMap<NodeId, u8>,
    /// Whether the kernel sets them by itself; none before Linux 6.16, where nobody does.
    pub automatic: Option<bool>,
}

impl InterleaveWeights {
    /// Reads them; none where the kernel has no weighted interleaving.
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

    /// The file that holds a node's weight, to be written by root.
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
    fn a_kernel_without_them_says_nothing() {
        assert_eq!(InterleaveWeights::read(&Source::from_files([("/sys/kernel/mm/x", "")])), None);
    }
}
