//! Why groups are undetermined.

use serde::{Deserialize, Serialize};

use super::claim::GroupKind;

/// Why groups are undetermined.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum PairsReason {
    /// Too many CPUs for pairwise measurements.
    TooManyCpus {
        /// Number of CPUs.
        cpus: usize,
        /// The limit.
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
        /// Number of claimed groups.
        groups: usize,
    },
    /// The limit of measurements was reached.
    TooFewMeasurements {
        /// The limit.
        measurements: usize,
        /// Whether all pairs were requested: then too many were disturbed.
        of_all_pairs: bool,
    },
}
