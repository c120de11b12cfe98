//! The state before, in a file: undo needs it after a kill, too.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use nearfar_machine::PciAddress;
use nearfar_machine::interrupts::InterruptSetting;
use nearfar_model::Bytes;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::error::IrqSetError;

const SCHEMA: &str = "nearfar.irq-undo/1";
/// Many times the note of a device with an interrupt for each CPU.
const MOST_BYTES: Bytes = Bytes::mib(16);

/// A file's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoNote {
    schema: String,
    /// The device.
    pub label: String,
    /// The files and their texts, in the order of the sets.
    pub settings: Vec<SavedSetting>,
}

impl UndoNote {
    /// Where a device's note is. `run` is emptied at boot, as the settings are.
    pub fn path(run: &Path, address: PciAddress) -> PathBuf {
        run.join("nearfar").join(format!("irq-{address}.json"))
    }

    pub(crate) fn new(label: &str) -> Self {
        Self { schema: SCHEMA.to_owned(), label: label.to_owned(), settings: Vec::new() }
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
        let bytes = match nearfar_input::read_entry(path, MOST_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unusable(path, &error.to_string())),
        };
        let note: Self =
            serde_json::from_slice(&bytes).map_err(|error| unusable(path, &error.to_string()))?;
        let is_usable = |one: &SavedSetting| one.setting.is_plain();
        if note.schema != SCHEMA || !note.settings.iter().all(is_usable) {
            return Err(unusable(path, "another release wrote it"));
        }
        Ok(Some(note))
    }

    /// Writes the note, whole or not at all.
    pub(crate) fn keep(&self, path: &Path) -> Result<(), IrqSetError> {
        self.write(path).map_err(|error| unusable(path, &error.to_string()))
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder)?;
        let mut draft = NamedTempFile::new_in(folder)?;
        draft.write_all(&serde_json::to_vec(self)?)?;
        draft.persist(path)?;
        Ok(())
    }

    /// Writes an earlier note, or removes the file if there was none.
    pub(crate) fn restore(earlier: Option<&Self>, path: &Path) -> Result<(), IrqSetError> {
        match earlier {
            Some(note) => note.keep(path),
            None => match fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    Err(unusable(path, &error.to_string()))
                }
                _ => Ok(()),
            },
        }
    }
}

fn unusable(path: &Path, why: &str) -> IrqSetError {
    IrqSetError::Note { path: path.to_owned(), why: why.to_owned() }
}
