//! One nearfar at a time sets interrupts: two would take each other's state for the one before.

use std::fs::File;
use std::path::Path;

use nearfar_machine::guard::notes_folder;
use nearfar_view::owned_files::{NoteError, NoteFault, PrivateFolder};

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
        let path = folder.join(NAME);
        let taken = PrivateFolder::create(&folder).and_then(|folder| folder.lock(NAME));
        let held = taken.map_err(|error| NoteError::new(&path, &error))?;
        let fault = NoteFault::Taken("another nearfar is setting interrupts");
        Ok(held.map(Self).ok_or(NoteError { path, fault })?)
    }
}
