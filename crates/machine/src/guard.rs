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

mod error;
mod leftovers;
mod note;
mod setting;
mod setting_files;
mod settings_guard;
mod settling;
mod started;
mod values;

pub use error::GuardError;
pub use leftovers::Leftovers;
pub use note::{SettingNote, notes_folder};
pub use setting::GuardedSetting;
pub use setting_files::{RootedFiles, SettingFiles};
pub use settings_guard::{GuardTask, SettingsGuard, serve};
pub use settling::{Settled, settle};
pub use started::{is_alive, start_time};
pub use values::SettingValues;

/// Notes lie below this folder: it is emptied at boot, as the settings are.
pub const RUN: &str = "/run";
