//! Values of rows that are more than a number.

use nearfar_model::{Bytes, NodeId};
use serde::{Deserialize, Serialize};

/// A figure with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Interval {
    /// The figure.
    pub value: f64,
    /// Its 95 % interval; both ends are the figure where all pages were located.
    pub ci95: [f64; 2],
}

/// Memory on a node.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NodeBytes {
    /// The node.
    #[schemars(with = "u32")]
    pub node: NodeId,
    /// Bytes there.
    #[schemars(with = "u64")]
    pub bytes: Bytes,
}

/// Threads on a node.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NodeThreads {
    /// The node.
    #[schemars(with = "u32")]
    pub node: NodeId,
    /// Threads there; of processes with more than 256 threads an estimate.
    pub threads: u64,
}

/// Memory that moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MovingMemory {
    /// The node it leaves.
    #[schemars(with = "u32")]
    pub from: NodeId,
    /// The node it comes to.
    #[schemars(with = "u32")]
    pub to: NodeId,
    /// Bytes a second, between the last two samples.
    pub bytes_per_s: f64,
}
