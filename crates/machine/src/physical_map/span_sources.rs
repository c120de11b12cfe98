//! The facts of each source, as spans of addresses.

use nearfar_firmware::Firmware;
use nearfar_firmware::acpi::{Affinity, Cedt, CxlStructure, Srat, TableEntry};
use nearfar_firmware::device_tree::TreeRange;
use nearfar_firmware::linux::{MemoryMap, MemoryRange};
use nearfar_model::NodeId;

use super::MAX_SPANS;
use super::MemoryBlocks;
use super::SpanFact;
use super::sweep::AddressSpan;

/// All facts, and descriptions of those beyond the limit.
pub(super) fn all(
    firmware: &Firmware,
    memory: Option<&MemoryMap>,
    blocks: Option<&MemoryBlocks>,
) -> (Vec<AddressSpan<SpanFact>>, Vec<String>) {
    let mut spans = Vec::new();
    let mut missing = Vec::new();
    for (what, found) in [
        ("firmware's map of memory", memory.map(kinds).unwrap_or_default()),
        ("the SRAT", domains(firmware)),
        ("the CEDT", windows(firmware)),
        ("the device tree", tree_nodes(firmware)),
        ("the memory blocks", blocks.map(MemoryBlocks::spans).unwrap_or_default()),
    ] {
        if found.len() > MAX_SPANS {
            missing.push(format!(
                "{} ranges of {what}, after the first {MAX_SPANS}",
                found.len() - MAX_SPANS
            ));
        }
        spans.extend(found.into_iter().take(MAX_SPANS));
    }
    (spans, missing)
}

fn kinds(memory: &MemoryMap) -> Vec<AddressSpan<SpanFact>> {
    let span = |range: &MemoryRange| {
        AddressSpan::new(range.first, range.last, SpanFact::Kind(range.kind.clone()))
    };
    memory.ranges.iter().filter_map(span).collect()
}

fn domains(firmware: &Firmware) -> Vec<AddressSpan<SpanFact>> {
    let Some((_, srat)) = firmware.first::<Srat>() else { return Vec::new() };
    let span = |affinity: &Affinity| match affinity {
        Affinity::Memory(memory) if memory.enabled => AddressSpan::new(
            memory.base_address,
            memory.last_address()?,
            SpanFact::Domain(memory.clone()),
        ),
        _ => None,
    };
    srat.content.entries.iter().filter_map(TableEntry::known).filter_map(span).collect()
}

fn windows(firmware: &Firmware) -> Vec<AddressSpan<SpanFact>> {
    let Some((_, cedt)) = firmware.first::<Cedt>() else { return Vec::new() };
    let span = |structure: &CxlStructure| match structure {
        CxlStructure::FixedMemoryWindow(window) => AddressSpan::new(
            window.base_address,
            last(window.base_address, window.size_bytes)?,
            SpanFact::CxlWindow,
        ),
        _ => None,
    };
    cedt.content.entries.iter().filter_map(TableEntry::known).filter_map(span).collect()
}

fn tree_nodes(firmware: &Firmware) -> Vec<AddressSpan<SpanFact>> {
    let tree = firmware.device_tree.as_ref().and_then(|part| part.state.decoded());
    let memory = tree.into_iter().flat_map(|tree| &tree.memory);
    let ranges = memory
        .flat_map(|memory| memory.ranges.iter().filter_map(|range| Some((memory.node?, range))));
    let span = |(node, range): (NodeId, &TreeRange)| {
        AddressSpan::new(
            range.base_address,
            last(range.base_address, range.size_bytes)?,
            SpanFact::TreeNode(node),
        )
    };
    ranges.filter_map(span).collect()
}

/// The last address; `None` for an empty range, or one beyond the address space.
fn last(base: u64, size: u64) -> Option<u64> {
    base.checked_add(size.checked_sub(1)?)
}
