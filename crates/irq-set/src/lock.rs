//! One nearfar at a time sets interrupts: two would take each other's state for the one before.

use std::fs::{self, File, OpenOptions};
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

use crate::error::IrqSetError;

/// Held until it is dropped; the kernel releases it when the process ends.
#[derive(Debug)]
pub struct SetLock(#[expect(dead_code, reason = "the open file holds the lock")] File);

impl SetLock {
    /// Takes the lock below `run`.
    ///
    /// # Errors
    ///
    /// Another process has it, or the folder is not writable.
    ///
    /// # References
    ///
    /// flock(2)
    pub fn take(run: &Path) -> Result<Self, IrqSetError> {
        let path = run.join("nearfar").join("irq.lock");
        let unusable = |why: String| IrqSetError::Note { path: path.clone(), why };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| unusable(error.to_string()))?;
        }
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(|error| unusable(error.to_string()))?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)
            .map_err(|_| unusable("another nearfar is setting interrupts".to_owned()))?;
        Ok(Self(file))
    }
}
