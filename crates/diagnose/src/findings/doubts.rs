//! What the kernel takes in silence, and is likely wrong.

use nearfar_linux::NumaOutcome;

use super::Seen;
use crate::document::{Evidence, Finding, FindingDetail};
use crate::{codes, evidence};

/// Each doubt about the tables, as long as the kernel goes by them.
pub(super) fn all(seen: Seen<'_>) -> Vec<Finding> {
    if matches!(seen.prediction.outcome, NumaOutcome::Impossible | NumaOutcome::TurnedOff) {
        return Vec::new();
    }
    let found = seen.prediction.doubts.iter().map(|doubt| {
        let mut finding = Finding::new(doubt.code, codes::severity(doubt.code))
            .with_detail(FindingDetail::Rule { clause: doubt.what.clone() });
        finding.evidence.extend(doubt.evidence.iter().map(evidence::entry));
        if finding.evidence.is_empty() {
            // What is not there has no place; of several alike, each is told.
            let table = codes::table(doubt.code).unwrap_or("tables");
            finding.evidence.push(Evidence::new(
                table,
                &*seen.witnesses.firmware.origin,
                doubt.what.as_str(),
            ));
        }
        finding.advice = codes::advice(doubt.code, seen.facts);
        finding
    });
    found.collect()
}
