//! Why the system shows its nodes, below the measured verdict.

use nearfar_diagnose::Diagnosis;
use nearfar_survey::Survey;

use nearfar_diagnose::text::without_hint;
use nearfar_view::text::paragraph;

/// A line or two; none in documents without a diagnosis.
pub(super) fn text(survey: &Survey) -> String {
    let Some(diagnosis) = &survey.claims.diagnosis else { return String::new() };
    let head = format!("Diagnosis ({}): ", diagnosis.confidence.name());
    let text = format!("{} Evidence: 'nearfar diagnose'.", sentence(survey, diagnosis));
    paragraph::of(&text, &head, "")
}

/// The diagnosis in a sentence. A survey that searched for hidden nodes needs no hint to do so.
pub(crate) fn sentence(survey: &Survey, diagnosis: &Diagnosis) -> String {
    if survey.hidden.is_some() {
        without_hint(diagnosis)
    } else {
        nearfar_diagnose::text::sentence(diagnosis)
    }
}
