//! What disturbed a measurement, and what to do about it: sentences of a document's warnings.

mod cells;
mod environment;
mod overview;
mod precision;
mod samples;
mod skipped;

use nearfar_survey::{Survey, Warning, WarningKind};

use super::Verbosity;

pub(crate) use overview::overview;

/// A warning in sentences.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WarningText {
    /// What happened, with its figures.
    pub(crate) text: String,
    /// What to do about it; a command where there is one.
    pub(crate) remedy: Option<String>,
}

impl WarningText {
    /// The sentences of a warning of this survey.
    pub(crate) fn new(warning: &Warning, survey: &Survey, verbosity: Verbosity) -> Self {
        let instrument = warning.instrument.as_deref().unwrap_or_default();
        match &warning.kind {
            WarningKind::Environment(of) => environment::text(of, &survey.machine),
            WarningKind::Skipped(of) => skipped::text(of, instrument),
            WarningKind::Precision(of) => precision::text(of, instrument, survey, verbosity),
            WarningKind::Samples(of) => samples::text(of, instrument, &survey.machine, verbosity),
            WarningKind::Cell(of) => cells::text(of, instrument, &survey.machine),
        }
    }

    fn with_remedy(text: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { text: text.into(), remedy: Some(remedy.into()) }
    }

    fn without_remedy(text: impl Into<String>) -> Self {
        Self { text: text.into(), remedy: None }
    }
}

#[cfg(test)]
mod tests {
    use nearfar_survey::Survey;

    /// One of several instruments.
    pub(super) fn survey() -> Survey {
        let golden = include_str!("../../tests/golden/several.json");
        serde_json::from_str(golden).unwrap()
    }
}
