//! What outputs of programs disagree about.

use super::FindingInput;
use crate::codes;
use crate::document::{DiagnosisFinding, Evidence, FindingDetail};

const CODE: &str = "outputs-differ";

/// A finding for each kind of disagreement.
pub(super) fn conflicts(seen: FindingInput<'_>) -> Vec<DiagnosisFinding> {
    let conflicts = seen.witnesses.conflicts.iter().map(|conflict| {
        let evidence = [&conflict.left, &conflict.right]
            .map(|(place, value)| Evidence::new("sent", place, value.as_str()));
        let finding = DiagnosisFinding::new(CODE, codes::severity(CODE))
            .with_detail(FindingDetail::OutputsDiffer { about: conflict.kind.code().to_owned() });
        let advice = codes::advice(CODE, seen.facts);
        DiagnosisFinding { evidence: evidence.to_vec(), advice, ..finding }
    });
    conflicts.collect()
}
