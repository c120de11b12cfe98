//! What the usual placements were chosen by.

use serde::{Deserialize, Serialize};

/// What tells how far nodes are from each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum ChosenBy {
    /// A kept survey.
    Survey {
        /// Its file.
        file: String,
    },
    /// Distances that firmware claims.
    Firmware,
    /// The machine's shape: nothing tells distances.
    Shape,
    /// A sentence of an older document (before schema 2), kept as it is.
    #[serde(untagged)]
    Sentence(String),
}
