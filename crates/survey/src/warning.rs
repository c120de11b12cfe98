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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Warning {
    /// What it is, with its figures: `code` is a name for scripts, in kebab-case, never renamed.
    #[serde(flatten)]
    pub kind: WarningKind,
    /// The instrument that it disturbed, by its name for users; null where it bears on all.
    #[serde(default)]
    pub instrument: Option<String>,
}

/// What disturbed a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
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
}

impl Warning {
    /// Of the whole machine.
    pub(crate) fn for_all(kind: WarningKind) -> Self {
        Self { kind, instrument: None }
    }

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
    use super::*;

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
                Warning::for_all(WarningKind::Environment(throttled)),
                WarningCode::Throttled,
                "throttled",
            ),
        ] {
            let document = serde_json::to_value(&warning).unwrap();
            assert_eq!((warning.code(), &document["code"]), (code, &name.into()));
            assert!(name.starts_with(code.name()));
            assert_eq!(serde_json::from_value::<Warning>(document).unwrap(), warning);
        }
    }
}
