//! What an earlier process left, before a new one begins.

use std::fs;
use std::path::Path;

use crate::error::GuardError;
use crate::note::{NoteState, noted};
use crate::setting_files::RootedFiles;
use crate::started::is_alive;

/// The settings of the machine before a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// No process changes them.
    Clear,
    /// This guard's process changes them.
    ChangedBy(u32),
    /// A killed guard had left them changed; they are restored now.
    Restored,
}

/// Restores what a killed guard could not. `run` is the folder of notes.
///
/// # Errors
///
/// A setting that cannot be restored.
pub fn settle(run: &Path, files: &RootedFiles) -> Result<Settled, GuardError> {
    let live = nearfar_machine::Source::live();
    match noted(run, |pid, started| is_alive(&live, pid, started)) {
        None => Ok(Settled::Clear),
        Some(NoteState::AtWork(note)) => Ok(Settled::ChangedBy(note.guard)),
        Some(NoteState::LeftBehind(file, note)) => {
            let source = files.source()?;
            let restored = note.before.restore(files, &source);
            restored.map_err(|why| GuardError::LeftChanged(Box::new(why)))?;
            let _ = fs::remove_file(file);
            Ok(Settled::Restored)
        }
    }
}
