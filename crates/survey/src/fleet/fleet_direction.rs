//! Slower or faster.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether memory is slower or faster: latency up and bandwidth down are both slower.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum FleetDirection {
    /// Slower than the others.
    Slower,
    /// Faster than the others.
    Faster,
}
