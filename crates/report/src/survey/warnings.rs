//! What disturbed a measurement, and what to do about it: sentences of a document's warnings.

mod cells;
mod environment;
mod left_out;
mod precision;
mod samples;

use nearfar_survey::{Survey, Warning, WarningKind};

/// A warning in words.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Told {
    /// What happened, in a sentence with its numbers.
    pub(crate) text: String,
    /// What to do about it; a command where there is one.
    pub(crate) remedy: Option<String>,
}

impl Told {
    fn new(text: String, remedy: impl Into<String>) -> Self {
        Self { text, remedy: Some(remedy.into()) }
    }

    fn without_remedy(text: String) -> Self {
        Self { text, remedy: None }
    }
}

/// A warning of this survey in words.
pub(crate) fn told(warning: &Warning, survey: &Survey) -> Told {
    let instrument = warning.instrument.as_deref().unwrap_or_default();
    match &warning.kind {
        WarningKind::Environment(of) => environment::told(of, &survey.machine),
        WarningKind::Skipped(of) => left_out::told(of, instrument),
        WarningKind::Precision(of) => precision::told(of, instrument, &survey.provenance),
        WarningKind::Samples(of) => samples::told(of, instrument, &survey.machine),
        WarningKind::Cell(of) => cells::told(of, instrument, &survey.machine),
        WarningKind::Sentence { text, remedy, .. } => {
            Told { text: text.clone(), remedy: remedy.clone() }
        }
    }
}

#[cfg(test)]
mod tests {
    use nearfar_survey::Survey;
    use serde_json::json;

    use super::*;

    /// One of several instruments.
    pub(super) fn survey() -> Survey {
        let golden = include_str!("../../tests/golden/several.json");
        serde_json::from_str(golden).unwrap()
    }

    #[test]
    fn an_older_documents_warning_is_told_in_its_words() {
        let document = json!({"code": "thp-off", "text": "T.", "remedy": "R", "instrument": null});
        let warning = serde_json::from_value(document).unwrap();
        assert_eq!(told(&warning, &survey()), Told::new("T.".to_owned(), "R"));
    }
}
