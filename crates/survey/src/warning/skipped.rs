//! Warnings of instruments that were to measure and did not.

use serde::{Deserialize, Serialize};

/// Why an instrument did not measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(rename = "LeftOutWarning")]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum SkippedWarning {
    /// The budget left no time.
    InstrumentLeftOut {
        /// The budget, in seconds.
        budget_s: f64,
        /// The instruments that it left no time for.
        instruments: Vec<NeedsTime>,
    },
    /// Ctrl-C came first.
    Interrupted {
        /// Before these instruments had measured.
        instruments: Vec<String>,
    },
    /// The instrument failed, at once or before its end.
    InstrumentFailed {
        /// Its error.
        why: String,
    },
}

/// An instrument that there was no time for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NeedsTime {
    /// The instrument's name.
    pub instrument: String,
    /// About how long it takes, in seconds.
    pub needs_s: f64,
}
