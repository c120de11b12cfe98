//! The HMAT, which is used as a whole or not at all.
//!
//! Source: drivers/acpi/numa/hmat.c, whose rules are the same from Linux 5.4 to 7.x. The table is
//! read three times, once for each type of structure; the first error ends it.

use std::collections::BTreeSet;

use nearfar_model::ProximityDomain;

use super::PredictionDraft;
use super::evidence::{bare, doubt, evidence};
use crate::TableFile;
use crate::acpi::{
    Affinity, Decoded, EntryBody, Hmat, HmatStructure, MemoryAttributes, Srat, TableEntry,
};
use crate::linux::prediction::{HmatUse, NumaOutcome, PredictedNode};
use crate::linux::prediction_input::{Architecture, PredictionInput};
use crate::linux::{CauseEffect, KernelCause, KernelDoubt};

const READER: &str = "drivers/acpi/numa/hmat.c: hmat_init";
const MEMORY: &str = "drivers/acpi/numa/hmat.c: hmat_parse_proximity_domain";
const LOCALITY: &str = "drivers/acpi/numa/hmat.c: hmat_parse_locality";
const CACHE: &str = "drivers/acpi/numa/hmat.c: hmat_parse_cache";
const INVALID: &str = "acpi/hmat: Ignoring: Invalid table";

/// Decides whether the HMAT is used.
pub(super) fn judge(
    input: &PredictionInput<'_>,
    outcome: NumaOutcome,
    nodes: &[PredictedNode],
    draft: &mut PredictionDraft,
) -> HmatUse {
    let Some((file, hmat)) = input.firmware.first::<Hmat>() else {
        return if input.firmware.has::<Hmat>() { HmatUse::Unknown } else { HmatUse::Absent };
    };
    match outcome {
        NumaOutcome::Visible | NumaOutcome::OneDomain => {}
        NumaOutcome::Unknown => return HmatUse::Unknown,
        _ => {
            let what = "the HMAT refers to the SRAT's domains, and the kernel has none of them";
            draft.cause(bare("hmat-without-nodes", CauseEffect::Hmat, what, READER));
            return HmatUse::Ignored;
        }
    }
    if input.command_line.no_hmat && input.architecture == Architecture::X86 {
        let what = "numa=nohmat is on the kernel's command line";
        draft.cause(bare("numa-nohmat", CauseEffect::Hmat, what, "arch/x86/mm/numa.c: numa_setup"));
        return HmatUse::Ignored;
    }
    match fault(input, file, hmat, nodes) {
        Some(cause) => {
            draft.cause(*cause);
            HmatUse::Ignored
        }
        None => HmatUse::Used,
    }
}

/// Whether the kernel reads an HMAT of this revision.
pub(crate) fn is_known_revision(revision: u8) -> bool {
    (1..=2).contains(&revision)
}

/// Its revision, where there is no SRAT: the kernel does not read it in either case.
pub(super) fn doubt_alone(input: &PredictionInput<'_>) -> Option<KernelDoubt> {
    let (file, hmat) = input.firmware.first::<Hmat>()?;
    let revision = hmat.header.revision;
    let what = format!("Linux ignores the HMAT: its revision is {revision}, not 1 or 2");
    (!is_known_revision(revision)).then(|| doubt("hmat-revision", what, [evidence(file, 8, 1)]))
}

fn fault(
    input: &PredictionInput<'_>,
    file: &TableFile,
    hmat: &Decoded<Hmat>,
    nodes: &[PredictedNode],
) -> Option<Box<KernelCause>> {
    let revision = hmat.header.revision;
    if !is_known_revision(revision) {
        let what = format!("Linux ignores the HMAT: its revision is {revision}, not 1 or 2");
        let cause = bare("hmat-revision", CauseEffect::Hmat, what, READER);
        let message = format!("acpi/hmat: Ignoring: Unknown revision:{revision}");
        return Some(Box::new(cause.with_message(message).with_evidence([evidence(file, 8, 1)])));
    }
    let domains = KnownDomains {
        memory: memory_domains(input),
        nodes: nodes.iter().filter_map(|node| node.domain).collect(),
        revision,
    };
    let end = (hmat.header.length_bytes as usize).min(file.bytes.len());
    let seen =
        || hmat.content.entries.iter().take_while(|entry| entry.offset.saturating_add(8) < end);
    // One pass for each type; a structure without length ends the first.
    for kind in 0..3 {
        for entry in seen() {
            let wrong = if entry.kind == kind { structure(entry, &domains) } else { None };
            let wrong = wrong.or_else(|| (entry.length == 0).then(|| zero_length(entry, kind)));
            if let Some(cause) = wrong {
                return Some(Box::new(cause.with_evidence([evidence(
                    file,
                    entry.offset,
                    entry.length.max(8) as usize,
                )])));
            }
        }
    }
    None
}

