//! One nearfar at a time sets interrupts: two would take each other's state for the one before.

use std::fs::File;
use std::path::Path;

use nearfar_machine::guard::notes_folder;
use nearfar_view::owned_files::PrivateFolder;

use crate::irq_set::error::IrqSetError;

const NAME: &str = "irq.lock";

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
        let folder = notes_folder(run);
        let unusable = |why: String| IrqSetError::Note { path: folder.join(NAME), why };
        let taken = PrivateFolder::create(&folder).and_then(|folder| folder.lock(NAME));
        let held = taken.map_err(|error| unusable(error.to_string()))?;
        held.map(Self).ok_or_else(|| unusable("another nearfar is setting interrupts".to_owned()))
    }
}
