//! Whether a facility is available.

use serde::{Deserialize, Serialize};

/// Whether a facility is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CheckState {
    /// It is.
    Allowed,
    /// In part, or up to a limit.
    Limited,
    /// It is there, and a setting switches it off.
    Off,
    /// A call is refused, or a file may not be written.
    Refused,
    /// A file exists, and is not readable.
    Unreadable,
    /// It is not here: the machine or the kernel does not have it, or a container hides it.
    Absent,
}
