//! What stands around a measurement: settings and company that make memory look faster, slower or
//! unsteady.

mod boot;
mod frequency;
pub(crate) mod hypervisor;
mod idle;
mod load;
mod paging;
mod prefetch;

use serde::Serialize;

pub use boot::BootSettings;
pub use frequency::FrequencySettings;
pub use idle::{IdleSettings, IdleState};
pub use load::SystemLoad;
pub use paging::PagingSettings;
pub use prefetch::{Prefetcher, Prefetchers};

use crate::attribute::Attributes;
use crate::source::Source;

/// The settings that matter to measuring. `None` is "the kernel does not tell".
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Environment {
    /// Which hypervisor the machine runs on; none when it shows no sign of one.
    pub hypervisor: Option<String>,
    /// How CPUs choose their clock.
    pub frequency: FrequencySettings,
    /// How CPUs rest.
    pub idle: IdleSettings,
    /// What CPUs fetch unasked.
    pub prefetchers: Prefetchers,
    /// Hardware threads: "on", "off", "forceoff", "notsupported" (`smt/control`).
    pub smt: Option<String>,
    /// How the kernel chooses and moves pages.
    pub paging: PagingSettings,
    /// How the kernel was started.
    pub boot: BootSettings,
    /// Who else wants the CPUs.
    pub load: SystemLoad,
    /// What was there and could not be understood, one line each.
    pub oddities: Vec<String>,
}

impl Environment {
    /// Reads the settings. Nothing here is needed, so nothing here fails.
    pub fn read(source: &Source) -> Self {
        let read = Attributes::new(source);
        Self {
            hypervisor: hypervisor::read(&read),
            frequency: frequency::read(&read),
            idle: idle::read(&read),
            prefetchers: prefetch::read(source),
            smt: read.text("/sys/devices/system/cpu/smt/control"),
            paging: paging::read(&read),
            boot: boot::read(&read),
            load: load::read(&read),
            oddities: read.into_oddities(),
        }
    }
}

#[cfg(test)]
mod tests;
