//! A machine in a topology file of another program: hwloc's XML (`lstopo --of xml`) or NCCL's
//! (`NCCL_TOPO_DUMP_FILE`).
//!
//! What the file has becomes the files of sysfs and procfs that the kernel would have shown.
//! Nothing else is there: no interrupts, no processes, no firmware tables.

mod depth;
mod hwloc;
mod nccl;

use std::io::{BufRead, Read};
use std::path::Path;

use nearfar_model::{Bytes, CpuSet, Id, IdSet, MAX_ID, NodeId, NodeSet};
use roxmltree::{Document, Node, ParsingOptions};

use super::tree::{FileTree, TreeFile, TreeNode};
use crate::error::{MAX_UNPACKED_SIZE, MachineError};

/// The largest file: 4,096 CPUs with all caches have about 10 MiB.
const MAX_FILE: Bytes = Bytes::mib(64);
/// Elements of a file at most.
const MAX_ELEMENTS: u32 = 1_000_000;
/// Files of a machine at most; 4,096 CPUs have 150,000.
const MAX_FILES: usize = 1_000_000;

/// Why a file has no machine.
#[derive(Debug)]
pub(super) enum NoTopology {
    /// It is larger than any such file.
    TooLarge,
    /// It cannot be read on.
    Unreadable(std::io::Error),
    /// It is no XML, or another program's.
    NotUnderstood(String),
}

impl NoTopology {
    pub(super) fn for_file(self, path: &Path) -> MachineError {
        let path = path.to_owned();
        match self {
            Self::TooLarge => MachineError::TooLarge { path },
            Self::Unreadable(cause) => MachineError::Open { path, cause },
            Self::NotUnderstood(why) => MachineError::NoTopology { path, why },
        }
    }
}

/// Whether a file that begins so is XML: white space and a byte order mark may stand before it.
pub(super) fn is_begun_by(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.trim_ascii_start().starts_with(b"<")
}

/// Reads the machine of a file that begins as XML does.
pub(super) fn read(file: impl BufRead) -> Result<FileTree, NoTopology> {
    let mut bytes = Vec::new();
    let limit = MAX_FILE.0 + 1;
    file.take(limit).read_to_end(&mut bytes).map_err(NoTopology::Unreadable)?;
    if bytes.len() as u64 == limit {
        return Err(NoTopology::TooLarge);
    }
    let text = String::from_utf8_lossy(&bytes);
    // The parser wants a declaration at the start.
    let text = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    if let Some(why) = depth::refusal(text) {
        return Err(NoTopology::NotUnderstood(why.to_owned()));
    }
    let options = ParsingOptions { allow_dtd: true, nodes_limit: MAX_ELEMENTS };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| NoTopology::NotUnderstood(format!("it is no XML ({error})")))?;
    let root = document.root_element();
    let mut files = MachineFiles::new();
    match root.tag_name().name() {
        "topology" => hwloc::read(root, &mut files),
        "system" => nccl::read(root, &mut files),
        other => {
            let start: String = other.chars().take(40).collect();
            return Err(NoTopology::NotUnderstood(format!("its first element is '{start}'")));
        }
    }
    if files.is_full() {
        return Err(NoTopology::TooLarge);
    }
    if files.cpus.is_empty() && files.nodes.is_empty() {
        return Err(NoTopology::NotUnderstood("it has no CPU and no node".to_owned()));
    }
    Ok(files.finish())
}

/// The files of a machine, while they are made.
struct MachineFiles {
    tree: FileTree,
    cpus: CpuSet,
    nodes: NodeSet,
    nodes_with_cpus: NodeSet,
    /// What was put: a small text can describe a large machine.
    count: usize,
    bytes: u64,
}

/// Exists where the files were made of another program's.
pub(super) const MARK: &str = "/topology.xml";
const SYSTEM: &str = "/sys/devices/system";

impl MachineFiles {
    fn new() -> Self {
        Self {
            tree: FileTree::new(),
            cpus: CpuSet::new(),
            nodes: NodeSet::new(),
            nodes_with_cpus: NodeSet::new(),
            count: 0,
            bytes: 0,
        }
    }

    /// Whether it is larger than any machine: then nothing more is put.
    fn is_full(&self) -> bool {
        self.count > MAX_FILES || self.bytes > MAX_UNPACKED_SIZE.0
    }

