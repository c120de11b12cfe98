//! What the figures mean, and what disturbed them.

use nearfar_survey::Survey;

/// "What this means", numbered.
pub(super) fn meaning(survey: &Survey) -> String {
    if survey.meaning.is_empty() {
        return String::new();
    }
    let lines = survey.meaning.iter().zip(1..).map(|(sentence, number)| format!("  {number}  {sentence}\n"));
    format!("What this means\n{}", lines.collect::<String>())
}

/// "Warnings", each with its remedy.
pub(super) fn warnings(survey: &Survey) -> String {
    if survey.warnings.is_empty() {
        return String::new();
    }
    let lines = survey.warnings.iter().map(|warning| match &warning.remedy {
        Some(remedy) => format!("  !  {}\n     remedy: {remedy}\n", warning.text),
        None => format!("  !  {}\n", warning.text),
    });
    format!("Warnings\n{}", lines.collect::<String>())
}
