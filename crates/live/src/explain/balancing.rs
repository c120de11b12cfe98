//! The kernel's own moves of pages, switched off for a while.

use std::process::Command;

use nearfar_machine::guard::{
    GuardError, GuardTask, GuardedSetting, RUN, RootedFiles, SettingValues, SettingsGuard,
};
use nearfar_machine::{KernelSwitch, Source};

/// Switches `kernel.numa_balancing` off where it is on; dropped, the guard restores it, also after
/// a kill.
///
/// # Errors
///
/// It is on and cannot be switched.
pub(crate) fn switched_off(
    source: &Source,
    guard: fn() -> Command,
) -> Result<Option<SettingsGuard<()>>, GuardError> {
    if KernelSwitch::Balancing.current(source) != Some("on") {
        return Ok(None);
    }
    let (files, setting) = (RootedFiles::live(), GuardedSetting::Switch(KernelSwitch::Balancing));
    let before = SettingValues::read([setting.clone()], &files)?;
    let task = GuardTask { before, files: files.clone(), run: RUN.into(), leftovers: None };
    let started = SettingsGuard::start(guard(), task)?;
    let off: SettingValues = [(setting, "off".to_owned())].into_iter().collect();
    off.set(&files, source)?;
    Ok(Some(started))
}
