//! Warnings are data: what disturbed a measurement. Reports make sentences and remedies of them.

mod cells;
mod code;
mod environment;
mod precision;
mod samples;
mod skipped;

pub use cells::{CellLevels, CellWarning, FillsContradict, Outlier, TwoLevels};
pub use code::WarningCode;
pub use environment::EnvironmentWarning;
pub use precision::PrecisionWarning;
pub use samples::{Attempts, DroppedCode, SampleWarning};
pub use skipped::{NeedsTime, SkippedWarning};

use serde::{Deserialize, Serialize};

/// One disturbance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Warning {
    /// What it is, with its figures: `code` is a name for scripts, in kebab-case, never renamed.
    #[serde(flatten)]
    pub kind: WarningKind,
    /// The instrument that it disturbed, by its name for users; null where it bears on all.
    #[serde(default)]
    pub instrument: Option<String>,
}

/// What disturbed a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum WarningKind {
    /// The machine's settings and counters.
    Environment(EnvironmentWarning),
    /// An instrument that was to measure and did not.
    Skipped(SkippedWarning),
    /// Cells without a figure, or with one that is not precise.
    Precision(PrecisionWarning),
    /// What samples show.
    Samples(SampleWarning),
    /// An outlier, a cell with two levels, or one whose fills contradict its placement.
    Cell(CellWarning),
    /// One of an older document, in its words.
    Sentence {
        /// Its name for scripts.
        code: String,
        /// What happened.
        text: String,
        /// What to do about it.
        remedy: Option<String>,
    },
}

impl Warning {
    /// Of the whole machine.
    pub(crate) fn of_all(kind: WarningKind) -> Self {
        Self { kind, instrument: None }
    }

    /// Of one instrument.
    pub(crate) fn new(instrument: &str, kind: WarningKind) -> Self {
        Self { kind, instrument: Some(instrument.to_owned()) }
    }

    /// What it is about.
    pub fn code(&self) -> WarningCode {
        self.kind.code()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// As it is read, and as it is written again.
    fn read(document: &Value) -> (Warning, String) {
        let warning: Warning = serde_json::from_value(document.clone()).unwrap();
        let written = serde_json::to_string(&warning).unwrap();
        (warning, written)
    }

    #[test]
    fn warnings_have_a_code_and_figures() {
        let dropped = SampleWarning::Dropped {
            code: DroppedCode::new("stalled"),
            dropped: 3,
            attempts: 40,
            counted: Attempts::Samples,
        };
        let throttled = EnvironmentWarning::Throttled { periods: 12, throttled_us: None };
        for (warning, code, name) in [
            (
                Warning::new("latency", WarningKind::Samples(dropped)),
                WarningCode::Dropped,
                "dropped-stalled",
            ),
            (
                Warning::of_all(WarningKind::Environment(throttled)),
                WarningCode::Throttled,
                "throttled",
            ),
        ] {
            let document = serde_json::to_value(&warning).unwrap();
            assert_eq!((warning.code(), &document["code"]), (code, &name.into()));
            assert!(name.starts_with(code.name()));
            assert_eq!(read(&document).0, warning);
        }
    }

    #[test]
    fn older_warnings_keep_their_text() {
        for code in ["thp-off", "bursts", "dropped-stalled", "two-levels", "stands-out"] {
            let document =
                json!({"code": code, "text": "T.", "remedy": "R", "instrument": "latency"});
            let (warning, written) = read(&document);
            let WarningKind::Sentence { text, remedy, .. } = &warning.kind else {
                panic!("{warning:?}")
            };
            assert_eq!((text.as_str(), remedy.as_deref()), ("T.", Some("R")));
            assert_ne!(warning.code(), WarningCode::Other, "{code}");
            assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), document);
        }
        let (oldest, _) = read(&json!({"code": "load", "text": "T.", "remedy": null}));
        assert_eq!(oldest.instrument, None);
    }
}
