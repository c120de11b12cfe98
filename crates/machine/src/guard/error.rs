//! Why a setting was not set, or is not restored.

use std::io;

use nearfar_view::owned_files::NoteError;
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
    /// A note that cannot be written or read.
    #[error(transparent)]
    Note(#[from] NoteError),
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
