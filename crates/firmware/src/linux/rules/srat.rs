//! Reads the SRAT as Linux does: once for CPUs and initiators, once for memory.
//!
//! Source: drivers/acpi/numa/srat.c. An error in one entry disables the whole table ("SRAT not
//! used").

use nearfar_model::NodeId;

use super::DomainNodes;
use super::PredictionDraft;
use super::evidence::{bare, evidence};
use super::srat_cpus;
use super::srat_reader::{SratContents, SratReader, too_many};
use super::{BlockSource, MemoryBlock};
use crate::TableFile;
use crate::acpi::{Affinity, Decoded, EntryBody, MemoryAffinity, Srat, TableEntry};
use crate::linux::CauseEffect;
use crate::linux::prediction_input::PredictionInput;

const SOURCE: &str = "drivers/acpi/numa/srat.c: acpi_parse_memory_affinity";
const MEMORY_BYTES: u32 = 40;
/// Maximum number of ranges if the kernel has no limit.
const MAX_BLOCKS: usize = 4096;

pub(super) fn read(
    input: &PredictionInput<'_>,
    file: &TableFile,
    table: &Decoded<Srat>,
    draft: &mut PredictionDraft,
) -> SratContents {
    let mut reading =
        SratContents { domains: DomainNodes::new(input.max_nodes), ..SratContents::default() };
    let end = (table.header.length_bytes as usize).min(file.bytes.len());
    // The kernel only reads entries that start more than two bytes before the end.
    let seen: Vec<&TableEntry<Affinity>> = table
        .content
        .entries
        .iter()
        .take_while(|entry| entry.offset.saturating_add(2) < end)
        .collect();
    let mut at = SratReader { input, file, draft };
    // Checked first: without the rest of the table nothing of it is used.
    last_entry(&mut at, seen.last().copied(), &mut reading);
    srat_cpus::read(&mut at, &seen, &mut reading);
    for entry in &seen {
        if entry.kind == 1 && !reading.disabled {
            memory(&mut at, entry, &mut reading);
        }
    }
    srat_cpus::read_again(input.architecture, &seen, &mut reading);
    reading
}

fn memory(at: &mut SratReader<'_, '_>, entry: &TableEntry<Affinity>, reading: &mut SratContents) {
    if entry.length < MEMORY_BYTES {
        let what = format!(
            "the memory entry at offset {} has {} bytes, and needs {MEMORY_BYTES}",
            entry.offset, entry.length
        );
        let cause = bare("srat-memory-entry-length", CauseEffect::Numa, what, SOURCE)
            .with_message(format!("ACPI: SRAT: Unexpected header length: {}", entry.length));
        return at.disable(reading, entry, cause);
    }
    let EntryBody::Known(Affinity::Memory(memory)) = &entry.body else {
        at.draft.undecided(
            "the SRAT ends within an entry: the bytes that the kernel reads are not in the file",
        );
        return;
    };
    if !memory.enabled {
        return;
    }
    let Some(node) = reading.domains.map(memory.domain) else {
        let cause = too_many(at.input, reading, memory.domain, SOURCE);
        return at.disable(
            reading,
            entry,
            cause.with_message("ACPI: SRAT: Too many proximity domains."),
        );
    };
    add(at, entry, memory, node, reading);
}

fn add(
    at: &mut SratReader<'_, '_>,
    entry: &TableEntry<Affinity>,
    memory: &MemoryAffinity,
    node: NodeId,
    reading: &mut SratContents,
) {
    let start = memory.base_address;
    let end = start.wrapping_add(memory.size_bytes);
    let room = reading.blocks.len() < bound(at.input);
    if start < end && !room {
        let most = bound(at.input);
        let what = format!(
            "the SRAT has more than {most} memory ranges, twice this kernel's maximum number of \
             nodes"
        );
        let cause = bare(
            "too-many-ranges",
            CauseEffect::Numa,
            what,
            "mm/numa_memblks.c: numa_add_memblk_to",
        );
        return at.disable(reading, entry, cause.with_message("too many memblk ranges"));
    }
    // Empty and overflowing ranges are ignored, but their node counts.
    if start < end {
        let place = BlockSource::AcpiEntry(entry.offset, entry.length as usize);
        let (hot_pluggable, non_volatile) = (memory.hot_pluggable, memory.non_volatile);
        reading.blocks.push(MemoryBlock { node, start, end, hot_pluggable, non_volatile, place });
    }
    reading.named.insert(node);
    reading.memory_entries += 1;
}

/// `NR_NODE_MEMBLKS`.
fn bound(input: &PredictionInput<'_>) -> usize {
    (input.max_nodes as usize).saturating_mul(2).min(MAX_BLOCKS)
}

/// An entry of length 0 ends the iteration, and disables the whole table.
fn last_entry(
    at: &mut SratReader<'_, '_>,
    last: Option<&TableEntry<Affinity>>,
    reading: &mut SratContents,
) {
    let Some(last) = last.filter(|last| last.length < 2) else { return };
    if last.length == 1 {
        at.draft.undecided("an entry of the SRAT claims 1 byte: the kernel continues within it");
        return;
    }
    let what =
        format!("the entry at offset {} has length 0: the next entry cannot be found", last.offset);
    let cause = bare(
        "srat-zero-length-entry",
        CauseEffect::Numa,
        what,
        "drivers/acpi/tables.c: acpi_parse_entries_array",
    )
    .with_versions("since Linux 6.8 in lib/fw_table.c")
    .with_message("ACPI: [SRAT:0x01] Invalid zero length");
    at.draft.cause(cause.with_evidence([evidence(at.file, last.offset, 16)]));
    reading.broken = true;
}
