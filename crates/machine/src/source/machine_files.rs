//! The files of sysfs and procfs that facts of other programs mean.

use std::collections::BTreeMap;

use nearfar_firmware::linux::KernelLog;
use nearfar_model::{Bytes, CpuId, CpuSet, NodeId, NodeSet};

use super::tree::{FileTree, TreeFile, TreeNode};
use crate::error::MAX_UNPACKED_SIZE;

/// Files of a machine at most; 4,096 CPUs have 150,000.
const MAX_FILES: usize = 1_000_000;

/// The files of a machine, while they are made.
pub(crate) struct MachineFiles {
    tree: FileTree,
    pub(crate) cpus: CpuSet,
    pub(crate) nodes: NodeSet,
    nodes_with_cpus: NodeSet,
    /// What was put: a small text can describe a large machine.
    count: usize,
    bytes: u64,
    log: Option<KernelLog>,
    /// Where firmware's tables are in what was sent.
    pub(crate) tables: BTreeMap<String, SentTable>,
    /// Why a text that is of a known form is not read.
    pub(crate) refused: Option<RefusedText>,
}

/// Where a table is in what was sent.
#[derive(Clone, Debug)]
pub(crate) struct SentTable {
    /// The file as it was given.
    pub(crate) file: String,
    /// Its first line in a text.
    pub(crate) line: Option<usize>,
}

/// Why a text of a known form is not read.
pub(crate) enum RefusedText {
    /// It ends too early, after this many lines.
    CutAfter(usize),
    /// It does not follow its own form in this line.
    Damaged(usize),
    /// Its labels are in a language that is not English.
    OtherLanguage,
    /// A document with this schema has no machine.
    NoMachine(String),
}

/// Where a log is put.
pub(crate) const LOG: &str = "/dmesg.txt";

/// Where the nodes stand that are named without a list of all.
pub(crate) const NAMED_NODES: &str = "/nearfar/named_nodes";

/// Where sysfs has CPUs and nodes.
pub(crate) const SYSTEM: &str = "/sys/devices/system";

impl MachineFiles {
    pub(crate) fn new() -> Self {
        Self {
            tree: FileTree::new(),
            cpus: CpuSet::new(),
            nodes: NodeSet::new(),
            nodes_with_cpus: NodeSet::new(),
            count: 0,
            bytes: 0,
            log: None,
            tables: BTreeMap::new(),
            refused: None,
        }
    }

    /// Whether it is larger than any machine: then nothing more is put.
    pub(crate) fn is_full(&self) -> bool {
        self.count > MAX_FILES || self.bytes > MAX_UNPACKED_SIZE.0
    }

    pub(crate) fn put(&mut self, path: &str, content: impl AsRef<str>) {
        if self.is_full() {
            return;
        }
        self.count += 1;
        self.bytes += (path.len() + content.as_ref().len()) as u64;
        let line = content.as_ref().to_owned() + "\n";
        self.tree.put(path, TreeNode::File(TreeFile::new(line.into_bytes(), None)));
    }

    /// The same of a binary file.
    pub(crate) fn put_bytes(&mut self, path: &str, content: Vec<u8>) {
        if self.is_full() {
            return;
        }
        self.count += 1;
        self.bytes += (path.len() + content.len()) as u64;
        self.tree.put(path, TreeNode::File(TreeFile::new(content, None)));
    }

    /// Puts a kernel log, and keeps what was parsed of it.
    pub(crate) fn put_log(&mut self, text: &str, log: KernelLog) {
        self.put(LOG, text);
        self.log = Some(KernelLog { origin: Some(LOG.to_owned()), ..log });
    }

    /// Puts tables of firmware where kernels show them, by signature: of several with one
    /// signature, each has its number.
    pub(crate) fn put_tables(&mut self, tables: Vec<(&str, SentTable, Vec<u8>)>) {
        let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        tables.iter().for_each(|(name, ..)| counts.entry(name).or_default().0 += 1);
        for (name, place, bytes) in tables {
            let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            let Some((all, number)) = counts.get_mut(name).filter(|_| is_name) else { continue };
            *number += 1;
            let number = if *all > 1 { number.to_string() } else { String::new() };
            let path = format!("/sys/firmware/acpi/tables/{name}{number}");
            self.put_bytes(&path, bytes);
            self.tables.insert(path, place);
        }
    }

