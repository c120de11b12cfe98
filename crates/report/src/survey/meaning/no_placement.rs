//! Memory that is uniform or undetermined.

use nearfar_infer::Numa;
use nearfar_survey::{ClaimsMeasured, HiddenFinding, Survey};

use crate::survey::verdict::would_settle;

/// From this strength on, a table of claims is wrong throughout.
const WRONG_THROUGHOUT: f64 = 100.0;

/// What an undetermined verdict allows.
pub(super) fn undetermined(survey: &Survey) -> Option<String> {
    let verdict = &survey.verdict;
    if verdict.numa != Numa::Undetermined || survey.latency.rows.is_empty() {
        return None;
    }
    let settled_by = would_settle(survey).unwrap_or_else(|| "nearfar survey --thorough".to_owned());
    Some(match verdict.ci95 {
        Some([_, high]) if high < verdict.threshold => format!(
            "Do not assume uniform memory yet, although it differs by at most {:.1} %. What would \
             settle it: {settled_by}.",
            100.0 * high
        ),
        Some([_, high]) => format!(
            "Too uncertain to act on: memory may differ by up to {:.1} %. 'nearfar survey \
             --thorough' narrows the interval.",
            100.0 * high
        ),
        None => {
            let cells = &survey.latency.cells;
            let known = cells.iter().filter(|cell| cell.median.is_some()).count();
            format!(
                "Too uncertain to act on: {known} of {} cells have a figure, and no two can be \
                 compared. What would settle it: {settled_by}.",
                cells.len()
            )
        }
    })
}

/// Placement gains nothing. Interleaved lines and wrong tables have their own sentence.
pub(super) fn uniform(survey: &Survey) -> Option<String> {
    let [_, high] = survey.verdict.ci95.filter(|_| survey.verdict.numa == Numa::No)?;
    let mut wrong = survey.claims_vs_measured.iter().flat_map(ClaimsMeasured::contradictions);
    let is_interleaved =
        survey.hidden.as_ref().is_some_and(|hidden| hidden.finding == HiddenFinding::Interleaved);
    let has_sentence = is_interleaved || wrong.any(|wrong| wrong.strength >= WRONG_THROUGHOUT);
    (!has_sentence).then(|| {
        format!(
            "Placement by memory gains nothing: the slowest memory is at most {:.1} % slower than \
             the fastest. Use the kernel's default.",
            100.0 * high
        )
    })
}
