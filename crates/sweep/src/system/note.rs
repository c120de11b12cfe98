//! What was set before a sweep changed it, in a file: the guard's own insurance.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Setting;

/// A note of what was set, and who is to put it back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The guard.
    pub guard: u32,
    /// When the guard was started, in the kernel's ticks since boot: numbers of processes are used again.
    pub started: u64,
    /// What was set.
    pub before: Setting,
}

/// Gone after a restart, as the settings are.
const FOLDER: &str = "nearfar";
const NAME: &str = "system-settings.json";

impl Note {
    /// Writes it.
    pub fn keep(&self, run: &Path) -> io::Result<PathBuf> {
        let folder = run.join(FOLDER);
        fs::create_dir_all(&folder)?;
        let path = folder.join(NAME);
        let draft = folder.join(format!(".{NAME}-{}", self.guard));
        fs::write(&draft, serde_json::to_vec(self)?)?;
        fs::rename(&draft, &path)?;
        Ok(path)
    }
}

/// What a guard that is no longer there had to put back. `is_there` knows a process by its number and start.
pub fn left_behind(run: &Path, is_there: impl Fn(u32, u64) -> bool) -> Option<(PathBuf, Note)> {
    let path = run.join(FOLDER).join(NAME);
    let note: Note = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
    (!is_there(note.guard, note.started)).then_some((path, note))
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Switch;

    use super::*;

    #[test]
    fn a_note_counts_once_its_guard_is_gone() {
        let run = tempfile::tempdir().unwrap();
        assert_eq!(left_behind(run.path(), |_, _| false), None);
        let note = Note { guard: 7, started: 9, before: Setting::from([(Switch::Smt, "on".to_owned())]) };
        let path = note.keep(run.path()).unwrap();
        assert_eq!(left_behind(run.path(), |guard, started| (guard, started) == (7, 9)), None);
        assert_eq!(left_behind(run.path(), |_, _| false), Some((path.clone(), note)));
        fs::write(path, "{").unwrap();
        assert_eq!(left_behind(run.path(), |_, _| false), None);
    }
}
