//! Settings of the whole machine that a sweep switches, and that are always put back.
//!
//! Before the first change a *guard* is started (`nearfar guard`, the same binary, in a session of
//! its own): it knows what was set, and waits for the sweep's end of a pipe to close. That happens
//! when the sweep ends, however it ends, `kill -9` included; then the guard puts everything back.
//! It also leaves a note in a file, so that the next sweep puts back what a guard that was killed
//! itself could not.

mod guard;
mod note;

use std::collections::BTreeMap;
use std::fs;

use nearfar_machine::{KernelSwitch, Source};

pub use guard::{SettingsGuard, serve};
pub use note::{NoteState, SettingNote, noted};

use crate::error::SweepError;

/// What is set, by switch.
pub type SwitchValues = BTreeMap<KernelSwitch, String>;

/// What the machine has now, of these switches, as it is to be put back.
pub fn now(switches: impl IntoIterator<Item = KernelSwitch>, source: &Source) -> SwitchValues {
    switches.into_iter().filter_map(|switch| Some((switch, switch.saved_value(source)?))).collect()
}

/// Sets what is not so already; the first that is refused is the last that is tried.
pub fn set(wanted: &SwitchValues, source: &Source) -> Result<(), SweepError> {
    wanted.iter().try_for_each(|(&switch, value)| set_one(switch, value, source))
}

/// Puts back all that can be put back; the error is the first one's that cannot.
pub fn restore(before: &SwitchValues, source: &Source) -> Result<(), SweepError> {
    each(before, |switch, value| set_one(switch, value, source))
}

fn each(
    wanted: &SwitchValues,
    mut set: impl FnMut(KernelSwitch, &str) -> Result<(), SweepError>,
) -> Result<(), SweepError> {
    let tried: Vec<_> = wanted.iter().map(|(&switch, value)| set(switch, value)).collect();
    tried.into_iter().collect()
}

fn set_one(switch: KernelSwitch, value: &str, source: &Source) -> Result<(), SweepError> {
    let text = switch.file_text(value);
    let is_so = || switch.saved_value(source).as_deref() == Some(text);
    if is_so() {
        return Ok(());
    }
    let refused = |error: std::io::Error| SweepError::Switch {
        name: switch.name(),
        value: value.to_owned(),
        path: switch.path(),
        why: error.to_string(),
    };
    fs::write(switch.path(), text).map_err(refused)?;
    is_so()
        .then_some(())
        .ok_or_else(|| refused(std::io::Error::other("the kernel took it, and did not do it")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn before() -> SwitchValues {
        KernelSwitch::ALL.into_iter().zip(["on", "never", "2"].map(str::to_owned)).collect()
    }

    #[test]
    fn all_settings_are_restored_despite_an_error() {
        let refused =
            |name| SweepError::Switch { name, value: String::new(), path: "", why: String::new() };
        let mut tried = Vec::new();
        let error = each(&before(), |switch, value| {
            tried.push(value.to_owned());
            if switch == KernelSwitch::Thp { Ok(()) } else { Err(refused(switch.name())) }
        });
        assert_eq!(tried, ["on", "never", "2"]);
        assert!(error.unwrap_err().to_string().contains("cannot set smt"), "the first one's");
        each(&before(), |_, _| Ok(())).unwrap();
    }

    #[test]
    fn equal_settings_are_not_written() {
        let texts = ["on\n", "always madvise [never]\n", "2\n"];
        let machine = Source::from_files(
            KernelSwitch::ALL.into_iter().zip(texts).map(|(switch, text)| (switch.path(), text)),
        );
        assert_eq!(now(KernelSwitch::ALL, &machine), before());
        set(&before(), &machine).unwrap();
        restore(&before(), &machine).unwrap();
    }
}
