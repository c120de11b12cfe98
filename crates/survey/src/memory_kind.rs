//! Local and remote memory.

use serde::{Deserialize, Serialize};

/// Memory as seen from CPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryKind {
    /// Of their own node.
    Local,
    /// Of another package.
    Remote,
}