    fn put(&mut self, path: &str, content: impl AsRef<str>) {
        if self.is_full() {
            return;
        }
        self.count += 1;
        self.bytes += (path.len() + content.as_ref().len()) as u64;
        let line = content.as_ref().to_owned() + "\n";
        self.tree.put(path, TreeNode::File(TreeFile::new(line.into_bytes(), None)));
    }

    fn link(&mut self, path: &str, target: &str) {
        // Relative, as in sysfs.
        let up = "../".repeat(path.matches('/').count() - 1);
        self.tree.put(path, TreeNode::Link(format!("{up}{}", target.trim_start_matches('/'))));
    }

    fn node(&mut self, id: NodeId, cpus: &CpuSet, memory: Option<Bytes>) {
        let folder = format!("{SYSTEM}/node/node{id}");
        self.put(&format!("{folder}/cpulist"), cpus.to_string());
        if let Some(memory) = memory {
            let kib = memory.0 >> 10;
            self.put(&format!("{folder}/meminfo"), format!("Node {id} MemTotal: {kib} kB"));
        }
        self.nodes.insert(id);
        if !cpus.is_empty() {
            self.nodes_with_cpus.insert(id);
        }
    }

    /// A PCI device below its parent's folder; returns its folder.
    fn pci(&mut self, parent: &str, address: &str, facts: &PciFacts<'_>) -> String {
        let folder = format!("{parent}/{address}");
        for (name, value) in [
            ("class", facts.class.clone()),
            ("vendor", facts.vendor.to_owned()),
            ("device", facts.device.to_owned()),
            ("numa_node", facts.node.map_or_else(|| "-1".to_owned(), |node| node.to_string())),
            ("local_cpulist", facts.cpus.to_owned()),
        ] {
            self.put(&format!("{folder}/{name}"), value);
        }
        self.link(&format!("/sys/bus/pci/devices/{address}"), &folder);
        folder
    }

    /// A device with a name in a class of sysfs, below its PCI device.
    fn named(&mut self, class: &str, pci_folder: &str, name: &str) {
        // Names are from outside: a name is no path.
        if name.is_empty() || name.contains('/') {
            return;
        }
        let folder = format!("{pci_folder}/{class}/{name}");
        self.link(&format!("{folder}/device"), pci_folder);
        let of_class =
            if class == "block" { "/sys/block".to_owned() } else { format!("/sys/class/{class}") };
        self.link(&format!("{of_class}/{name}"), &folder);
    }

    fn finish(mut self) -> FileTree {
        let cpus = self.cpus.to_string();
        for name in ["online", "possible", "present"] {
            self.put(&format!("{SYSTEM}/cpu/{name}"), &cpus);
        }
        if !self.nodes.is_empty() {
            let (nodes, with_cpus) = (self.nodes.to_string(), self.nodes_with_cpus.to_string());
            for name in ["online", "possible", "has_memory", "has_normal_memory"] {
                self.put(&format!("{SYSTEM}/node/{name}"), &nodes);
            }
            self.put(&format!("{SYSTEM}/node/has_cpu"), with_cpus);
        }
        self.put(MARK, "");
        self.tree
    }
}

/// What both programs know of a PCI device.
struct PciFacts<'x> {
    /// "0x020000".
    class: String,
    vendor: &'x str,
    device: &'x str,
    node: Option<NodeId>,
    /// The kernel's list of near CPUs.
    cpus: &'x str,
}

/// Whether a text is a PCI address in full: `0000:3b:00.0`.
fn is_pci_address(text: &str) -> bool {
    let is_hex = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_hexdigit());
    let parts: Vec<&str> = text.split([':', '.']).collect();
    parts.len() == 4 && parts.into_iter().all(is_hex) && text.len() <= 16
}

/// A set in words of 32 bits, the highest first, with or without `0x`: `0x0000f06f`,
/// `00000000,00ffffff`.
fn set<T: Id>(mask: &str) -> IdSet<T> {
    let mut ids = IdSet::new();
    for (first, word) in (0..=MAX_ID).step_by(32).zip(mask.rsplit(',')) {
        let digits = word.trim().trim_start_matches("0x");
        let bits = u32::from_str_radix(digits, 16).unwrap_or(0);
        (0..32).filter(|bit| bits >> bit & 1 == 1).for_each(|bit| {
            ids.insert(T::from_number(first + bit));
        });
    }
    ids
}

fn number<T: std::str::FromStr>(element: Node<'_, '_>, name: &str) -> Option<T> {
    element.attribute(name)?.parse().ok()
}

#[cfg(test)]
mod tests;
