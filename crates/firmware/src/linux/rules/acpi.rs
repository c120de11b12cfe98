//! Rules for ACPI's tables: SRAT, SLIT and CEDT, in this order.

use crate::acpi::{Decoded, Srat};
use crate::{Firmware, ReadState, TableFile};

use super::evidence::{bare, evidence};
use super::ram::UsableRam;
use super::srat;
use super::srat_reader::SratContents;
use super::{FirmwareNuma, PredictionDraft};
use super::{cedt, message, options, ranges, slit, srat_cpus};
use crate::linux::prediction::NumaOutcome;
use crate::linux::prediction_input::{Architecture, PredictionInput};
use crate::linux::{CauseEffect, KernelCause};

const READER: &str = "drivers/acpi/numa/srat.c: acpi_numa_init";

pub(super) fn decide(
    input: &PredictionInput<'_>,
    ram: &UsableRam,
    draft: &mut PredictionDraft,
) -> Result<FirmwareNuma, NumaOutcome> {
    if input.command_line.acpi_off {
        draft.cause(options::acpi_off());
        draft.undecided("which CPUs run: without ACPI tables the kernel may find only one");
        return Err(NumaOutcome::TurnedOff);
    }
    // Only x86 has this parameter.
    if input.command_line.no_srat && input.architecture == Architecture::X86 {
        draft.cause(options::numa_noacpi());
        return Err(NumaOutcome::TurnedOff);
    }
    let (file, table) = find(input, ram, draft)?;
    let mut reading = srat::read(input, file, table, draft);
    let claimed = slit::read(input, &reading, draft);
    cedt::read(input, &mut reading, draft);
    judge(input, ram, file, &reading, draft)?;

    let blocks = ranges::covering(input, ram, Some(file), &reading.blocks, draft)?;
    Ok(FirmwareNuma {
        cpu_entries: reading.cpus.iter().map(|(_, node)| *node).collect(),
        places: srat_cpus::places(input, &reading),
        domains: reading.domains,
        named: reading.named,
        initiators: reading.initiators,
        claimed: reading.blocks,
        blocks,
        all_online: input.architecture != Architecture::X86,
        distances: claimed,
    })
}

/// The SRAT, if it is readable.
fn find<'a>(
    input: &PredictionInput<'a>,
    ram: &UsableRam,
    draft: &mut PredictionDraft,
) -> Result<(&'a TableFile, &'a Decoded<Srat>), NumaOutcome> {
    let firmware: &'a Firmware = input.firmware;
    if let Some((file, table)) = firmware.first::<Srat>() {
        let (claimed, held) = (table.header.length_bytes as usize, file.bytes.len());
        if held < claimed {
            draft.undecided(format!(
                "the SRAT is cut short: {} has {held} of its {claimed} bytes",
                file.path
            ));
            return Err(NumaOutcome::Unknown);
        }
        return Ok((file, table));
    }
    let file = firmware.tables.iter().find(|file| file.name == "SRAT");
    if let Some(file) = file {
        // The kernel exports whole tables: a malformed file is a bad copy.
        draft.undecided(match &file.state {
            ReadState::Malformed { why } => {
                format!("the SRAT could not be read: {}: {why}", file.path)
            }
            _ => "the SRAT exists and is not readable: run as root".to_owned(),
        });
        return Err(NumaOutcome::Unknown);
    }
    let cause =
        bare("no-srat", CauseEffect::Numa, "firmware has no SRAT: it reports no node", READER);
    draft.cause(KernelCause { message: no_nodes_message(input, ram), ..cause });
    Err(NumaOutcome::Withheld)
}

/// Decides whether the SRAT is used.
fn judge(
    input: &PredictionInput<'_>,
    ram: &UsableRam,
    file: &TableFile,
    reading: &SratContents,
    draft: &mut PredictionDraft,
) -> Result<(), NumaOutcome> {
    if reading.disabled || reading.broken {
        return Err(NumaOutcome::Refused);
    }
    if reading.memory_entries > 0 {
        return Ok(());
    }
    let what = "the SRAT has no enabled memory entry: without one the kernel ignores the table";
    let cause = bare("srat-no-memory", CauseEffect::Numa, what, READER);
    let shown = evidence(file, 0, 48);
    draft.cause(
        KernelCause { message: no_nodes_message(input, ram), ..cause }.with_evidence([shown]),
    );
    Err(NumaOutcome::Withheld)
}

/// The kernel's message when firmware reports no nodes.
pub(super) fn no_nodes_message(input: &PredictionInput<'_>, ram: &UsableRam) -> Option<String> {
    if input.architecture == Architecture::X86 {
        return Some("No NUMA configuration found".to_owned());
    }
    if input.kernel < super::COMMON_RANGES {
        return Some("NUMA: Failed to initialise from firmware".to_owned());
    }
    faking_message(ram)
}

/// Arm's message about the single node.
pub(super) fn faking_message(ram: &UsableRam) -> Option<String> {
    let start = ram.ranges.as_ref()?.first()?.0;
    Some(format!("NUMA: Faking a node at {}", message::long_range(start, ram.end())))
}
