//! The state before, in a file: undo needs it after a kill, too.

use std::path::{Path, PathBuf};

use nearfar_machine::PciAddress;
use nearfar_machine::guard::notes_folder;
use nearfar_machine::interrupts::InterruptSetting;
use nearfar_view::owned_files::{Note, NoteError};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// A file's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SavedSetting {
    /// The file.
    #[serde(deserialize_with = "plain")]
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
    /// The device.
    pub label: String,
    /// The files and their texts, in the order of the sets.
    pub settings: Vec<SavedSetting>,
}

impl Note for UndoNote {
    const SCHEMA: &'static str = "nearfar.irq-undo/1";
    const TAKEN: &'static str = "it has an earlier state";
    const STATE: &'static str = "the device's CPUs ('nearfar irq')";
}

impl UndoNote {
    /// Where a device's note is. `run` is emptied at boot, as the settings are.
    pub fn path(run: &Path, address: PciAddress) -> PathBuf {
        notes_folder(run).join(format!("irq-{address}.json"))
    }

    pub(crate) fn new(label: &str) -> Self {
        Self { label: label.to_owned(), settings: Vec::new() }
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

    /// Writes an earlier note, or removes the file if there was none.
    pub(crate) fn restore(earlier: Option<&Self>, path: &Path) -> Result<(), NoteError> {
        earlier.map_or_else(|| Self::remove(path), |note| note.replace(path))
    }
}

/// No setting of a note leads out of the kernel's folders.
fn plain<'de, D: Deserializer<'de>>(text: D) -> Result<InterruptSetting, D::Error> {
    let setting = InterruptSetting::deserialize(text)?;
    setting
        .is_plain()
        .then_some(setting)
        .ok_or_else(|| D::Error::custom("no interface has this name"))
}
