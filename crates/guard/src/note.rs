//! The texts before, in a file: for a guard that is killed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use nearfar_model::Bytes;
use serde::{Deserialize, Serialize};

use crate::error::GuardError;
use crate::values::SettingValues;

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
/// Many times the settings of the largest machine.
const MOST_BYTES: Bytes = Bytes::mib(16);

/// A note that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoteState {
    /// Its guard is at work: what is set now is not what was set before.
    AtWork(SettingNote),
    /// Its guard is gone, and had to put this back; the file.
    LeftBehind(PathBuf, SettingNote),
}

impl SettingNote {
    /// Writes it, whole from the beginning; an error where there is one already: two processes
    /// would take each other's settings for those before.
    pub fn keep(&self, run: &Path) -> Result<PathBuf, GuardError> {
        let path = run.join(FOLDER).join(NAME);
        let draft = run.join(FOLDER).join(format!(".{NAME}-{}", self.guard));
        let kept = self.draft(&draft).and_then(|()| fs::hard_link(&draft, &path));
        let _ = fs::remove_file(&draft);
        match kept {
            Ok(()) => Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let why = "another nearfar's note is there: wait until that has ended".to_owned();
                Err(GuardError::Note(path, why))
            }
            Err(error) => Err(GuardError::Note(path, error.to_string())),
        }
    }

    fn draft(&self, draft: &Path) -> io::Result<()> {
        draft.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(draft, serde_json::to_vec(self)?)
    }
}

/// Removes the note of this guard, and of no other.
pub(crate) fn remove(run: &Path, guard: u32) {
    let path = run.join(FOLDER).join(NAME);
    if read(&path).is_some_and(|note| note.guard == guard) {
        let _ = fs::remove_file(path);
    }
}

fn read(path: &Path) -> Option<SettingNote> {
    serde_json::from_slice(&nearfar_input::read_entry(path, MOST_BYTES).ok()?).ok()
}

/// What an earlier guard noted. `is_there` knows a process by its number and start.
pub fn noted(run: &Path, is_there: impl Fn(u32, u64) -> bool) -> Option<NoteState> {
    let path = run.join(FOLDER).join(NAME);
    let note = read(&path)?;
    Some(if is_there(note.guard, note.started) {
        NoteState::AtWork(note)
    } else {
        NoteState::LeftBehind(path, note)
    })
}

#[cfg(test)]
mod tests {
    use nearfar_machine::KernelSwitch;

    use super::*;
    use crate::setting::GuardedSetting;

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
        assert_eq!(noted(run.path(), |_, _| false), None);
        let path = note(7).keep(run.path()).unwrap();
        let is_there = |guard, started| (guard, started) == (7, 9);
        assert_eq!(noted(run.path(), is_there), Some(NoteState::AtWork(note(7))));
        assert_eq!(
            noted(run.path(), |_, _| false),
            Some(NoteState::LeftBehind(path.clone(), note(7)))
        );
        fs::write(path, "{").unwrap();
        assert_eq!(noted(run.path(), |_, _| false), None);
    }

    #[test]
    fn notes_are_not_overwritten() {
        let run = tempfile::tempdir().unwrap();
        let path = note(7).keep(run.path()).unwrap();
        let refused = note(8).keep(run.path()).unwrap_err().to_string();
        assert!(refused.contains("another nearfar's note is there"), "{refused}");
        assert_eq!(noted(run.path(), |_, _| true), Some(NoteState::AtWork(note(7))));
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no draft stays");
        remove(run.path(), 8);
        assert!(path.exists(), "it is the first one's");
        remove(run.path(), 7);
        note(8).keep(run.path()).unwrap();
    }
}
