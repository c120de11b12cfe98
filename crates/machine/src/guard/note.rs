//! The texts before, in a file: for a guard that is killed.

use std::path::{Path, PathBuf};

use nearfar_view::owned_files::Note;
use serde::{Deserialize, Serialize};

use crate::guard::values::SettingValues;

/// What was set, and the guard that restores it.
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

impl Note for SettingNote {
    const SCHEMA: &'static str = "nearfar.settings/1";
    const TAKEN: &'static str = "another nearfar's note is there: wait until that has ended";
    const STATE: &'static str = "the settings";
}

impl SettingNote {
    /// Where it is. `run` is emptied at boot, as the settings are.
    pub fn path(run: &Path) -> PathBuf {
        notes_folder(run).join("system-settings.json")
    }

    /// Removes the note of this guard, and of no other.
    pub(crate) fn remove_own(run: &Path, guard: u32) {
        let path = Self::path(run);
        if matches!(Self::read(&path), Ok(Some(note)) if note.guard == guard) {
            let _ = Self::remove(&path);
        }
    }
}

/// The folder of notes and locks below this one.
pub fn notes_folder(run: &Path) -> PathBuf {
    run.join("nearfar")
}
