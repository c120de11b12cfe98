//! Several partial machines as one: of each file, the first counts.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_firmware::linux::KernelLog;
use nearfar_model::{NodeId, NodeSet};

use super::machine_files::{LOG, NAMED_NODES, SYSTEM, SentTable, is_pci_address};
use super::tree::{FileTree, TreeFile, TreeNode};
use super::{FileContents, Source, SourceKind};

const CPU_INFO: &str = "/proc/cpuinfo";

/// Machines that are laid one over the other, the best first.
#[derive(Default)]
pub(crate) struct Overlay {
    tree: Option<FileTree>,
    taken: BTreeSet<String>,
    /// The folder of each PCI device, by address.
    pci: BTreeMap<String, String>,
    /// The nodes of the machine; other nodes have no folders.
    nodes: NodeSet,
    /// The logs of the machines, parsed.
    logs: Vec<KernelLog>,
    tables: BTreeMap<String, SentTable>,
}

impl Overlay {
    pub(crate) fn new(nodes: NodeSet) -> Self {
        Self { nodes, ..Self::default() }
    }

    /// Adds what the machines before do not have. Folders on disk and live machines are left out.
    /// `has_nodes`: the lists of nodes are those of this machine.
    pub(crate) fn add(&mut self, source: Source, has_nodes: bool) {
        let SourceKind::FileTree(tree) = source.way else { return };
        self.logs.extend(source.parsed_log);
        let new = source.sent_tables.into_iter().filter(|(path, _)| !self.taken.contains(path));
        self.tables.extend(new);
        for (path, node) in tree.into_entries() {
            if !has_nodes && self.is_of_other_node(&path) {
                continue;
            }
            let path = self.own_path(path);
            if matches!(node, TreeNode::Folder(_)) {
                self.tree.get_or_insert_with(FileTree::new).add_folder(&path);
                continue;
            }
            let is_better = path == CPU_INFO && has_flags(&node) || path == LOG;
            if self.taken.contains(&path) && !is_better {
                continue;
            }
            let node = match node {
                TreeNode::Link(target) => TreeNode::Link(self.own_path(target)),
                node if path == LOG => self.appended(node),
                node => node,
            };
            self.tree.get_or_insert_with(FileTree::new).put(&path, node);
            self.taken.insert(path);
        }
    }

    /// Adds the nodes that are named, where the machine's nodes are not known.
    pub(crate) fn add_named_nodes(&mut self, nodes: &NodeSet) {
        let file = TreeFile::new(nodes.to_string().into_bytes(), None);
        let tree = self.tree.get_or_insert_with(FileTree::new);
        tree.put(NAMED_NODES, TreeNode::File(file));
    }

    /// The joined machine. `is_sent`: it has only what programs printed.
    pub(crate) fn finish(mut self, origin: &str, is_sent: bool) -> Source {
        let way = SourceKind::FileTree(self.tree.unwrap_or_else(FileTree::new));
        // Of several logs, the text that they are together is parsed again.
        let parsed_log = self.logs.pop().filter(|_| self.logs.is_empty());
        Source { parsed_log, sent_tables: self.tables, ..Source::new(way, origin, is_sent) }
    }

    /// The path with the first folder of its PCI device: others may not know the bridges above.
    fn own_path(&mut self, path: String) -> String {
        let is_device = path.starts_with("/sys/devices/pci");
        let mut parts = path.rmatch_indices('/').filter(|_| is_device);
        let found = parts.find_map(|(at, _)| {
            let rest = &path[at + 1..];
            let end = rest.find('/').unwrap_or(rest.len());
            is_pci_address(&rest[..end]).then_some((at + 1, at + 1 + end))
        });
        let Some((start, end)) = found else { return path };
        let folder = path[..end].to_owned();
        let first = self.pci.entry(path[start..end].to_owned()).or_insert(folder);
        format!("{first}{}", &path[end..])
    }

    /// Whether a file is in the folder of another node, or a list of nodes.
    fn is_of_other_node(&self, path: &str) -> bool {
        let rest = path.strip_prefix(SYSTEM).and_then(|rest| rest.strip_prefix("/node/"));
        let Some(name) = rest.and_then(|rest| rest.split('/').next()) else { return false };
        let number = name.strip_prefix("node").and_then(|number| number.parse().ok());
        !number.is_some_and(|number| self.nodes.contains(NodeId(number)))
    }

    /// Parts of a log follow each other.
    fn appended(&self, node: TreeNode) -> TreeNode {
        let before = self.tree.as_ref().map(|tree| tree.contents(LOG));
        match (before, node.content()) {
            (Some(FileContents::Bytes(mut text)), Some(more)) => {
                text.extend_from_slice(more);
                TreeNode::File(TreeFile::new(text, None))
            }
            _ => node,
        }
    }
}

fn has_flags(node: &TreeNode) -> bool {
    node.content().is_some_and(|text| text.starts_with(b"flags"))
}
