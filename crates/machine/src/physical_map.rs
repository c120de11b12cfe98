//! The physical address map of a machine: memory kinds, firmware's domains, and the kernel's nodes.
//!
//! It combines five sources: firmware's memory map, the SRAT's ranges, the CEDT's windows, the
//! device tree, and the kernel's memory blocks with their nodes. A new range begins where any of
//! them changes.

mod span_sources;
mod sweep;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use nearfar_firmware::Firmware;
use nearfar_firmware::acpi::{MemoryAffinity, Srat};
use nearfar_firmware::linux::{KernelLog, MapOrigin, MemoryKind, MemoryMap};
use nearfar_model::{NodeId, NodeSet, ProximityDomain};
use serde::Serialize;

use crate::memory_map::memory_map;
use crate::source::Source;
use sweep::AddressSpan;

/// Maximum number of spans per source: more than any machine has, and fast even if all overlap.
const MAX_SPANS: usize = 2_048;

/// The physical address map of a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct PhysicalMap {
    /// Source of the memory map; `None` without one.
    pub memory_from: Option<MapOrigin>,
    /// Whether there is a readable SRAT.
    pub has_srat: bool,
    /// Size of a memory block of the kernel in bytes; `None` without blocks.
    pub block_bytes: Option<u64>,
    /// The ranges, by address. Addresses without any information are absent.
    pub ranges: Vec<MapRange>,
    /// Missing information, and the reason.
    pub missing: Vec<String>,
}

/// A uniform range of addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct MapRange {
    /// First address.
    pub first_address: u64,
    /// Last address.
    pub last_address: u64,
    /// Size in bytes.
    pub size_bytes: u64,
    /// The kind of memory by firmware: "RAM", "Reserved", "ACPI Tables".
    pub kind: Option<String>,
    /// Whether it is ordinary RAM.
    pub is_ram: bool,
    /// Its domains in enabled SRAT entries: one, none, or several.
    pub domains: Vec<ProximityDomain>,
    /// Whether these entries mark it as hot-pluggable.
    pub hot_pluggable: bool,
    /// As marked by these entries.
    pub non_volatile: bool,
    /// As marked by these entries.
    pub specific_purpose: bool,
    /// Whether it is in a CXL window of the CEDT.
    pub cxl_window: bool,
    /// Its nodes in the device tree.
    pub tree_nodes: NodeSet,
    /// Its memory blocks in the kernel: "32-63".
    pub blocks: Option<String>,
    /// Whether these are online.
    pub online: Option<bool>,
    /// The nodes of these blocks.
    pub nodes: NodeSet,
}

impl PhysicalMap {
    /// Combines tables and a machine's files; `source` is `None` if there are only tables. Never
    /// fails: missing sources are in [`missing`](Self::missing).
    ///
    /// # References
    ///
    /// ACPI 6.6, section 5.2.16; Documentation/ABI/testing/sysfs-firmware-memmap,
    /// Documentation/ABI/testing/sysfs-devices-memory
    pub fn read(firmware: &Firmware, source: Option<&Source>, log: &KernelLog) -> Self {
        let tree = firmware.device_tree.as_ref().and_then(|part| part.state.decoded());
        let memory = memory_map(source, log, tree);
        let blocks = source.and_then(MemoryBlocks::read);
        let (spans, mut missing) = span_sources::all(firmware, memory.as_ref(), blocks.as_ref());
        missing.extend(absent(firmware, memory.as_ref(), source, blocks.as_ref()));
        let block_bytes = blocks.map(|blocks| blocks.bytes);
        Self {
            memory_from: memory.map(|memory| memory.origin),
            has_srat: firmware.first::<Srat>().is_some(),
            block_bytes,
            ranges: sweep::ranges(&spans, |first, last, facts| {
                range(first, last, facts, block_bytes)
            }),
            missing,
        }
    }
}

/// Descriptions of missing sources.
fn absent(
    firmware: &Firmware,
    memory: Option<&MemoryMap>,
    source: Option<&Source>,
    blocks: Option<&MemoryBlocks>,
) -> Vec<String> {
    let mut missing = Vec::new();
    let mut unless = |known: bool, why: &str| {
        if !known {
            missing.push(why.to_owned());
        }
    };
    if source.is_none() {
        unless(false, "there are only tables: the kernel's nodes are unknown");
    } else {
        unless(
            memory.is_some(),
            "the kernel has no memory map: /sys/firmware/memmap exists only on x86",
        );
        unless(
            blocks.is_some(),
            "the kernel has no memory blocks: it lacks memory hotplug, or they were not captured",
        );
    }
    let denied = firmware.has::<Srat>() && firmware.first::<Srat>().is_none();
    unless(
        !denied,
        "the SRAT exists and is not readable: no domain is shown (only root may read it)",
    );
    missing
}

