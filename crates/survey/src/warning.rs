//! Warnings are data: what disturbed a measurement, and what to do about it.

use serde::{Deserialize, Serialize};

/// One disturbance and its remedy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Warning {
    /// A name for scripts, in kebab-case, never renamed.
    pub code: String,
    /// What happened, in a sentence with its numbers.
    pub text: String,
    /// What to do about it; a command where there is one.
    pub remedy: Option<String>,
    /// The instrument that it disturbed, by the name that users give it; null where it bears on all of them.
    #[serde(default)]
    pub instrument: Option<String>,
}

impl Warning {
    pub(crate) fn new(code: &str, text: impl Into<String>, remedy: Option<&str>) -> Self {
        Self { code: code.to_owned(), text: text.into(), remedy: remedy.map(str::to_owned), instrument: None }
    }

    /// The same, of one instrument.
    pub(crate) fn of(self, instrument: &str) -> Self {
        Self { instrument: Some(instrument.to_owned()), ..self }
    }
}
