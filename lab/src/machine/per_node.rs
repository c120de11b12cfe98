//! Numbers of nodes in descriptions.

use serde::{Deserialize, Serialize};

/// A number for each node with memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "a number, or a list with one number for each node with memory")]
pub(crate) enum PerNode {
    /// The same for all.
    All(f64),
    /// In the order of their ids.
    Each(Vec<f64>),
}
