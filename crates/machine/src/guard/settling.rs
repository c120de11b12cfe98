//! What an earlier process left, before a new one begins.

use std::path::{Path, PathBuf};

use crate::guard::error::GuardError;
use crate::guard::note::{self, NoteState, noted};
use crate::guard::setting_files::RootedFiles;
use crate::guard::started::is_alive;

/// The settings of the machine before a measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    /// No process changes them.
    Clear,
    /// This guard's process changes them.
    ChangedBy(u32),
    /// A killed guard had left them changed; they are restored now.
    Restored,
    /// Whether a process changes them is unknown: the folder of root's notes is closed.
    Hidden(PathBuf),
}

/// Restores what a killed guard could not. `run` is the folder of notes.
///
/// # Errors
///
/// A setting that cannot be restored, or a damaged note.
pub fn settle(run: &Path, files: &RootedFiles) -> Result<Settled, GuardError> {
    let live = crate::Source::live();
    match noted(run, |pid, started| is_alive(&live, pid, started))? {
        None => Ok(Settled::Clear),
        Some(NoteState::AtWork(note)) => Ok(Settled::ChangedBy(note.guard)),
        Some(NoteState::Hidden(folder)) => Ok(Settled::Hidden(folder)),
        Some(NoteState::LeftBehind(left)) => {
            let source = files.source()?;
            let restored = left.before.restore(files, &source);
            restored.map_err(|why| GuardError::LeftChanged(Box::new(why)))?;
            note::remove(run, left.guard);
            Ok(Settled::Restored)
        }
    }
}
