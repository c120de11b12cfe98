//! What the figures mean, and what disturbed them.

use nearfar_survey::Survey;

use crate::printable::line;

/// "What this means", numbered.
pub(super) fn meaning(survey: &Survey) -> String {
    if survey.meaning.is_empty() {
        return String::new();
    }
    let lines = survey.meaning.iter().zip(1..).map(|(sentence, number)| format!("  {number}  {}\n", line(sentence)));
    format!("What this means\n{}", lines.collect::<String>())
}

/// "Warnings", each with its remedy.
pub(super) fn warnings(survey: &Survey) -> String {
    // Cells that could not be measured have their reason under the matrix.
    let mut told = survey.warnings.iter().filter(|warning| warning.code != "cell-unmeasured").peekable();
    if told.peek().is_none() {
        return String::new();
    }
    let lines = told.map(|warning| match &warning.remedy {
        Some(remedy) => format!("  !  {}\n     remedy: {}\n", line(&warning.text), line(remedy)),
        None => format!("  !  {}\n", line(&warning.text)),
    });
    format!("Warnings\n{}", lines.collect::<String>())
}
