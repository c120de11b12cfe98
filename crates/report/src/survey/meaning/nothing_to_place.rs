//! Where memory is uniform, or nobody can tell.

use nearfar_infer::Numa;
use nearfar_survey::{ClaimsMeasured, HiddenFinding, Survey};

use crate::survey::verdict::would_settle;

/// A table that is wrong by this much is false throughout: then that is said.
const FALSE_THROUGHOUT: f64 = 100.0;

/// What the figures leave open.
pub(super) fn not_known(survey: &Survey) -> Option<String> {
    let verdict = &survey.verdict;
    if verdict.numa != Numa::Undetermined || survey.latency.rows.is_empty() {
        return None;
    }
    let settled_by = would_settle(survey).unwrap_or_else(|| "nearfar survey --thorough".to_owned());
    Some(match verdict.ci95 {
        Some([_, high]) if high < verdict.threshold => format!(
            "Do not take this memory for uniform yet, though its parts differ by {:.1} % at most. \
             What would tell: {settled_by}.",
            100.0 * high
        ),
        Some([low, high]) => format!(
            "Do not place programs by these figures: memories may differ by anything from {:.1} \
             to {:.1} %. 'nearfar survey --thorough' narrows that.",
            100.0 * low,
            100.0 * high
        ),
        None => {
            let cells = &survey.latency.cells;
            let known = cells.iter().filter(|cell| cell.median.is_some()).count();
            format!(
                "Do not place programs by these figures: {known} of {} cells have one, and none \
                 can be compared. What would help: {settled_by}.",
                cells.len()
            )
        }
    })
}

/// That placing gains nothing, unless interleaved lines or a false table say so already.
pub(super) fn uniform(survey: &Survey) -> Option<String> {
    let [_, high] = survey.verdict.ci95.filter(|_| survey.verdict.numa == Numa::No)?;
    let mut findings = survey.claims_vs_measured.iter().flat_map(ClaimsMeasured::findings);
    let is_interleaved =
        survey.hidden.as_ref().is_some_and(|hidden| hidden.finding == HiddenFinding::Interleaved);
    let is_said = is_interleaved || findings.any(|(strength, ..)| strength >= FALSE_THROUGHOUT);
    (!is_said).then(|| {
        format!(
            "Placing programs by memory gains nothing: the farthest costs at most {:.1} % more \
             than the nearest. Leave it to the kernel.",
            100.0 * high
        )
    })
}
