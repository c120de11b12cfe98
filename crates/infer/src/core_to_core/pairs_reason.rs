//! What costs of pairs do not tell, and why.

use serde::{Deserialize, Serialize};

use super::claim::GroupKind;

/// What costs of pairs do not tell, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum PairsReason {
    /// More CPUs than are measured pair by pair.
    TooManyCpus {
        /// How many there are.
        cpus: usize,
        /// How many may be measured.
        most: usize,
    },
    /// One CPU has no pairs.
    OneCpu,
    /// Two CPUs are one pair, and there is nothing to compare it with.
    OnePair,
    /// No pair could be measured.
    NotMeasured,
    /// Costs do not separate into groups.
    NoGroups {
        /// Pairs with a cost.
        pairs: usize,
    },
    /// Pairs inside claimed groups cost as much as pairs beyond.
    SameInsideAndBeyond {
        /// What the groups share.
        shares: GroupKind,
        /// How many groups are claimed.
        groups: usize,
    },
    /// More measurements were wanted than allowed.
    TooFewMeasurements {
        /// How many were allowed.
        measurements: usize,
        /// Whether they were of all pairs: then too many were disturbed.
        of_all_pairs: bool,
    },
    /// A sentence of a document before schema 2.
    #[serde(untagged)]
    Sentence(String),
}
