//! Which memories are as far away as each other, and which nodes are connected directly; or why
//! nothing is claimed of it.

use nearfar_infer::classes::{self, LatencyClass};
use nearfar_infer::links::{self, Links};
use serde::{Deserialize, Serialize};

/// Distance classes, near to far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DistanceClasses {
    /// The classes. Empty where `refused` gives the reason.
    pub classes: Vec<LatencyClass>,
    /// Why there are none.
    pub refused: Option<classes::NoClasses>,
}

/// Links between nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NodeLinks {
    /// The links. Empty where `refused` gives the reason.
    #[serde(flatten)]
    pub links: Links,
    /// Why links are undetermined.
    pub refused: Option<links::NoLinks>,
}
