//! Why `/proc` does not show all processes.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why `/proc` does not show all processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HiddenBy {
    /// `/proc` is mounted with `hidepid`.
    MountOption,
    /// Processes outside of this PID namespace are not visible.
    PidNamespace,
    /// `/proc` shows processes of another PID namespace.
    ForeignProc,
    /// Process 1 is not visible, for another reason: a security module, for example.
    Unknown,
}

impl HiddenBy {
    /// Whether processes of this PID namespace are hidden, too.
    pub fn is_within_namespace(self) -> bool {
        self != Self::PidNamespace
    }
}

/// As a clause of a message.
impl fmt::Display for HiddenBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MountOption => {
                "/proc may hide some (mount option hidepid); root with CAP_SYS_PTRACE sees all"
            }
            Self::PidNamespace => "only those of this PID namespace are visible",
            Self::ForeignProc => "/proc shows those of another PID namespace",
            Self::Unknown => "/proc does not show process 1",
        })
    }
}
