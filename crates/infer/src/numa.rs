//! The answer to the question: is it NUMA?

use std::fmt;

use serde::{Deserialize, Serialize};

/// The answer.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Numa {
    /// Memory differs, by more than the threshold.
    Yes,
    /// Memory is uniform within the threshold.
    No,
    /// The data is insufficient.
    #[default]
    Undetermined,
}

impl fmt::Display for Numa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Undetermined => "undetermined",
        })
    }
}
