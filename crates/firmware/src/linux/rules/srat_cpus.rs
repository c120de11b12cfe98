//! The SRAT's first pass: CPUs and generic initiators.
//!
//! Sources: arch/x86/mm/srat.c, arch/arm64/kernel/acpi_numa.c, arch/riscv/kernel/acpi_numa.c,
//! `acpi_parse_gi_affinity`. A generic initiator that is disabled, or has no room, ends the pass in
//! silence: CPUs after it have no place.

use nearfar_model::{NodeId, ProximityDomain};

use super::evidence::{bare, doubt, entry_bytes};
use super::srat_reader::{SratContents, SratReader, too_many};
use super::{CpuPlacement, PredictionDraft, UnplacedCpus};
use crate::acpi::{Affinity, EntryBody, GenericAffinity, TableEntry};
use crate::linux::prediction_input::{Architecture, PredictionInput, PresentCpu};
use crate::linux::{CauseEffect, KernelCause};

const X86: &str = "arch/x86/mm/srat.c: acpi_numa_processor_affinity_init";
const X86_LARGE: &str = "arch/x86/mm/srat.c: acpi_numa_x2apic_affinity_init";
const ARM: &str = "arch/arm64/kernel/acpi_numa.c: acpi_numa_gicc_affinity_init";
const RISCV: &str = "arch/riscv/kernel/acpi_numa.c: acpi_numa_rintc_affinity_init";
/// First APIC ID that x86 does not support (`MAX_LOCAL_APIC`).
const MAX_APIC_ID: u64 = 32_768;

pub(super) fn read(
    at: &mut SratReader<'_, '_>,
    entries: &[&TableEntry<Affinity>],
    reading: &mut SratContents,
) {
    for (index, entry) in entries.iter().enumerate() {
        if entry.kind == 5 && at.input.architecture != Architecture::Riscv {
            if !initiator(at, entry, reading) {
                cut_short(at, entry, &entries[index + 1..]);
                break;
            }
        } else if !reading.disabled {
            cpu(at, entry, reading);
        }
    }
}

fn cpu(at: &mut SratReader<'_, '_>, entry: &TableEntry<Affinity>, reading: &mut SratContents) {
    let (exact, least, source) = match (at.input.architecture, entry.kind) {
        (Architecture::X86, 0) => (true, 16, X86),
        (Architecture::X86, 2) => (false, 24, X86_LARGE),
        (Architecture::Arm64, 3) => (false, 18, ARM),
        (Architecture::Riscv, 7) => (false, 20, RISCV),
        _ => return,
    };
    if entry.length < least || exact && entry.length != least {
        let cause = wrong_length(at.input.architecture, entry, least, source);
        return at.disable(reading, entry, cause);
    }
    let EntryBody::Known(affinity) = &entry.body else {
        at.draft.undecided(
            "the SRAT ends within an entry: the bytes that the kernel reads are not in the file",
        );
        return;
    };
    if !affinity.enabled() {
        return;
    }
    let domain = affinity.domain();
    let Some(node) = reading.domains.map(domain) else {
        let cause =
            too_many(at.input, reading, domain, source).with_message(no_room(at.input, domain));
        return at.disable(reading, entry, cause);
    };
    let has_room = |id: &u64| at.input.architecture != Architecture::X86 || *id < MAX_APIC_ID;
    if let Some(id) = affinity.cpu_id().filter(has_room) {
        reading.named.insert(node);
        reading.cpus.push((id, node));
    }
}

/// Arm and RISC-V read CPUs again when all domains have their nodes; nothing ends that pass.
pub(super) fn read_again(
    architecture: Architecture,
    entries: &[&TableEntry<Affinity>],
    reading: &mut SratContents,
) {
    let kind = match architecture {
        Architecture::Arm64 => 3,
        Architecture::Riscv => 7,
        Architecture::X86 | Architecture::Other => return,
    };
    let enabled =
        entries.iter().filter(|entry| entry.kind == kind).filter_map(|entry| entry.known());
    let enabled = enabled.filter(|affinity| affinity.enabled());
    let place =
        |affinity: &Affinity| Some((affinity.cpu_id()?, reading.domains.node(affinity.domain())?));
    reading.cpus = enabled.filter_map(place).collect();
}

