//! Why the system shows its nodes, below the measured verdict.

use nearfar_survey::Survey;

use crate::paragraph;

/// A line or two; none in documents without a diagnosis.
pub(super) fn text(survey: &Survey) -> String {
    let Some(diagnosis) = &survey.claims.diagnosis else { return String::new() };
    let head = format!("Diagnosis ({}): ", diagnosis.confidence.name());
    paragraph::of(
        &format!("{} Evidence: nearfar diagnose", crate::diagnosis::sentence(diagnosis)),
        &head,
        "",
    )
}
