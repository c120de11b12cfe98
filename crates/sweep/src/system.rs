//! Settings of the whole machine that a sweep switches. A guard restores them.

use std::collections::BTreeMap;

use nearfar_guard::{GuardedSetting, SettingValues};
use nearfar_machine::KernelSwitch;

/// What is set, by switch.
pub type SwitchValues = BTreeMap<KernelSwitch, String>;

/// The same for a guard.
pub fn guarded(values: &SwitchValues) -> SettingValues {
    let value = |(switch, value): (&KernelSwitch, &String)| {
        (GuardedSetting::Switch(*switch), value.clone())
    };
    values.iter().map(value).collect()
}
