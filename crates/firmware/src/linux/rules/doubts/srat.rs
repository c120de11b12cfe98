//! SRAT entries that contradict each other or the MADT.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_model::ProximityDomain;

use super::super::PredictionDraft;
use super::super::evidence::{doubt, entry_bytes, evidence};
use crate::acpi::{Affinity, Decoded, InterruptController, Madt, Srat, TableEntry};
use crate::linux::KernelDoubt;
use crate::linux::prediction_input::PredictionInput;
use crate::{Fault, FaultKind, TableFile};

/// Maximum number of IDs that a sentence lists.
const MAX_LISTED: usize = 12;

pub(super) fn doubts(input: &PredictionInput<'_>, draft: &mut PredictionDraft) {
    let Some((file, srat)) = input.firmware.first::<Srat>() else { return };
    draft.doubt(upper_bits(file, srat));
    draft.doubt(empty_range(file, srat));
    draft.doubt(two_places(file, srat));
    let whole = |faults: &[Fault]| faults.iter().all(|fault| fault.kind != FaultKind::CutShort);
    let madt = input
        .firmware
        .first::<Madt>()
        .filter(|(_, madt)| whole(&madt.faults) && whole(&srat.faults));
    if let Some((_, madt)) = madt {
        against_madt(file, srat, madt, draft);
    }
}

/// Revision 1 has 8 bits for a domain; the other bits are ignored.
fn upper_bits(file: &TableFile, srat: &Decoded<Srat>) -> Option<KernelDoubt> {
    let raw = |affinity: &Affinity| match affinity {
        Affinity::Memory(memory) => Some((memory.domain_raw, memory.domain)),
        Affinity::LocalApic(cpu) => Some((cpu.domain_raw, cpu.domain)),
        _ => None,
    };
    let (entry, raw, domain) = srat.content.entries.iter().find_map(|entry| {
        let (raw, domain) = entry.known().filter(|affinity| affinity.enabled()).and_then(raw)?;
        (raw != domain.0).then_some((entry, raw, domain))
    })?;
    let what = format!(
        "the entry at offset {} names domain {raw}, and the table's revision {} has 8 bits for \
         it: Linux reads {domain}",
        entry.offset, srat.header.revision
    );
    Some(doubt("srat-domain-cut", what, [entry_bytes(file, entry)]))
}

fn empty_range(file: &TableFile, srat: &Decoded<Srat>) -> Option<KernelDoubt> {
    let is_empty = |entry: &&TableEntry<Affinity>| match entry.known() {
        Some(Affinity::Memory(memory)) => memory.enabled && memory.last_address().is_none(),
        _ => false,
    };
    let entry = srat.content.entries.iter().find(is_empty)?;
    let what = format!(
        "the entry about memory at offset {} is enabled and has no bytes, or runs over the end of \
         all addresses: the kernel passes its range over",
        entry.offset
    );
    Some(doubt("srat-empty-range", what, [entry_bytes(file, entry)]))
}

/// CPUs with two different domains; the later entry wins.
fn two_places(file: &TableFile, srat: &Decoded<Srat>) -> Option<KernelDoubt> {
    let mut places: BTreeMap<(bool, u64), ProximityDomain> = BTreeMap::new();
    srat.content.entries.iter().find_map(|entry| {
        let (id, domain) = enabled_cpu(entry)?;
        let before = places.insert(id, domain).filter(|before| *before != domain)?;
        let what = format!(
            "CPU with ID {:#x} is in domain {before} and again, at offset {}, in domain {domain}: \
             the later one wins",
            id.1, entry.offset
        );
        Some(doubt("srat-cpu-twice", what, [entry_bytes(file, entry)]))
    })
}

/// The ID of an enabled CPU entry (whether it is an x86 ID, and its number), and its domain.
fn enabled_cpu(entry: &TableEntry<Affinity>) -> Option<((bool, u64), ProximityDomain)> {
    let affinity = entry.known().filter(|affinity| affinity.enabled())?;
    let is_x86 = matches!(affinity, Affinity::LocalApic(_) | Affinity::X2Apic(_));
    Some(((is_x86, affinity.cpu_id()?), affinity.domain()))
}

/// CPUs of the MADT without a SRAT entry, and SRAT entries without a CPU in the MADT.
fn against_madt(
    file: &TableFile,
    srat: &Decoded<Srat>,
    madt: &Decoded<Madt>,
    draft: &mut PredictionDraft,
) {
    let placed: BTreeSet<(bool, u64)> =
        srat.content.entries.iter().filter_map(|entry| Some(enabled_cpu(entry)?.0)).collect();
    let listed: Vec<((bool, u64), bool)> =
        madt.content.entries.iter().filter_map(|entry| listed(entry.known()?)).collect();
    if placed.is_empty() || listed.is_empty() {
        return;
    }
    let here: BTreeSet<(bool, u64)> =
        listed.iter().filter(|(_, enabled)| *enabled).map(|(id, _)| *id).collect();
    let all: BTreeSet<(bool, u64)> = listed.iter().map(|(id, _)| *id).collect();
    let unplaced: Vec<_> = here.difference(&placed).collect();
    if !unplaced.is_empty() {
        let what = format!(
            "{} CPUs of the MADT have no entry in the SRAT: IDs {}",
            unplaced.len(),
            list(&unplaced)
        );
        draft.doubt([doubt("cpus-without-domain", what, [evidence(file, 0, 48)])]);
    }
    let unknown: Vec<_> = placed.difference(&all).collect();
    if !unknown.is_empty() {
        let what = format!(
            "{} CPUs of the SRAT are not in the MADT: IDs {}",
            unknown.len(),
            list(&unknown)
        );
        draft.doubt([doubt("cpus-not-in-madt", what, [evidence(file, 0, 48)])]);
    }
}

fn listed(entry: &InterruptController) -> Option<((bool, u64), bool)> {
    use InterruptController as C;
    Some(match entry {
        C::LocalApic(cpu) => ((true, cpu.apic_id.into()), cpu.enabled),
        C::LocalX2Apic(cpu) => ((true, cpu.apic_id.into()), cpu.enabled),
        C::Gicc(cpu) => ((false, cpu.processor_uid.into()), cpu.enabled),
        C::Rintc(cpu) => ((false, cpu.processor_uid.into()), cpu.enabled),
        _ => return None,
    })
}

fn list(ids: &[&(bool, u64)]) -> String {
    let shown: Vec<String> =
        ids.iter().take(MAX_LISTED).map(|(_, id)| format!("{id:#x}")).collect();
    let more = if ids.len() > MAX_LISTED { ", ..." } else { "" };
    format!("{}{more}", shown.join(", "))
}
