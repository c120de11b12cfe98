//! Where memory is uniform, or nobody can tell.

use nearfar_infer::Numa;

use crate::Survey;

/// A table that is wrong by this much is false throughout: then that is said.
const FALSE_THROUGHOUT: f64 = 100.0;

/// What the figures leave open.
pub(super) fn not_known(survey: &Survey) -> Option<String> {
    let verdict = &survey.verdict;
    if verdict.numa != Numa::Undetermined || survey.latency.rows.is_empty() {
        return None;
    }
    let settled_by = verdict.would_settle.as_deref().map_or_else(String::new, |what| format!(" ({what})"));
    Some(match verdict.ci95 {
        Some([low, high]) => format!(
            "Do not place programs by these figures: memories may differ by anything from {:.1} to {:.1} %. 'nearfar survey --thorough' tells more{settled_by}.",
            100.0 * low,
            100.0 * high
        ),
        None => {
            let cells = &survey.latency.cells;
            let known = cells.iter().filter(|cell| cell.median.is_some()).count();
            format!(
                "Do not place programs by these figures: {known} of {} cells have one, and none can be compared{settled_by}.",
                cells.len()
            )
        }
    })
}

/// That placing gains nothing, unless a false table says so already.
pub(super) fn uniform(survey: &Survey) -> Option<String> {
    let [_, high] = survey.verdict.ci95.filter(|_| survey.verdict.numa == Numa::No)?;
    let mut findings = survey.claims_vs_measured.iter().flat_map(crate::ClaimsMeasured::findings);
    let is_said = findings.any(|(strength, _)| strength >= FALSE_THROUGHOUT);
    (!is_said).then(|| {
        format!(
            "Placing programs by memory gains nothing: the farthest costs at most {:.1} % more than the nearest. Leave it to the kernel.",
            100.0 * high
        )
    })
}
