//! Settings of the whole machine that a sweep switches, and that are always put back.
//!
//! Before the first change a *guard* is started (`nearfar guard`, the same binary, in a session of its own): it knows what was set, and waits for the
//! sweep's end of a pipe to close. That happens when the sweep ends, however it ends, `kill -9` included; then the guard puts everything back. It also leaves a note in a file, so
//! that the next sweep puts back what a guard that was killed itself could not.

mod guard;
mod note;

use std::collections::BTreeMap;
use std::fs;

use nearfar_machine::{Source, Switch};

pub use guard::{Guard, serve};
pub use note::{Note, Noted, noted};

use crate::error::SweepError;

/// What is set, by switch.
pub type Setting = BTreeMap<Switch, String>;

/// What the machine has now, of these switches.
pub fn now(switches: impl IntoIterator<Item = Switch>, source: &Source) -> Setting {
    switches.into_iter().filter_map(|switch| Some((switch, switch.now(source)?.to_owned()))).collect()
}

/// Sets what is not so already.
pub fn set(wanted: &Setting, source: &Source) -> Result<(), SweepError> {
    for (&switch, value) in wanted {
        if switch.now(source) == Some(value) {
            continue;
        }
        let refused = |error: std::io::Error| SweepError::Switch {
            name: switch.name(),
            value: value.clone(),
            path: switch.path(),
            why: error.to_string(),
        };
        fs::write(switch.path(), switch.written(value)).map_err(refused)?;
        if switch.now(source) != Some(value) {
            return Err(refused(std::io::Error::other("the kernel took it, and did not do it")));
        }
    }
    Ok(())
}
