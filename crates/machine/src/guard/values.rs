//! The texts of settings: read, set, restored.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};

use serde::{Deserialize, Serialize};

use crate::guard::GuardError;
use crate::guard::SettingFiles;
use crate::guard::setting::GuardedSetting;
use crate::interrupts::{InterruptSetting, SettableInterrupts};
use crate::{PciAddress, Source};

/// Texts by setting, in the order in which they are set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct SettingValues(
    #[schemars(with = "BTreeMap<String, String>")] BTreeMap<GuardedSetting, String>,
);

impl FromIterator<(GuardedSetting, String)> for SettingValues {
    fn from_iter<I: IntoIterator<Item = (GuardedSetting, String)>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl SettingValues {
    /// What these settings have now, as it is to be restored.
    ///
    /// # Errors
    ///
    /// The first setting that cannot be read, or that this machine cannot change.
    pub fn read(
        settings: impl IntoIterator<Item = GuardedSetting>,
        files: &impl SettingFiles,
    ) -> Result<Self, GuardError> {
        let value = |setting: GuardedSetting| {
            let unreadable = |why: String| GuardError::Unreadable {
                name: setting.to_string(),
                path: setting.path(),
                why,
            };
            let text =
                files.read(&setting.path()).map_err(|error| unreadable(error.to_string()))?;
            let saved = setting
                .saved_text(&text)
                .ok_or_else(|| unreadable(format!("'{text}' cannot be restored")))?;
            Ok((setting, saved))
        };
        settings.into_iter().map(value).collect()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The settings and their texts.
    pub fn iter(&self) -> impl Iterator<Item = (&GuardedSetting, &str)> {
        self.0.iter().map(|(setting, text)| (setting, text.as_str()))
    }

    /// Sets what has other texts now, and reads it back: all or none. `source` has the same files.
    ///
    /// # Errors
    ///
    /// The first that is refused; those before it have their earlier texts again.
    pub fn set(&self, files: &impl SettingFiles, source: &Source) -> Result<(), GuardError> {
        let is_gone = |(setting, _): &(&GuardedSetting, &str)| !is_of_its_device(setting, source);
        if let Some((setting, value)) = self.iter().find(is_gone) {
            return Err(refused(setting, value, "its device no longer has it"));
        }
        let before = Self::read(self.0.keys().cloned(), files)?;
        let set = self.iter().try_for_each(|(setting, value)| {
            set_one(setting, value, files)
                .map_err(|error| refused(setting, value, &error.to_string()))
        });
        // What cannot be restored now is the guard's.
        set.inspect_err(|_| drop(before.restore(files, source)))
    }

    /// Restores all that can be restored. Files that no longer exist, or that another device has
    /// now, stay as they are.
    ///
    /// # Errors
    ///
    /// The first that cannot be restored; all are tried.
    pub fn restore(&self, files: &impl SettingFiles, source: &Source) -> Result<(), GuardError> {
        let restored = self.iter().filter(|(setting, _)| is_of_its_device(setting, source)).map(
            |(setting, value)| match set_one(setting, value, files) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    Err(refused(setting, value, &error.to_string()))
                }
                _ => Ok(()),
            },
        );
        let tried: Vec<_> = restored.collect();
        tried.into_iter().collect()
    }
}

fn set_one(setting: &GuardedSetting, value: &str, files: &impl SettingFiles) -> io::Result<()> {
    let (path, text) = (setting.path(), setting.file_text(value));
    // Masks may differ in leading zeros.
    let same = |text: &str| setting.saved_text(text).unwrap_or_else(|| text.to_owned());
    let is_set = || files.read(&path).is_ok_and(|now| same(&now) == same(text));
    if is_set() {
        return Ok(());
    }
    files.write(&path, text)?;
    if is_set() {
        return Ok(());
    }
    Err(io::Error::other("the kernel accepts the text, and the setting stays as it is"))
}

fn refused(setting: &GuardedSetting, value: &str, why: &str) -> GuardError {
    GuardError::Refused {
        name: setting.to_string(),
        value: value.to_owned(),
        path: setting.path(),
        why: why.to_owned(),
    }
}

/// Whether a setting of interrupts or queues is still that device's.
fn is_of_its_device(setting: &GuardedSetting, source: &Source) -> bool {
    match setting {
        GuardedSetting::Switch(_) => true,
        GuardedSetting::Interrupts { device, setting } => has(*device, setting, source),
    }
}

fn has(device: PciAddress, setting: &InterruptSetting, source: &Source) -> bool {
    SettableInterrupts::read(source, device).contains(setting)
}
