//! What an earlier process left, before a new one begins.

use std::path::{Path, PathBuf};

use nearfar_view::owned_files::{Note, NoteError, NoteFault, PathRefusal};

use crate::Source;
use crate::guard::error::GuardError;
use crate::guard::note::SettingNote;
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
    let note = match SettingNote::read(&SettingNote::path(run)) {
        Err(NoteError {
            fault: NoteFault::Refused(PathRefusal::NotOwn { path, owner: 0, .. }),
            ..
        }) => return Ok(Settled::Hidden(path)),
        note => note?,
    };
    let Some(note) = note else { return Ok(Settled::Clear) };
    if is_alive(&Source::live(), note.guard, note.started) {
        return Ok(Settled::ChangedBy(note.guard));
    }
    let source = files.source()?;
    let restored = note.before.restore(files, &source);
    restored.map_err(|why| GuardError::LeftChanged(Box::new(why)))?;
    SettingNote::remove_own(run, note.guard);
    Ok(Settled::Restored)
}