/// The domains that structures may refer to.
struct KnownDomains {
    /// Those with enabled memory in the SRAT.
    memory: BTreeSet<ProximityDomain>,
    /// Those with a node.
    nodes: BTreeSet<ProximityDomain>,
    revision: u8,
}

fn memory_domains(input: &PredictionInput<'_>) -> BTreeSet<ProximityDomain> {
    let srat = input.firmware.first::<Srat>();
    let entries = srat.into_iter().flat_map(|(_, srat)| &srat.content.entries);
    let memory = entries.filter_map(|entry| match entry.known()? {
        // All 32 bits here, in any revision of the SRAT.
        Affinity::Memory(memory) if memory.enabled => Some(ProximityDomain(memory.domain_raw)),
        _ => None,
    });
    memory.collect()
}

fn structure(entry: &TableEntry<HmatStructure>, domains: &KnownDomains) -> Option<KernelCause> {
    match (&entry.body, entry.kind) {
        (EntryBody::Known(HmatStructure::Memory(_)), 0) if entry.length != 40 => {
            Some(length(entry, "address range", MEMORY))
        }
        (EntryBody::Known(HmatStructure::Memory(memory)), _) => foreign(entry, memory, domains),
        (EntryBody::Short { .. }, 0) => Some(length(entry, "address range", MEMORY)),
        (EntryBody::Short { bytes }, 1) if entry.length >= 32 => {
            Some(short_matrix(entry, &bytes.0))
        }
        (EntryBody::Short { .. }, 1) => Some(length(entry, "locality", LOCALITY)),
        (EntryBody::Short { .. }, 2) if entry.length < 32 => Some(length(entry, "cache", CACHE)),
        _ => None,
    }
}

fn length(entry: &TableEntry<HmatStructure>, name: &str, source: &'static str) -> KernelCause {
    let what = format!(
        "the HMAT's structure at offset {} ({name}) has {} bytes",
        entry.offset, entry.length
    );
    let message = format!("acpi/hmat: Unexpected {name} header length: {}", entry.length);
    bare("hmat-structure-length", CauseEffect::Hmat, what, source).with_message(message)
}

fn short_matrix(entry: &TableEntry<HmatStructure>, bytes: &[u8]) -> KernelCause {
    let what = format!(
        "the HMAT's matrix at offset {} claims more rows and columns than its {} bytes have",
        entry.offset, entry.length
    );
    let needed = needed(bytes).map(|needed| {
        format!(
            "acpi/hmat: Unexpected locality header length:{}, minimum required:{needed}",
            entry.length
        )
    });
    let cause = bare("hmat-structure-length", CauseEffect::Hmat, what, LOCALITY);
    cause.with_message(needed.unwrap_or_else(|| INVALID.to_owned()))
}

/// Size of a matrix in bytes, from its number of rows (at 12) and columns (at 16). The kernel
/// computes it in 32 bits.
fn needed(bytes: &[u8]) -> Option<u32> {
    let count =
        |at: usize| Some(u64::from(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?)));
    let (rows, columns) = (count(12)?, count(16)?);
    let cells = rows.wrapping_mul(columns).wrapping_mul(2);
    Some(cells.wrapping_add(32 + 4 * (rows + columns)) as u32)
}

fn zero_length(entry: &TableEntry<HmatStructure>, kind: u16) -> KernelCause {
    let what = format!(
        "the HMAT's structure at offset {} has length 0: the next one cannot be found",
        entry.offset
    );
    bare(
        "hmat-zero-length-entry",
        CauseEffect::Hmat,
        what,
        "drivers/acpi/tables.c: acpi_parse_entries_array",
    )
    .with_message(format!("ACPI: [HMAT:{kind:#04x}] Invalid zero length"))
}

/// A memory structure may only refer to domains of the SRAT.
fn foreign(
    entry: &TableEntry<HmatStructure>,
    memory: &MemoryAttributes,
    domains: &KnownDomains,
) -> Option<KernelCause> {
    let names_memory = domains.revision > 1 || memory.memory_valid;
    let at = entry.offset;
    let what = if names_memory && !domains.memory.contains(&memory.memory) {
        let domain = memory.memory;
        format!(
            "the HMAT's structure at offset {at} is about memory of domain {domain}, which has no \
             memory in the SRAT"
        )
    } else if names_memory && memory.initiator_valid && !domains.nodes.contains(&memory.initiator) {
        let domain = memory.initiator;
        format!(
            "the HMAT's structure at offset {at} names initiators of domain {domain}, which is not \
             in the SRAT"
        )
    } else {
        return None;
    };
    Some(bare("hmat-unknown-domain", CauseEffect::Hmat, what, MEMORY).with_message(INVALID))
}
