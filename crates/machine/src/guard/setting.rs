//! A setting that a guard can restore, and its name in notes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::interrupts::InterruptSetting;
use crate::{KernelSwitch, PciAddress};

/// A setting of the machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum GuardedSetting {
    /// A kernel switch. Switches come first: interrupts need the CPUs that SMT brings back.
    Switch(KernelSwitch),
    /// A file of a device's interrupts or queues.
    Interrupts {
        /// The device: a driver that restarts may leave the number to another device.
        device: PciAddress,
        /// The file.
        setting: InterruptSetting,
    },
}

impl GuardedSetting {
    /// Path of its file.
    pub fn path(&self) -> String {
        match self {
            Self::Switch(switch) => switch.path().to_owned(),
            Self::Interrupts { setting, .. } => setting.path(),
        }
    }

    /// The text that restores what a file has now; `None` if this machine cannot change it.
    pub fn saved_text(&self, file: &str) -> Option<String> {
        match self {
            Self::Switch(switch) => switch.saved_text(file),
            Self::Interrupts { setting, .. } => {
                setting.parse(file).map(|cpus| setting.file_text(&cpus))
            }
        }
    }

    /// The text to write for a value, or for a [`saved_text`](Self::saved_text).
    pub(crate) fn file_text<'v>(&self, value: &'v str) -> &'v str {
        match self {
            Self::Switch(switch) => switch.file_text(value),
            Self::Interrupts { .. } => value,
        }
    }
}

impl fmt::Display for GuardedSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switch(switch) => f.write_str(switch.name()),
            Self::Interrupts { device, setting } => match setting {
                InterruptSetting::Irq(number) => write!(f, "irq {number} of {device}"),
                InterruptSetting::Xps { interface, queue } => {
                    write!(f, "xps {interface} {queue} of {device}")
                }
                InterruptSetting::Rps { interface, queue } => {
                    write!(f, "rps {interface} {queue} of {device}")
                }
            },
        }
    }
}

impl FromStr for GuardedSetting {
    type Err = String;

    /// Reads a name. Names of interfaces have no blanks.
    fn from_str(name: &str) -> Result<Self, String> {
        parse(name).ok_or_else(|| format!("'{name}' is no setting"))
    }
}

fn parse(name: &str) -> Option<GuardedSetting> {
    if let Some(switch) = KernelSwitch::ALL.into_iter().find(|switch| switch.name() == name) {
        return Some(GuardedSetting::Switch(switch));
    }
    let words: Vec<&str> = name.split(' ').collect();
    let (setting, device) = match words.as_slice() {
        ["irq", number, "of", device] => (InterruptSetting::Irq(number.parse().ok()?), device),
        [kind, interface, queue, "of", device] => {
            let (interface, queue) = ((*interface).to_owned(), queue.parse().ok()?);
            let setting = match *kind {
                "xps" => InterruptSetting::Xps { interface, queue },
                "rps" => InterruptSetting::Rps { interface, queue },
                _ => return None,
            };
            (setting, device)
        }
        _ => return None,
    };
    let device = PciAddress::parse(device).ok()?;
    setting.is_plain().then_some(GuardedSetting::Interrupts { device, setting })
}

impl From<GuardedSetting> for String {
    fn from(setting: GuardedSetting) -> Self {
        setting.to_string()
    }
}

impl TryFrom<String> for GuardedSetting {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        name.parse()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_of_settings_are_read_again() {
        for name in [
            "smt",
            "thp",
            "balancing",
            "irq 24 of 0000:00:03.0",
            "xps eth0.5 3 of 0000:00:03.0",
            "rps en:1 0 of 10000:e1:00.1",
        ] {
            assert_eq!(name.parse::<GuardedSetting>().unwrap().to_string(), name);
        }
    }

    #[test]
    fn names_outside_the_kernels_folders_are_refused() {
        for name in [
            "xps .. 3 of 0000:00:03.0",
            "rps ../../x 0 of 0000:00:03.0",
            "irq -1 of 0000:00:03.0",
            "irq 24 of nowhere",
            "irq 24",
            "",
        ] {
            assert!(name.parse::<GuardedSetting>().is_err(), "{name}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_setting_or_an_error(text in ".*") {
            if let Ok(setting) = text.parse::<GuardedSetting>() {
                prop_assert_eq!(setting.to_string().parse(), Ok(setting));
            }
        }
    }
}
