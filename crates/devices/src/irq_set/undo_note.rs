//! The state before, in a file: undo needs it after a kill, too.

use std::io;
use std::path::{Path, PathBuf};

use nearfar_machine::PciAddress;
use nearfar_machine::guard::notes_folder;
use nearfar_machine::interrupts::InterruptSetting;
use nearfar_view::owned_files::PrivateFolder;
use serde::{Deserialize, Serialize};

use crate::irq_set::error::IrqSetError;

/// How to go on without the note.
const WITHOUT_UNDO: &str =
    "; or check the device's CPUs ('nearfar irq'), and remove the file: nothing is undone then";

/// A file's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SavedSetting {
    /// The file.
    pub setting: InterruptSetting,
    /// Its text.
    pub text: String,
}

impl SavedSetting {
    /// Whether a text has the same CPUs: masks may differ in leading zeros.
    pub(crate) fn is_same_as(&self, text: &str) -> bool {
        let parse = |text: &str| self.setting.parse(text);
        self.text == text || parse(text).is_some_and(|cpus| Some(cpus) == parse(&self.text))
    }
}

/// The state of a device before its first set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct UndoNote {
    schema: String,
    /// The device.
    pub label: String,
    /// The files and their texts, in the order of the sets.
    pub settings: Vec<SavedSetting>,
}

impl UndoNote {
    /// The schema of these documents.
    pub const SCHEMA: &str = "nearfar.irq-undo/1";

    /// Where a device's note is. `run` is emptied at boot, as the settings are.
    pub fn path(run: &Path, address: PciAddress) -> PathBuf {
        notes_folder(run).join(format!("irq-{address}.json"))
    }

    pub(crate) fn new(label: &str) -> Self {
        Self { schema: Self::SCHEMA.to_owned(), label: label.to_owned(), settings: Vec::new() }
    }

    /// Adds files that it lacks: the first state is the one to return to.
    pub(crate) fn with(mut self, saved: impl Iterator<Item = SavedSetting>) -> Self {
        for one in saved {
            if !self.settings.iter().any(|own| own.setting == one.setting) {
                self.settings.push(one);
            }
        }
        self
    }

    /// Reads a note; `None` if there is none.
    ///
    /// # Errors
    ///
    /// A file that is no note.
    pub fn load(path: &Path) -> Result<Option<Self>, IrqSetError> {
        let read = || match PrivateFolder::open(folder_of(path))? {
            Some(folder) => folder.read(name_of(path)),
            None => Ok(None),
        };
        let Some(bytes) = read().map_err(|error| unusable(path, &error.to_string()))? else {
            return Ok(None);
        };
        let note: Self = serde_json::from_slice(&bytes)
            .map_err(|error| unusable(path, &format!("it is damaged ({error}){WITHOUT_UNDO}")))?;
        let is_usable = |one: &SavedSetting| one.setting.is_plain();
        if note.schema != Self::SCHEMA || !note.settings.iter().all(is_usable) {
            let why = format!("another release wrote it: undo with that release{WITHOUT_UNDO}");
            return Err(unusable(path, &why));
        }
        Ok(Some(note))
    }

    /// Writes the note, whole or not at all.
    pub(crate) fn keep(&self, path: &Path) -> Result<(), IrqSetError> {
        self.write(path).map_err(|error| unusable(path, &error.to_string()))
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        let folder = PrivateFolder::create(folder_of(path))?;
        folder.replace(name_of(path), &serde_json::to_vec(self)?)
    }

    /// Writes an earlier note, or removes the file if there was none.
    pub(crate) fn restore(earlier: Option<&Self>, path: &Path) -> Result<(), IrqSetError> {
        match earlier {
            Some(note) => note.keep(path),
            None => {
                let folder = PrivateFolder::open(folder_of(path));
                let removed = folder.and_then(|folder| match folder {
                    Some(folder) => folder.remove(name_of(path)),
                    None => Ok(()),
                });
                removed.map_err(|error| unusable(path, &error.to_string()))
            }
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn unusable(path: &Path, why: &str) -> IrqSetError {
    IrqSetError::Note { path: path.to_owned(), why: why.to_owned() }
}
