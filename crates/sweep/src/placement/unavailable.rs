//! A placement that this machine cannot have.

use serde::{Deserialize, Serialize};

use super::refusal::PlacementRefusal;

/// A placement that this machine cannot have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unavailable {
    /// The placement.
    pub placement: String,
    /// Why not.
    pub why: PlacementRefusal,
}
