//! What the figures mean, and what disturbed them.

use nearfar_survey::Survey;

use crate::paragraph;

/// "What this means", numbered.
pub(super) fn meaning(survey: &Survey) -> String {
    if survey.meaning.is_empty() {
        return String::new();
    }
    let lines = survey
        .meaning
        .iter()
        .zip(1..)
        .map(|(sentence, number)| paragraph::of(sentence, &format!("  {number}  "), "     "));
    format!("What this means\n{}", lines.collect::<String>())
}

/// "Warnings", each with its remedy.
pub(super) fn warnings(survey: &Survey) -> String {
    // Cells that could not be measured have their reason under the matrix.
    let mut warnings = survey.warnings.iter().filter(|warning| warning.code != "cell-unmeasured").peekable();
    if warnings.peek().is_none() {
        return String::new();
    }
    let told = |text: &str| paragraph::of(text, "  !  ", "     ");
    let lines = warnings.map(|warning| match &warning.remedy {
        Some(remedy) => told(&warning.text) + &paragraph::of(remedy, "     remedy: ", "       "),
        None => told(&warning.text),
    });
    format!("Warnings\n{}", lines.collect::<String>())
}