/// Builds a range from all facts about it.
fn range(first: u64, last: u64, facts: &[&SpanFact], block_bytes: Option<u64>) -> MapRange {
    let size_bytes = (last - first).saturating_add(1);
    let mut range =
        MapRange { first_address: first, last_address: last, size_bytes, ..MapRange::default() };
    for span_fact in facts {
        match span_fact {
            SpanFact::Kind(kind) => {
                range.is_ram |= *kind == MemoryKind::Ram;
                range.kind.get_or_insert_with(|| kind_name(kind).to_owned());
            }
            SpanFact::Domain(memory) => {
                range.domains.push(memory.domain);
                range.hot_pluggable |= memory.hot_pluggable;
                range.non_volatile |= memory.non_volatile;
                range.specific_purpose |= memory.specific_purpose;
            }
            SpanFact::CxlWindow => range.cxl_window = true,
            SpanFact::TreeNode(node) => {
                range.tree_nodes = range.tree_nodes.union(&NodeSet::from_id(*node));
            }
            SpanFact::MemoryBlocks { online, nodes } => {
                range.online = *online;
                range.nodes = range.nodes.union(nodes);
                range.blocks = block_bytes.map(|bytes| numbers(first / bytes, last / bytes));
            }
        }
    }
    range.domains.sort_unstable();
    range.domains.dedup();
    range
}

fn kind_name(kind: &MemoryKind) -> &str {
    match kind {
        MemoryKind::Ram => "RAM",
        MemoryKind::SpecialPurpose => "RAM for special purposes",
        MemoryKind::Persistent => "persistent memory",
        MemoryKind::Other(words) => words,
    }
}

fn numbers(first: u64, last: u64) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// A fact about a span of addresses.
#[derive(Clone, Debug)]
enum SpanFact {
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

const BLOCKS: &str = "/sys/devices/system/memory";
const NODES: &str = "/sys/devices/system/node";

struct MemoryBlocks {
    /// Size of each in bytes.
    bytes: u64,
    blocks: BTreeMap<u32, BlockState>,
}

#[derive(Default, PartialEq)]
struct BlockState {
    online: Option<bool>,
    nodes: NodeSet,
}

impl MemoryBlocks {
    /// Reads the blocks; `None` without any.
    fn read(source: &Source) -> Option<Self> {
        let bytes = source.text(&format!("{BLOCKS}/block_size_bytes"))?;
        let bytes = u64::from_str_radix(&bytes, 16).ok().filter(|&bytes| bytes > 0)?;
        let state = |number: u32| {
            let text = source.text(&format!("{BLOCKS}/memory{number}/state"));
            text.map(|state| state.starts_with("online"))
        };
        let numbers = source.numbered(BLOCKS, "memory");
        let block = |number| (number, BlockState { online: state(number), nodes: NodeSet::new() });
        let mut blocks: BTreeMap<u32, BlockState> = numbers.into_iter().map(block).collect();
        for node in source.numbered(NODES, "node") {
            for number in source.numbered(&format!("{NODES}/node{node}"), "memory") {
                blocks.entry(number).or_default().nodes.insert(NodeId(node));
            }
        }
        (!blocks.is_empty()).then_some(Self { bytes, blocks })
    }

    /// Spans of consecutive equal blocks. Blocks beyond the address space are skipped.
    fn spans(&self) -> Vec<AddressSpan<SpanFact>> {
        let all: Vec<(&u32, &BlockState)> = self.blocks.iter().collect();
        let alike = all.chunk_by(|a, b| a.0.checked_add(1) == Some(*b.0) && a.1 == b.1);
        let span = |run: &[(&u32, &BlockState)]| {
            let (first, last) = (run.first()?, run.last()?);
            let fact =
                SpanFact::MemoryBlocks { online: first.1.online, nodes: first.1.nodes.clone() };
            let end = u64::from(*last.0).checked_add(1)?.checked_mul(self.bytes)?;
            AddressSpan::new(u64::from(*first.0).checked_mul(self.bytes)?, end - 1, fact)
        };
        alike.filter_map(span).collect()
    }
}
