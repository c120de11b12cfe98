//! Why a window of a thread team gives no rates.

use thiserror::Error;

use crate::probe_error::ProbeError;
use crate::worker_message::DropReason;

/// Why a window gives no rates.
#[derive(Debug, Error)]
pub enum WindowError {
    /// It was disturbed: another one may be valid.
    #[error("the window was disturbed ({})", .0.name())]
    Disturbed(DropReason),
    /// A task is impossible.
    #[error(transparent)]
    Failed(#[from] ProbeError),
}

impl From<DropReason> for WindowError {
    fn from(reason: DropReason) -> Self {
        Self::Disturbed(reason)
    }
}
