//! Settings and load that influence memory measurements.

mod boot;
mod frequency;
pub(crate) mod hypervisor;
mod idle;
mod load;
mod paging;
mod platform;
mod prefetch;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::attribute::Attributes;
use crate::source::Source;

pub use boot::BootSettings;
pub use frequency::FrequencySettings;
pub use hypervisor::{HypervisorSource, UNKNOWN_HYPERVISOR};
pub use idle::{IdleSettings, IdleState};
pub use load::SystemLoad;
pub use paging::PagingSettings;
pub use platform::PlatformVersions;
pub use prefetch::{Prefetcher, Prefetchers};

/// The settings that influence measurements. `None` means that the kernel does not report it.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Environment {
    /// The hypervisor; `None` without a sign of one.
    pub hypervisor: Option<String>,
    /// Where the hypervisor's name is from; documents have the name alone.
    #[serde(skip)]
    pub hypervisor_source: Option<HypervisorSource>,
    /// CPU frequency settings.
    pub frequency: FrequencySettings,
    /// CPU idle settings.
    pub idle: IdleSettings,
    /// Hardware prefetchers.
    pub prefetchers: Prefetchers,
    /// Hardware threads: "on", "off", "forceoff", "notsupported" (`smt/control`).
    pub smt: Option<String>,
    /// Whether the scheduler keeps threads that share memory at one cache (since Linux 7.2).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_aware_scheduling: Option<bool>,
    /// Page placement and migration settings.
    pub paging: PagingSettings,
    /// Kernel and command line.
    pub boot: BootSettings,
    /// Versions of firmware, and memory modules.
    pub platform: PlatformVersions,
    /// Load and CPU limits.
    pub load: SystemLoad,
    /// Malformed values, one line each.
    pub oddities: Vec<String>,
}

impl Environment {
    /// Reads the settings. Never fails: malformed values are in [`oddities`](Self::oddities).
    ///
    /// # References
    ///
    /// Documentation/admin-guide/pm, Documentation/admin-guide/mm, Documentation/admin-guide/sysctl
    pub fn read(source: &Source) -> Self {
        let read = Attributes::new(source);
        let (hypervisor, hypervisor_source) = hypervisor::read(&read).unzip();
        Self {
            hypervisor,
            hypervisor_source,
            frequency: frequency::read(&read),
            idle: idle::read(&read),
            prefetchers: prefetch::read(source),
            smt: read.text("/sys/devices/system/cpu/smt/control"),
            cache_aware_scheduling: cache_aware(&read),
            paging: paging::read(&read),
            boot: boot::read(&read),
            platform: platform::read(&read, source),
            load: load::read(&read),
            oddities: read.into_oddities(),
        }
    }
}

/// Whether threads that share memory are kept at one last-level cache (Linux 7.2). The file has
/// what was asked for: the kernel does it where a node has several such caches. Only root reads it.
///
/// # References
///
/// kernel/sched/debug.c: sched_cache_enable_show
fn cache_aware(read: &Attributes<'_>) -> Option<bool> {
    match read.text("/sys/kernel/debug/sched/llc_balancing/enabled")?.as_str() {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}
