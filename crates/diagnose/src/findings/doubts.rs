//! Likely faults that the kernel accepts without a message.

use nearfar_firmware::linux::NumaOutcome;

use super::FindingInput;
use crate::document::{DiagnosisFinding, Evidence, FindingDetail};
use crate::{codes, evidence};

/// Each doubt about the tables, where the kernel uses them.
pub(super) fn all(seen: FindingInput<'_>) -> Vec<DiagnosisFinding> {
    if matches!(seen.prediction.outcome, NumaOutcome::Impossible | NumaOutcome::TurnedOff) {
        return Vec::new();
    }
    let found = seen.prediction.doubts.iter().map(|doubt| {
        let mut finding = DiagnosisFinding::new(doubt.code, codes::severity(doubt.code))
            .with_detail(FindingDetail::Rule { clause: doubt.what.clone() });
        finding.evidence.extend(doubt.evidence.iter().map(evidence::entry));
        if finding.evidence.is_empty() {
            // A missing table has no offset. Each of several equal faults is listed.
            let table = codes::table(doubt.code).unwrap_or("tables");
            finding.evidence.push(Evidence::in_file(
                table,
                &seen.witnesses.firmware.origin,
                None,
                doubt.what.as_str(),
            ));
        }
        finding.advice = codes::advice(doubt.code, seen.facts);
        finding
    });
    found.collect()
}
