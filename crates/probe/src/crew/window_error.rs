//! Why a window of a crew gives no rates.

use thiserror::Error;

use crate::answer::DropReason;
use crate::probe_error::ProbeError;

/// Why a window gives no rates.
#[derive(Debug, Error)]
pub enum WindowError {
    /// It was disturbed: another one may give some.
    #[error("the window was disturbed ({})", .0.name())]
    Disturbed(DropReason),
    /// A duty cannot be done at all.
    #[error(transparent)]
    Failed(#[from] ProbeError),
}

impl From<DropReason> for WindowError {
    fn from(reason: DropReason) -> Self {
        Self::Disturbed(reason)
    }
}
