//! The physical addresses of a machine: what firmware says lies where, which domain it puts that
//! in, what the kernel made of it.
//!
//! Five span_sources are laid side by side: the map of memory that firmware gave the kernel, the
//! SRAT's ranges, the windows of the CEDT, the device tree, and the kernel's blocks of memory with
//! their nodes. A new range begins wherever one of them changes; so each range is one sentence.

mod blocks;
mod span_fact;
mod span_sources;
mod sweep;

use nearfar_firmware::Firmware;
use nearfar_firmware::acpi::Srat;
use nearfar_linux::{KernelLog, MapOrigin, MemoryKind, MemoryMap};
use nearfar_model::{NodeSet, ProximityDomain};
use serde::Serialize;

use crate::memory_map::memory_map;
use crate::source::Source;
use blocks::MemoryBlocks;
use span_fact::SpanFact;

/// How many spans of one witness are laid out: more than any machine has, few enough that it takes
/// no time if all overlap.
const MAX_SPANS: usize = 2_048;

/// The physical addresses of a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PhysicalMap {
    /// Who told what lies where; none where nobody could.
    pub memory_from: Option<MapOrigin>,
    /// Whether there is a SRAT that can be read.
    pub has_srat: bool,
    /// How many bytes a memory block of the kernel has; none where it shows no blocks.
    pub block_bytes: Option<u64>,
    /// The ranges, by address. Addresses of which nobody says anything are left out.
    pub ranges: Vec<MapRange>,
    /// What is missing from the map, and why.
    pub missing: Vec<String>,
}

/// A range of which all of it is alike.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MapRange {
    /// First address.
    pub first_address: u64,
    /// Last address.
    pub last_address: u64,
    /// How many bytes.
    pub size_bytes: u64,
    /// What firmware says is there: "RAM", "Reserved", "ACPI Tables".
    pub kind: Option<String>,
    /// Whether that is memory for everybody.
    pub is_ram: bool,
    /// The domains that enabled entries of the SRAT put it in: one, none, or too many.
    pub domains: Vec<ProximityDomain>,
    /// What these entries say of it.
    pub hot_pluggable: bool,
    /// Likewise.
    pub non_volatile: bool,
    /// Likewise.
    pub specific_purpose: bool,
    /// Whether a window of the CEDT leads to CXL memory here.
    pub cxl_window: bool,
    /// The nodes that the device tree puts it in.
    pub tree_nodes: NodeSet,
    /// The kernel's memory blocks here: "32-63".
    pub blocks: Option<String>,
    /// Whether these are online.
    pub online: Option<bool>,
    /// The nodes that the kernel put them in.
    pub nodes: NodeSet,
}

impl PhysicalMap {
    /// Lays tables and a machine's own files side by side; `source` is none where there are tables
    /// only. Nothing here is needed, so nothing here fails.
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

/// What nobody told, and why.
fn absent(
    firmware: &Firmware,
    memory: Option<&MemoryMap>,
    source: Option<&Source>,
    blocks: Option<&MemoryBlocks>,
) -> Vec<String> {
    let mut missing = Vec::new();
    let mut unless = |told: bool, why: &str| {
        if !told {
            missing.push(why.to_owned());
        }
    };
    if source.is_none() {
        unless(
            false,
            "these are tables without a machine: what the kernel made of them is not known",
        );
    } else {
        unless(
            memory.is_some(),
            "the kernel shows no map of memory: /sys/firmware/memmap is there on x86 only",
        );
        unless(
            blocks.is_some(),
            "the kernel shows no memory blocks: it cannot add memory, or was captured without them",
        );
    }
    let denied = firmware.has::<Srat>() && firmware.first::<Srat>().is_none();
    unless(
        !denied,
        "the SRAT is there and cannot be read: no domain is shown (its place is for root to read)",
    );
    missing
}

/// One range out of all that is facts about it.
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
                range.tree_nodes = range.tree_nodes.union(&NodeSet::from_id(*node))
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

#[cfg(test)]
mod tests;
