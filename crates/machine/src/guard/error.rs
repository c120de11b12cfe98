//! Why a setting was not set, or is not restored.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::MachineError;

/// What failed, and where.
#[derive(Debug, Error)]
pub enum GuardError {
    /// A setting that cannot be set.
    #[error("cannot set {name} to {value} ({path}): {why}")]
    Refused {
        /// The setting.
        name: String,
        /// The text.
        value: String,
        /// Its file.
        path: String,
        /// The reason.
        why: String,
    },
    /// A setting whose text before is unknown.
    #[error("cannot read {name} ({path}): {why}")]
    Unreadable {
        /// The setting.
        name: String,
        /// Its file.
        path: String,
        /// The reason.
        why: String,
    },
    /// A note that cannot be written.
    #[error("cannot write {0}: {1}")]
    Note(PathBuf, String),
    /// A note that cannot be used: its guard's settings are unknown.
    #[error(
        "cannot use {}: {why}; what a killed nearfar changed cannot be restored from it: check \
         the settings, then remove the file",
        path.display()
    )]
    Unusable {
        /// The note.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The guard did not start.
    #[error("cannot start the guard that restores settings: {0}; nothing was changed")]
    Start(String),
    /// Another guard is at work: its settings are not those before.
    #[error(
        "another nearfar (guard {0}) switches settings of this machine: wait until it has ended"
    )]
    AtWork(u32),
    /// The settings of a guard that was killed are not restored.
    #[error(
        "an earlier nearfar was killed with its guard, and left settings of this machine changed: \
         {0}"
    )]
    LeftChanged(Box<GuardError>),
    /// A folder without a machine.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The pipes of a guard.
    #[error("cannot reach the process that started this guard: {0}")]
    Pipe(io::Error),
}

// Not by `#[from]`: the message has the cause.
impl From<io::Error> for GuardError {
    fn from(cause: io::Error) -> Self {
        Self::Pipe(cause)
    }
}