fn wrong_length(
    architecture: Architecture,
    entry: &TableEntry<Affinity>,
    least: u32,
    source: &'static str,
) -> KernelCause {
    let what = format!(
        "the CPU entry at offset {} has {} bytes, and needs {least}",
        entry.offset, entry.length
    );
    let cause = bare("srat-cpu-entry-length", CauseEffect::Numa, what, source);
    cause.with_message(match architecture {
        Architecture::X86 | Architecture::Other => "ACPI: SRAT: SRAT not used.".to_owned(),
        Architecture::Arm64 | Architecture::Riscv => {
            format!("ACPI: NUMA: SRAT: Invalid SRAT header length: {}", entry.length)
        }
    })
}

fn no_room(input: &PredictionInput<'_>, domain: ProximityDomain) -> String {
    match input.architecture {
        Architecture::X86 => format!("SRAT: Too many proximity domains {:x}", domain.0),
        _ => format!(
            "ACPI: NUMA: SRAT: Too many proximity domains {}",
            i32::from_ne_bytes(domain.0.to_ne_bytes())
        ),
    }
}

/// Adds a generic initiator. Returns false if the kernel ends the pass there.
fn initiator(
    at: &mut SratReader<'_, '_>,
    entry: &TableEntry<Affinity>,
    reading: &mut SratContents,
) -> bool {
    let EntryBody::Known(Affinity::GenericInitiator(GenericAffinity { enabled, domain, .. })) =
        &entry.body
    else {
        at.draft.undecided(
            "a generic initiator entry is too short: the kernel reads into the next entry",
        );
        return true;
    };
    let node = if *enabled { reading.domains.map(*domain) } else { None };
    let Some(node) = node else { return false };
    reading.named.insert(node);
    reading.initiators.insert(node);
    true
}

/// Adds a doubt about the entries after the end of the pass.
fn cut_short(
    at: &mut SratReader<'_, '_>,
    entry: &TableEntry<Affinity>,
    after: &[&TableEntry<Affinity>],
) {
    let lost = after.iter().filter(|entry| {
        entry.known().is_some_and(|affinity| affinity.is_cpu() && affinity.enabled())
    });
    let lost = lost.count();
    if lost == 0 {
        return;
    }
    let then = match at.input.architecture {
        Architecture::X86 => {
            "the kernel assigns these CPUs round-robin (AMD's: by their last-level cache)"
        }
        _ => "domains with only these CPUs have no node",
    };
    let what = format!(
        "a generic initiator at offset {} is disabled and precedes {lost} CPU entries: the \
         kernel silently stops reading there; {then}",
        entry.offset
    );
    at.draft.doubt([doubt("initiator-disabled-first", what, [entry_bytes(at.file, entry)])]);
}

/// The nodes of the present CPUs. Of several entries for one CPU the last one wins.
pub(super) fn places(input: &PredictionInput<'_>, reading: &SratContents) -> CpuPlacement {
    let x86 = input.architecture == Architecture::X86;
    let by_id: std::collections::BTreeMap<u64, NodeId> = reading.cpus.iter().copied().collect();
    let key = |cpu: &PresentCpu| {
        if x86 { Some(cpu.hardware_id) } else { cpu.processor_uid.map(u64::from) }
    };
    let (mut placed, mut left) = (Vec::new(), Vec::new());
    for cpu in present(input) {
        match key(cpu).and_then(|key| by_id.get(&key)) {
            Some(node) => placed.push((cpu.id, *node)),
            None => left.push(cpu.id),
        }
    }
    CpuPlacement {
        placed,
        left,
        remedy: if x86 { UnplacedCpus::InTurn } else { UnplacedCpus::NodeZero },
    }
}

/// The CPUs that may run.
pub(super) fn present<'a>(input: &'a PredictionInput<'_>) -> impl Iterator<Item = &'a PresentCpu> {
    input.cpus.iter().take(input.command_line.max_cpus.unwrap_or(usize::MAX))
}

/// Notes that CPUs, or the nodes of some, are unknown.
pub(super) fn remark(
    input: &PredictionInput<'_>,
    places: &CpuPlacement,
    draft: &mut PredictionDraft,
) {
    if input.cpus.is_empty() {
        draft.undecided("which CPUs each node has: neither a MADT nor the kernel lists the CPUs");
    }
    if !places.left.is_empty() && places.remedy == UnplacedCpus::InTurn {
        draft.undecided(
            "the nodes of CPUs without a domain: a round-robin is assumed, and on AMD and Hygon \
             the kernel uses the number of their last-level cache instead",
        );
    }
}
