//! Unreadable files, and the resulting gaps.

use nearfar_firmware::acpi::Srat as SratTable;
use nearfar_firmware::linux::log::LogGap;
use nearfar_firmware::{FaultKind, ReadState};

use super::FindingInput;
use crate::codes;
use crate::document::{DiagnosisFinding, Evidence, Severity};

const SRAT: &str = "SRAT";

/// Tables, slots and logs that only root can read; logs without their beginning.
pub(super) fn all(seen: FindingInput<'_>) -> Vec<DiagnosisFinding> {
    [tables(seen), log(seen), beginning(seen), srat(seen), left_out(seen)]
        .into_iter()
        .flatten()
        .collect()
}

fn note(code: &str, seen: FindingInput<'_>) -> DiagnosisFinding {
    let finding = DiagnosisFinding::new(code, Severity::Note);
    DiagnosisFinding { advice: codes::advice(code, seen.facts), ..finding }
}

fn tables(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    let firmware = &seen.witnesses.firmware;
    let mut denied: Vec<Evidence> = Vec::new();
    for file in firmware.tables.iter().filter(|file| file.state == ReadState::Denied) {
        denied.push(Evidence::in_file(
            &file.name,
            &file.path,
            None,
            "present, unreadable: not root",
        ));
    }
    if let Some(part) = firmware.smbios.as_ref().filter(|part| part.state == ReadState::Denied) {
        denied.push(Evidence::in_file("SMBIOS", &part.path, None, "present, unreadable: not root"));
    }
    let finding = DiagnosisFinding { evidence: denied, ..note("tables-unreadable", seen) };
    (!finding.evidence.is_empty()).then_some(finding)
}

fn log(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    let unreadable = seen.witnesses.log.missing.iter().filter_map(LogGap::unreadable);
    let evidence: Vec<Evidence> =
        unreadable.map(|(place, why)| Evidence::in_file("kernel log", place, None, why)).collect();
    // A copy that includes the boot is sufficient.
    let needed = !evidence.is_empty() && !seen.witnesses.log.has_boot();
    needed.then(|| DiagnosisFinding { evidence, ..note("log-unreadable", seen) })
}

/// The kernel's buffer is a ring: the oldest lines are lost first.
fn beginning(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    let log = &seen.witnesses.log;
    let origin = log.origin.as_deref()?;
    if log.has_boot() || log.lines == 0 {
        return None;
    }
    let evidence = Evidence::in_file(
        "kernel log",
        origin,
        None,
        format!("{} lines, and none begins a boot", log.lines),
    );
    Some(note("log-without-boot", seen).shown_by(evidence))
}

fn left_out(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    let others = seen.witnesses.firmware.skipped.iter().filter(|one| one.may_be_a_table);
    let others =
        others.map(|other| Evidence::in_file("file", &other.path, None, other.why.as_str()));
    let evidence = unread(seen).filter(|one| one.source != SRAT).chain(others).collect();
    let finding = DiagnosisFinding { evidence, ..note("table-unreadable", seen) };
    (!finding.evidence.is_empty()).then_some(finding)
}

/// An unreadable SRAT: no other table replaces it.
fn srat(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    let code = "srat-unreadable";
    let mut evidence: Vec<Evidence> = unread(seen).filter(|one| one.source == SRAT).collect();
    if let Some((file, table)) = seen.witnesses.firmware.first::<SratTable>() {
        let cut = table.faults.iter().filter(|fault| fault.kind == FaultKind::CutShort);
        evidence.extend(
            cut.map(|fault| Evidence::in_file(SRAT, &file.path, None, fault.what.as_str())),
        );
    }
    let finding = DiagnosisFinding { evidence, ..note(code, seen) };
    (!finding.evidence.is_empty())
        .then(|| DiagnosisFinding { severity: codes::severity(code), ..finding })
}

/// Files that should be tables.
fn unread(seen: FindingInput<'_>) -> impl Iterator<Item = Evidence> {
    seen.witnesses.firmware.tables.iter().filter_map(|file| match &file.state {
        ReadState::Malformed { why } => {
            Some(Evidence::in_file(&file.name, &file.path, None, why.as_str()))
        }
        _ => None,
    })
}
