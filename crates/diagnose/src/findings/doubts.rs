//! What the kernel takes in silence, and is likely wrong.

use nearfar_machine::kernel::Outcome;

use super::Seen;
use crate::document::Finding;
use crate::{codes, evidence};

/// Each doubt about the tables, as long as the kernel goes by them.
pub(super) fn all(seen: Seen<'_>) -> Vec<Finding> {
    if matches!(seen.prediction.outcome, Outcome::Impossible | Outcome::TurnedOff) {
        return Vec::new();
    }
    let found = seen.prediction.doubts.iter().map(|doubt| {
        let mut finding = Finding::new(doubt.code, codes::severity(doubt.code), doubt.what.as_str());
        finding.evidence.extend(doubt.evidence.iter().map(evidence::entry));
        finding.advice = codes::advice(doubt.code, seen.facts);
        finding
    });
    found.collect()
}
