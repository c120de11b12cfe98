//! Why a sweep stopped.

use serde::{Deserialize, Serialize};

/// Why a sweep stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// Every median is known as well as was asked for.
    Precise,
    /// The blocks ran out.
    RunLimit,
    /// The time ran out.
    TimeLimit,
    /// Somebody interrupted it.
    Interrupted,
    /// Every configuration has failed so often that it was given up.
    NothingRuns,
}

impl Stop {
    /// The reason's name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Precise => "precise",
            Self::RunLimit => "run-limit",
            Self::TimeLimit => "time-limit",
            Self::Interrupted => "interrupted",
            Self::NothingRuns => "nothing-runs",
        }
    }
}
