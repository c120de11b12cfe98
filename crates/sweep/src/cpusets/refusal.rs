//! Why there are no cpusets around runs.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// Why there are no cpusets around runs. Each `error` is what the kernel says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum CpusetRefusal {
    /// Nobody wanted them (`--no-cpusets`).
    Unwanted,
    /// The machine has no place for them.
    NoHome {
        /// What it lacks.
        error: String,
    },
    /// The controller cannot be switched on.
    NotSwitchedOn {
        /// The file that does it.
        file: String,
        /// Why not.
        error: String,
    },
    /// A group cannot be made.
    NotMade {
        /// Its folder.
        folder: String,
        /// Why not.
        error: String,
    },
    /// A group cannot be bound.
    NotBound {
        /// The file that does it.
        file: String,
        /// What it shall hold.
        value: String,
        /// Why not.
        error: String,
    },
    /// A group cannot be entered.
    NotEntered {
        /// The file that does it.
        file: String,
        /// Why not.
        error: String,
    },
    /// The thread that starts programs in a group cannot be started.
    NoThread {
        /// Why not.
        error: String,
    },
    /// That thread ended.
    ThreadEnded,
    /// A sentence of an older document (before schema 2), kept as it is.
    #[serde(untagged)]
    Sentence(String),
}

impl CpusetRefusal {
    pub(super) fn not_made(folder: &Path, error: &io::Error) -> Self {
        Self::NotMade { folder: folder.display().to_string(), error: error.to_string() }
    }

    pub(super) fn not_bound(file: &Path, value: String, error: &io::Error) -> Self {
        Self::NotBound { file: file.display().to_string(), value, error: error.to_string() }
    }

    pub(super) fn not_entered(file: &Path, error: &io::Error) -> Self {
        Self::NotEntered { file: file.display().to_string(), error: error.to_string() }
    }
}
