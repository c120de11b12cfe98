//! Why parts and cells of two surveys are not compared.

use serde::Serialize;

/// Why a part is not compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum PartUncompared {
    /// Only the first survey has it.
    OnlyInFirst,
    /// Only the second survey has it.
    OnlyInSecond,
    /// It was measured with different probes.
    OtherProbe {
        /// The first survey's.
        first: String,
        /// The second's.
        second: String,
    },
}

/// Why a cell is not compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum CellUncompared {
    /// A figure is not known, or not how certain it is.
    Unknown {
        /// What each survey lacks; null where it lacks nothing.
        surveys: [Option<UnknownFigure>; 2],
    },
    /// A figure is no number that can be compared.
    NoNumber,
}

/// What a cell lacks to be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum UnknownFigure {
    /// It has no figure.
    NoFigure {
        /// Why not, where the survey has the reason.
        why: Option<String>,
    },
    /// Its figure has no standard error.
    NoError,
}
