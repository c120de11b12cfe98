//! What measuring objects will take.

use std::time::Duration;

use nearfar_model::Bytes;

/// A stage, before it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectsPlan {
    /// The object whose ranges these are.
    pub cut: Option<String>,
    /// Number of objects, or of ranges.
    pub objects: usize,
    /// Runs of a block.
    pub runs: u32,
    /// Blocks.
    pub blocks: u32,
    /// How long it takes.
    pub time: Duration,
    /// Memory that will move, about.
    pub bytes: Bytes,
    /// Seconds that moving takes, about.
    pub moving_s: f64,
    /// The share of pages that take part.
    pub taking_part: f64,
}
