//! Settings of the whole machine that a sweep varies. A guard restores them.

use std::collections::BTreeMap;

use nearfar_machine::KernelSwitch;
use nearfar_machine::guard::{GuardedSetting, SettingValues};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::interrupts::InterruptAxis;

/// A setting of the whole machine.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum SystemSetting {
    /// Hardware threads.
    Smt,
    /// Transparent huge pages.
    Thp,
    /// Automatic NUMA balancing.
    Balancing,
    /// Where a device's interrupts run: `near` or `far`.
    Irq,
}

/// What is set, by setting.
pub type SystemValues = BTreeMap<SystemSetting, String>;

impl SystemSetting {
    /// Its name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Smt => KernelSwitch::Smt.name(),
            Self::Thp => KernelSwitch::Thp.name(),
            Self::Balancing => KernelSwitch::Balancing.name(),
            Self::Irq => "irq",
        }
    }

    /// The kernel's switch; interrupts have a file each.
    pub const fn switch(self) -> Option<KernelSwitch> {
        match self {
            Self::Smt => Some(KernelSwitch::Smt),
            Self::Thp => Some(KernelSwitch::Thp),
            Self::Balancing => Some(KernelSwitch::Balancing),
            Self::Irq => None,
        }
    }
}

/// The same for a guard. Interrupts stay as they are without their axis.
pub(crate) fn guarded(values: &SystemValues, interrupts: Option<&InterruptAxis>) -> SettingValues {
    let switches = values.iter().filter_map(|(setting, value)| {
        Some((GuardedSetting::Switch(setting.switch()?), value.clone()))
    });
    let target = values.get(&SystemSetting::Irq);
    let irqs = interrupts.zip(target).and_then(|(axis, target)| axis.values(target));
    let irqs = irqs.into_iter().flat_map(SettingValues::iter);
    let irqs = irqs.map(|(setting, text)| (setting.clone(), text.to_owned()));
    switches.chain(irqs).collect()
}
