//! Settings of the machine that a measurement changes for a while, and that are always restored.
//!
//! - [`GuardedSetting`]: a kernel switch, or where an interrupt of a device runs.
//! - [`SettingValues`]: the texts of settings: read, set, read back, restored.
//! - [`SettingsGuard`]: before the first change a *guard* starts (`nearfar guard`, the same binary,
//!   in a process group of its own). It knows the texts before, and waits until a pipe closes. That
//!   happens when the process that started it ends, `kill -9` included. Then it restores
//!   everything.
//! - [`SettingNote`]: the guard's note in a file, so that [`settle`] restores what a killed guard
//!   could not.
//!
//! [`Leftovers`] are what else a guard removes. The kernel's files are behind [`SettingFiles`].

mod setting;
mod settings_guard;
mod values;

use std::fs::OpenOptions;
use std::io;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nearfar_model::Bytes;
use nearfar_view::owned_files::{Note, NoteError, NoteFault, PathRefusal};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{MachineError, Process, Source};

pub use setting::GuardedSetting;
pub use settings_guard::{GuardTask, SettingsGuard, serve};
pub use values::SettingValues;

/// Notes lie below this folder: it is emptied at boot, as the settings are.
pub const RUN: &str = "/run";

/// The longest text of a setting: a line of the kernel's.
const MAX_BYTES: Bytes = Bytes::mib(1);

/// Reads and writes files by their absolute path.
pub trait SettingFiles {
    /// The file's text, without surrounding whitespace.
    fn read(&self, path: &str) -> io::Result<String>;
    /// Writes a text by one system call.
    fn write(&self, path: &str, text: &str) -> io::Result<()>;
    /// Whether the file may be opened for writing. The kernel may refuse a text nevertheless.
    fn check_writable(&self, path: &str) -> io::Result<()>;
}

/// Files below a folder; below `/`, the kernel's.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RootedFiles(PathBuf);

impl RootedFiles {
    /// The files of this machine.
    pub fn live() -> Self {
        Self::below(Path::new("/"))
    }

    /// The files below a folder.
    pub fn below(root: &Path) -> Self {
        Self(root.to_owned())
    }

    /// The same files, to read what a machine reports.
    ///
    /// # Errors
    ///
    /// A folder without a machine.
    pub fn source(&self) -> Result<Source, MachineError> {
        if self.0 == Path::new("/") { Ok(Source::live()) } else { Source::open(&self.0) }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.join(path.trim_start_matches('/'))
    }
}

impl SettingFiles for RootedFiles {
    fn read(&self, path: &str) -> io::Result<String> {
        let text = nearfar_view::input::read_entry(&self.path(path), MAX_BYTES)?;
        Ok(String::from_utf8_lossy(&text).trim().to_owned())
    }

    fn write(&self, path: &str, text: &str) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).truncate(true).open(self.path(path))?;
        file.write_all(format!("{text}\n").as_bytes())
    }

    fn check_writable(&self, path: &str) -> io::Result<()> {
        OpenOptions::new().write(true).open(self.path(path)).map(drop)
    }
}

/// Traces of a process in the system, for example its control groups.
pub trait Leftovers: Serialize + DeserializeOwned {
    /// Removes them. The last program of a killed process has this time to end.
    fn remove(&self, timeout: Duration);
}

/// A process without traces.
impl Leftovers for () {
    fn remove(&self, _: Duration) {}
}

/// What failed, and where.
#[derive(Debug, Error)]
pub enum GuardError {
    /// A setting that cannot be set.
    #[error("cannot set {name} to {value} ({path}): {why}")]
    Refused {
        /// The setting.
        name: String,
        /// The text.
        value: String,
        /// Its file.
        path: String,
        /// The reason.
        why: String,
    },
    /// A setting whose text before is unknown.
    #[error("cannot read {name} ({path}): {why}")]
    Unreadable {
        /// The setting.
        name: String,
        /// Its file.
        path: String,
        /// The reason.
        why: String,
    },
    /// A note that cannot be written or read.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// The guard did not start.
    #[error("cannot start the guard that restores settings: {0}; nothing was changed")]
    Start(String),
    /// Another guard is at work: its settings are not those before.
    #[error(
        "another nearfar (guard {0}) switches settings of this machine: wait until it has ended"
    )]
    AtWork(u32),
    /// The settings of a guard that was killed are not restored.
    #[error(
        "an earlier nearfar was killed with its guard, and left settings of this machine changed: \
         {0}"
    )]
    LeftChanged(Box<GuardError>),
    /// A folder without a machine.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The pipes of a guard.
    #[error("cannot reach the process that started this guard: {0}")]
    Pipe(io::Error),
}

// Not by `#[from]`: the message has the cause.
impl From<io::Error> for GuardError {
    fn from(cause: io::Error) -> Self {
        Self::Pipe(cause)
    }
}

/// What was set, and the guard that restores it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
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

/// When a process was started, in the kernel's ticks since boot; `None` once it is gone.
pub fn start_time(source: &Source, pid: u32) -> Option<u64> {
    Process::find(source, pid).and_then(|process| process.stat()).ok()?.started
}

/// Whether the process that was started then may still exist: one that `/proc` hides may.
pub fn is_alive(source: &Source, pid: u32, started: u64) -> bool {
    Process::still_exists(source, pid, started) != Some(false)
}

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
