//! Contradictions between the tables and the running kernel.

use nearfar_firmware::linux::NumaOutcome;

use super::FindingInput;
use crate::document::{DiagnosisFinding, Evidence, FindingDetail};
use crate::{codes, evidence, verdict};

const CODE: &str = "prediction-differs";

/// A finding where the rules, applied to the tables, give other nodes than the kernel has.
pub(super) fn differ(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    let (predicted, observed) = (seen.prediction.outcome, seen.observed.outcome);
    if matches!(predicted, NumaOutcome::Unknown | NumaOutcome::Emulated)
        || matches!(observed, NumaOutcome::Emulated)
    {
        return None;
    }
    let (promised, shown) = (seen.prediction.online().count(), seen.observed.nodes.len());
    let in_sysfs = seen.witnesses.topology.is_some() && observed != NumaOutcome::Impossible;
    let counts_differ = in_sysfs && shown > 0 && promised != shown;
    // A log explains why there is one node; only the tables show whether firmware or the kernel
    // causes it.
    let other_story = observed == NumaOutcome::Visible && predicted != NumaOutcome::Visible;
    let log_found_nothing = verdict::contradicts(seen.observed, seen.prediction) && !in_sysfs;
    if !counts_differ && !other_story && !log_found_nothing {
        return None;
    }
    if log_found_nothing {
        let deciding =
            seen.observed.deciding.iter().map(|event| evidence::event(seen.witnesses, event));
        let finding = DiagnosisFinding::new(CODE, codes::severity(CODE))
            .with_detail(FindingDetail::LogFoundNone { tables: promised });
        let advice = codes::advice(CODE, seen.facts);
        return Some(DiagnosisFinding { evidence: deciding.collect(), advice, ..finding });
    }
    let what = FindingDetail::NodesDiffer { tables: promised, kernel: shown };
    let evidence = Evidence::new(
        "sysfs",
        "nodes that are online",
        seen.observed.nodes.iter().map(|node| node.id.to_string()).collect::<Vec<_>>().join(","),
    );
    let finding =
        DiagnosisFinding::new(CODE, codes::severity(CODE)).with_detail(what).shown_by(evidence);
    Some(DiagnosisFinding { advice: codes::advice(CODE, seen.facts), ..finding })
}
