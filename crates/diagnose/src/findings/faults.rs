//! Damaged tables: wrong checksums, missing ends, counts beyond the end.
//!
//! Wrong checksums of the tables that decide about NUMA are separate doubts.

use nearfar_firmware::FaultKind;

use super::FindingInput;
use crate::document::{Advice, DiagnosisFinding, Evidence};
use crate::{codes, evidence};

/// Tables whose checksums are checked elsewhere.
const DECIDING: [&str; 3] = ["SRAT", "SLIT", "HMAT"];
/// Limit of faults shown for one machine.
const MOST: usize = 12;

/// A finding for wrong checksums, one for excess bytes, and one for everything else.
pub(super) fn all(seen: FindingInput<'_>) -> Vec<DiagnosisFinding> {
    let mut checksums = DiagnosisFinding::new("bad-checksum", codes::severity("bad-checksum"));
    let mut damage = DiagnosisFinding::new("table-damaged", codes::severity("table-damaged"));
    let mut padding = DiagnosisFinding::new("table-padded", codes::severity("table-padded"));
    for file in &seen.witnesses.firmware.tables {
        let Some(table) = file.state.decoded() else { continue };
        for fault in table.faults() {
            if fault.kind == FaultKind::BadChecksum && DECIDING.contains(&file.name.as_str()) {
                continue;
            }
            let finding = match fault.kind {
                FaultKind::BadChecksum => &mut checksums,
                FaultKind::LeftOver | FaultKind::FileTooLong => &mut padding,
                _ => &mut damage,
            };
            if finding.evidence.len() < MOST {
                let place = evidence::at(fault.offset);
                let (name, path) = (&file.name, &file.path);
                let shown = Evidence::in_file(name, path, Some(&place), fault.what.as_str());
                finding.evidence.push(shown);
            }
        }
    }
    let newer = Advice::NewerFirmware { vendor: seen.facts.vendor };
    let found = [checksums.advise(newer.clone()), damage.advise(newer), padding];
    found.into_iter().filter(|finding| !finding.evidence.is_empty()).collect()
}
