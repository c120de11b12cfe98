//! The texts before, in a file: for a guard that is killed.

use std::io;
use std::path::{Path, PathBuf};

use nearfar_view::owned_files::{PathRefusal, PrivateFolder};
use serde::{Deserialize, Serialize};

use crate::guard::error::GuardError;
use crate::guard::values::SettingValues;

/// A note of what was set, and who is to put it back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingNote {
    /// The guard.
    pub guard: u32,
    /// When the guard was started, in the kernel's ticks since boot: numbers of processes are used
    /// again.
    pub started: u64,
    /// What was set.
    pub before: SettingValues,
}

/// Gone after a restart, as the settings are.
const FOLDER: &str = "nearfar";
const NAME: &str = "system-settings.json";

/// A note that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoteState {
    /// Its guard is at work: what is set now is not what was set before.
    AtWork(SettingNote),
    /// Its guard is gone, and had to put this back.
    LeftBehind(SettingNote),
    /// Root's folder of notes, which this user cannot read.
    Hidden(PathBuf),
}

/// The folder of notes and locks below this one.
pub fn notes_folder(run: &Path) -> PathBuf {
    run.join(FOLDER)
}

impl SettingNote {
    /// Writes it, whole from the beginning; an error where there is one already: two processes
    /// would take each other's settings for those before.
    pub fn keep(&self, run: &Path) -> Result<PathBuf, GuardError> {
        let path = notes_folder(run).join(NAME);
        match self.write(run) {
            Ok(()) => Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let why = "another nearfar's note is there: wait until that has ended".to_owned();
                Err(GuardError::Note(path, why))
            }
            Err(error) => Err(GuardError::Note(path, error.to_string())),
        }
    }

    fn write(&self, run: &Path) -> io::Result<()> {
        PrivateFolder::create(&notes_folder(run))?.keep_new(NAME, &serde_json::to_vec(self)?)
    }
}

/// Removes the note of this guard, and of no other.
pub(crate) fn remove(run: &Path, guard: u32) {
    let Ok(Some(folder)) = PrivateFolder::open(&notes_folder(run)) else { return };
    let note = folder.read(NAME).ok().flatten();
    let note = note.and_then(|bytes| serde_json::from_slice::<SettingNote>(&bytes).ok());
    if note.is_some_and(|note| note.guard == guard) {
        let _ = folder.remove(NAME);
        folder.remove_if_empty();
    }
}

/// What an earlier guard noted. `is_there` knows a process by its number and start.
///
/// # Errors
///
/// A note that is damaged, or not of this user.
pub fn noted(
    run: &Path,
    is_there: impl Fn(u32, u64) -> bool,
) -> Result<Option<NoteState>, GuardError> {
    let path = notes_folder(run);
    let bytes = match PrivateFolder::open(&path) {
        Ok(None) => return Ok(None),
        Ok(Some(folder)) => folder.read(NAME),
        Err(error) if is_of_root(&error) => return Ok(Some(NoteState::Hidden(path))),
        Err(error) => return Err(GuardError::Note(path, error.to_string())),
    };
    let unusable = |why: String| GuardError::Unusable { path: path.join(NAME), why };
    let Some(bytes) = bytes.map_err(|error| unusable(error.to_string()))? else { return Ok(None) };
    let note: SettingNote = serde_json::from_slice(&bytes)
        .map_err(|error| unusable(format!("it is damaged ({error})")))?;
    Ok(Some(if is_there(note.guard, note.started) {
        NoteState::AtWork(note)
    } else {
        NoteState::LeftBehind(note)
    }))
}

fn is_of_root(error: &io::Error) -> bool {
    matches!(PathRefusal::of(error), Some(PathRefusal::NotOwn { owner: 0, .. }))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::KernelSwitch;

    use super::*;
    use crate::guard::setting::GuardedSetting;

    fn note(guard: u32) -> SettingNote {
        SettingNote {
            guard,
            started: 9,
            before: SettingValues::from_iter([
                (GuardedSetting::Switch(KernelSwitch::Smt), "on".to_owned()),
                ("irq 24 of 0000:00:03.0".parse().unwrap(), "0-3".to_owned()),
            ]),
        }
    }

    #[test]
    fn notes_of_ended_guards_are_left_behind() {
        let run = tempfile::tempdir().unwrap();
        let noted = |is_there: &dyn Fn(u32, u64) -> bool| noted(run.path(), is_there);
        assert_eq!(noted(&|_, _| false).unwrap(), None);
        let path = note(7).keep(run.path()).unwrap();
        let is_there = |guard, started| (guard, started) == (7, 9);
        assert_eq!(noted(&is_there).unwrap(), Some(NoteState::AtWork(note(7))));
        assert_eq!(noted(&|_, _| false).unwrap(), Some(NoteState::LeftBehind(note(7))));
        for damage in ["", "{", "[]", "{\"guard\":7}"] {
            fs::write(&path, damage).unwrap();
            let line = noted(&|_, _| false).unwrap_err().to_string();
            let file = path.display();
            assert!(line.starts_with(&format!("cannot use {file}: it is damaged (")), "{line}");
            assert!(line.ends_with("check the settings, then remove the file"), "{line}");
        }
    }

    #[test]
    fn notes_are_not_overwritten() {
        let run = tempfile::tempdir().unwrap();
        let path = note(7).keep(run.path()).unwrap();
        let refused = note(8).keep(run.path()).unwrap_err().to_string();
        assert!(refused.contains("another nearfar's note is there"), "{refused}");
        assert_eq!(noted(run.path(), |_, _| true).unwrap(), Some(NoteState::AtWork(note(7))));
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no draft stays");
        remove(run.path(), 8);
        assert!(path.exists(), "it is the first one's");
        remove(run.path(), 7);
        note(8).keep(run.path()).unwrap();
    }
}