    pub(super) fn take_log(&mut self) -> Option<KernelLog> {
        self.log.take()
    }

    pub(crate) fn link(&mut self, path: &str, target: &str) {
        self.tree.put(path, TreeNode::Link(target.to_owned()));
    }

    pub(crate) fn node(&mut self, id: NodeId, cpus: &CpuSet, memory: Option<Bytes>) {
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

    /// The folder of a CPU's cache: kernels number them in the order of levels.
    pub(crate) fn cache(&mut self, cpu: CpuId, level: u32, kind: &str) -> String {
        let index = match (level, kind) {
            (1, "Instruction") => 1,
            (0 | 1, _) => 0,
            (level, "Instruction") => level.min(9) + 10,
            (level, _) => level,
        };
        let folder = format!("{SYSTEM}/cpu/cpu{cpu}/cache/index{index}");
        self.put(&format!("{folder}/level"), level.to_string());
        self.put(&format!("{folder}/type"), kind);
        folder
    }

    /// A PCI device below its parent's folder; returns its folder.
    pub(crate) fn pci(&mut self, parent: &str, address: &str, facts: &PciFacts<'_>) -> String {
        let folder = format!("{parent}/{address}");
        for (name, value) in [
            ("class", facts.class.as_str()),
            ("vendor", facts.vendor),
            ("device", facts.device),
            ("numa_node", facts.node.as_deref().unwrap_or_default()),
            ("local_cpulist", facts.cpus),
        ] {
            if !value.is_empty() {
                self.put(&format!("{folder}/{name}"), value);
            }
        }
        self.tree.add_folder(&folder);
        self.link(&format!("/sys/bus/pci/devices/{address}"), &folder);
        folder
    }

    /// A device with a name in a class of sysfs, below its PCI device.
    pub(crate) fn named(&mut self, class: &str, pci_folder: &str, name: &str) {
        // Names are from outside: a name is no path.
        if name.is_empty() || name.contains('/') {
            return;
        }
        let folder = format!("{pci_folder}/{class}/{name}");
        self.link(&format!("{folder}/device"), pci_folder);
        let of_class = match class {
            "block" => "/sys/block".to_owned(),
            "cxl" | "dax" => format!("/sys/bus/{class}/devices"),
            class => format!("/sys/class/{class}"),
        };
        self.link(&format!("{of_class}/{name}"), &folder);
    }

    pub(super) fn finish(mut self) -> FileTree {
        let cpus = self.cpus.to_string();
        if !self.cpus.is_empty() {
            for name in ["online", "possible", "present"] {
                self.put(&format!("{SYSTEM}/cpu/{name}"), &cpus);
            }
        }
        if !self.nodes.is_empty() {
            let (nodes, with_cpus) = (self.nodes.to_string(), self.nodes_with_cpus.to_string());
            for name in ["online", "possible", "has_memory", "has_normal_memory"] {
                self.put(&format!("{SYSTEM}/node/{name}"), &nodes);
            }
            self.put(&format!("{SYSTEM}/node/has_cpu"), with_cpus);
        }
        self.tree
    }
}

/// What programs know of a PCI device; what is empty is not known.
#[derive(Default)]
pub(crate) struct PciFacts<'x> {
    /// "0x020000".
    pub(crate) class: String,
    pub(crate) vendor: &'x str,
    pub(crate) device: &'x str,
    /// The content of `numa_node`: -1 where the kernel knew none.
    pub(crate) node: Option<String>,
    /// The kernel's list of near CPUs.
    pub(crate) cpus: &'x str,
}

/// The content of `numa_node`.
pub(crate) fn numa_node(node: Option<NodeId>) -> Option<String> {
    Some(node.map_or_else(|| "-1".to_owned(), |node| node.to_string()))
}

/// Whether a text is a PCI address in full: `0000:3b:00.0`.
pub(crate) fn is_pci_address(text: &str) -> bool {
    let is_hex = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_hexdigit());
    let parts: Vec<&str> = text.split([':', '.']).collect();
    parts.len() == 4 && parts.into_iter().all(is_hex) && text.len() <= 16
}
