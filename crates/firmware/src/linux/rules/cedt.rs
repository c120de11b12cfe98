//! The CEDT's windows of CXL memory: each window without a SRAT entry becomes a node without
//! memory.
//!
//! Source: `acpi_parse_cfmws` in drivers/acpi/numa/srat.c (since Linux 5.17).

use crate::TableFile;
use crate::acpi::{Cedt, CxlStructure, FixedMemoryWindow};

use super::BlockSource;
use super::PredictionDraft;
use super::evidence::{doubt, entry_bytes, evidence};
use super::message;
use super::srat_reader::SratContents;
use crate::linux::KernelDoubt;
use crate::linux::KernelVersion;
use crate::linux::prediction_input::{Architecture, PredictionInput};

/// Alignment that the specification requires.
const ALIGNMENT: u64 = 256 << 20;
const LOGS_MISALIGNMENT: KernelVersion = KernelVersion::new(6, 15);
/// Maximum number of windows; boards have a few dozen.
const MAX_WINDOWS: usize = 1024;

pub(super) fn read(
    input: &PredictionInput<'_>,
    reading: &mut SratContents,
    draft: &mut PredictionDraft,
) {
    let Some((file, cedt)) = input.firmware.first::<Cedt>() else { return };
    if input.architecture == Architecture::Riscv {
        return;
    }
    let windows = cedt.content.entries.iter().filter_map(|entry| match entry.known()? {
        CxlStructure::FixedMemoryWindow(window) => Some((entry, window)),
        _ => None,
    });
    for (entry, window) in windows.take(MAX_WINDOWS) {
        draft.doubt(alignment(input, file, entry.offset, window));
        if !fill(reading, window) && !new_node(reading) {
            let what = format!("no node number is left for the CXL window {}", range(window));
            draft.doubt([doubt("cxl-window-without-node", what, [entry_bytes(file, entry)])]);
        }
    }
}

fn range(window: &FixedMemoryWindow) -> String {
    message::range(window.base_address, window.base_address.wrapping_add(window.size_bytes))
}

fn alignment(
    input: &PredictionInput<'_>,
    file: &TableFile,
    offset: usize,
    window: &FixedMemoryWindow,
) -> Option<KernelDoubt> {
    if (window.base_address | window.size_bytes) & (ALIGNMENT - 1) == 0 {
        return None;
    }
    let log = if input.kernel >= LOGS_MISALIGNMENT {
        "the kernel logs [BIOS BUG]"
    } else {
        "this kernel does not log it"
    };
    let what = format!("the CXL window {} is not aligned to 256 MiB; {log}", range(window));
    Some(doubt("cfmws-alignment", what, [evidence(file, offset, 24)]))
}

/// Extends the SRAT's ranges that overlap the window to all of it. Returns false if there are none.
/// Source: `numa_fill_memblks`.
fn fill(reading: &mut SratContents, window: &FixedMemoryWindow) -> bool {
    let (start, end) = (window.base_address, window.base_address.saturating_add(window.size_bytes));
    let mut touching: Vec<usize> = (0..reading.blocks.len())
        .filter(|&index| reading.blocks[index].start < end && start < reading.blocks[index].end)
        .filter(|&index| matches!(reading.blocks[index].place, BlockSource::AcpiEntry(..)))
        .collect();
    touching.sort_by_key(|&index| reading.blocks[index].start);
    let (Some(&first), Some(&last)) = (touching.first(), touching.last()) else { return false };
    reading.blocks[first].start = reading.blocks[first].start.min(start);
    reading.blocks[last].end = reading.blocks[last].end.max(end);
    let mut reached = reading.blocks[first].end;
    for &index in &touching[1..] {
        let block = &mut reading.blocks[index];
        // A gap goes to the block after it.
        block.start = block.start.min(reached.max(start));
        reached = reached.max(block.end);
    }
    true
}

/// Adds a node without RAM, with the first free domain.
fn new_node(reading: &mut SratContents) -> bool {
    let domain = reading.domains.next_free();
    let node = reading.domains.map(domain);
    reading.named.extend(node);
    node.is_some()
}
