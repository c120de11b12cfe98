//! By ACPI's tables: SRAT, SLIT and CEDT, in this order.

use nearfar_firmware::acpi::{Decoded, Srat};
use nearfar_firmware::{Firmware, Found, TableFile};

use super::draft::{Draft, Finding};
use super::evidence::{bare, evidence};
use super::ram::Ram;
use super::srat;
use super::srat_reading::Reading;
use super::{cedt, message, options, ranges, slit, srat_cpus};
use crate::cause::{Cause, Effect};
use crate::circumstances::{Architecture, Circumstances};
use crate::prediction::Outcome;

const READER: &str = "drivers/acpi/numa/srat.c: acpi_numa_init";

pub(super) fn decide(
    circumstances: &Circumstances<'_>,
    ram: &Ram,
    draft: &mut Draft,
) -> Result<Finding, Outcome> {
    if circumstances.command_line.acpi_off {
        draft.cause(options::acpi_off());
        draft.undecided("which CPUs run: without ACPI's tables the kernel may find only one");
        return Err(Outcome::TurnedOff);
    }
    // Only x86 knows this word.
    if circumstances.command_line.no_srat && circumstances.architecture == Architecture::X86 {
        draft.cause(options::numa_noacpi());
        return Err(Outcome::TurnedOff);
    }
    let (file, table) = find(circumstances, ram, draft)?;
    let mut reading = srat::read(circumstances, file, table, draft);
    let claimed = slit::read(circumstances, &reading, draft);
    cedt::read(circumstances, &mut reading, draft);
    judge(circumstances, ram, file, &reading, draft)?;

    let blocks = ranges::covering(circumstances, ram, Some(file), &reading.blocks, draft)?;
    Ok(Finding {
        cpu_entries: reading.cpus.iter().map(|(_, node)| *node).collect(),
        places: srat_cpus::places(circumstances, &reading),
        domains: reading.domains,
        named: reading.named,
        initiators: reading.initiators,
        claimed: reading.blocks,
        blocks,
        all_online: circumstances.architecture != Architecture::X86,
        distances: claimed,
    })
}

/// The SRAT, if there is one that can be read.
fn find<'a>(
    circumstances: &Circumstances<'a>,
    ram: &Ram,
    draft: &mut Draft,
) -> Result<(&'a TableFile, &'a Decoded<Srat>), Outcome> {
    let firmware: &'a Firmware = circumstances.firmware;
    if let Some((file, table)) = firmware.first::<Srat>() {
        let (claimed, held) = (table.header.length_bytes as usize, file.bytes.len());
        if held < claimed {
            draft.undecided(format!(
                "the SRAT is cut short: {} holds {held} of its {claimed} bytes",
                file.path
            ));
            return Err(Outcome::Unknown);
        }
        return Ok((file, table));
    }
    let file = firmware.tables.iter().find(|file| file.name == "SRAT");
    if let Some(file) = file {
        // The kernel shows whole tables: a file that is none is a bad copy.
        draft.undecided(match &file.found {
            Found::Nonsense { why } => format!("the SRAT could not be read: {}: {why}", file.path),
            _ => "the SRAT is there, and this user may not read it: run as root".to_owned(),
        });
        return Err(Outcome::Unknown);
    }
    let cause = bare("no-srat", Effect::Numa, "firmware has no SRAT: it tells of no node", READER);
    draft.cause(Cause { message: nothing_found(circumstances, ram), ..cause });
    Err(Outcome::Withheld)
}

/// What is to be done with what was read.
fn judge(
    circumstances: &Circumstances<'_>,
    ram: &Ram,
    file: &TableFile,
    reading: &Reading,
    draft: &mut Draft,
) -> Result<(), Outcome> {
    if reading.disabled || reading.broken {
        return Err(Outcome::Refused);
    }
    if reading.memory_entries > 0 {
        return Ok(());
    }
    let what =
        "the SRAT has no enabled entry about memory: without one the kernel takes nothing of it";
    let cause = bare("srat-no-memory", Effect::Numa, what, READER);
    let shown = evidence(file, 0, 48);
    draft.cause(Cause { message: nothing_found(circumstances, ram), ..cause }.shows([shown]));
    Err(Outcome::Withheld)
}

/// What the kernel says when there is nothing to take.
pub(super) fn nothing_found(circumstances: &Circumstances<'_>, ram: &Ram) -> Option<String> {
    if circumstances.architecture == Architecture::X86 {
        return Some("No NUMA configuration found".to_owned());
    }
    if circumstances.kernel < super::COMMON_RANGES {
        return Some("NUMA: Failed to initialise from firmware".to_owned());
    }
    faking(ram)
}

/// The line of Arm's kernels about the one node that they make.
pub(super) fn faking(ram: &Ram) -> Option<String> {
    let start = ram.ranges.as_ref()?.first()?.0;
    Some(format!("NUMA: Faking a node at {}", message::long_range(start, ram.end())))
}
